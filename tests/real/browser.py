"""A headless Chromium driven over its debugging pipe, with the network cut. It knows the protocol and nothing of reports.

Protocol: https://chromedevtools.github.io/devtools-protocol/ (2026-12-01); with --remote-debugging-pipe messages are JSON, each
ended by a zero byte, read from file descriptor 3 and written to 4.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)


class Browser:
    """One browser with one page; leave it as a context manager and it is ended."""

    def __init__(self, program: str, profile: Path) -> None:
        self._from_us, ours_out = os.pipe()
        ours_in, self._to_us = os.pipe()
        words = shlex.join([program, *FLAGS, f"--user-data-dir={profile}", "about:blank"])
        redirected = f"exec {words} 3<&{self._from_us} 4>&{self._to_us} >/dev/null 2>&1"
        self._process = subprocess.Popen(["bash", "-c", redirected], pass_fds=(self._from_us, self._to_us))
        os.close(self._from_us)
        os.close(self._to_us)
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self._rest = b""
        self._last_id = 0
        self._session: str | None = None
        self.console: list[str] = []
        self.requests: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Performance.enable", timeDomain="threadTicks")
        self.send("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._out.close()
        self._in.close()
        self._process.terminate()
        self._process.wait(30)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method and return its result; what the page reports meanwhile is kept."""
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._last_id:
                assert "error" not in answer, answer
                found = answer["result"]
                assert isinstance(found, dict)
                return found
            self._note(answer)

    def open(self, page: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.console.clear()
        self.requests.clear()
        self.send("Page.navigate", url=page.as_uri())
        while True:
            event = self._read()
            self._note(event)
            if event.get("method") == "Page.loadEventFired":
                return

    def value(self, expression: str) -> Any:
        """Return what an expression is in the page; a promise is awaited."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def type(self, selector: str, text: str) -> None:
        """Put the cursor into a field, clear it, and type."""
        self.value(f"(() => {{ const field = document.querySelector({json.dumps(selector)}); field.focus(); field.select(); }})()")
        if text:
            self.send("Input.insertText", text=text)
        else:
            self.key("Delete", 46)
        self.settle()

    def key(self, name: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                code=name,
                windowsVirtualKeyCode=code,
                **({"text": text} if text else {}),
            )

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the mouse at one place of the window, draw it to another, let go."""
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        for kind, (x, y) in (
            ("mouseMoved", start),
            ("mousePressed", start),
            ("mouseMoved", middle),
            ("mouseMoved", end),
            ("mouseReleased", end),
        ):
            held = {"button": "left", "buttons": 1, "clickCount": 1} if kind != "mouseMoved" or (x, y) != start else {}
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **held)
        self.settle()

    def settle(self) -> None:
        """Wait for two frames to be drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def look(self, *, width: int, height: int, scheme: str = "light") -> None:
        """Give the window a size and the page a scheme of colours."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def picture(self) -> bytes:
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

    def cpu_s(self) -> float:
        """Return the seconds that the page's main thread has worked since it was opened."""
        metrics = {one["name"]: one["value"] for one in self.send("Performance.getMetrics")["metrics"]}
        return float(metrics["TaskDuration"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in.fileno(), 1 << 16)
            assert more, "the browser has ended"
            self._rest += more
        text, self._rest = self._rest.split(b"\0", 1)
        found = json.loads(text)
        assert isinstance(found, dict)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        told = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded":
                self.console.append(json.dumps(told))
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
