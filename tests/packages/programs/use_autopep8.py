import autopep8

source = "import os,sys\ndef  f( a,b ):\n  if a==None and not b in [1,2] :\n      return(b)\n  x={ 'k':1 , 'l' : lambda :0};\n  try: pass\n  except: pass\nclass C( object ):\n\tdef m(self): return 2\n"
print(autopep8.fix_code(source))
print(autopep8.fix_code(source, options={"aggressive": 2, "max_line_length": 40, "ignore": ["E401"]}))
print(
    autopep8.fix_code(
        "x = [aaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccc, ddddddddd]\nif type(a) == type(b): pass\nprint( 'x' )   \n\n\n\n\n#comment\n",
        options={"aggressive": 1},
    )
)
print(
    autopep8.fix_code("def broken(:\n"),
    len(list(autopep8.supported_fixes())),
    autopep8.fix_lines(["a=1\n"], options=autopep8.parse_args([""])),
)
