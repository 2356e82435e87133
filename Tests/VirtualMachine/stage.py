"""The fixture of a scenario: adapters, straps, paced, and the invariants at its end."""
import contextlib
import pathlib
import random
import subprocess
import time

import bus
from air import Air, place
from daemon import OURS, Paced
from harness.timing import Failed, expect, wait_for
from load import LoadMeter
from radio import Management, Radio, channels
from stranger import Stranger
from sensors import Sensor
from strap import Strap

# How long heart rate took to return after each drop, for all scenarios of each backend, in seconds.
BACK = {"kernel": [], "bluetoothd": []}
# The same after each return of bluetoothd.
RETURNS = []
# The memory in KB that a run may add; 40 KB are usual in a minute.
GROWTH_KB = 1024
# SQLite's cache of pages, which fills once while the journal grows.
PAGE_CACHE_KB = 768


class Stage:
    """The resources of a scenario; all end with it."""

    def __init__(self, way, name, drops, seconds):
        self.way, self.name, self.drops, self.seconds = way, name, drops, seconds
        self.ending = contextlib.ExitStack()
        self.random = random.Random(name)
        self.management = self.ending.enter_context(Management())
        self.started = 0
        self.watched = None
        self.back = []
        self.measured = {}
        self.load = LoadMeter()
        self.ending.callback(self.load.end)

    def limit(self, seconds):
        """A time limit for an idle machine, scaled by this machine's load during the scenario."""
        self.measured["slowness"] = round(self.load.slowness(), 2)
        return seconds * self.load.slowness()

    def within(self, what, took, seconds):
        """Expects that something took at most this many seconds of an idle machine."""
        limit = self.limit(seconds)
        expect(took <= limit, f"{what} took {took:.1f} s, more than {limit:.1f} s ({seconds} s on an idle machine)")

    def radio(self, controllers=2):
        """btvirt's controllers, which BlueZ uses for its own tests. They report an advertisement once, as scanning
        starts, before the kernel listens: a strap that has to be discovered may wait for the next discovery.
        """
        radio = Radio(controllers)
        self.ending.callback(radio.end)
        self.place = lambda number: f"hci-socket:{number}"
        return radio

    def air(self, controllers=2):
        """Bumble's controllers, which advertise continuously, can be unplugged, and whose links time out. hci0 is
        paced's, not powered and with LE disabled, as after a boot.
        """
        air = Air(controllers=controllers)
        self.ending.callback(air.kill)
        air.start()
        self.place = lambda number: f"unix-client:{place(number)}"
        wait_for(lambda: len(self.management.indices()) == 1, 60, "the adapter")
        return air

    def strap(self, number=1, **settings):
        strap = Strap(self.place(number), **settings)
        self.ending.callback(strap.kill)
        return strap

    def sensor(self, kind, number):
        sensor = Sensor(self.place(number), kind, number)
        self.ending.callback(sensor.kill)
        return sensor

    def stranger(self, number=2):
        stranger = Stranger(controller=self.place(number))
        self.ending.callback(stranger.kill)
        stranger.start()
        return stranger

    def bluetoothd(self):
        """The system bus, and a bluetoothd that is not started yet."""
        system_bus, daemon = bus.system_bus(self.label), bus.bluetoothd(self.label)
        for served in (system_bus, daemon):
            self.ending.callback(served.kill)
        system_bus.start()
        return daemon

    @property
    def label(self):
        return f"{self.way}-{self.name}"

    def paced(self, *options, user=0, groups=(), way=None):
        """Starts a paced with new directories; without options it uses our strap."""
        self.started += 1
        options = options or ("--sensors", OURS)
        self.watched = Paced(f"{self.label}-{self.started}", "--bluetooth", way or self.way, *options, user=user, groups=groups)
        self.ending.callback(self.watched.kill)
        return self.watched.start()

    def monitor(self):
        """Runs btmon on the traffic between the kernel and its adapters; returns the file."""
        path = pathlib.Path(f"/run/share/{self.label}.btmon")
        with path.open("w") as file:
            monitor = subprocess.Popen(["stdbuf", "-oL", "btmon", "-c", "never", "-C", "110"], stdout=file)
        self.ending.callback(monitor.wait)
        self.ending.callback(monitor.kill)
        while not path.stat().st_size:
            time.sleep(0.02)
        return path

    def running(self, paced):
        """Starts a run after the first beat; returns the descriptors and the memory held then."""
        self.measured["first_beat_s"] = paced.beat(paced.started)
        paced.call("run.start", sport="run")
        paced.watch(2)
        return paced.descriptors(), paced.memory()

    @contextlib.contextmanager
    def run(self, *options, way=None, more=0):
        """A run of paced with a strap, which must survive the body unharmed; yields the medium, the strap and paced.
        Afterwards it may hold `more` additional descriptors.
        """
        air, strap = self.air(), self.strap()
        strap.start()
        paced = self.paced(*options, way=way)
        before = self.running(paced)
        yield air, strap, paced
        self.unharmed(paced, (before[0] + more, before[1]), strap)

    def came_back(self, paced, since, hole=True):
        """Waits for the first beat after a time, and records how long it took."""
        self.back.append(paced.beat(since, hole=hole))
        BACK[self.way].append(self.back[-1])

    def returned(self, paced, since):
        """Waits for the first beat after bluetoothd's return."""
        self.back.append(paced.beat(since, hole=True))
        RETURNS.append(self.back[-1])

    def changed(self, paced, since, way):
        """Waits for the first beat through another backend than before."""
        paced.wait(f"way {way}", lambda line: line.get("bluetooth", {}).get("backend") == way, 60)
        self.back.append(paced.beat(since, hole=True))
        self.within(f"the change to {way}", self.back[-1], 15)
        state = paced.wait("connected", lambda line: line.get("heart", {}).get("link") == "connected", 60,
                           since=len(paced.lines))
        expect(state["bluetooth"]["backend"] == way and state["bluetooth"].get("reason"), f"bluetooth: {state['bluetooth']}")
        self.measured["said"] = [line for line in paced.lines if line["class"] == "EVENT" and line["boot_ms"] >= since]

    def refused(self, stranger, adapter):
        """A stranger who connects to the machine and requests pairing is rejected."""
        self.management.be_seen(0)
        answer = stranger.do("pair", address=adapter, seconds=10)
        expect(not answer["paired"], "a stranger was paired")
        expect("ProtocolError" in answer["why"], f"a stranger was not informed: {answer}")

    def strap_has(self, paced, strap, what, condition):
        """Waits until a strap's report meets a condition, while paced is read."""
        end = time.monotonic() + 60
        while not condition(strap.events()):
            if time.monotonic() > end:
                raise Failed(f"within 60 s the strap had not {what}: {strap.events()}")
            paced.watch(0.2)

    def stream(self, paced, drop):
        """Waits after a drop. Only 5 s of beats reset the delay before a new attempt: every third wait is that long;
        the others simulate an unstable link.
        """
        paced.watch(5.2 if drop % 3 == 1 else 0.5)

    def unharmed(self, paced, before, strap, links=1):
        """The run continued, no beat was lost, and no resource is held that was not held before, but for `links`."""
        paced.watch(2)
        states = [state for state in paced.states() if state["run"] == "active"]
        expect(all(state["run"] == "active" for state in paced.states()[paced.states().index(states[0]):]),
               "the run stopped")
        elapsed, passed = (states[-1][key] - states[0][key] for key in ("elapsed_ms", "boot_ms"))
        expect(elapsed == passed, f"elapsed time has a hole: {elapsed} ms of {passed}")
        in_order(paced.hearts(), strap.events()["sent"])
        # A call to bluetoothd that is under way may have one.
        wait_for(lambda: paced.descriptors() <= before[0], 60, f"{before[0]} descriptors, as before")
        descriptors, memory = paced.descriptors(), paced.memory()
        expect(memory < before[1] + GROWTH_KB + PAGE_CACHE_KB, f"{memory} KB of memory, {before[1]} before")
        held = channels(), sum(len(self.management.connections(index)) for index in self.management.indices())
        expect(max(held) <= links, f"channels and connections of the kernel: {held}")
        self.measured |= {"descriptors": descriptors, "memory_kb": memory, "memory_before_kb": before[1]}
        paced.stop()
        wait_for(
            lambda: channels() == 0 and not any(
                self.management.connections(index) for index in self.management.indices()),
            30, "the end of channels and connections")


def in_order(hearts, sent):
    """Expects every RR interval that was sent, once and in order, except where the line has `gap`."""
    intervals = [int.from_bytes(bytes.fromhex(beat["value"])[2:4], "little") for beat in sent]
    place = None
    for heart in hearts:
        for interval in heart.get("rr_1024", []):
            expect(interval in intervals, f"an interval came that was never sent: {interval}")
            at = intervals.index(interval)
            expect(place is None or at == place + 1 or heart.get("gap"), f"intervals are missing before {heart}")
            place = at
