import tomli

text = '''
title = "TOML \\u00e9"
[owner]
dob = 1979-05-27T07:32:00-08:00
day = 1979-05-27
t = 07:32:00.5
[servers.alpha]
ip = "10.0.0.1"
ports = [8001, 0x1F, 0b11, 1_000]
[[fruit]]
name = 'a\\b'
f = [1.5e3, inf, -nan]
[[fruit]]
name = """
multi \\
   line"""
inline = {x = 1, y.z = true}
'''
print(tomli.loads(text))
import decimal

print(tomli.loads("x = 3.14159265358979", parse_float=decimal.Decimal))
for bad in "a = ", "a = 1\na = 2", "[x]\n[x]", "b = 'q", "c = 2024-13-01", "d = [1,,2]", "\x00":
    try:
        tomli.loads(bad)
    except tomli.TOMLDecodeError as error:
        print(error)
