"""Journals damaged by a failing card."""

import hashlib
import json
import shutil
import signal
import sqlite3
import time

from attacks import attack
from harness.timing import expect, wait_for
from on_files import BEGUN, gpx, straight

OFF = ["--gpsd", "off", "--sensors", "off"]
KEYED = ["location", "heart", "input", "record"]
NUMBERED = ["part", "lap", "sensor"]
# The fields that an activity must keep if none of its rows was damaged.
FIGURES = ["sport", "started", "elapsed_ms", "total_ms", "distance_m", "average_bpm", "laps"]
# The time limit of recovery after a start, on these small journals.
RESCUE_S = 20


def recorded(arena):
    """A state directory with two imported and two recorded activities and a setting; created once."""
    state = arena.ground.root / "recorded" / "state"
    if not state.exists():
        directory = arena.ground.directory("recorded")
        for number in range(2):
            path = directory / f"{number}.gpx"
            path.write_bytes(gpx(straight(3000, north=48.0 + number), begun=BEGUN + number * 86_400))
            arena.pacectl(state, "import", path)
        daemon = arena.daemon("--demo", directory=directory, config="[Recording]\nExportAtStop=\n")
        for _ in range(2):
            if daemon.status()["run"] == "idle":
                daemon.call("run.start")
            wait_for(lambda: daemon.status()["elapsed_ms"] > 2500, 10, "a run")
            daemon.call("run.stop")
        wait_for(
            lambda: len([it for it in daemon.call("activities.list") if not it["open"]]) == 4, 10, "four activities"
        )
        daemon.end()
        # The settings of a demo are not stored.
        daemon = arena.daemon(*OFF, directory=directory)
        daemon.call("settings.set", key="metric", value=True)
        time.sleep(1)
        daemon.end()
        # The damage is in the database file, so the write-ahead log must be empty.
        with sqlite3.connect(state / "journal.sqlite") as journal:
            journal.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        expect((state / "journal.sqlite").stat().st_size > 100_000, "the journal is too small to be attacked")
    return state


def rows_of(journal, activity):
    """All rows of an activity as an independent reader finds them; None if they are damaged."""
    try:
        found = [journal.execute("SELECT * FROM activity WHERE id = ?", [activity]).fetchall()]
        for table in KEYED:
            keys = activity << 32, (activity << 32) + (1 << 32) - 1
            found.append(
                journal.execute(f"SELECT * FROM {table} WHERE key BETWEEN ? AND ? ORDER BY key", keys).fetchall()
            )
        for table in NUMBERED:
            found.append(journal.execute(f"SELECT * FROM {table} WHERE activity = ?", [activity]).fetchall())
        return repr(found)
    except (sqlite3.DatabaseError, UnicodeDecodeError, OverflowError):
        return None


def readable(path, activities):
    """The part of a journal that an independent reader can read: rows by activity, and the settings."""
    journal = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        try:
            settings = journal.execute("SELECT name, value FROM setting").fetchall()
        except sqlite3.DatabaseError:
            settings = None
        return {activity: rows_of(journal, activity) for activity in activities}, settings
    finally:
        journal.close()


def damage(chance, path):
    """Damages a file as failing cards do; returns a description."""
    content = bytearray(path.read_bytes())
    # SQLite's header has the page size.
    size = int.from_bytes(content[16:18])
    pages = len(content) // size
    match chance.randrange(5):
        case 0:
            for _ in range(count := chance.choice([1, 4, 32])):
                content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            what = f"{count} bits flipped"
        case 1:
            page = chance.randrange(1, pages)
            content[page * size : (page + 1) * size] = bytes(size)
            what = f"page {page + 1} of {pages} is zeros"
        case 2:
            page = chance.randrange(1, pages)
            content[page * size : (page + 1) * size] = chance.randbytes(size)
            what = f"page {page + 1} of {pages} is noise"
        case 3:
            one, other = chance.randrange(1, pages), chance.randrange(1, pages)
            content[one * size : (one + 1) * size] = content[other * size : (other + 1) * size]
            what = f"page {one + 1} of {pages} is a copy of page {other + 1}"
        case 4:
            kept = chance.randrange(pages // 2, pages)
            del content[kept * size :]
            what = f"{kept} of {pages} pages are left"
    path.write_bytes(content)
    return what


@attack
def damaged_journals(arena):
    """Journals with flipped bits and lost or swapped pages: readable activities are listed again, a run is recorded."""
    original = recorded(arena)
    whole, settings = readable(original / "journal.sqlite", range(1, 5))
    summaries = {
        summary["id"]: summary
        for summary in map(json.loads, arena.pacectl(original, "activities", "--json").stdout.splitlines())
    }
    lost, rescued, slowest, wrong = 0, 0, 0.0, []
    # Keeps to the attack's time limit: each journal that is not recovered costs RESCUE_S.
    end = time.monotonic() + 22
    count = 0
    while count < 14 and time.monotonic() < end:
        directory = arena.ground.directory(f"{arena.directory.name}/{count}")
        count += 1
        state = directory / "state"
        state.mkdir(mode=0o750)
        shutil.copy(original / "journal.sqlite", state)
        what = damage(arena.random, state / "journal.sqlite")
        present, kept = readable(state / "journal.sqlite", range(1, 5))
        intact = {activity for activity in whole if present[activity] == whole[activity]}
        begun = time.monotonic()
        daemon = arena.daemon(*OFF, directory=directory)
        slowest = max(slowest, time.monotonic() - begun)

        def missing():
            found = daemon.call("activities.list")
            keys = [tuple(summary.get(key) for key in FIGURES) for summary in found] if isinstance(found, list) else []
            return [one for one in sorted(intact) if tuple(summaries[one].get(key) for key in FIGURES) not in keys]

        try:
            wait_for(lambda: not missing(), 2 if wrong else RESCUE_S, "the activities")
        except AssertionError:
            wrong.append(f"{what}: of {len(intact)} activities without damage {len(missing())} are not listed")
        number = daemon.call("run.start")["activity"]
        if number in intact:
            wrong.append(f"{what}: the new run has the number {number}, which is taken")
        if kept == settings and daemon.call("settings.get", key="metric") is not True:
            wrong.append(f"{what}: the setting is lost")
        rescued += len(intact) - len(missing())
        lost += 4 - len(intact)
        wait_for(lambda: daemon.status().get("elapsed_ms", 0) > 100, 5, "a run that continues")
        status, _ = daemon.end()
        expect(status == 0, f"{what}: the daemon ended with {status}")
    arena.note(
        f"{count} journals, {rescued} activities rescued, {lost} damaged, the slowest start took {slowest:.1f} s"
    )
    expect(not wrong, f"{len(wrong)} findings in {count} journals: " + "; ".join(wrong[:4]))


def killed_in_a_run(arena, name):
    """A state directory after a kill during a run, with a full write-ahead log."""
    directory = arena.ground.directory(f"{arena.directory.name}/{name}")
    daemon = arena.daemon("--demo", directory=directory)
    wait_for(lambda: daemon.status().get("elapsed_ms", 0) > 3000, 10, "a run")
    daemon.end(signal.SIGKILL)
    log = directory / "state" / "journal.sqlite-wal"
    expect(log.stat().st_size > 4096, "there is no write-ahead log")
    return directory, log


@attack
def journal_without_its_file(arena):
    """A write-ahead log whose journal is missing or empty: it is kept under another name and named in the log."""
    for kind in ("missing", "empty"):
        directory, log = killed_in_a_run(arena, kind)
        content = hashlib.sha256(log.read_bytes()).hexdigest()
        journal = directory / "state" / "journal.sqlite"
        journal.unlink() if kind == "missing" else journal.write_bytes(b"")
        daemon = arena.daemon(*OFF, directory=directory)
        # The sockets listen before the journal is read.
        daemon.call("run.start")
        said = daemon.log_text()
        daemon.end()
        kept = [
            path.name
            for path in (directory / "state").iterdir()
            if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == content
        ]
        arena.note(f"{kind}: kept as {kept}")
        expect(kept, f"the write-ahead log beside a journal that is {kind} was discarded")
        expect(kept[0].removesuffix("-wal") in said, f"the log does not name {kept[0]}")


@attack
def damaged_log_of_the_journal(arena):
    """A write-ahead log with a flipped bit: the daemon starts, and the loss is logged."""
    for number in range(3):
        directory, log = killed_in_a_run(arena, str(number))
        content = bytearray(log.read_bytes())
        # After the log's own header: a frame is 24 bytes and a page.
        page = int.from_bytes(content[8:12])
        place = (
            32
            + arena.random.randrange((len(content) - 32) // (24 + page)) * (24 + page)
            + 24
            + arena.random.randrange(page)
        )
        content[place] ^= 1 << arena.random.randrange(8)
        log.write_bytes(content)
        before = len((directory / "log").read_text())
        daemon = arena.daemon(*OFF, directory=directory)
        wait_for(lambda: daemon.status().get("recorder", {}).get("state") == "writing", 10, "a journal that is written")
        said = daemon.log_text()[before:]
        daemon.end()
        words = [line for line in said.splitlines() if "-wal" in line or "write-ahead" in line.lower()]
        expect(words, f"a flipped bit at {place} of {len(content)} is not in the log: {said[:300]}")
    arena.note(words[0][:120])
