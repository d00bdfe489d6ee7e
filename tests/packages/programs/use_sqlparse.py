import sqlparse

sql = "select a.id, count(*) as n from tab a left join b on a.id=b.id where a.x in (1,2) and b.y like '%q' group by a.id order by n desc; insert into t values (1, 'x')"
print(sqlparse.format(sql, reindent=True, keyword_case="upper", identifier_case="lower"))
print(len(sqlparse.split(sql)), [s.get_type() for s in sqlparse.parse(sql)])
for token in sqlparse.parse(sql)[0].tokens:
    print(type(token).__name__, token.ttype, repr(str(token)))
print(
    sqlparse.format("select 1 -- c\n/* d */, 2", strip_comments=True, strip_whitespace=True),
    sqlparse.format("select a,b from c", reindent_aligned=True),
)
