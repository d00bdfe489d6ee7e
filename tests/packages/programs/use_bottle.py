import io
import bottle
from bottle import Bottle, HTTPError, SimpleTemplate, cookie_encode, request, response, template

app = Bottle()


@app.route("/hello/<name:re:[a-z]+>/<n:int>")
def hello(name, n):
    response.set_header("X-N", str(n))
    return template("Hello {{name}}!\\\\\n% for i in range(n):\n{{i}},\\\\\n% end\n", name="<" + name + ">", n=n)


@app.post("/form")
def form():
    return {"q": request.query.q, "f": request.forms.get("f"), "path": request.path}


@app.error(404)
def missing(error):
    return "none: " + error.body


def call(path, method="GET", body=b"", query=""):
    seen = {}
    environ = {
        "PATH_INFO": path,
        "REQUEST_METHOD": method,
        "QUERY_STRING": query,
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/x-www-form-urlencoded",
        "wsgi.errors": io.StringIO(),
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
    }
    body = b"".join(app(environ, lambda status, headers, exc=None: seen.update(status=status, headers=sorted(headers))))
    print(seen["status"], seen["headers"], body)


call("/hello/bob/3")
call("/form", "POST", b"f=a+b", "q=1%202")
call("/hello/BOB/3")
call("/form")
print(
    SimpleTemplate("{{!x}} {{x}}\n%if x:\nyes\n%end").render(x="<b>"),
    bottle.html_escape("<&>"),
    bottle.parse_date("Sun, 06 Nov 1994 08:49:37 GMT"),
    bottle.path_shift("/a/b", "/c/d"),
)
d = bottle.FormsDict(a="1")
d["a"] = "2"
print(
    d.getall("a"), d.a, bottle.ConfigDict().load_dict({"a": {"b": 1}}), bottle.MultiDict(x=1).items().__class__.__name__
)
