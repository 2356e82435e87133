"""A run whose daemon is killed repeatedly: PACED_RUN_KILLS times, with SIGKILL at random moments."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time

from harness.process import PACECTL
from harness.timing import wait_for

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
        last = (seen or [begun])[0]
        shown, lag = last["elapsed_ms"], last["recorder"].get("lag_ms", 0)
        # A busy machine writes late, and says so.
        late = lag if lag >= 500 else 0
        # Samples are of whole seconds.
        known, (elapsed, outages) = outages, committed(stage)
        lost = shown // 1000 * 1000 - elapsed
        worst = max(worst, lost)
        assert lost <= 1000 + late, f"kill {kill} lost {lost} ms"
        # A kill before its outage was on the disk makes the next outage longer.
        assert kill == 0 or outages == known + 1 or shown - begun["elapsed_ms"] < 1000 + late
    daemon = stage.paced("--demo")
    summary = daemon.call("run.stop")
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 60, "the end of the activity")
    daemon.end()
    lines = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "replay", "1", "--interval-ms", "60000"],
        capture_output=True, text=True, check=True).stdout.splitlines()
    replayed = next(line for line in map(json.loads, lines) if line.get("event") == "stop")["summary"]
    assert summary == replayed | {"uuid": summary["uuid"]}
    assert summary["gaps"] > outages
    print(f"{KILLS} kills: at most {worst} ms lost")
