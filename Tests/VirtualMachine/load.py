"""How much of the emulated processors' time the host's other work takes, measured within the run."""

import statistics
import threading
import time


class LoadMeter:
    """Does a small piece of work five times a second. The fastest one of the run is that of an idle machine."""

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
        """How many times as long the work took on average since the start, at least 1."""
        times = LoadMeter.times[self.first:]
        return statistics.mean(times) / min(LoadMeter.times) if times else 1.0

    @staticmethod
    def slowness_of_all():
        """The same since the start of the run."""
        return statistics.mean(LoadMeter.times) / min(LoadMeter.times)

    def end(self):
        self.ended.set()
        self.thread.join()
