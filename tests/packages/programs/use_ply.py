import sys
from ply import lex, yacc

tokens = ("NAME", "NUMBER")
literals = "=+-*/()"
t_NAME = r"[a-zA-Z_]\w*"
t_ignore = " \t"


def t_NUMBER(t):
    r"\d+"
    t.value = int(t.value)
    return t


def t_error(t):
    print("illegal", t.value[0])
    t.lexer.skip(1)


precedence = (("left", "+", "-"), ("left", "*", "/"), ("right", "UMINUS"))
names = {}


def p_assign(p):
    'statement : NAME "=" expression'
    names[p[1]] = p[3]


def p_statement(p):
    "statement : expression"
    print(p[1])


def p_binary(p):
    """expression : expression '+' expression
    | expression '-' expression
    | expression '*' expression
    | expression '/' expression"""
    p[0] = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b}[p[2]](
        p[1], p[3]
    )


def p_minus(p):
    "expression : '-' expression %prec UMINUS"
    p[0] = -p[2]


def p_group(p):
    "expression : '(' expression ')'"
    p[0] = p[2]


def p_number(p):
    "expression : NUMBER"
    p[0] = p[1]


def p_name(p):
    "expression : NAME"
    p[0] = names.get(p[1], 0)


def p_error(p):
    print("error at", p.value if p else "end")


lexer = lex.lex(module=sys.modules[__name__])
parser = yacc.yacc(module=sys.modules[__name__], debug=False, write_tables=False)
for text in "a = 3 + 4 * 2", "a - -2", "(a + 1) / 4 $", "1 + * 2":
    parser.parse(text, lexer=lexer)
lexer.input("x1 = 22*(y)")
print([(t.type, t.value, t.lexpos) for t in lexer])
