"""A run whose daemon is killed repeatedly: PACED_RUN_KILLS times, with SIGKILL at random moments."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time

from harness.process import PACECTL

KILLS = int(os.environ.get("PACED_RUN_KILLS", 8))


def committed(stage):
    """The run in the database, which must be intact: its active time, and the number of its outages."""
    database = sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)
    try:
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        elapsed, = database.execute("SELECT max(elapsed_ms) FROM record").fetchone()
        outages, = database.execute("SELECT count(*) FROM input WHERE kind = 'outage'").fetchone()
        return elapsed or 0, outages
    finally:
        database.close()


def test_run_survives_repeated_kills(stage):
    chance = random.Random("kills")
    worst = outages = shown = 0
    for kill in range(KILLS):
        daemon = stage.paced("--demo")
        begun = daemon.call("status")
        assert begun["activity"] == 1 and begun["run"] == "active"
        # Less than 10 s have passed: the run was never paused, and its time does not go back.
        assert begun["elapsed_ms"] >= shown
        reader = stage.reader(daemon, classes=["STATE"])
        lived = chance.uniform(0.1, 2.5)
        time.sleep(lived)
        seen = reader.of("STATE")[-1:]
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.wait()
        reader.end()
        shown = (seen or [begun])[0]["elapsed_ms"]
        # Samples are of whole seconds.
        known, (elapsed, outages) = outages, committed(stage)
        lost = shown // 1000 * 1000 - elapsed
        worst = max(worst, lost)
        assert lost <= 1000, f"kill {kill} lost {lost} ms"
        # A kill before its outage was on the disk makes the next outage longer.
        assert kill == 0 or outages == known + 1 or lived < 1
    daemon = stage.paced("--demo")
    summary = daemon.call("run.stop")
    daemon.end()
    lines = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "replay", "1", "--interval-ms", "60000"],
        capture_output=True, text=True, check=True).stdout.splitlines()
    replayed = next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"]
    assert summary == replayed
    assert summary["gaps"] > outages
    print(f"{KILLS} kills: at most {worst} ms lost")
