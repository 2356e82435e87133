"""What STATE promises of a power cut: what was written before the last sync, `sync_age_ms` ago, is on the disk."""

import contextlib
import random
import sqlite3

from harness.link import OFF
from harness.power import Power, journal_query
from harness.timing import wait_for


def test_age_of_the_last_sync_grows_from_state_to_state(stage):
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Recording]\nSyncIntervalSec=60\n")
    daemon = stage.paced("--config", configuration, *OFF)
    daemon.control.result("run.start", sport="run", indoor=True)
    reader = stage.reader(daemon, classes=["STATE"])
    wait_for(lambda: len(reader.of("STATE")) > 30, 60, "states of three seconds")
    lines = [line for line in reader.of("STATE") if "sync_age_ms" in line["recorder"]]
    told = [line["boot_ms"] - line["recorder"]["sync_age_ms"] for line in lines]
    # There are syncs at the start of the run, and none for a minute afterwards. Both numbers are rounded.
    later = [moment for before, moment in zip(told, told[1:]) if moment > before + 2]
    assert len(told) > 20 and len(later) <= 2, f"a later sync was told {len(later)} times in {len(told)} states"


def test_reader_of_the_journal_does_not_keep_paced_from_a_sync(stage):
    """SQLite's checkpoints sync nothing while another program reads an older state of the journal."""
    power, state = Power(stage.directory, random.Random(), written=0), stage.directory / "state"
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Recording]\nSyncIntervalSec=10\n")
    daemon = stage.paced("--config", configuration, *OFF, **power.environment)
    daemon.control.result("run.start", sport="run", indoor=True)

    def wait_for_sync():
        """Waits until what was written by now is told to be on the disk."""
        now = daemon.call("status")["boot_ms"]

        def is_told():
            status = daemon.call("status")
            return status["boot_ms"] - status["recorder"].get("sync_age_ms", now) > now

        wait_for(is_told, 60, "a sync")

    def count():
        return journal_query(state, "SELECT count(*) FROM record")[0][0]

    daemon.control.result("run.pause")
    # The second one moves all into the database, which is what the reader reads then.
    wait_for_sync()
    wait_for_sync()
    journal = sqlite3.connect(f"file:{state}/journal.sqlite?mode=ro", uri=True, isolation_level=None)
    with contextlib.closing(journal) as reader:
        reader.execute("BEGIN")
        before, = reader.execute("SELECT count(*) FROM record").fetchone()
        daemon.control.result("run.resume")
        wait_for(lambda: count() > before, 60, "another row")
        daemon.control.result("run.pause")
        wait_for(lambda: daemon.call("status")["recorder"]["lag_ms"] == 0, 60, "rows that are written")
        wait_for_sync()
    daemon.kill()
    written = count()
    power.cut(state)
    assert count() == written
