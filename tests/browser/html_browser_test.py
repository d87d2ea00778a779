#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The HTML report as a browser shows it, with the network off: html_browser_test.py CORDON CHROMIUM

Speaks the DevTools protocol over a pipe, with the standard library alone. With SCREENSHOTS=FOLDER the pictures that were
judged are kept there for a person to look at.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pages  # noqa: E402

CHROMIUM = sys.argv.pop(2)
CORDON = os.path.abspath(sys.argv.pop(1))
TIMEOUT = 90

# Text of charts that is too small, runs out of its chart, or covers other text of it.
FAULTS = """(() => {
  const faults = [];
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([text, box], i) => {
      if (!text) return;
      if (box.height < 10) faults.push('small: ' + text);
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        faults.push('outside: ' + text);
      for (const [other, b] of boxes.slice(i + 1))
        if (other && box.left + 1 < b.right && b.left + 1 < box.right && box.top + 3 < b.bottom && b.top + 3 < box.bottom)
          faults.push('overlap: ' + text + ' / ' + other);
    });
  }
  return faults;
})()"""

CONTRAST = """(() => {
  const part = value => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number); return .2126 * part(r) + .7152 * part(g) + .0722 * part(b); };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const paper = getComputedStyle(document.querySelector('figure')).backgroundColor;
  const colour = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  return {body: ratio(colour('body', 'color'), colour('body', 'backgroundColor')), note: ratio(colour('figure p', 'color'), paper),
          text: ratio(colour('svg text', 'fill'), paper), bar: ratio(colour('svg rect.s1', 'fill'), paper)};
})()"""


class Browser:
    def __init__(self, folder):
        down, up = os.pipe(), os.pipe()

        def inherit():
            os.dup2(down[0], 3), os.dup2(up[1], 4)

        # Both ends sit above 4 by now or are moved there first, so that the two copies do not run over each other.
        ends = [os.dup(os.dup(end)) if end < 5 else end for end in (down[0], up[1])]
        down, up = (ends[0], down[1]), (up[0], ends[1])
        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={folder}/profile"],
            close_fds=False, preexec_fn=inherit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down[0]), os.close(up[1])
        self.out, self.incoming, self.buffer = down[1], up[0], b""
        os.set_blocking(self.incoming, False)
        self.number, self.events, self.session = 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def receive(self, until):
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            while b"\0" in self.buffer:
                message, self.buffer = self.buffer.split(b"\0", 1)
                message = json.loads(message)
                if "method" in message:
                    self.events.append(message)
                if until(message):
                    return message
            try:
                self.buffer += os.read(self.incoming, 1 << 20)
            except BlockingIOError:
                time.sleep(0.01)
        raise AssertionError("the browser does not answer")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        answer = self.receive(lambda got: got.get("id") == self.number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, width, scheme="light"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url=path.as_uri())
        self.receive(lambda got: got.get("method") == "Page.loadEventFired")

    def ask(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def complaints(self):
        found = [event for event in self.events if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
        return found + [event for event in self.events if event["method"] == "Log.entryAdded"
                        and event["params"]["entry"]["level"] in ("error", "warning")]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def picture(self, name):
        folder = os.environ.get("SCREENSHOTS")
        if folder:
            shot = self.call("Page.captureScreenshot", captureBeyondViewport=True)
            Path(folder, name + ".png").write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.out), os.close(self.incoming)


class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(cls.folder.name)
        cls.made = [pages.patients(CORDON, folder), pages.failing(CORDON, folder), pages.hostile(CORDON, folder)]
        cls.attacked = pages.attacked(CORDON, folder)
        cls.browser = Browser(folder)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def test_it_is_quiet_asks_for_nothing_and_shows_every_number(self):
        for path, report in self.made:
            with self.subTest(page=path.name):
                self.browser.open(path, 1280)
                self.assertEqual(self.browser.complaints(), [])
                self.assertEqual(self.browser.requests(), [path.as_uri()])
                self.assertEqual(pages.missing(report, self.browser.ask("document.body.innerText")), [])

    def test_it_can_be_read_at_both_widths(self):
        for path, _ in [*self.made, self.attacked]:
            for width in (1280, 400):
                with self.subTest(page=path.name, width=width):
                    self.browser.open(path, width)
                    self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.ask(FAULTS), [])
                    self.browser.picture(f"{path.stem}_{width}")

    def test_light_and_dark_have_contrast(self):
        for scheme in ("light", "dark"):
            with self.subTest(scheme=scheme):
                self.browser.open(self.made[0][0], 1280, scheme)
                contrast = self.browser.ask(CONTRAST)
                for part, least in (("body", 7), ("text", 7), ("note", 4.5), ("bar", 3)):
                    self.assertGreaterEqual(contrast[part], least, part)
                self.browser.picture(f"report_{scheme}")

    def test_markup_in_names_stays_text(self):
        self.browser.open(self.made[2][0], 1280)
        self.assertEqual(self.browser.ask("document.scripts.length"), 0)
        self.assertIn(pages.HOSTILE, self.browser.ask("document.body.textContent"))


if __name__ == "__main__":
    unittest.main()
