import io
import os
import tempfile
import pycodestyle

source = (
    "import os,sys\ndef  f( a,b ):\n\tif a==None : return(b)\n    \nclass C: x=1;y = lambda: 0\n"
    + "z = '"
    + "x" * 90
    + "'\n"
)
style = pycodestyle.StyleGuide(quiet=True, max_line_length=79)


class Report(pycodestyle.BaseReport):
    def error(self, line, offset, text, check):
        print(line, offset, text)
        return super().error(line, offset, text, check)


checker = pycodestyle.Checker(
    "x.py", lines=source.splitlines(True), options=style.options, report=Report(style.options)
)
print(checker.check_all())
print(pycodestyle.expand_indent("\t  x"), pycodestyle.mute_string('x = "abc"'))
