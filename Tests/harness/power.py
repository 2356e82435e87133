"""A power cut, as programs see it: what they have not synced is lost, and their next start is of another boot."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
import uuid

from harness.faults import fault_library
from harness.timing import expect


class Power:
    """The supply of programs that are started in `environment`, and are killed before `cut`.

    Directories in their directories stay as they are.
    """

    def __init__(self, directory, chance, written=0.25):
        """`written`: the share of files that a cut leaves as written. The kernel may write before it is told to."""
        self.chance, self.written = chance, written
        self.disk, self.boot = directory / "disk", directory / "boot-id"
        self.disk.mkdir()
        self.boot.write_text(f"{uuid.uuid4()}\n")
        # Ten times as fast clocks: the pauses between syncs take most of the time of a test.
        origin = os.environ.get("CLOCK_ORIGIN", str(time.clock_gettime_ns(time.CLOCK_BOOTTIME)))
        self.environment = {
            "LD_PRELOAD": f"{fault_library('power')}:{fault_library('clock')}", "POWER_DISK": str(self.disk),
            "BOOT_ID": str(self.boot), "CLOCK_FACTOR": "10", "CLOCK_ORIGIN": origin}

    def cut(self, *directories):
        """Leaves in directories what is on the disk."""
        for directory in directories:
            self.restore(directory)
        self.boot.write_text(f"{uuid.uuid4()}\n")

    def restore(self, directory):
        """Files are changed in their places: they keep their numbers, as those on a real disk."""
        synced = self.names(directory)
        present = {entry.name for entry in os.scandir(directory) if entry.is_file(follow_symlinks=False)}
        for name in sorted(present | synced.keys()):
            if self.chance.random() < self.written:
                continue
            if name not in synced:
                (directory / name).unlink()
            else:
                copy = self.disk / synced[name]
                # One that never was synced has its name only.
                (directory / name).write_bytes(copy.read_bytes() if copy.exists() else b"")

    def names(self, directory):
        """The names in a directory at its last sync, with those of the copies."""
        listing, = self.disk.glob(f"{directory.stat().st_ino}-*")
        return {name: copy for copy, name in (line.split(" ", 1) for line in listing.read_text().splitlines())}


def journal_query(state, query):
    """The result of a query of a journal. A copy is read, so that nothing changes the journal."""
    with tempfile.TemporaryDirectory() as place:
        for name in ("journal.sqlite", "journal.sqlite-wal"):
            shutil.copy(state / name, place)
        with contextlib.closing(sqlite3.connect(f"{place}/journal.sqlite")) as journal:
            expect(journal.execute("PRAGMA quick_check").fetchall() == [("ok",)], "the journal is damaged")
            return journal.execute(query).fetchall()
