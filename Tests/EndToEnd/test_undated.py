"""A run without a clock: it has no date, nothing shows one, and its files wait for it."""

import contextlib
import sqlite3
import subprocess
import time

import pytest

from harness.fake_gpsd import ScriptedGpsd, report
from harness.process import PACECTL
from harness.timing import GUARD, wait_for

pytestmark = pytest.mark.fast_clock

OFF = ["--gpsd", "off", "--bluetooth", "off"]


def faults(daemon):
    return [fault["fault"] for fault in daemon.call("status")["faults"]]


def pacectl(stage, *words):
    return subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", *words], capture_output=True, text=True, timeout=GUARD)


def record(stage, *options):
    """A daemon without a clock, and its run of a second, which has ended."""
    daemon = stage.paced(*(options or OFF), TIME_OF_DAY="unset")
    daemon.call("run.start", indoor=True)
    wait_for(lambda: "clock-unset" in faults(daemon), 60, "the fault")
    # STATE has it with the next tick.
    fault = "Fault     no clock is set: the run gets its date when"
    wait_for(lambda: fault in pacectl(stage, "--runtime-dir", daemon.runtime, "status").stdout, 60, "the fault in words")
    wait_for(lambda: daemon.call("status").get("elapsed_ms", 0) >= 1000, 60, "a second")
    daemon.call("run.stop")
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 60, "the end")
    wait_for(lambda: "clock-unset" not in faults(daemon), 60, "no fault")
    return daemon


def files(stage):
    return sorted(path.name for path in (stage.directory / "state/exports").glob("[!.]*"))


def file_of(started):
    """The name of the file of a run that began at a time of the wire."""
    return f"{started[:10]}-{started[11:13]}{started[14:16]}-run.fit"


def test_run_without_a_clock_is_not_dated_1970(stage):
    daemon = record(stage)
    summary, = daemon.call("activities.list")
    assert "started" not in summary and "ended" not in summary
    assert "unknown: no clock was set; 'pacectl edit 1 --start TIME' sets it" in pacectl(stage, "show", "1").stdout
    for format, words in [
        ("csv", "the file has no times"), ("gpx", "the file has no times"), ("geojson", "the file has no times"),
        ("tcx", "TCX needs times, which start at "), ("kml", "KML needs times, which start at "),
        ("fit", "FIT needs times, which start at 1998-07-0"),
    ]:
        path = stage.directory / f"file.{format}"
        assert f"activity 1 has no date, because no clock was set: {words}" in pacectl(stage, "export", "1", "-o", path).stderr
        assert (b"1970" in path.read_bytes()) == (format == "tcx")
    assert files(stage) == []

    # A person knows when it was.
    edited = daemon.call("activities.edit", id=1, started="2026-03-01T08:30:00+01:00")
    assert edited["started"].startswith("2026-03-01T07:30:00")
    wait_for(lambda: files(stage) == ["2026-03-01-0730-run.fit"], 60, "the file")


def test_run_without_a_clock_gets_its_date_from_a_later_daemon_of_the_boot(stage):
    record(stage).end()
    assert files(stage) == []
    daemon = stage.paced(*OFF)
    started = wait_for(lambda: daemon.call("activities.list")[0].get("started"), 60, "a date")
    name, = wait_for(lambda: files(stage), 60, "the file")
    assert name == file_of(started)


def test_run_without_a_clock_gets_its_date_from_the_receiver_after_its_end(stage):
    gpsd = stage.keep(ScriptedGpsd())
    daemon = record(stage, "--gpsd", gpsd.option, "--bluetooth", "off")
    begun = time.monotonic()

    def date_after_a_fix():
        # The daemon may just have closed the connection; it opens another one.
        with contextlib.suppress(OSError):
            gpsd.send(report(0, round((time.monotonic() - begun) * 1000)))
        return daemon.call("activities.list")[0].get("started")

    started = wait_for(date_after_a_fix, 60, "a date")
    name, = wait_for(lambda: files(stage), 60, "the file")
    assert name == file_of(started)


def has_exported(stage):
    """Whether a file is there and the journal knows it: a daemon that ends in between writes another one in its next run."""
    with contextlib.closing(sqlite3.connect(stage.directory / "state/journal.sqlite", timeout=60)) as journal:
        return files(stage) and journal.execute("SELECT count(*) FROM export").fetchone() == (0,)


@pytest.mark.parametrize("clock", ["unset", "set"])
def test_run_without_a_clock_is_exported_once_in_the_next_boot(stage, clock):
    record(stage).end()
    with sqlite3.connect(stage.directory / "state/journal.sqlite") as journal:
        journal.execute("UPDATE part SET boot_id = 'the one before'")
    for _ in range(2):
        daemon = stage.paced(*OFF, TIME_OF_DAY=clock)
        wait_for(lambda: has_exported(stage), 60, "the file")
        daemon.call("run.start", indoor=True)
        daemon.call("run.discard")
        assert "started" not in daemon.call("activities.list")[-1]
        daemon.end()
        assert files(stage) == ["undated-1-run.fit"]
