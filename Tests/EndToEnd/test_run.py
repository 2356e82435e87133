"""One run with the real gpsd, an independent strap and eight subscribers, with checks of all outputs.

PACED_SECONDS is its length: 60, or 600 in make soak.
"""

import json
import os
import socket
import statistics
import types

import pytest

from harness.timing import wait_for

SECONDS = int(os.environ.get("PACED_SECONDS", "60"))
MIB = 1024


@pytest.fixture(scope="module")
def run(long_stage):
    stall_detector = long_stage.stall_detector()
    strap = long_stage.strap()
    gpsd = long_stage.gpsd()
    paced = long_stage.paced("--gpsd", gpsd.option, "--sensors", f"unix:{strap.path}")
    reader = long_stage.reader(paced, classes=["STATE", "EVENT", "HEART", "FIX", "SETTINGS"])
    subscribers = long_stage.subscribers(paced, 7)
    still = socket.socket(socket.AF_UNIX)
    still.connect(str(paced.state_socket))

    def is_ready():
        states = reader.of("STATE")
        return states and states[-1]["heart"]["link"] == "connected" and "position" in states[-1]
    wait_for(is_ready, 60, "a connected strap and a position")
    assert paced.call("run.start") == {"activity": 1}
    reader.first("EVENT", event="start")
    end = wait_for(
        lambda: [state for state in reader.of("STATE") if state.get("elapsed_ms", 0) >= SECONDS * 1000],
        SECONDS + 10, "the end of the run")[0]
    memory, threads = paced.kernel_status("VmRSS"), paced.kernel_status("Threads")
    lines = list(reader.lines)
    states = [line for line in lines if line["class"] == "STATE" and line["run"] == "active"]
    return types.SimpleNamespace(
        lines=lines, states=states[:states.index(end) + 1], strap=strap, subscribers=subscribers, still=still, memory=memory,
        threads=threads, stall_detector=stall_detector)


def test_every_tick_has_its_state(run):
    elapsed = [state["elapsed_ms"] for state in run.states]
    missing = sorted(set(range(0, SECONDS * 1000 + 1, 100)) - set(elapsed))
    late = run.states[-1]["ticks"]["late"]
    print(f"{len(elapsed)} states, {len(missing)} missing; {late} ticks late, worst {run.states[-1]['ticks']['worst_ms']} ms")
    assert elapsed == sorted(set(elapsed)) and all(value % 100 == 0 for value in elapsed)
    # Ticks share a line if a busy machine stops the daemon for a tenth of a second. Those are counted as late.
    assert len(missing) <= min(late, SECONDS / 20)
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
            assert after["elapsed_ms"] % 1000 == 0
            assert after["distance_m"] > before["distance_m"]
    ticks = [state for state in run.states if state["elapsed_ms"] % 1000 == 0]
    fixes = [line for line in run.lines if line["class"] == "FIX"]
    for before, after in zip(ticks[1:], ticks[2:]):
        # A tick with a new position; a fix at its very edge may belong to the next tick.
        has_fix = any(before["boot_ms"] + 5 < fix["boot_ms"] < after["boot_ms"] - 5 for fix in fixes)
        assert not has_fix or before["distance_m"] < after["distance_m"], (before.text, after.text)
    changes = sum(before["distance_m"] != after["distance_m"] for before, after in zip(ticks, ticks[1:]))
    assert changes >= 0.95 * SECONDS
    assert 1.5 < ticks[-1]["distance_m"] / SECONDS < 6


def test_pace_changes_only_every_five_seconds(run):
    for before, after in zip(run.states, run.states[1:]):
        if after.get("pace_s_per_m") != before.get("pace_s_per_m"):
            assert after["elapsed_ms"] % 5000 == 0
    paces = [state.get("pace_s_per_m") for state in run.states if state["elapsed_ms"] % 5000 == 0][2:]
    assert None not in paces
    assert len(set(paces)) > len(paces) / 2


def test_every_notification_gives_a_heart_line_within_10_ms(run):
    hearts = [line for line in run.lines if line["class"] == "HEART"]
    assert [line["seq"] for line in hearts] == list(range(1, len(hearts) + 1))
    sent = run.strap.sent[:len(hearts)]
    assert len(hearts) > SECONDS * 0.9
    assert [line["bpm"] if "bpm" in line else None for line in hearts] == [
        beats(value) for _, value in sent]
    latencies = delays(run, "HEART lines after the notification", [(moment, line.at) for line, (moment, _) in zip(hearts, sent)])
    assert statistics.quantiles(latencies, n=20)[17] < 10


def test_heart_rate_is_in_the_state_within_110_ms(run):
    hearts = [line for line in run.lines if line["class"] == "HEART" and line.get("quality") == "good"]
    hearts = [line for line in hearts if run.states[0].at < line.at < run.states[-2].at]
    assert hearts
    moments = []
    for heart in hearts:
        state = next(state for state in run.states if state["boot_ms"] > heart["boot_ms"])
        assert state["heart"]["bpm"] == heart["bpm"]
        moments.append((heart["boot_ms"], state.at))
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
    assert len(times) > 0.95 * SECONDS


def test_other_readers_miss_nothing(run):
    for sequence in run.subscribers.sequences:
        assert sequence == list(range(sequence[0], sequence[0] + len(sequence)))
        assert len(sequence) >= len(run.states)


def test_reader_stalled_for_thirty_seconds_is_closed(run):
    run.still.settimeout(5)
    text = b"".join(iter(lambda: run.still.recv(65536), b""))
    assert 50 < text.count(b"\n") < 400
    last = json.loads(text.splitlines()[-1])
    assert last == {"class": "ERROR", "message": "closed: the client has read nothing for 30 s"}


def test_daemon_is_small_and_has_three_threads(run):
    """The threads: the loop, the journal's writer, and the journal's reader."""
    print(f"resident memory {run.memory / MIB:.1f} MiB")
    assert run.memory < 17 * MIB
    assert run.threads == 3


def delays(run, name, moments):
    """The delay of each in ms, when the machine kept time: on a busy one the daemon is not the cause of a delay."""
    kept = [until - since for since, until in moments if run.stall_detector.kept_time(since - 20, until)]
    print(f"{name}: median {statistics.median(kept):.1f} ms, worst {max(kept):.1f} ms, {len(kept)} of {len(moments)} judged")
    return kept


def beats(value):
    """The HEART line of a notification: no bpm if it is not a valid value."""
    flags = value[0]
    rate = int.from_bytes(value[1:3], "little") if flags & 1 else value[1]
    has_intervals = bool(flags & 0x10)
    no_contact = flags & 0x06 == 0x04 and not has_intervals
    return None if rate == 0 or rate > 240 or no_contact else rate
