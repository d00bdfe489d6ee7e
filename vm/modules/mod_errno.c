// The module `errno`: the numbers of the system's errors, and `errorcode`, their names.
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/text/str.h"

#include <errno.h>

#define ERROR(name) {#name, name}
static const struct {
    const char *name;
    int number;
} errors[] = {
    ERROR(EPERM),
    ERROR(ENOENT),
    ERROR(ESRCH),
    ERROR(EINTR),
    ERROR(EIO),
    ERROR(ENXIO),
    ERROR(E2BIG),
    ERROR(ENOEXEC),
    ERROR(EBADF),
    ERROR(ECHILD),
    ERROR(EAGAIN),
    ERROR(EWOULDBLOCK),
    ERROR(ENOMEM),
    ERROR(EACCES),
    ERROR(EFAULT),
    ERROR(ENOTBLK),
    ERROR(EBUSY),
    ERROR(EEXIST),
    ERROR(EXDEV),
    ERROR(ENODEV),
    ERROR(ENOTDIR),
    ERROR(EISDIR),
    ERROR(EINVAL),
    ERROR(ENFILE),
    ERROR(EMFILE),
    ERROR(ENOTTY),
    ERROR(ETXTBSY),
    ERROR(EFBIG),
    ERROR(ENOSPC),
    ERROR(ESPIPE),
    ERROR(EROFS),
    ERROR(EMLINK),
    ERROR(EPIPE),
    ERROR(EDOM),
    ERROR(ERANGE),
    ERROR(EDEADLOCK),
    ERROR(EDEADLK),
    ERROR(ENAMETOOLONG),
    ERROR(ENOLCK),
    ERROR(ENOSYS),
    ERROR(ENOTEMPTY),
    ERROR(ELOOP),
    ERROR(ENOMSG),
    ERROR(EIDRM),
    ERROR(ECHRNG),
    ERROR(EL2NSYNC),
    ERROR(EL3HLT),
    ERROR(EL3RST),
    ERROR(ELNRNG),
    ERROR(EUNATCH),
    ERROR(ENOCSI),
    ERROR(EL2HLT),
    ERROR(EBADE),
    ERROR(EBADR),
    ERROR(EXFULL),
    ERROR(ENOANO),
    ERROR(EBADRQC),
    ERROR(EBADSLT),
    ERROR(EBFONT),
    ERROR(ENOSTR),
    ERROR(ENODATA),
    ERROR(ETIME),
    ERROR(ENOSR),
    ERROR(ENONET),
    ERROR(ENOPKG),
    ERROR(EREMOTE),
    ERROR(ENOLINK),
    ERROR(EADV),
    ERROR(ESRMNT),
    ERROR(ECOMM),
    ERROR(EPROTO),
    ERROR(EMULTIHOP),
    ERROR(EDOTDOT),
    ERROR(EBADMSG),
    ERROR(EOVERFLOW),
    ERROR(ENOTUNIQ),
    ERROR(EBADFD),
    ERROR(EREMCHG),
    ERROR(ELIBACC),
    ERROR(ELIBBAD),
    ERROR(ELIBSCN),
    ERROR(ELIBMAX),
    ERROR(ELIBEXEC),
    ERROR(EILSEQ),
    ERROR(ERESTART),
    ERROR(ESTRPIPE),
    ERROR(EUSERS),
    ERROR(ENOTSOCK),
    ERROR(EDESTADDRREQ),
    ERROR(EMSGSIZE),
    ERROR(EPROTOTYPE),
    ERROR(ENOPROTOOPT),
    ERROR(EPROTONOSUPPORT),
    ERROR(ESOCKTNOSUPPORT),
    ERROR(ENOTSUP),
    ERROR(EOPNOTSUPP),
    ERROR(EPFNOSUPPORT),
    ERROR(EAFNOSUPPORT),
    ERROR(EADDRINUSE),
    ERROR(EADDRNOTAVAIL),
    ERROR(ENETDOWN),
    ERROR(ENETUNREACH),
    ERROR(ENETRESET),
    ERROR(ECONNABORTED),
    ERROR(ECONNRESET),
    ERROR(ENOBUFS),
    ERROR(EISCONN),
    ERROR(ENOTCONN),
    ERROR(ESHUTDOWN),
    ERROR(ETOOMANYREFS),
    ERROR(ETIMEDOUT),
    ERROR(ECONNREFUSED),
    ERROR(EHOSTDOWN),
    ERROR(EHOSTUNREACH),
    ERROR(EALREADY),
    ERROR(EINPROGRESS),
    ERROR(ESTALE),
    ERROR(EUCLEAN),
    ERROR(ENOTNAM),
    ERROR(ENAVAIL),
    ERROR(EISNAM),
    ERROR(EREMOTEIO),
    ERROR(EDQUOT),
    ERROR(ENOMEDIUM),
    ERROR(EMEDIUMTYPE),
    ERROR(ECANCELED),
    ERROR(ENOKEY),
    ERROR(EKEYEXPIRED),
    ERROR(EKEYREVOKED),
    ERROR(EKEYREJECTED),
    ERROR(EOWNERDEAD),
    ERROR(ENOTRECOVERABLE),
    ERROR(ERFKILL),
};

// Where two names have one number, errorcode has the first in this table.
static bool add_error(ValueRef module, ValueRef names, const char *name, int number)
{
    Value text = str_intern(name);
    bool done = text && module_add(module, name, from_small(number));
    Value kept = done ? dict_set_default(names, from_small(number), text) : VALUE_ERROR;
    drop(text);
    drop(kept);
    return kept;
}

static bool fill(ValueRef module)
{
    Value names = dict_new();
    bool done = names && module_add(module, "errorcode", names);
    for (size_t i = 0; done && i < sizeof errors / sizeof *errors; i++)
        done = add_error(module, names, errors[i].name, errors[i].number);
    drop(names);
    return done;
}

const ModuleDef errno_module = {
    .name = "errno",
    .fill = fill,
};
