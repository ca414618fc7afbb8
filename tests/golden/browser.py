# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens files in a headless Chromium that is controlled through a pipe: one program for many pages, widths and media. What a page
asks for, prints on its console or is refused is kept."""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

# A page that takes longer is stuck, however slow the machine is.
PATIENCE = 240


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """`with Browser(program, place) as browser`: the profile lies in the folder `place`."""

    def __init__(self, program, place):
        self.answers, self.events, self.count, self.rest = {}, [], 0, b""
        read_own, write_theirs = os.pipe()
        read_theirs, write_own = os.pipe()
        # Chromium reads from 3 and writes to 4, which may be ends of these pipes here.
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (read_theirs, write_theirs)]
        os.close(read_theirs)
        os.close(write_theirs)
        self.profile = os.path.join(place, "profile")
        self.program = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + self.profile,
             "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda: (os.dup2(theirs[0], 3), os.dup2(theirs[1], 4)), pass_fds=(3, 4),
            start_new_session=True,
        )
        for fd in theirs:
            os.close(fd)
        self.read_fd, self.write_fd = read_own, write_own

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        os.close(self.write_fd)
        self.program.terminate()
        self.program.wait()
        os.close(self.read_fd)
        self.remove_profile()

    def remove_profile(self):
        """Processes of Chromium's that outlive its first one still write into it."""
        until = time.monotonic() + PATIENCE
        while os.path.exists(self.profile):
            try:
                os.killpg(self.program.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            try:
                shutil.rmtree(self.profile)
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def receive(self, until):
        if not select.select([self.read_fd], [], [], max(0, until - time.monotonic()))[0]:
            raise TimeoutError("chromium does not answer")
        data = os.read(self.read_fd, 1 << 20)
        if not data:
            raise EOFError("chromium has ended")
        *whole, self.rest = (self.rest + data).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.events.append(message)

    def call(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        until = time.monotonic() + PATIENCE
        while self.count not in self.answers:
            self.receive(until)
        answer = self.answers.pop(self.count)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def open(self, path, width=1280, height=900, scheme="light", script=True):
        return Page(self, path, width, height, scheme, script)


class Page:
    """A page of its own, loaded whole."""

    def __init__(self, browser, path, width, height, scheme, script):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.address = pathlib.Path(path).absolute().as_uri()
        self.call("Page.navigate", url=self.address)
        until = time.monotonic() + PATIENCE
        while not any(event["method"] == "Page.loadEventFired" for event in self.mine()):
            browser.receive(until)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def mine(self):
        return [event for event in self.browser.events if event.get("sessionId") == self.session]

    def resize(self, width, height):
        self.width = width
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script):
        """Returns the value of an expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def requests(self):
        """The addresses that were asked for, beside the page's own."""
        return [event["params"]["request"]["url"] for event in self.mine()
                if event["method"] == "Network.requestWillBeSent" and event["params"]["request"]["url"] != self.address]

    def sent(self):
        """The addresses, each with whether anything was sent: what the policy refuses is not."""
        failed = {event["params"]["requestId"] for event in self.mine()
                  if event["method"] == "Network.loadingFailed" and event["params"].get("blockedReason")}
        return [(event["params"]["request"]["url"], event["params"]["requestId"] not in failed) for event in self.mine()
                if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """What the console has: its messages, errors of scripts, and what the policy refused."""
        names = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(event["params"])[:600] for event in self.mine() if event["method"] in names]

    def load_seconds(self):
        return self.run("(performance.timing.loadEventEnd - performance.timing.navigationStart) / 1000")

    def picture(self, path, whole=True):
        shot = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            shot["clip"] = {"x": 0, "y": 0, "width": self.width, "height": min(size["height"], 16000), "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", **shot)["data"]))

    def printed(self, path):
        data = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
