"""A headless Chromium, driven through a pair of pipes with the standard library alone.

    with Chromium(find()) as browser:
        page = browser.open("file:///tmp/out.html")
        page.key("ArrowRight")
        page.value("document.body.dataset.step")

Commands are the DevTools protocol's: JSON with a NUL behind it, to descriptor 3 of the browser and from its 4.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

SECONDS = 60


def find():
    """The browser's path: $CHROMIUM or one of the usual names; None where there is none."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else ["chromium", "chromium-browser", "google-chrome"]
    return next((path for path in map(shutil.which, names) if path), None)


class Chromium:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp()
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def take_three_and_four():
            read, write = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--user-data-dir=" + self.folder, "about:blank"],
            preexec_fn=take_three_and_four, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.input, self.output, self.number, self.bytes, self.events = ours_in, ours_out, 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b"\0" not in self.bytes:
            if not select.select([self.input], [], [], SECONDS)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.input, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self.bytes += part
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        """The result of a command; what happens meanwhile goes to self.events."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self.output, text):]
        while True:
            answer = self.message()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(method + ": " + answer["error"]["message"])
            else:
                return answer["result"]

    def open(self, url, width=1400, height=900):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in "Page", "Runtime", "Network", "Log":
            page.call(domain + ".enable")
        page.resize(width, height)
        page.go_to(url)
        return page


KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37,
        "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, ".": 190}
MODIFIERS = {"Control": 2, "Shift": 8}


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def go_to(self, url):
        self.call("Page.navigate", url=url)
        self.wait("document.body && document.body.dataset.ready")

    def reload(self):
        self.value("delete document.body.dataset.ready")
        self.call("Page.reload")
        self.wait("document.body && document.body.dataset.ready")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + answer["exceptionDetails"]["exception"].get("description", "?"))
        return answer["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + SECONDS
        while not self.value("!!(" + expression + ")"):
            if time.monotonic() > end:
                raise TimeoutError("never true: " + expression)
            time.sleep(0.01)

    def key(self, key, count=1, held=()):
        text = {"text": "\r" if key == "Enter" else key} if (len(key) == 1 or key == "Enter") and not held else {}
        text["modifiers"] = sum(MODIFIERS[name] for name in held)
        code = KEYS.get(key) or (ord(key.upper()) if key.isalnum() else 0)
        for _ in range(count):
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text):
        for key in text:
            self.key(key)

    def click(self, expression):
        """In the middle of the element that the expression gives."""
        box = self.value("(e => { e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
                         "return [b.x + b.width / 2, b.y + b.height / 2]; })(" + expression + ")")
        for kind in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def happened(self, *methods):
        """The parameters of the events of these kinds so far."""
        return [event["params"] for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] in methods]
