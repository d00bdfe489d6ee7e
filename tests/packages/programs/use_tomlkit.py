import tomlkit
from tomlkit import comment, document, nl, table
from tomlkit.exceptions import TOMLKitError

source = "# c\ntitle = \"x\" # t\n\n[owner]\n  name = 'n'\n  ports = [ 1, # one\n   2 ]\n[[b]]\nx = 1979-05-27\n[[b]]\ny.z = 0x1f\n"
doc = tomlkit.parse(source)
print(doc.as_string() == source, doc["owner"]["ports"], doc["b"][1]["y"]["z"], doc.unwrap())
doc["owner"]["ports"].append(3)
doc["owner"]["new"] = {"k": 1.5}
doc["title"].comment("changed")
del doc["b"][0]["x"]
print(tomlkit.dumps(doc))
new = document()
new.add(comment("made"))
new.add(nl())
t = table()
t.add("key", [1, 2])
new["t"] = t
print(new.as_string(), tomlkit.item({"a": True}).as_string())
for bad in "a = ", "a = 1\na = 2", "[a]\n[a]", "x = 2020-99-01":
    try:
        tomlkit.parse(bad)
    except (TOMLKitError, ValueError) as error:
        print(type(error).__name__, error)
