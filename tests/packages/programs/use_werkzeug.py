from werkzeug.datastructures import Accept, Headers, ImmutableMultiDict, MultiDict
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.http import (
    dump_cookie,
    generate_etag,
    http_date,
    parse_accept_header,
    parse_cache_control_header,
    parse_cookie,
    parse_date,
    parse_options_header,
    parse_range_header,
    quote_etag,
)
from werkzeug.routing import BuildError, Map, Rule
from werkzeug.test import Client, EnvironBuilder
from werkzeug.utils import secure_filename
from werkzeug.wrappers import Request, Response

urls = Map(
    [
        Rule("/", endpoint="index"),
        Rule("/u/<int:id>", endpoint="user", methods=["GET"]),
        Rule("/f/<path:p>", endpoint="file"),
        Rule("/s/<any(a,b):k>/", endpoint="kind"),
    ]
)
m = urls.bind("example.com")
print(
    m.match("/"),
    m.match("/u/42"),
    m.match("/f/a/b.c"),
    m.build("user", {"id": 5}),
    m.build("kind", {"k": "a"}, force_external=True),
)
for path, method in ("/none", "GET"), ("/u/1", "POST"), ("/u/x", "GET"):
    try:
        m.match(path, method=method)
    except HTTPException as error:
        print(type(error).__name__, error.code, error.description)


@Request.application
def app(request):
    return Response(
        f"{request.method} {request.path} {sorted(request.args.items(True))} {request.form.get('f')}",
        mimetype="text/plain",
        headers={"X-A": "b"},
    )


r = Client(app).post("/p?a=1&a=2", data={"f": "v"})
print(r.status, r.get_data(as_text=True), r.headers["X-A"], r.content_type)
md = MultiDict([("a", 1), ("a", 2), ("b", 3)])
print(
    md["a"],
    md.getlist("a"),
    md.to_dict(flat=False),
    Headers([("A-b", "1")])["a-B"],
    parse_accept_header("a/b;q=0.5, c/d")[0],
    parse_options_header('x; a="b c"; d=e'),
    parse_cookie('a=1; b="q"')["b"],
)
print(
    dump_cookie("k", "v w", path="/x"),
    http_date(0),
    parse_date("Sun, 06 Nov 1994 08:49:37 GMT"),
    quote_etag("x", weak=True),
    generate_etag(b"abc"),
    secure_filename("../../etc/pä ss wd"),
    parse_range_header("bytes=0-9,20-").ranges,
)
