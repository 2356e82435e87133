"""One run with the real gpsd, an independent strap and eight subscribers, with checks of all outputs.

It takes 20 s, a minute in `make test-all`, or PACED_SECONDS, which are 600 in `make soak`.
"""

import os
import pathlib
import statistics
import threading
import time
import types

import pytest

from harness.fixture import ProcessFixture
from harness.process import Gpsd, Strap
from harness.timing import boot_ms, wait_for

LENGTHS = [int(os.environ["PACED_SECONDS"])] if "PACED_SECONDS" in os.environ else [
    20, pytest.param(60, marks=pytest.mark.thorough)]
MIB = 1024
pytestmark = pytest.mark.punctual


class StallDetector:
    """Detects when the machine, this process or another was stalled: a delay at such a moment is not the daemon's.

    The kernel counts how long each process was ready to run while another process ran.
    """

    def __init__(self, *processes):
        self.processes = processes
        self.stalls = []
        self.is_running = True
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def withheld(self):
        return [int(pathlib.Path(f"/proc/{one.pid}/schedstat").read_text().split()[1]) / 1e6 for one in self.processes]

    def watch(self):
        before, known = boot_ms(), self.withheld()
        while self.is_running:
            time.sleep(0.005)
            now, withheld = boot_ms(), self.withheld()
            # The kernel adds the whole delay when the process runs again.
            longest = max(late - early for early, late in zip(known, withheld))
            if now - before > 10 or longest > 5:
                self.stalls.append((before - longest, now))
            before, known = now, withheld

    def kept_time(self, since, until):
        return not any(start < until and since < end for start, end in self.stalls)

    def end(self):
        self.is_running = False
        self.thread.join(5)


@pytest.fixture(scope="module", params=LENGTHS, ids=lambda seconds: f"{seconds} s")
def run(request):
    stage = ProcessFixture()
    yield record(stage, request.param)
    stage.end()


def record(stage, seconds):
    strap = Strap(stage.directory)
    gpsd = Gpsd(stage.directory)
    paced = stage.paced("--gpsd", gpsd.option, "--sensors", f"unix:{strap.path}")
    reader = stage.reader(paced, classes=["STATE", "EVENT", "HEART", "FIX", "SETTINGS"])
    # The reader misses no line of theirs.
    stage.start(strap)
    stage.start(gpsd)
    stall_detector = stage.keep(StallDetector(paced, strap))
    subscribers = stage.subscribers(paced, 7)

    def is_ready():
        states = reader.of("STATE")
        return states and states[-1]["heart"]["link"] == "connected" and "position" in states[-1]
    wait_for(is_ready, 60, "a connected strap and a position")
    assert paced.call("run.start") == {"activity": 1}
    reader.first("EVENT", event="start")
    end = wait_for(
        lambda: [state for state in reader.of("STATE") if state.get("elapsed_ms", 0) >= seconds * 1000],
        seconds + 60, "the end of the run")[0]
    memory, threads = paced.kernel_status("VmRSS"), paced.kernel_status("Threads")
    lines = list(reader.lines)
    states = [line for line in lines if line["class"] == "STATE" and line["run"] == "active"]
    return types.SimpleNamespace(
        seconds=seconds, lines=lines, states=states[:states.index(end) + 1], strap=strap, subscribers=subscribers,
        memory=memory, threads=threads, stall_detector=stall_detector)


def test_every_tick_has_its_state(run):
    elapsed = [state["elapsed_ms"] for state in run.states]
    missing = sorted(set(range(0, run.seconds * 1000 + 1, 100)) - set(elapsed))
    late = run.states[-1]["ticks"]["late"]
    print(f"{len(elapsed)} states, {len(missing)} missing; {late} ticks late, worst {run.states[-1]['ticks']['worst_ms']} ms")
    assert elapsed == sorted(set(elapsed)) and all(value % 100 == 0 for value in elapsed)
    # Ticks share a line if a busy machine stops the daemon for a tenth of a second. Those are counted as late.
    assert len(missing) <= late
    missed = sum((after["elapsed_ms"] - before["elapsed_ms"]) // 100 - 1 for before, after in zip(run.states, run.states[1:])
                 if run.stall_detector.kept_time(before["boot_ms"], after.at))
    assert missed <= run.seconds / 20
    first = run.states[0]["seq"]
    assert [state["seq"] for state in run.states] == list(range(first, first + len(run.states)))
    assert not [line for line in run.lines if line["class"] in ("DROPPED", "ERROR")]


def test_states_arrive_ten_times_a_second(run):
    lateness = delays(run, "states after their tick", [(state["boot_ms"], state.at) for state in run.states])
    assert statistics.median(lateness) < 5
    assert statistics.quantiles(lateness, n=100)[94] < 50
    steps = [after["boot_ms"] - before["boot_ms"] for before, after in zip(run.states, run.states[1:])]
    assert statistics.multimode(round(step) for step in steps) == [100]


def test_distance_changes_only_on_whole_seconds(run):
    for before, after in zip(run.states, run.states[1:]):
        if after["distance_m"] != before["distance_m"]:
            # A tick of a whole second may share the line of a later one.
            assert after["elapsed_ms"] // 1000 > before["elapsed_ms"] // 1000
            assert after["distance_m"] > before["distance_m"]
    ticks = [state for state in run.states if state["elapsed_ms"] % 1000 == 0]
    fixes = [line for line in run.lines if line["class"] == "FIX"]
    for before, after in zip(ticks[1:], ticks[2:]):
        # A tick with a new position. A fix may close 0.3 s after its first report, and belong to the next tick.
        has_fix = any(before["boot_ms"] + 5 < fix["boot_ms"] < after["boot_ms"] - 350 for fix in fixes)
        assert not has_fix or before["distance_m"] < after["distance_m"], (before.text, after.text)
    changes = sum(before["distance_m"] != after["distance_m"] for before, after in zip(ticks, ticks[1:]))
    # There are fewer if gpsd or the daemon is stopped for seconds.
    assert changes > run.seconds / 2
    assert 1.5 < ticks[-1]["distance_m"] / run.seconds < 6


def test_pace_changes_only_every_five_seconds(run):
    for before, after in zip(run.states, run.states[1:]):
        if after.get("pace_s_per_m") != before.get("pace_s_per_m"):
            assert after["elapsed_ms"] // 5000 > before["elapsed_ms"] // 5000
    states = [next(state for state in run.states if state["elapsed_ms"] >= at)
              for at in range(10_000, run.seconds * 1000 + 1, 5000)]
    # There may be no pace after a stall of gpsd.
    paces = [state.get("pace_s_per_m") for state in states
             if not any(start < state["boot_ms"] < end + 10_000 for start, end in stalls_of_gpsd(run))]
    assert paces and None not in paces
    assert len(set(paces)) > len(paces) / 2


def test_every_notification_gives_a_heart_line_within_10_ms(run):
    hearts = [line for line in run.lines if line["class"] == "HEART"]
    assert [line["seq"] for line in hearts] == list(range(1, len(hearts) + 1))
    # The strap may be stopped between its message and the notification.
    assert len(hearts) >= sum(moment < run.states[-1]["boot_ms"] for moment, _ in run.strap.sent) - 1
    sent = run.strap.sent[:len(hearts)]
    assert len(hearts) > run.seconds / 2
    assert [line["bpm"] if "bpm" in line else None for line in hearts] == [
        beats(value) for _, value in sent]
    latencies = delays(run, "HEART lines after the notification", [(moment, line.at) for line, (moment, _) in zip(hearts, sent)])
    assert statistics.quantiles(latencies, n=20)[17] < 10


def test_heart_rate_is_in_the_state_within_110_ms(run):
    hearts = [line for line in run.lines if line["class"] == "HEART"]
    moments = []
    for heart, following in zip(hearts, hearts[1:]):
        if heart.get("quality") != "good" or not run.states[0].at < heart.at < run.states[-2].at:
            continue
        state = next(state for state in run.states if state["boot_ms"] > heart["boot_ms"])
        moments.append((heart["boot_ms"], state.at))
        # After a stall of the daemon the state is later, or has the next beat.
        if state["boot_ms"] < min(heart["boot_ms"] + 110, following["boot_ms"]):
            assert state["heart"]["bpm"] == heart["bpm"]
    assert moments
    latencies = delays(run, "STATE after the notification", moments)
    assert statistics.quantiles(latencies, n=20)[17] < 110


def test_state_has_name_and_battery_of_the_strap(run):
    heart = run.states[-1]["heart"]
    assert heart["link"] == "connected" and "reason" not in heart
    assert heart["battery_percent"] == 87
    assert heart["name"].startswith("Polar H10")


def test_each_second_has_its_fix(run):
    fixes = [line for line in run.lines if line["class"] == "FIX"]
    assert [line["seq"] for line in fixes] == list(range(1, len(fixes) + 1))
    # gpsd does not know the date before the second sentence of the first fix.
    times = [line["gnss_time"] for line in fixes if "gnss_time" in line]
    assert times == sorted(set(times))
    stalled = sum(end - start - 900 for start, end in stalls_of_gpsd(run)) / 1000
    assert len(times) > 0.95 * run.seconds - stalled


def test_other_readers_miss_nothing(run):
    wait_for(lambda: all(len(sequence) >= len(run.states) for sequence in run.subscribers.sequences), 60, "all states")
    for sequence in map(list, run.subscribers.sequences):
        assert sequence == list(range(sequence[0], sequence[0] + len(sequence)))


def test_daemon_is_small_and_has_three_threads(run):
    """The threads: the loop, the journal's writer, and the journal's reader."""
    print(f"resident memory {run.memory / MIB:.1f} MiB")
    assert run.memory < 17 * MIB
    assert run.threads == 3


def stalls_of_gpsd(run):
    """The times in which there was no fix for much longer than gpsd's period."""
    moments = [line["boot_ms"] for line in run.lines if line["class"] == "FIX"] + [run.states[-1]["boot_ms"]]
    return [(before, after) for before, after in zip(moments, moments[1:]) if after - before > 2500]


def delays(run, name, moments):
    """The delay of each in ms, when the machine kept time: on a busy one the daemon is not the cause of a delay.

    Ticks that share a line show a stall of the daemon. The quickest third counts if the machine never keeps time.
    """
    holes = [(before["boot_ms"], after["boot_ms"] + 100) for before, after in zip(run.states, run.states[1:])
             if after["boot_ms"] - before["boot_ms"] > 150]
    kept = [until - since for since, until in moments if run.stall_detector.kept_time(since - 20, until)
            and not any(start < until and since < end for start, end in holes)]
    if len(kept) < len(moments) / 3:
        kept = sorted(until - since for since, until in moments)[:max(len(moments) // 3, 2)]
    print(f"{name}: median {statistics.median(kept):.1f} ms, worst {max(kept):.1f} ms, {len(kept)} of {len(moments)} judged")
    return kept


def beats(value):
    """The HEART line of a notification: no bpm if it is not a valid value."""
    flags = value[0]
    rate = int.from_bytes(value[1:3], "little") if flags & 1 else value[1]
    has_intervals = bool(flags & 0x10)
    no_contact = flags & 0x06 == 0x04 and not has_intervals
    return None if rate == 0 or rate > 240 or no_contact else rate
