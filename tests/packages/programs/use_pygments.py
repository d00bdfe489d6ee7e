from pygments import highlight, lex
from pygments.formatters import HtmlFormatter, LatexFormatter, TerminalFormatter
from pygments.lexers import CLexer, JsonLexer, PythonLexer, get_lexer_by_name, guess_lexer_for_filename
from pygments.token import Token

code = 'def f(x: int) -> str:\n    """Doc."""\n    return f"{x!r:>4}" + \'a\\n\'  # comment\n'
for token, text in lex(code, PythonLexer()):
    print(token, repr(text))
print(highlight(code, PythonLexer(), HtmlFormatter(linenos=True)))
print(highlight("int main(void) { return 0x1F; } // end", CLexer(), TerminalFormatter()))
print(highlight('{"a": [1, null]}', JsonLexer(), LatexFormatter()))
print(
    HtmlFormatter(style="friendly").get_style_defs(".k").splitlines()[3],
    get_lexer_by_name("rst").name,
    guess_lexer_for_filename("x.rb", "puts 1").name,
    Token.Name in Token,
)
