"""An unusable state directory at the start: the daemon serves, reads what it can, and writes after the repair."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from harness.fake_gpsd import FakeGpsd
from harness.process import PACED, Disk
from harness.timing import GUARD, wait_for
from harness.users import NOBODY, unprivileged

OFF = ["--gpsd", "off", "--sensors", "off"]


def state_of(daemon):
    return daemon.call("status")


def active_for(daemon, milliseconds):
    return wait_for(lambda: (state := state_of(daemon)).get("elapsed_ms", 0) >= milliseconds and state,
        60 + milliseconds / 500, "a run")


READ = """import json, sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}/journal.sqlite?mode=ro", uri=True)
print(json.dumps(database.execute(sys.argv[2]).fetchall()))"""


def rows(place, query):
    """The result of a query of the journal in a directory, or on a disk."""
    path, within = (place.place, place.within) if isinstance(place, Disk) else (place, [])
    done = subprocess.run(
        [str(word) for word in [*within, sys.executable, "-c", READ, path, query]],
        capture_output=True, check=True, timeout=GUARD)
    return [tuple(row) for row in json.loads(done.stdout)]


def written_again(reader, failed):
    """The event that reports that the recorder writes again."""
    return wait_for(
        lambda: next((event for event in reader.of("EVENT")
                      if event.get("state") == "writing" and event["boot_ms"] > failed["boot_ms"]), None),
        60, "writing")


def has_left_its_journal_open(daemon):
    """Whether the daemon had too little time for its journal: a second from the signal to its end."""
    return "journal not closed" in daemon.log_text()


def is_whole(place, activity, elapsed):
    """Expects that the file has each second of an activity, and that its events are numbered without gaps."""
    assert rows(place, "PRAGMA integrity_check") == [("ok",)]
    first = activity << 32
    seconds = [row[0] for row in rows(
        place, f"SELECT elapsed_ms FROM record WHERE elapsed_ms AND key BETWEEN {first} AND {first + 2**32 - 1}")]
    assert seconds == list(range(1000, elapsed + 1, 1000)), (seconds, elapsed)
    numbers = [row[0] for row in rows(place, "SELECT seq FROM event ORDER BY seq")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert rows(place, "SELECT * FROM loss") == []


@pytest.mark.parametrize("has_index", [True, False], ids=["with its -shm", "without its -shm"])
def test_run_is_resumed_from_a_read_only_disk_and_written_after_remount(stage, has_index):
    disk = stage.disk()
    daemon = stage.paced(*OFF, prefix=disk.within)
    daemon.call("run.start", sport="walk")
    daemon.call("run.stop")
    daemon.call("run.start", sport="hike")
    daemon.call("settings.set", key="metric", value=True)
    before = active_for(daemon, 3000)
    reader = stage.reader(daemon, since=0)
    last = wait_for(lambda: reader.of("EVENT"), 60, "the events")[-1]["seq"]
    wait_for(lambda: len(rows(disk, "SELECT seq FROM event")) == last, 60, "the events in the file")
    daemon.end(signal.SIGKILL)
    reader.end()
    # The committed data is only in the write-ahead log.
    assert (disk.path / "journal.sqlite-wal").stat().st_size > 0
    if not has_index:
        (disk.path / "journal.sqlite-shm").unlink()
    disk.remount("ro")

    begun = time.monotonic()
    daemon = stage.paced(*OFF, prefix=disk.within)
    state = state_of(daemon)
    print(f"figures after {time.monotonic() - begun:.2f} s")
    assert (state["run"], state["activity"], state["sport"]) == ("active", 2, "hike")
    assert state["elapsed_ms"] >= before["elapsed_ms"] - 1000
    reader = stage.reader(daemon, since=0)
    assert reader.first("VERSION")["events"]["last"] >= last
    start = reader.first("EVENT", event="start", resumed=True)
    assert start["seq"] > last
    failed = reader.first("EVENT", event="recorder", state="failed")
    assert "Read-only file system" in failed["message"]
    assert "recorder-failed" in [fault["fault"] for fault in state_of(daemon)["faults"]]
    assert daemon.call("settings.get", key="metric") is True
    assert [summary["id"] for summary in daemon.call("activities.list")] == [2, 1]
    unstored = daemon.call("settings.set", key="auto_stop_minutes", value=7)
    assert unstored["code"] == -32603 and "auto_stop_minutes is in force" in unstored["data"]["message"]
    on = active_for(daemon, state["elapsed_ms"] + 2000)
    assert daemon.call("run.lap")["elapsed_ms"] >= on["elapsed_ms"]
    assert state_of(daemon)["recorder"]["state"] == "failed"

    disk.remount("rw")
    written = written_again(reader, failed)
    numbers = [event["seq"] for event in reader.of("EVENT")]
    assert numbers == list(range(1, written["seq"] + 1))
    summary = daemon.call("run.stop")
    assert summary["id"] == 2 and summary["laps"] == 2
    assert daemon.call("run.start")["activity"] == 3
    assert daemon.end()[0] == 0
    assert rows(disk, "SELECT id, open FROM activity ORDER BY id") == [(1, 0), (2, 0), (3, 1)]
    assert rows(disk, "SELECT value FROM setting WHERE name = 'auto_stop_minutes'") == [("7",)]
    is_whole(disk, 2, summary["elapsed_ms"])


def unprivileged_daemons(stage):
    """Starts daemons that may not read everything, as root may."""
    program, options = unprivileged(PACED)
    if options:
        os.chown(stage.directory, NOBODY, NOBODY)
    return lambda: stage.paced(*OFF, program=program, popen=options)


def refused_permission(stage):
    os.chmod(stage.directory / "state", 0)
    return "Permission denied", lambda: os.chmod(stage.directory / "state", 0o750)


def shared_with_everybody(stage):
    os.chmod(stage.directory / "state", 0o777)
    return "run chmod o-w", lambda: os.chmod(stage.directory / "state", 0o750)


def moved_away(stage):
    state, kept = stage.directory / "state", stage.directory / "kept"
    state.rename(kept)
    state.write_text("in its place")

    def mend():
        state.unlink()
        kept.rename(state)
    return str(state), mend


@pytest.mark.parametrize("harm", [
    refused_permission, pytest.param(shared_with_everybody, marks=pytest.mark.thorough),
    pytest.param(moved_away, marks=pytest.mark.thorough)])
def test_unreadable_directory_gives_its_numbers_after_the_repair(stage, harm):
    start = unprivileged_daemons(stage)
    daemon = start()
    daemon.call("run.start")
    daemon.call("run.stop")
    daemon.call("settings.set", key="sport", value="ride")
    daemon.call("settings.set", key="metric", value=True)
    daemon.call("run.start")
    active_for(daemon, 2000)
    reader = stage.reader(daemon, since=0)
    last = wait_for(lambda: reader.of("EVENT"), 60, "the events")[-1]["seq"]
    state = stage.directory / "state"
    wait_for(lambda: len(rows(state, "SELECT seq FROM event")) == last, 60, "the events in the file")
    daemon.end(signal.SIGKILL)
    reader.end()
    reason, mend = harm(stage)

    daemon = start()
    reader = stage.reader(daemon, since=0)
    failed = reader.first("EVENT", event="recorder", state="failed")
    assert reason in failed["message"]
    assert state_of(daemon)["run"] == "idle"
    assert daemon.call("run.start", sport="hike") == {}
    unstored = daemon.call("settings.set", key="metric", value=False)
    assert unstored["code"] == -32603 and "metric is in force, but not on the disk" in unstored["data"]["message"]
    assert daemon.call("activities.track")["code"] == -32002
    on = active_for(daemon, 2000)
    assert "activity" not in on and on["sport"] == "hike"
    assert "activity" not in reader.first("EVENT", event="start")
    assert [event["seq"] for event in reader.of("EVENT")][0] == 1
    known = reader.of("EVENT")[-1]["seq"]

    mend()
    written = written_again(reader, failed)
    # The earlier events now come first, and those of this start follow them.
    assert written["seq"] > last + known
    assert reader.first("STATE", activity=3)["sport"] == "hike"
    assert state_of(daemon)["activity"] == 3
    whole = stage.reader(daemon, since=0)
    begin = whole.first("VERSION")["events"]
    wait_for(lambda: len(whole.of("EVENT")) >= begin["last"], 60, "all events")
    assert [event["seq"] for event in whole.of("EVENT")][:begin["last"]] == list(range(1, begin["last"] + 1))
    # The earlier settings are in force again, except those changed since.
    assert daemon.call("settings.get", key="sport") == "ride"
    assert daemon.call("settings.get", key="metric") is False
    # The activity that was left open is closed at its last moment: another one has started.
    listed = wait_for(
        lambda: len(found := daemon.call("activities.list")) == 3 and not found[1]["open"] and found, 60, "three")
    assert [(summary["id"], summary["open"]) for summary in listed] == [(3, True), (2, False), (1, False)]
    assert listed[1]["elapsed_ms"] >= 1000
    active_for(daemon, on["elapsed_ms"] + 2000)
    summary = daemon.call("run.stop")
    assert summary["id"] == 3
    assert daemon.end()[0] == 0
    is_whole(state, 3, summary["elapsed_ms"])
    assert rows(state, "SELECT name, value FROM setting ORDER BY name") == [("metric", "false"), ("sport", '"ride"')]


def test_open_run_resumes_after_the_repair_of_the_directory(stage):
    start = unprivileged_daemons(stage)
    daemon = start()
    daemon.call("run.start")
    before = active_for(daemon, 3000)
    daemon.end(signal.SIGKILL)
    _, mend = refused_permission(stage)
    daemon = start()
    reader = stage.reader(daemon)
    assert state_of(daemon)["run"] == "idle"
    mend()
    assert reader.first("EVENT", event="start", resumed=True)["activity"] == 1
    active_for(daemon, before["elapsed_ms"] + 1000)
    summary = daemon.call("run.stop")
    assert daemon.end()[0] == 0
    is_whole(stage.directory / "state", 1, summary["elapsed_ms"])


def test_directory_repaired_before_the_stop_receives_the_run(stage):
    place = stage.directory / "state"
    for attempt in range(3):
        shutil.rmtree(place, ignore_errors=True)
        place.write_text("in its place")
        daemon = stage.paced(*OFF, log=stage.directory / f"log-{attempt}")
        reader = stage.reader(daemon, since=0)
        reader.first("EVENT", event="recorder", state="failed")
        daemon.call("run.start")
        on = active_for(daemon, 2000)
        # Its writer retries once a second: mostly only the shutdown happens before that.
        place.unlink()
        assert daemon.end()[0] == 0
        if not has_left_its_journal_open(daemon):
            break
    (activity, elapsed), = rows(place, "SELECT activity.id, max(record.elapsed_ms) FROM activity, record")
    assert activity == 1 and elapsed >= on["elapsed_ms"] // 1000 * 1000


@pytest.mark.fast_clock
def test_full_disk_at_the_start_receives_the_run_once_it_has_space(stage):
    disk = stage.disk(size="700k")
    disk.fill()
    daemon = stage.paced(*OFF, prefix=disk.within)
    reader = stage.reader(daemon, since=0)
    reader.first("EVENT", event="recorder", state="failed")
    daemon.call("run.start")
    active_for(daemon, 2000)
    disk.free()
    reader.first("EVENT", event="recorder", state="writing")
    assert state_of(daemon)["activity"] == 1
    summary = daemon.call("run.stop")
    assert daemon.end()[0] == 0
    is_whole(disk, 1, summary["elapsed_ms"])


class FastGpsd(FakeGpsd):
    """A receiver with 20 fixes a second."""

    def serve(self, client):
        begun, count = time.time(), 0
        while True:
            moment = begun + count / 20
            count += 1
            time.sleep(max(moment - time.time(), 0))
            text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + ".%03dZ" % (moment % 1 * 1000)
            self.say(client, {
                "class": "TPV", "device": self.device, "mode": 3, "time": text, "lat": 52 + count * 1.3e-6, "lon": 13.4,
                "altMSL": 34.2, "eph": 3.1, "speed": 3.01, "track": 1.2})


@pytest.mark.fast_clock
def test_small_disk_receives_what_it_can_hold_before_the_end(stage):
    """The queue is larger than the disk's room for one transaction, whose pages are in the log and in the file."""
    disk = stage.disk(size="172k")
    gpsd = stage.keep(FastGpsd())
    daemon = stage.paced("--sensors", "off", "--gpsd", gpsd.option, prefix=disk.within)
    reader = stage.reader(daemon)
    wait_for(lambda: disk.path.joinpath("journal.sqlite-wal").exists(), 60, "a journal")
    disk.fill()
    daemon.call("run.start")
    reader.first("EVENT", event="recorder", state="failed")
    active_for(daemon, 32_000)
    disk.free()
    wait_for(lambda: rows(disk, "SELECT max(elapsed_ms) >= 8000 FROM record") == [(1,)], 60, "a part of the run")
    assert daemon.end()[0] == 0
    assert rows(disk, "PRAGMA integrity_check") == [("ok",)]
    assert rows(disk, "SELECT id, open FROM activity") == [(1, 1)]
    seconds = [row[0] for row in rows(disk, "SELECT elapsed_ms FROM record WHERE elapsed_ms")]
    assert seconds == list(range(1000, seconds[-1] + 1, 1000)) and seconds[-1] >= 8000
    print(f"{seconds[-1] / 1000} of 32 s are on a disk of 140 kB")


def test_small_disk_freed_before_the_stop_receives_the_run(stage):
    for attempt in range(3):
        disk = stage.disk(size="700k")
        daemon = stage.paced("--demo", prefix=disk.within, log=stage.directory / f"log-{attempt}")
        reader = stage.reader(daemon)
        active_for(daemon, 2000)
        disk.fill()
        reader.first("EVENT", event="recorder", state="failed")
        on = active_for(daemon, 6000)
        disk.free()
        assert daemon.end()[0] == 0
        if not has_left_its_journal_open(daemon):
            break
    (elapsed,), = rows(disk, "SELECT max(elapsed_ms) FROM record")
    assert elapsed >= on["elapsed_ms"] // 1000 * 1000
    is_whole(disk, 1, elapsed)
