from netaddr import (
    EUI,
    AddrFormatError,
    IPAddress,
    IPGlob,
    IPNetwork,
    IPRange,
    IPSet,
    cidr_merge,
    iprange_to_cidrs,
    mac_cisco,
    mac_unix,
    spanning_cidr,
    valid_ipv4,
    all_matching_cidrs,
    cidr_exclude,
)

n = IPNetwork("192.168.1.17/28")
print(
    n,
    n.ip,
    n.network,
    n.broadcast,
    n.netmask,
    n.size,
    list(n.subnet(30))[1],
    n.supernet(26)[0],
    IPAddress("192.168.1.20") in n,
    [str(a) for a in n[1:4]],
    n.cidr,
    n.next(),
)
print(
    IPAddress("10.0.0.1").bits(),
    IPAddress("::1").format(),
    IPAddress("fe80::dead:beef").words,
    int(IPAddress("1.2.3.4")),
    IPAddress("1.2.3.4").reverse_dns,
    IPAddress("1.2.3.4").ipv6(),
    IPAddress("10.0.0.1") + 5,
)
print(
    cidr_merge(["10.0.0.0/25", "10.0.0.128/25", "10.0.2.0/24"]),
    iprange_to_cidrs("10.0.0.3", "10.0.0.9"),
    spanning_cidr(["10.0.0.1", "10.0.3.9"]),
    cidr_exclude("10.0.0.0/30", "10.0.0.2/32"),
    all_matching_cidrs("10.0.0.5", ["10.0.0.0/8", "10.0.0.0/29", "11.0.0.0/8"]),
)
a, b = IPSet(["10.0.0.0/30"]), IPSet(["10.0.0.2/31", "10.0.1.0/32"])
print(a & b, a | b, a - b, a ^ b, len(a | b), IPRange("10.0.0.1", "10.0.0.6").cidrs(), IPGlob("10.0.0.1-5").size)
m = EUI("00-1B-77-49-54-FD")
print(
    m,
    m.value,
    m.bits(),
    m.eui64(),
    m.ipv6_link_local(),
    EUI("001b.7749.54fd", dialect=mac_cisco),
    EUI(m, dialect=mac_unix),
    m.words,
    valid_ipv4("1.2.3"),
)
for bad in "1.2.3.400", "10.0.0.0/33", "zz":
    try:
        IPNetwork(bad)
    except AddrFormatError as error:
        print(error)
