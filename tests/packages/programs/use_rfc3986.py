import rfc3986
from rfc3986 import builder, exceptions, uri_reference, urlparse, validators

u = uri_reference("http://user:pw@Example.COM:8080/a/./b/../c%7e?q=1#f")
print(
    u.scheme,
    u.authority,
    u.userinfo,
    u.host,
    u.port,
    u.path,
    u.query,
    u.fragment,
    u.normalize().unsplit(),
    u.is_absolute(),
    u.authority_info(),
)
print(
    uri_reference("../d;p?y").resolve_with("http://a/b/c/d;p?q").unsplit(),
    rfc3986.is_valid_uri("http://[::1]:80/", require_scheme=True),
    rfc3986.is_valid_uri("ht tp://x"),
    rfc3986.normalize_uri("EXAMPLE://a/%7Efoo"),
)
print(
    builder.URIBuilder()
    .add_scheme("https")
    .add_host("x.org")
    .add_path("p q")
    .add_query_from({"a": "1 2", "b": ["c"]})
    .add_fragment("z")
    .finalize()
    .unsplit(),
    urlparse("https://e.com/a").copy_with(path="/b").unsplit(),
    u.copy_with(query=None, fragment=None).unsplit(),
)
v = validators.Validator().allow_schemes("https").require_presence_of("host").forbid_use_of_password()
for text in "http://a/", "https:///x", "https://u:p@h/", "https://ok/":
    try:
        print(v.validate(uri_reference(text)))
    except exceptions.RFC3986Exception as error:
        print(type(error).__name__, error)
