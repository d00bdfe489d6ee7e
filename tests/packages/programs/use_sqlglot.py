import sqlglot
from sqlglot import exp, parse_one, transpile
from sqlglot.executor import execute
from sqlglot.optimizer import optimize

sql = "SELECT a.x, COUNT(*) AS n, IFNULL(b.y, 0) FROM a LEFT JOIN b ON a.id = b.id WHERE a.x > 3 AND b.z LIKE 'q%' GROUP BY 1 HAVING n > 1 ORDER BY n DESC LIMIT 5"
print(transpile(sql, read="mysql", write="postgres", pretty=True)[0])
tree = parse_one(sql)
print(
    sorted(t.name for t in tree.find_all(exp.Table)),
    [c.sql() for c in tree.find_all(exp.Column)],
    tree.args["limit"].sql(),
)
print(
    repr(parse_one("1 + a * 2")),
    exp.select("x").from_("t").where("x > 1", "y = 2").limit(3).sql(),
    transpile("SELECT CAST(x AS TEXT), DATE_ADD(d, INTERVAL 1 DAY)", read="mysql", write="bigquery"),
)
print(
    optimize(
        parse_one("SELECT * FROM (SELECT x FROM t WHERE 1 = 1 AND x > 2) AS s WHERE s.x < 9"),
        schema={"t": {"x": "INT"}},
    ).sql()
)
print(tree.transform(lambda n: exp.column("renamed") if isinstance(n, exp.Column) and n.name == "x" else n).sql())
for bad in "SELECT FROM WHERE", "SELECT (1", "SELECT x FROM t GROUP":
    try:
        print(parse_one(bad).sql())
    except sqlglot.ParseError as error:
        print(str(error).splitlines()[0])
r = execute(
    "SELECT k, SUM(v) AS s FROM t GROUP BY k ORDER BY k",
    tables={"t": [{"k": "a", "v": 1}, {"k": "b", "v": 2}, {"k": "a", "v": 5}]},
)
print(r.columns, r.rows, sqlglot.diff(parse_one("SELECT a, b"), parse_one("SELECT a, c"))[-1])
