"""Random requests to --dap: of all names, with arguments of all kinds, while the program stops, runs and ends.

    python3 tests/adapter/fuzz.py MINIVM [SEED] [SESSIONS] [SCHEMA]

A session of 60 requests ends with `disconnect`.  Wrong is an adapter that ends otherwise, does not end within 30 s, or
answers with an error of its own making (a KeyError, an AttributeError ...).  SCHEMA is debugAdapterProtocol.json of
https://github.com/microsoft/debug-adapter-protocol: with it every message that the adapter sends is held against the
protocol's schema, by the package jsonschema.  Exit status 1 where a session was wrong.
"""
import json
import os
import random
import re
import select
import subprocess
import sys
import time

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
NAMES = """attach breakpointLocations cancel completions configurationDone continue dataBreakpointInfo disassemble
    disconnect evaluate exceptionInfo goto gotoTargets initialize launch loadedSources modules next nothing pause quit
    readMemory restart restartFrame resume reverseContinue scopes setBreakpoints setDataBreakpoints
    setExceptionBreakpoints setExpression setFunctionBreakpoints setInstructionBreakpoints setVariable source
    stackTrace stepBack stepIn stepInTargets stepOut terminate threads variables""".split()
RARE = ("disconnect", "launch", "restart", "terminate")
KEYS = """args arguments breakpoints column condition context count cwd dataId endLine env expression filter filterId
    filterOptions filters frameId granularity hitCondition instructionCount instructionOffset instructionReference
    levels line lines logMessage memoryReference minivmArgs module moduleCount name noDebug offset path program source
    sourceReference start startFrame startModule stopAtEnd stopOnEntry targetId text threadId value
    variablesReference""".split()
VALUES = [0, 1, 2, 3, 5, 13, 17, -1, 10 ** 9, 10 ** 18, 2 ** 70, 1.5, True, False, None, "", "a", "add", "n", "table",
          "x = 5", "1/0", "instruction", "repl", "raised", "uncaught", "0x10", "/x", "i % 2 == 0", "%3", "== 2", "{n}",
          "\0", "\ud800", "z" * 300]
HEADER = re.compile(rb"Content-Length: (\d+)\r\n\r\n")
OWN_ERROR = re.compile(rb'"message": "(KeyError|AttributeError|TypeError|UnboundLocalError|AssertionError|IndexError): ')


class Schema:
    def __init__(self, path):
        from jsonschema import Draft4Validator
        with open(path, encoding="utf-8") as file:
            self.schema = json.load(file)
        self.validator = Draft4Validator

    def fault(self, message):
        """What is wrong with a message of the adapter, or None."""
        if message["type"] == "event":
            name = message["event"] + "Event"
        else:
            name = message["command"] + "Response" if message["success"] else "ErrorResponse"
        definition = {**self.schema, "$ref": f"#/definitions/{name[0].upper()}{name[1:]}"}
        errors = [f"{list(error.path)}: {error.message}" for error in self.validator(definition).iter_errors(message)]
        return f"{message}\n    is no {name}: {errors[0]}" if errors else None


class Session:
    def __init__(self, minivm, program, choices, schema):
        self.choices, self.program, self.read, self.sent, self.schema = choices, program, b"", [], schema
        self.process = subprocess.Popen([minivm, "--dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def value(self, depth=0):
        kind = self.choices.random()
        if depth == 2 or kind < 0.6:
            return self.choices.choice([*VALUES, self.program])
        if kind < 0.75:
            return [self.value(depth + 1) for _ in range(self.choices.randrange(4))]
        return {self.choices.choice(KEYS): self.value(depth + 1) for _ in range(self.choices.randrange(4))}

    def arguments(self):
        """Any, on top of what is right for most requests in half of them."""
        right = {"source": {"path": self.program}, "line": self.choices.randrange(30), "column": 3, "text": "ta",
                 "frameId": self.choices.randrange(4), "variablesReference": self.choices.randrange(9), "name": "n",
                 "expression": self.choices.choice(["n", "a + b", "table", "[1] * 10 ** 5"]), "filters": [],
                 "breakpoints": [{"line": self.choices.randrange(25)}], "memoryReference": "0x0", "threadId": 1}
        known = right if self.choices.random() < 0.5 else {}
        return {**known, **{key: self.value() for key in self.choices.sample(KEYS, self.choices.randrange(5))}}

    def send(self, command, arguments):
        self.sent.append((command, arguments))
        body = json.dumps({"seq": len(self.sent), "type": "request", "command": command,
                           "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def drain(self, seconds):
        while select.select([self.process.stdout], [], [], seconds)[0]:
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                return
            self.read, seconds = self.read + data, 0

    def run(self):
        """What is wrong, or None."""
        self.send("initialize", {})
        self.send("launch", {"program": self.program, "stopOnEntry": self.choices.random() < 0.5})
        self.drain(0.2)
        self.send("configurationDone", {})
        try:
            for _ in range(60):
                command = self.choices.choice(NAMES)
                if command not in RARE or self.choices.random() < 0.1:
                    self.send(command, self.arguments())
                    self.drain(self.choices.choice([0, 0, 0.01, 0.05]))
            self.send("disconnect", {})
        except BrokenPipeError:
            pass  # it has disconnected
        end = time.time() + 30
        while self.process.poll() is None and time.time() < end:
            self.drain(0.1)
        return self.fault()

    def fault(self):
        if self.process.poll() is None:
            self.process.kill()
            return "does not end"
        errors = self.process.stderr.read().decode(errors="replace")
        if self.process.returncode or errors:
            return f"exit status {self.process.returncode}: {errors}"
        own = OWN_ERROR.search(self.read)
        return self.read[own.start():own.end() + 100] if own else self.schema_fault()

    def messages(self):
        at = 0
        while at < len(self.read):
            header = HEADER.match(self.read, at)
            at = header.end() + int(header.group(1))
            yield json.loads(self.read[header.end():at])

    def schema_fault(self):
        faults = map(self.schema.fault, self.messages()) if self.schema is not None else ()
        return next((fault for fault in faults if fault), None)


def main(minivm, seed="1", sessions="30", schema=None):
    sent = failed = 0
    schema = Schema(schema) if schema is not None else None
    for number in range(int(sessions)):
        choices = random.Random(f"{seed} {number}")
        program = os.path.join(FOLDER, choices.choice(["sums.py", "raising.py", "endless.py"]))
        session = Session(minivm, program, choices, schema)
        fault = session.run()
        sent += len(session.sent)
        if fault:
            failed += 1
            print(f"seed {seed} {number}: {fault}\n    after {session.sent[-4:]}")
    print(f"adapter: {sent} messages, {failed} of {sessions} sessions wrong")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
