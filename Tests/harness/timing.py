"""Time in the tests: the boot clock, waiting for an event, and stalls of the machine."""

import threading
import time


class Failed(AssertionError):
    """A failed expectation; the message names it."""


def expect(condition, message):
    if not condition:
        raise Failed(message)


def boot_ms():
    """CLOCK_BOOTTIME in ms, the clock of `boot_ms` in the lines of paced."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) / 1e6


def wait_for(condition, seconds, what):
    """The first true value of `condition`; raises Failed, which names the missing event, after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise Failed(f"within {seconds} s there was not: {what}")
        time.sleep(0.02)


class StallDetector:
    """Detects when the machine, or this process, was stalled: a delay at such a moment is not the daemon's."""

    def __init__(self):
        self.stalls = []
        self.is_running = True
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        before = boot_ms()
        while self.is_running:
            time.sleep(0.005)
            now = boot_ms()
            if now - before > 20:
                self.stalls.append((before, now))
            before = now

    def kept_time(self, since, until):
        return not any(start < until and since < end for start, end in self.stalls)

    def end(self):
        self.is_running = False
        self.thread.join(5)
