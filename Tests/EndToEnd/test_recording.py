"""Recording: queried while the daemon runs, exported at a run's end, and intact after every kind of end."""

import datetime
import json
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import fitdecode
import pytest

from harness.faults import fault_library
from harness.process import PACECTL, ROOT
from harness.timing import GUARD, wait_for
from matrix import matrix

OFF = ["--gpsd", "off", "--sensors", "off"]


def state_of(daemon):
    return daemon.call("status")


def instant(text):
    return datetime.datetime.fromisoformat(text).timestamp()


def active_for(daemon, milliseconds):
    """Waits until the run has reached this active time."""
    return wait_for(lambda: (state := state_of(daemon)).get("elapsed_ms", 0) >= milliseconds and state, 60, "a run")


def exports(stage):
    return sorted(path.name for path in (stage.directory / "state/exports").glob("[!.]*"))


def messages(path):
    """The messages of a FIT file by name, read by an independent reader."""
    found = {}
    with fitdecode.FitReader(
            str(path), check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        for frame in reader:
            if isinstance(frame, fitdecode.FitDataMessage):
                found.setdefault(frame.name, []).append(
                    {field.name: field.value for field in frame.fields if field.name})
    return found


@pytest.fixture
def check(schema):
    """Validates every response against the schema too."""
    def check(value):
        wrong = [error.message for error in schema.iter_errors({"jsonrpc": "2.0", "id": 1, "result": value})]
        assert not wrong, wrong
        return value
    return check


@pytest.mark.fast_clock
def test_run_is_recorded_listed_and_exported(stage, check):
    daemon = stage.paced("--demo")
    active_for(daemon, 4000)
    assert daemon.call("run.lap")["run"] == "active"
    active_for(daemon, 6000)
    # During the run the list has its current totals.
    summary, = check(daemon.call("activities.list"))
    assert summary["open"] and summary["elapsed_ms"] >= 6000 and "ended" not in summary
    stopped = daemon.call("run.stop")
    summary, = check(wait_for(
        lambda: not (found := daemon.call("activities.list"))[0]["open"] and found, 60, "the end of the activity"))
    # The end is the start plus the total time in the journal, each in whole milliseconds.
    assert abs(instant(summary["ended"]) - instant(stopped["ended"])) < 0.0015
    assert summary | {"ended": ""} == stopped | {"ended": ""}
    whole = check(daemon.call("activities.get", id=summary["id"]))
    assert whole["summary"] == summary
    assert [lap["number"] for lap in whole["laps"]] == [1, 2]
    assert sum(lap["elapsed_ms"] for lap in whole["laps"]) == summary["elapsed_ms"]
    assert whole["laps"][0]["trigger"] == "command" and "trigger" not in whole["laps"][1]

    name, = wait_for(lambda: exports(stage), 60, "a file")
    begun = summary["started"]
    assert name == f"{begun[:10]}-{begun[11:13]}{begun[14:16]}-run.fit"
    file = messages(stage.directory / "state/exports" / name)
    seconds = summary["elapsed_ms"] // 1000
    assert abs(len(file["record"]) - seconds) <= 1
    session, = file["session"]
    assert abs(session["total_timer_time"] - summary["elapsed_ms"] / 1000) < 1.1
    assert abs(session["total_distance"] - summary["distance_m"]) < 5
    assert len(file["lap"]) == 2
    serial = file["file_id"][0]["serial_number"]
    assert serial and f"{serial:08x}" not in pathlib.Path("/etc/machine-id").read_text()


def test_two_runs_give_two_files(stage):
    daemon = stage.paced(*OFF)
    for _ in range(2):
        run_once(daemon)
    wait_for(lambda: len(exports(stage)) == 2, 60, "two files")
    first, second = exports(stage)
    # A minute may end between them.
    pattern = r"\d{4}-\d\d-\d\d-\d{4}-run(-2)?\.fit"
    assert re.fullmatch(pattern, first) and re.fullmatch(pattern, second) and second != first
    assert all(messages(stage.directory / "state/exports" / name)["session"] for name in (first, second))


def test_files_of_all_configured_formats_appear_in_their_directory(stage):
    wished = stage.directory / "wished" / "here"
    configuration = stage.directory / "paced.conf"
    configuration.write_text(f"[Recording]\nExportAtStop=fit gpx tcx geojson kml csv\nExportDirectory={wished}\n")
    daemon = stage.paced("--demo", "--config", configuration)
    active_for(daemon, 3000)
    daemon.call("run.stop")
    endings = ["csv", "fit", "geojson", "gpx", "kml", "tcx"]
    wait_for(lambda: sorted(path.suffix[1:] for path in wished.glob("*")) == endings, 60, "six files")
    assert len({path.stem for path in wished.glob("*")}) == 1
    assert all(path.stat().st_mode & 0o777 == 0o640 for path in wished.glob("*"))


def run_once(daemon):
    daemon.call("run.start")
    active_for(daemon, 1000)
    return daemon.call("run.stop")


@pytest.mark.parametrize("is_restarted", matrix([True, False], False))
def test_failed_export_is_a_fault_and_is_retried(stage, is_restarted):
    wished = stage.directory / "wished"
    wished.write_text("no directory")
    configuration = stage.directory / "paced.conf"
    configuration.write_text(f"[Recording]\nExportDirectory={wished}\n")
    daemon = stage.paced(*OFF, "--config", configuration)
    reader = stage.reader(daemon)
    run_once(daemon)
    fault = reader.first("EVENT", event="fault", fault="export-failed")
    assert fault["active"] and "fit file of activity 1" in fault["message"]
    assert [fault["fault"] for fault in state_of(daemon)["faults"]] == ["export-failed"]
    assert "retrying" in daemon.log.read_text()
    wished.unlink()
    if is_restarted:
        daemon.end()
        daemon = stage.paced(*OFF, "--config", configuration)
    else:
        # The end of the next run triggers a retry.
        run_once(daemon)
        reader.first("EVENT", event="fault", fault="export-failed", active=False)
    count = 1 if is_restarted else 2
    wait_for(lambda: wished.is_dir() and len(list(wished.glob("*-run*.fit"))) == count, 60, "a file of each run")
    assert state_of(daemon)["faults"] == []
    # Nothing else is there, such as a second copy of the first run.
    assert len(list(wished.iterdir())) == count


def test_activity_closed_at_the_next_start_is_exported(stage):
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Recording]\nResumeLimitSec=0\n")
    daemon = stage.paced(*OFF)
    daemon.call("run.start")
    active_for(daemon, 2000)
    wait_for(lambda: state_of(daemon)["recorder"].get("lag_ms", 1000) < 500, 60, "a journal that is written in time")
    daemon.end(signal.SIGKILL)
    daemon = stage.paced(*OFF, "--config", configuration)
    assert state_of(daemon)["run"] == "idle"
    name, = wait_for(lambda: exports(stage), 60, "the file")
    summary, = daemon.call("activities.list")
    assert not summary["open"] and summary["elapsed_ms"] >= 1000
    session, = messages(stage.directory / "state/exports" / name)["session"]
    assert abs(session["total_timer_time"] - summary["elapsed_ms"] / 1000) < 1.1


@pytest.mark.fast_clock
@pytest.mark.parametrize("number", matrix([signal.SIGKILL, signal.SIGTERM], signal.SIGKILL))
def test_run_resumes_after_the_daemon_ended(stage, number):
    daemon = stage.paced("--demo")
    before = active_for(daemon, 5000)
    daemon.end(number)
    daemon = stage.paced("--demo")
    reader = stage.reader(daemon, since=0)
    start = reader.first("EVENT", event="start", resumed=True)
    assert start["activity"] == before["activity"]
    after = state_of(daemon)
    assert after["run"] == "active" and after["activity"] == before["activity"]
    first = reader.first("STATE", run="active")
    assert first["elapsed_ms"] >= before["elapsed_ms"]
    assert reader.first("EVENT", event="gap", cause="restart")["counted"]
    active_for(daemon, before["elapsed_ms"] + 2000)
    summary = daemon.call("run.stop")
    assert summary["id"] == before["activity"] and summary["gaps"] >= 1
    # There is one track, and none of its seconds is missing.
    rows = daemon.call("activities.track", id=summary["id"], fields=["elapsed_ms"])["rows"]
    seconds = [row[0] // 1000 for row in rows]
    assert seconds == list(range(1, seconds[-1] + 1))
    wait_for(lambda: len(exports(stage)) == 1, 60, "one file of the whole")


def test_deleted_activity_leaves_no_bytes_in_the_files(stage):
    daemon = stage.paced("--demo")
    active_for(daemon, 2000)
    name = "Zanzibar 4711"
    assert daemon.call("activities.edit", id=1, name=name)["name"] == name
    assert daemon.call("activities.delete", id=1)["code"] == -32001
    assert daemon.call("activities.edit", id=1, sport="walk")["code"] == -32001
    assert daemon.call("activities.edit", id=1, started="2026-03-01T07:30:00Z")["code"] == -32001
    daemon.call("run.stop")
    assert daemon.call("activities.edit", id=1, sport="walk")["sport"] == "walk"
    assert daemon.call("activities.get", id=1)["summary"]["name"] == name
    files = [stage.directory / "state" / ("journal.sqlite" + ending) for ending in ("", "-wal")]

    def holds():
        return any(name.encode() in path.read_bytes() for path in files)
    assert holds()
    assert daemon.call("activities.delete", id=1) is None
    assert daemon.call("activities.list") == []
    for method in ("activities.get", "activities.delete", "activities.track"):
        assert daemon.call(method, id=1)["code"] == -32003
    wait_for(lambda: not holds(), 60, "files without a trace")
    # Its number is not reused.
    assert daemon.call("run.start")["activity"] == 2


@pytest.mark.thorough
def test_lists_and_tracks_are_paged(stage, check):
    daemon = stage.paced(*OFF)
    for _ in range(5):
        daemon.call("run.start", sport="hike")
        daemon.call("run.stop")
    wait_for(lambda: len(daemon.call("activities.list")) == 5, 60, "five activities")
    assert [summary["id"] for summary in check(daemon.call("activities.list", limit=2))] == [5, 4]
    assert [summary["id"] for summary in check(daemon.call("activities.list", limit=2, before=4))] == [3, 2]
    assert check(daemon.call("activities.list", before=1)) == []
    assert daemon.call("activities.track")["code"] == -32001, "no run is on"
    daemon.end()
    # Ten hours, in the journal's format.
    with sqlite3.connect(stage.directory / "state/journal.sqlite") as database:
        database.executemany(
            "INSERT INTO record (key, at_ms, elapsed_ms, distance_m, latitude, longitude, bpm)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((3 * 2**32 + 1000 + i, 5000 + i * 1000, 5000 + i * 1000, i * 2.5, 52 + i / 1e6, 13.4, 140)
             for i in range(36_000)))
    daemon = stage.paced(*OFF)
    begun = time.monotonic()
    seen, start, pages = [], 0, 0
    while start is not None:
        lines = daemon.ask(json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "activities.track", "params": {"id": 3, "from_ms": start}}))
        assert len(lines[0]) <= 64 * 1024
        page = check(json.loads(lines[0])["result"])
        seen += [row[0] for row in page["rows"]]
        start = page.get("next_ms")
        pages += 1
    assert pages > 10 and seen[-36_000:] == [5000 + i * 1000 for i in range(36_000)]
    print(f"ten hours of track in {pages} pages and {time.monotonic() - begun:.1f} s")
    page = check(daemon.call("activities.track", id=3, from_ms=65_000, interval_ms=60_000, fields=["at_ms", "bpm"]))
    assert page["columns"] == ["at_ms", "bpm"] and page["rows"][:2] == [[65_000, 140], [120_000, 140]]


@pytest.mark.parametrize("method, parameters, code, field", [
    ("activities.list", {"limit": 0}, -32004, "limit"),
    ("activities.list", {"limit": 101}, -32004, "limit"),
    ("activities.list", {"before": "x"}, -32004, "before"),
    ("activities.list", {"after": 1}, -32602, "after"),
    ("activities.get", {}, -32602, "id"),
    ("activities.get", {"id": 1.5}, -32004, "id"),
    ("activities.get", {"id": 99}, -32003, "id"),
    ("activities.edit", {"id": 99}, -32602, "nothing to change"),
    ("activities.edit", {"id": 99, "sport": "swim"}, -32004, "sport"),
    ("activities.edit", {"id": 99, "name": ""}, -32004, "name"),
    ("activities.edit", {"id": 99, "name": "x" * 65}, -32004, "name"),
    ("activities.edit", {"id": 99, "name": "x"}, -32003, "id"),
    ("activities.edit", {"id": 99, "started": "2026-03-01T07:30:00Z"}, -32003, "id"),
    ("activities.edit", {"id": 99, "started": "2026-03-01T07:30:00"}, -32004, "started"),
    ("activities.edit", {"id": 99, "started": "2026-03-01"}, -32004, "started"),
    ("activities.edit", {"id": 99, "started": "1999-12-31T23:59:59Z"}, -32004, "started"),
    ("activities.edit", {"id": 99, "started": "2100-01-01T00:00:00Z"}, -32004, "started"),
    ("activities.edit", {"id": 99, "started": 1772350200}, -32004, "started"),
    ("activities.delete", {}, -32602, "id"),
    ("activities.delete", {"id": 0}, -32004, "id"),
    ("activities.delete", {"id": 2**40}, -32004, "id"),
    ("activities.delete", {"id": 99}, -32003, "id"),
    ("activities.track", {"id": 1, "interval_ms": 999}, -32004, "interval_ms"),
    ("activities.track", {"id": 1, "from_ms": -1}, -32004, "from_ms"),
    ("activities.track", {"id": 1, "fields": []}, -32004, "fields"),
    ("activities.track", {"id": 1, "fields": ["at_ms", "at_ms"]}, -32004, "fields"),
    ("activities.track", {"id": 1, "fields": ["password"]}, -32004, "fields"),
    ("activities.track", {"id": 99}, -32003, "id"),
], ids=repr)
def test_invalid_request_is_rejected_with_its_field(quiet, method, parameters, code, field):
    refusal = quiet.call(method, **parameters)
    assert refusal["code"] == code
    assert field in json.dumps(refusal["data"])


@pytest.fixture(scope="module")
def quiet(long_stage):
    return long_stage.paced(*OFF)


def test_discover_lists_the_methods_of_activities(quiet):
    names = {method["name"] for method in quiet.call("rpc.discover")["methods"]}
    assert {"activities." + name for name in ("list", "get", "edit", "delete", "track")} <= names


@pytest.mark.fast_clock
def test_full_disk_neither_stops_nor_shortens_the_run(stage):
    fault = stage.directory / "fault"
    fault.write_text("fine")
    daemon = stage.paced("--demo", LD_PRELOAD=fault_library("disk"), DISK_FAULT=str(fault))
    reader = stage.reader(daemon)
    active_for(daemon, 2000)
    fault.write_text("ENOSPC")
    event = reader.first("EVENT", event="recorder", state="failed")
    assert "full" in event["message"]
    begun = state_of(daemon)["elapsed_ms"]
    state = active_for(daemon, begun + 3000)
    assert state["recorder"]["state"] == "failed" and "recorder-failed" in [one["fault"] for one in state["faults"]]
    assert daemon.call("activities.edit", id=1, name="x")["code"] == -32002
    # Earlier activities can still be read.
    assert daemon.call("activities.list")[0]["id"] == 1
    fault.write_text("fine")
    reader.first("EVENT", event="recorder", state="writing")
    wait_for(lambda: not state_of(daemon)["faults"], 60, "no fault")
    active_for(daemon, begun + 5000)
    summary = daemon.call("run.stop")
    wait_for(lambda: exports(stage), 60, "the file")
    rows = daemon.call("activities.track", id=1, fields=["elapsed_ms"])["rows"]
    assert [row[0] for row in rows] == [1000 * i for i in range(1, summary["elapsed_ms"] // 1000 + 1)]


@pytest.mark.fast_clock
@pytest.mark.parametrize("delay_ms", matrix([0, 2500], 0))
def test_stop_on_a_full_disk_reports_that_the_run_is_in_memory_only(stage, delay_ms):
    fault = stage.directory / "fault"
    fault.write_text("fine")
    daemon = stage.paced("--demo", LD_PRELOAD=fault_library("disk"), DISK_FAULT=str(fault))
    active_for(daemon, 2000)
    fault.write_text("ENOSPC")
    active_for(daemon, state_of(daemon)["elapsed_ms"] + delay_ms)
    ended = subprocess.run(
        [PACECTL, "--runtime-dir", daemon.runtime, "stop"], capture_output=True, text=True, timeout=GUARD)
    assert ended.returncode == 0 and ended.stdout.startswith("Stopped: activity 1, ")
    assert ended.stderr.startswith("pacectl: the run is in memory only: ") and "full" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_stop_on_a_working_disk_reports_nothing_more(stage):
    daemon = stage.paced("--demo")
    active_for(daemon, 1000)
    ended = subprocess.run(
        [PACECTL, "--runtime-dir", daemon.runtime, "stop"], capture_output=True, text=True, timeout=GUARD)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_log_has_the_result_of_a_delete(stage):
    daemon = stage.paced("--demo")
    active_for(daemon, 1000)
    assert daemon.call("activities.delete", id=1)["code"] == -32001
    assert daemon.call("activities.delete", id=7)["code"] == -32003
    daemon.call("run.stop")
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 60, "the end of the activity")
    daemon.call("activities.delete", id=1)
    lines = [line for line in daemon.log_text().splitlines() if "delete activity" in line]
    assert re.fullmatch(r"paced: user \d+, process \d+: delete activity 1: rejected: activity 1 is on: stop it first", lines[0])
    assert re.search(r"delete activity 7: rejected: there is no activity", lines[1])
    assert re.search(r": delete activity 1$", lines[2]) and len(lines) == 3


@pytest.fixture
def uploader(tmp_path):
    """Calls the example; its body is replaced by one that needs a network, or is that of the trial."""
    example = ROOT / "Examples/upload/paced-upload"
    text = example.read_text()
    body = text[text.index("    echo"):text.index("}\n")]
    real = tmp_path / "real"
    real.write_text(text.replace(body, f'    [ ! -e {tmp_path}/offline ] && echo "handed over $1"\n'))
    (tmp_path / "exports").mkdir()

    def call(program=real, state="state"):
        done = subprocess.run(
            ["sh", program, tmp_path / "exports"],
            env={"STATE_DIRECTORY": str(tmp_path / state), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        return done.returncode, [line.replace(f"{tmp_path}/exports/", "") for line in done.stdout.splitlines()]
    call.trial, call.offline, call.exports = example, tmp_path / "offline", tmp_path / "exports"
    return call


def test_example_uploader_passes_each_file_once(uploader):
    assert uploader() == (0, [])
    (uploader.exports / "2026-03-01-0730-run.fit").touch()
    (uploader.exports / ".2026-03-01-0731-run.fit.new").touch()
    uploader.offline.touch()
    assert uploader() == (1, [])
    uploader.offline.unlink()
    assert uploader() == (0, ["handed over 2026-03-01-0730-run.fit"])
    (uploader.exports / "2026-03-01-0730-run-2.fit").touch()
    assert uploader() == (0, ["handed over 2026-03-01-0730-run-2.fit"])
    assert uploader() == (0, [])


def test_trial_of_the_example_uploader_notes_no_file_as_handed_over(uploader):
    (uploader.exports / "1.fit").touch()
    assert uploader(uploader.trial) == (0, [])
    (uploader.exports / "2.fit").touch()
    for _ in range(2):
        assert uploader(uploader.trial) == (0, ["would hand over 2.fit"])
    # Another one, enabled now, and the one that was tried.
    assert uploader(state="other") == (0, [])
    assert uploader() == (0, ["handed over 2.fit"])
    (uploader.exports / "3.fit").touch()
    assert uploader() == uploader(state="other") == (0, ["handed over 3.fit"])


def test_hook_of_the_example_asks_paced_link_again_only_while_it_does_not_run(uploader, tmp_path):
    text = uploader.trial.read_text()
    command = re.search(r"^#     (pacectl upload .*)", text, re.MULTILINE)[1]
    pacectl, status = tmp_path / "pacectl", tmp_path / "status"
    pacectl.write_text(f'#!/bin/sh\necho "$@"\nexit $(cat {status})\n')
    pacectl.chmod(0o755)
    hook = tmp_path / "hook"
    body = text[text.index("    echo"):text.index("}\n")]
    hook.write_text(text.replace(body, f"    {command}\n".replace("pacectl", str(pacectl), 1)))
    assert uploader(hook) == (0, [])
    # Not running; refused by the service, or nobody can tell; there, or on its way.
    for code, ends in ((3, (1, 1)), (1, (0, 0)), (0, (0, 0))):
        status.write_text(str(code))
        (uploader.exports / f"{code}.fit").touch()
        first, second = uploader(hook), uploader(hook)
        assert (first[0], second[0]) == ends and first[1] == ["upload --to NAME"]
        assert second[1] == (first[1] if code == 3 else [])
        (uploader.exports / f"{code}.fit").unlink()
