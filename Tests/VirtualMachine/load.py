"""Measures during the run how much the host's other work slows the emulated processors down."""

import statistics
import threading
import time


class LoadMeter:
    """Does a small piece of work five times a second. The fastest one of the run is taken as an idle machine's."""

    times = []

    def __init__(self):
        self.first = len(LoadMeter.times)
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended.wait(0.2):
            start = time.perf_counter()
            sum(range(20_000))
            LoadMeter.times.append(time.perf_counter() - start)

    def slowness(self):
        """The average duration since the start relative to the fastest, at least 1."""
        times = LoadMeter.times[self.first:]
        return statistics.mean(times) / min(LoadMeter.times) if times else 1.0

    @staticmethod
    def slowness_of_all():
        """The same since the start of the run."""
        return statistics.mean(LoadMeter.times) / min(LoadMeter.times)

    def end(self):
        self.ended.set()
        self.thread.join()
