// The debugger's port. See processes.h.
#include "vm/outside/outside_parts.h"
#include "vm/outside/processes.h"
#include "vm/outside/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

int outside_listen(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!sandbox_allows_processes()) return -1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return -1;
    // After an editor has gone, its connection keeps the port for a minute.
    (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(address.sin_port);
        return listener;
    }
    int error = errno;
    close(listener);
    errno = error;
    return -1;
}

int outside_accept(int listener)
{
    int connection;
    if (!sandbox_allows_processes()) return -1;
    do connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    while (connection < 0 && errno == EINTR);
    return connection;
}
