"""Drives a real Chromium by its DevTools protocol over a pipe, with nothing but the standard library.

    with Browser() as browser:
        tab = browser.open("file:///...", width=1280, height=800, dark=False)
        tab.eval("1 + 1"); tab.click(x, y); tab.key("u"); tab.screenshot("x.png")
        tab.problems    # errors and warnings of the console, refused loads included
"""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT = 60


def find():
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


def find_or_skip():
    if not find():
        print("skipped: Chromium is not installed (MAZURKA_FULL=1 ./bootstrap check installs it)")
        sys.exit(77)


class Browser:
    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def connect():  # the protocol speaks on descriptors 3 and 4
            os.dup2(to_browser, 10), os.dup2(from_browser, 11)
            os.dup2(10, 3), os.dup2(11, 4)
            os.set_inheritable(3, True), os.set_inheritable(4, True)
            os.closerange(5, 64)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"], preexec_fn=connect,
            close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(from_browser)
        self.number, self.rest, self.tabs = 0, b"", {}
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except Exception:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    def read(self):
        deadline = time.monotonic() + TIMEOUT
        while b"\0" not in self.rest:
            part = os.read(self.read_end, 1 << 20)
            if not part or time.monotonic() > deadline:
                raise RuntimeError("Chromium does not answer")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer.get("result", {})
            tab = self.tabs.get(answer.get("sessionId"))
            if tab:
                tab.hear(answer)

    def open(self, address, width=1280, height=800, dark=False):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        self.tabs[session] = tab
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.send(domain + ".enable")
        tab.resize(width, height)
        tab.send("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        tab.go(address)
        return tab


class Tab:
    def __init__(self, browser, session):
        self.browser, self.session, self.problems, self.requests, self.loaded = browser, session, [], [], False

    def send(self, method, **params):
        return self.browser.send(method, self.session, **params)

    def hear(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details.get("text"))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(" ".join(str(a.get("value")) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def go(self, address):
        self.loaded = False
        self.send("Page.navigate", url=address)
        for _ in range(600):
            self.send("Runtime.evaluate", expression="0")
            if self.loaded:
                break
            time.sleep(0.02)
        self.settle()

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)

    def eval(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError("%s: %s" %
                               (expression, answer["exceptionDetails"].get("exception", {}).get("description")))
        return answer["result"].get("value")

    def settle(self):
        """Two frames later everything is drawn."""
        self.eval("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r, 0))))")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      button="none" if kind == "mouseMoved" else "left", clickCount=0 if kind == "mouseMoved" else 1)
        self.settle()

    def drag(self, x, y, to_x, to_y):
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for i in range(1, 6):
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x + (to_x - x) * i / 5, y=y + (to_y - y) * i / 5,
                      button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1)
        self.settle()

    def touch(self, x, y):
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def press(self, selector):
        """Clicks what the selector finds, where it is on the screen."""
        at = self.eval("(() => { const n = document.querySelector(%s); if (!n) return null; "
                       "n.scrollIntoView({block: 'nearest'}); const r = n.getBoundingClientRect();"
                       "return [r.left + r.width / 2, r.top + r.height / 2]; })()" % json.dumps(selector))
        if not at:
            raise RuntimeError("there is no " + selector)
        self.click(*at)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def text(self, selector):
        return self.eval("(document.querySelector(%s) || {}).innerText || ''" % json.dumps(selector))

    def screenshot(self, path):
        self.settle()
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        with open(path, "wb") as f:
            f.write(data)
        return data
