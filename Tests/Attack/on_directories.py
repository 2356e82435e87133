"""Links, FIFOs and directories that others can write to."""

import contextlib
import os
import stat
import subprocess

from attacks import attack
from harness.process import ENVIRONMENT, PACED
from harness.timing import Failed, expect, wait_for

OFF = ["--gpsd", "off", "--sensors", "off"]
NAMES = {
    "run": ["runtime.lock"],
    "state": ["state.lock", "journal.reserve", "journal.sqlite", "sensors.json", "exports"],
}
PRECIOUS = b"what another program keeps\n" * 200


def victims(directory, names, link):
    """A file for each name, and a link to it."""
    made = []
    for name in names:
        victim = directory.parent / f"victim-{directory.name}-{name}"
        victim.write_bytes(PRECIOUS)
        victim.chmod(0o604)
        link(victim, directory / name)
        made.append(victim)
    return made


def expect_untouched(made):
    for victim in made:
        mode = stat.S_IMODE(victim.stat().st_mode)
        expect(victim.read_bytes() == PRECIOUS, f"the target of a link was overwritten: {victim.name}")
        expect(mode == 0o604, f"the mode of a link's target is {mode:o} now: {victim.name}")


def symbolic(victim, path):
    path.symlink_to(victim)


def refused(arena, directory):
    """Runs a daemon that is expected not to start; returns its status, and the end of its log."""
    directory = arena.ground.check(directory)
    (directory / "paced.conf").write_text("")
    log = directory / "log"
    with open(log, "wb") as output:
        ended = subprocess.run(
            [
                PACED,
                "--runtime-dir",
                directory / "run",
                "--state-dir",
                directory / "state",
                "--config",
                directory / "paced.conf",
                *OFF,
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=ENVIRONMENT,
            timeout=6,
        )
    return ended.returncode, log.read_text()


def place(arena, name, mode):
    """Directories for the two kinds of file; the named one has the mode."""
    directory = arena.ground.directory(f"{arena.directory.name}/{name}")
    for kind in ("run", "state"):
        (directory / kind).mkdir()
        (directory / kind).chmod(mode if name.startswith(kind) else 0o750)
    return directory


@attack
def links_where_others_write(arena):
    """Symbolic and hard links in directories that everybody can write to: no target is changed."""
    for kind in ("run", "state"):
        for link in (symbolic, os.link):
            arena.case = f"{kind} directory, {link.__name__} link"
            directory = place(arena, f"{kind}-{link.__name__}", 0o777)
            made = victims(directory / kind, NAMES[kind][:3], link)
            if kind == "run":
                try:
                    status, said = refused(arena, directory)
                except subprocess.TimeoutExpired:
                    status, said = None, "it started"
                expect_untouched(made)
                expect(status == 1, f"a runtime directory that everybody can write to: status {status}")
                expect(str(directory / "run") in said, f"the message does not name the directory: {said[-200:]}")
            else:
                daemon = arena.daemon(*OFF, directory=directory)
                expect("code" not in daemon.call("run.start"), "no run can be started")
                wait_for(lambda: daemon.status().get("elapsed_ms", 0) > 300, 5, "a run")
                daemon.end()
                expect_untouched(made)
                expect(
                    str(directory / "state") in daemon.log_text(),
                    f"the log does not name the directory: {daemon.log_text()[-200:]}",
                )


@attack
def directories_of_others(arena):
    """Directories of another user, and links in private ones: only a bad runtime directory ends the daemon."""
    for kind in ("run", "state"):
        arena.case = f"a link in the private {kind} directory"
        directory = place(arena, f"{kind}-link", 0o750)
        made = victims(directory / kind, NAMES[kind][:2], symbolic)
        if kind == "run":
            try:
                status, _ = refused(arena, directory)
            except subprocess.TimeoutExpired:
                status = None
            expect_untouched(made)
            expect(status == 1, f"runtime.lock is a link: status {status}")
        else:
            daemon = arena.daemon(*OFF, directory=directory)
            expect("code" not in daemon.call("run.start"), "no run can be started")
            daemon.end()
            expect_untouched(made)
    if os.getuid() != 0:
        arena.note("without root no directory can be given to another user")
        return
    arena.case = "of another user"
    directory = place(arena, "run-other", 0o755)
    os.chown(directory / "run", 65534, 65534)
    try:
        status, said = refused(arena, directory)
    except subprocess.TimeoutExpired:
        status, said = None, "it started"
    expect(
        status == 1 and str(directory / "run") in said,
        f"a runtime directory of another user: status {status}: {said[-200:]}",
    )
    directory = place(arena, "state-other", 0o755)
    os.chown(directory / "state", 65534, 65534)
    daemon = arena.daemon(*OFF, directory=directory)
    expect("code" not in daemon.call("run.start"), "no run can be started")
    expect(str(directory / "state") in daemon.log_text(), f"the log does not name the directory: {daemon.log_text()[-200:]}")


@attack
def fifos_for_files(arena):
    """A FIFO or a directory in the place of each file: nothing blocks, the log names it, and a run continues."""
    for name in ("sensors.json", "journal.sqlite", "journal.sqlite-wal", "journal.reserve", "state.lock"):
        for make in (os.mkfifo, os.mkdir):
            arena.case = f"{make.__name__} for {name}"
            directory = place(arena, f"state-{name}-{make.__name__}", 0o750)
            make(directory / "state" / name)
            try:
                daemon = arena.daemon(*OFF, directory=directory)
            except AssertionError:
                expect(False, "the daemon does not start within 10 s")
            expect("code" not in daemon.call("run.start"), "no run can be started")
            wait_for(lambda: daemon.status().get("elapsed_ms", 0) > 200, 5, "a run")
            status, took = daemon.end()
            expect(status == 0 and took < 2, f"status {status} after {took:.1f} s")
            if make is os.mkfifo:
                expect(name in daemon.log_text(), f"the log does not name it: {daemon.log_text()[-300:]}")
    for make in (os.mkfifo, os.mkdir):
        arena.case = f"{make.__name__} for runtime.lock"
        directory = place(arena, f"run-{make.__name__}", 0o750)
        make(directory / "run" / "runtime.lock")
        try:
            status, said = refused(arena, directory)
        except subprocess.TimeoutExpired:
            status, said = None, "it neither starts nor ends"
        expect(status == 1 and "runtime.lock" in said, f"status {status}: {said[-200:]}")


@attack
def few_descriptors(arena):
    """Limits of 8 to 128 descriptors: below the minimum the daemon ends and logs why, above it control.sock answers."""
    smallest, wrong = None, []
    for files in (8, 16, 24, 32, 48, 63, 64, 80, 128):
        directory = arena.ground.directory(f"{arena.directory.name}/{files}")
        try:
            daemon = arena.daemon("--demo", directory=directory, files=files)
        except AssertionError:
            said = (directory / "log").read_text()
            if smallest is not None:
                wrong.append(f"{files} are refused, {smallest} are not")
            if f"may open {files} files" not in said:
                wrong.append(f"with {files} the daemon ended and did not name the minimum: {said[-150:]}")
            continue
        smallest = smallest or files
        clients = [daemon.connect("state.sock") for _ in range(60)]
        answers = 0
        for _ in range(3):
            with contextlib.suppress(Failed, OSError):
                answers += any(
                    b'"run":"active"' in line for line in daemon.ask(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
                )
        if answers < 3:
            wrong.append(f"with {files} and 60 clients control.sock answers {answers} of 3 requests")
        for client in clients:
            client.close()
        daemon.end()
    arena.note(f"the smallest limit that it starts with is {smallest}")
    expect(not wrong, "; ".join(wrong))
