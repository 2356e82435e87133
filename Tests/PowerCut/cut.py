#!/usr/bin/env python3
"""Cuts the power at recorded moments of a disk, and checks what is left of the run.

    cut.py IMAGE LOG PACED BETWEEN RESUMED

IMAGE is the disk before the run, LOG the log of dm-log-writes (log_writes.py). The power is cut after every flush, and
at BETWEEN moments between flushes. After each cut the file system replays its journal, as at the next boot; then the
database must be intact, and lack at most the part of the run published within LIMIT_MS before the cut. At RESUMED of
the cuts the real paced resumes the run.

Prints the losses, and last `N passed, N failed`.
"""

import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile

import log_writes

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from harness.process import Paced

# The maximum loss: the interval between two syncs, the half second between two commits, and the time of a sync.
LIMIT_MS = 2500


class DiskImage:
    """A directory with the content of a disk after a power cut."""

    def __init__(self, work, disk):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=work))
        image = self.directory / "disk"
        shutil.copyfile(disk, image)
        # Status 1: errors were corrected, which includes a replay of the journal.
        checked = subprocess.run(["e2fsck", "-fy", image], capture_output=True, text=True)
        if checked.returncode not in (0, 1):
            raise AssertionError(f"the file system is lost: {checked.stdout}{checked.stderr}")
        subprocess.run(
            ["debugfs", "-R", f"rdump /state {self.directory}", image], check=True, capture_output=True)
        self.state = self.directory / "state"

    def remove(self):
        shutil.rmtree(self.directory)

    def recorded(self):
        """The activity and its active time in the database; None if it has none yet."""
        path = self.state / "journal.sqlite"
        if not path.exists() or not path.stat().st_size:
            return None
        database = sqlite3.connect(path)
        try:
            whole = database.execute("PRAGMA integrity_check").fetchall()
            assert whole == [("ok",)], f"the database is damaged: {whole}"
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'record'").fetchone():
                return None
            return database.execute(
                "SELECT key >> 32, max(elapsed_ms) FROM record WHERE key >> 32 = (SELECT max(key) >> 32 FROM record)"
            ).fetchone()
        finally:
            database.close()


def resume(image, paced, expected):
    """Starts the real paced on what is left: it resumes the same activity, from the database's content."""
    runtime = image.directory / "resumed"
    runtime.mkdir()
    daemon = Paced(runtime, "--demo", program=paced, state=image.state)
    try:
        daemon.start()
        state = daemon.call("status")
    finally:
        daemon.end()
    activity, elapsed = expected
    assert state.get("activity") == activity, f"activity {activity} was not gone on with: {state}"
    # Samples are of whole seconds; the run may have been stored up to 999 ms further, and
    # has continued since. The boot is that of the cut, so up to 10 s of the outage count.
    assert elapsed <= state["elapsed_ms"] < elapsed + 16_000, f"{elapsed} ms were recorded: {state}"


def flushes(entries):
    """Flushes and write-through requests (FUA) of the disk, each second."""
    first = last = flushed = forced = 0
    for entry in entries:
        if entry.mark and entry.mark.startswith("elapsed-"):
            last = int(entry.mark.split("-")[-1])
            first = first or last
        elif first:
            flushed += bool(entry.flags & log_writes.FLUSH)
            forced += bool(entry.flags & log_writes.FUA and entry.size)
    return [count * 1000 / max(last - first, 1) for count in (flushed, forced)]


def main(image, log_path, paced, between, resumed):
    work = pathlib.Path(tempfile.mkdtemp(prefix="paced-cut-"))
    failures, losses, cuts = [], [], 0
    try:
        disk_path = work / "disk"
        shutil.copyfile(image, disk_path)
        with open(log_path, "rb") as log, open(disk_path, "r+b") as disk:
            entries = list(log_writes.entries(log))
            begun = next((place for place, entry in enumerate(entries) if entry.mark == "mounted"), None)
            assert begun is not None, "the log has no mark"
            boundaries = {place for place in range(begun, len(entries)) if entries[place].is_boundary}
            others = [place for place in range(begun, len(entries)) if entries[place].size and place not in boundaries]
            chosen = random.Random("between flushes").sample(others, min(int(between), len(others)))
            places = sorted(boundaries | set(chosen))
            taken_up = set(random.Random("resumed").sample(places, min(int(resumed), len(places))))
            seen = None
            for place, entry in enumerate(entries):
                if entry.mark and entry.mark.startswith("elapsed-"):
                    seen = tuple(int(word) for word in entry.mark.split("-")[1:])
                log_writes.apply(entry, log, disk)
                if place not in boundaries and place not in chosen:
                    continue
                disk.flush()
                cuts += 1
                left = None
                try:
                    left = DiskImage(work, disk_path)
                    found = left.recorded()
                    if seen and seen[1] > LIMIT_MS:
                        assert found and found[0] == seen[0], f"{seen} was seen, {found} is left"
                        losses.append(max(seen[1] - found[1], 0))
                        assert losses[-1] <= LIMIT_MS, f"{losses[-1]} ms are lost: {seen} was seen, {found} is left"
                        if place in taken_up:
                            resume(left, paced, found)
                except Exception as error:
                    failures.append(f"cut after write {place} of {len(entries)}: {error}")
                finally:
                    if left:
                        left.remove()
    finally:
        shutil.rmtree(work)
    for failure in failures[:20]:
        print("    " + failure)
    print("{:.2f} flushes and {:.2f} forced writes a second".format(*flushes(entries)))
    if losses:
        print(f"{len(losses)} cuts in the run: lost {statistics.median(losses):.0f} ms at the median, {max(losses)} ms at worst")
    print(f"{cuts - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not losses else 0


sys.exit(main(*sys.argv[1:]))
