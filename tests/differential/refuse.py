"""Compiles sources that mutate.py has written, and prints what is said of each: refuse.py FILE."""
import sys
import warnings


def outcome(source):
    try:
        compile(source, "source", "exec")
    except SyntaxError as error:
        return f"{type(error).__name__} {error.msg} {error.lineno} {error.offset} {error.text!a}"
    except Exception as error:
        return f"{type(error).__name__} {error}"
    return "accepted"


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        sources = file.read().split("#### ")[1:]
    for text in sources:
        number, _, source = text.partition("\n")
        print(f"#### {number}\n{outcome(source)}", flush=True)


if __name__ == "__main__":
    main()
