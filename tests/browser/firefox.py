"""A headless Firefox, driven through a socket with the standard library alone; pages have the methods of chromium.Page.

    with Firefox(find()) as browser:
        page = browser.open("file:///tmp/out.html")
        page.key("ArrowRight")
        page.value("document.body.dataset.step")

Commands are Marionette's, which are WebDriver's: [0, number, command, parameters] as JSON behind its length and a colon;
the answer is [1, number, error, result].
"""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

SECONDS = 120
PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
               "app.update.disabledForTesting": True, "browser.aboutwelcome.enabled": False, "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False}


def find():
    """The browser's path: $FIREFOX or one of the usual names; None where there is none."""
    names = [os.environ["FIREFOX"]] if os.environ.get("FIREFOX") else ["firefox", "firefox-esr"]
    return next((path for path in map(shutil.which, names) if path), None)


class Firefox:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp()
        with open(os.path.join(self.folder, "user.js"), "w") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        self.process = subprocess.Popen([path, "--headless", "--marionette", "--no-remote", "--profile", self.folder],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.socket = socket.create_connection(("127.0.0.1", self.port()), SECONDS)
        self.number, self.bytes = 0, b""
        self.message()  # its greeting
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": SECONDS * 1000}}})

    def port(self):
        """Firefox writes the port that it has chosen into the folder of its profile."""
        path, end = os.path.join(self.folder, "MarionetteActivePort"), time.monotonic() + SECONDS
        while time.monotonic() < end:
            if os.path.exists(path) and os.path.getsize(path):
                with open(path) as file:
                    return int(file.read())
            time.sleep(0.1)
        raise TimeoutError("Firefox does not begin")

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise EOFError("the browser has ended")
        self.bytes += part

    def message(self):
        while b":" not in self.bytes:
            self.receive()
        size, self.bytes = self.bytes.split(b":", 1)
        while len(self.bytes) < int(size):
            self.receive()
        text, self.bytes = self.bytes[:int(size)], self.bytes[int(size):]
        return json.loads(text)

    def call(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:" % len(text) + text)
        _, _, error, result = self.message()
        if error:
            raise RuntimeError(command + ": " + error["message"])
        return result

    def open(self, url, width=1400, height=900):
        handle = self.call("WebDriver:NewWindow", type="tab")["handle"]
        self.call("WebDriver:SwitchToWindow", handle=handle)
        page = Page(self)
        page.resize(width, height)
        page.go_to(url)
        return page


KEYS = {"Control": "\ue009", "Shift": "\ue008", "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "PageUp": "\ue00e",
        "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


class Page:
    def __init__(self, browser):
        self.browser = browser

    def go_to(self, url):
        self.browser.call("WebDriver:Navigate", url=url)
        self.wait("document.body && document.body.dataset.ready")

    def reload(self):
        self.browser.call("WebDriver:Refresh")
        self.wait("document.body && document.body.dataset.ready")

    def resize(self, width, height):
        self.browser.call("WebDriver:SetWindowRect", width=width, height=height)

    def value(self, expression):
        """In a script of the page's own: a command's sees no names that its scripts have declared with let and const."""
        script = """const made = document.createElement("script"), answer = { error: "is not read" };
            window.minivmAnswer = answer;
            made.textContent = `try { minivmAnswer.value = (${arguments[0]}); minivmAnswer.error = null; } catch (error) {
                minivmAnswer.error = String(error); }`;
            document.documentElement.append(made);
            made.remove();
            return [answer.error, answer.value];"""
        error, value = self.browser.call("WebDriver:ExecuteScript", script=script, args=[expression], sandbox=None)["value"]
        if error:
            raise RuntimeError(expression + ": " + error)
        return value

    def wait(self, expression):
        end = time.monotonic() + SECONDS
        while not self.value("!!(" + expression + ")"):
            if time.monotonic() > end:
                raise TimeoutError("never true: " + expression)
            time.sleep(0.01)

    def act(self, kind, actions):
        self.browser.call("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": actions}])

    def key(self, key, count=1, held=()):
        held = [KEYS[name] for name in held]
        stroke = [*held, KEYS.get(key, key)]
        down = [{"type": "keyDown", "value": value} for value in stroke]
        up = [{"type": "keyUp", "value": value} for value in reversed(stroke)]
        for _ in range(count):
            self.act("key", down + up)

    def type(self, text):
        for key in text:
            self.key(key)

    def click(self, expression):
        """In the middle of the element that the expression gives."""
        x, y = self.value("(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
                          "return [b.x + b.width / 2, b.y + b.height / 2]; })(" + expression + ")")
        self.act("pointer", [{"type": "pointerMove", "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0},
                             {"type": "pointerUp", "button": 0}])
