"""A headless Chromium, driven by the DevTools protocol."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Enter": 13,
    "Escape": 27,
}


class Browser:
    """One tab. `errors` are the exceptions and the refused requests of its pages."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Run a command and return its result; note the errors that are reported meanwhile."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"]))
        elif message.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("file:", "data:")):
                self.errors.append(f"request of {url}")
        elif message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])

    def open(self, path: Path, *, wide: int = 1400, high: int = 900, dark: bool = False) -> None:
        """Open a file and wait until it is shown; its errors replace those of the page before."""
        self.errors.clear()
        self.media(dark=dark)
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=wide,
            height=high,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("performance.getEntriesByName('forebay-shown').length === 1")

    def media(self, *, dark: bool = False, kind: str = "screen") -> None:
        """Emulate a colour scheme and a medium."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=kind, features=[scheme])

    def ask(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        until = time.monotonic() + 60
        while not self.ask(expression):
            assert time.monotonic() < until, expression
            time.sleep(0.02)

    def frame(self) -> None:
        """Wait until the page has drawn."""
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def point(self, x: float, y: float, kind: str = "mouseMoved", **more: Any) -> None:
        """Move the pointer, or press or release its button there."""
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        """Press and release the button."""
        for kind in ("mousePressed", "mouseReleased"):
            self.point(x, y, kind, button="left", clickCount=1, buttons=1)
        self.frame()

    def key(self, name: str) -> None:
        """Press a key; one character is also typed."""
        text = {"text": name} if len(name) == 1 else {}
        if name == "Enter":
            text = {"text": "\r"}
        code = _KEYS.get(name, 0)
        for kind in ("keyDown", "keyUp"):
            more = text if kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **more
            )
        self.frame()


@contextmanager
def browser() -> Iterator[Browser]:
    """Run Chromium; skip where it or the client library is missing."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no chromium: apt-get install chromium")
    websocket = pytest.importorskip("websocket", reason="pip install websocket-client")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        running = subprocess.Popen(
            [program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            port = _port(Path(profile), running)
            socket = websocket.create_connection(
                f"ws://127.0.0.1:{port}{_tab(port)}", suppress_origin=True, timeout=120
            )
            yield Browser(socket)
            socket.close()
        finally:
            running.terminate()
            running.wait()


def _port(profile: Path, running: subprocess.Popen[bytes]) -> int:
    file, until = profile / "DevToolsActivePort", time.monotonic() + 60
    while not (file.exists() and file.read_text().count("\n")):
        assert running.poll() is None, "chromium has ended"
        assert time.monotonic() < until, "chromium opens no port"
        time.sleep(0.05)
    return int(file.read_text().split()[0])


def _tab(port: int) -> str:
    import urllib.request

    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
        tabs = json.loads(answer.read())
    page = next(tab for tab in tabs if tab["type"] == "page")
    return page["webSocketDebuggerUrl"].partition(str(port))[2]
