import h11

client, server = h11.Connection(h11.CLIENT), h11.Connection(h11.SERVER)
wire = client.send(
    h11.Request(method="POST", target="/x?y", headers=[("Host", "example.com"), ("Content-Length", "5"), ("X-A", "1")])
)
wire += client.send(h11.Data(data=b"hello")) + client.send(h11.EndOfMessage())
print(wire)
server.receive_data(wire)
while True:
    event = server.next_event()
    print(event)
    if isinstance(event, h11.EndOfMessage) or event is h11.NEED_DATA:
        break
out = server.send(h11.Response(status_code=200, reason=b"OK", headers=[("Transfer-Encoding", "chunked")]))
out += (
    server.send(h11.Data(data=b"abc"))
    + server.send(h11.Data(data=b"d" * 20))
    + server.send(h11.EndOfMessage(headers=[("T", "v")]))
)
print(out, server.states)
client.receive_data(out)
for _ in range(5):
    event = client.next_event()
    print(type(event).__name__ if not isinstance(event, type) else event)
print(client.our_state, client.their_state, client.start_next_cycle(), client.states)
for bad in b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n":
    s = h11.Connection(h11.SERVER)
    s.receive_data(bad)
    try:
        s.next_event()
    except h11.RemoteProtocolError as error:
        print(error, error.error_status_hint)
