"""The live page beside fifteen readers of streams: how late it shows a state, and whether anything grows.

PACED_SECONDS is how long it lasts; `make endure` sets it, and only then the times are bounds. A second daemon without
readers shows how late ticks are on this machine now.
"""

import json
import os
import socket
import statistics
import threading
import time

import pytest

from harness.paced_web import PacedWeb
from harness.process import Paced
from harness.timing import wait_for

SECONDS = int(os.environ.get("PACED_SECONDS", 10))
IS_ENDURANCE = "PACED_SECONDS" in os.environ

# Notes for each STATE when the frame after its line is drawn.
FRAMES = """
window.frames_ = [];
const decode = TextDecoder.prototype.decode;
TextDecoder.prototype.decode = function (...words) {
  const text = decode.apply(this, words);
  for (const match of text.matchAll(/"class":"STATE","seq":(\\d+)/g)) {
    requestAnimationFrame(() => window.frames_.push([Number(match[1]), Date.now()]));
  }
  return text;
};
"""


class Moments(threading.Thread):
    """Reads state.sock, and keeps when each STATE came, by its seq."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.of = path, {}

    def run(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(self.path))
            for line in client.makefile():
                now = time.time() * 1000
                line = json.loads(line)
                if line["class"] == "STATE":
                    self.of[line["seq"]] = now


def read(stream):
    try:
        for _ in stream:
            pass
    except OSError:
        pass


def heap(page):
    """Bytes of the page's objects, without garbage."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    size = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return size


def late_ticks(*daemons):
    return [daemon.call("status")["ticks"]["late"] for daemon in daemons]


@pytest.mark.thorough
def test_page_beside_fifteen_readers(stage, browser):
    daemon = stage.paced("--demo=ride")
    (stage.directory / "alone").mkdir()
    alone = stage.start(Paced(stage.directory / "alone", "--demo=ride"))
    web = stage.start(PacedWeb(stage.directory, daemon))
    clients = [web.client() for _ in range(3)]
    for number in range(15):
        threading.Thread(target=read, args=[clients[number % 3].stream()], daemon=True).start()
    moments = Moments(daemon.state_socket)
    moments.start()
    context = browser.new_context(viewport={"width": 414, "height": 896})
    context.set_default_timeout(60_000)
    context.add_init_script(FRAMES)
    page = context.new_page()
    page.goto(f"{web.url}/#code={web.code()}")
    wait_for(lambda: page.evaluate("frames_.length") > 20, 60, "frames of the page")
    # What fills at first: caches, the trail.
    time.sleep(min(SECONDS / 4, 300))
    late, before = late_ticks(daemon, alone), (heap(page), web.kernel_status("RssAnon"))
    end = time.monotonic() + SECONDS
    delays = []
    while time.monotonic() < end:
        time.sleep(1)
        for number, moment in page.evaluate("frames_.splice(0)"):
            if number in moments.of:
                delays.append(moment - moments.of[number])
    after = (heap(page), web.kernel_status("RssAnon"))
    more, more_alone = (after - before for before, after in zip(late, late_ticks(daemon, alone)))
    delays.sort()
    print(f"{len(delays)} states: median {statistics.median(delays):.0f} ms, p95 {delays[len(delays) * 95 // 100]:.0f} ms, "
          f"most {delays[-1]:.0f} ms; page {before[0] >> 10} KiB, then {after[0] >> 10} KiB; "
          f"server {before[1]} KiB, then {after[1]} KiB; {more} late ticks, {more_alone} without readers")
    assert len(delays) > SECONDS
    assert after[1] < 10 << 10
    if IS_ENDURANCE:
        assert statistics.median(delays) < 100
        assert after[0] - before[0] < 2 << 20 and after[1] - before[1] < 512
        assert more <= 1.2 * more_alone + 5
