from pypika import (
    Case,
    Criterion,
    CustomFunction,
    Field,
    Interval,
    MySQLQuery,
    Order,
    PostgreSQLQuery,
    Query,
    Schema,
    Table,
    Tables,
    Tuple,
    analytics,
    functions as fn,
)

a, b = Tables("a", "b")
q = (
    Query.from_(a)
    .join(b)
    .on(a.id == b.a_id)
    .select(a.name, fn.Count("*").as_("n"))
    .where((a.x > 3) & (b.y.like("q%")) | a.z.isnull())
    .groupby(a.name)
    .having(fn.Count("*") > 1)
    .orderby(a.name, order=Order.desc)[2:10]
)
print(q)
print(
    Query.into(a).columns("x", "y").insert(1, "it's").insert(2, None),
    Query.update(a).set(a.x, a.x + 1).where(a.id.isin([1, 2])),
    Query.from_(a).delete().where(a.d < "2024-01-01"),
)
print(
    MySQLQuery.from_(a).select(a.x).limit(1),
    PostgreSQLQuery.into(a).insert(1).on_conflict("id").do_nothing(),
    Query.with_(Query.from_(a).select("x"), "w").from_(Table("w")).select("*"),
)
print(
    Query.from_(a).select(
        Case().when(a.x > 1, "big").else_("small").as_("size"),
        a.x.between(1, 2),
        ~(a.y == 1),
        a.s + Interval(days=3),
        CustomFunction("F", ["p"])(a.q),
    )
)
print(
    Query.from_(a).select(a.x) + Query.from_(b).select(b.x),
    Query.from_(a).select(analytics.Rank().over(a.g).orderby(a.o)),
    Schema("s").t.select("z"),
    a.x.as_("y").get_sql(with_alias=True),
    Query.from_(a).where(Tuple(a.x, a.y).isin([(1, 2)])).select(1),
)
print(
    Criterion.any([a.x == 1, a.y == 2]),
    Query.create_table("n").columns(("id", "INT"), ("v", "TEXT")).primary_key("id"),
    q == q,
)
