"""Runtime and state directories that another user can write to, and links, FIFOs and devices in the place of their files."""

import os
import re
import socket
import stat
import subprocess

import pytest

import needs
from harness.process import ENVIRONMENT, PACECTL, PACED
from harness.timing import Failed, wait_for
from harness.users import acting_as, reachable
from matrix import matrix

OFF = ["--gpsd", "off", "--bluetooth", "off"]
OTHER = 54301
STATE_FILES = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.reserve", "sensors.json"]


class Attempt:
    """A daemon that may not start; `text` is its log."""

    def __init__(self, stage, runtime=None, state=None, program=PACED, **options):
        self.runtime = runtime or stage.directory / "run"
        self.log = stage.directory / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program, "--runtime-dir", self.runtime, "--state-dir", state or stage.directory / "state", *OFF],
                env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)
        stage.keep(self)

    @property
    def text(self):
        return self.log.read_text()

    def says(self, words):
        wait_for(lambda: words in self.text, 60, f"{words!r}; it said: {self.text}")

    def ended(self):
        """Its exit status, waited for."""
        return self.process.wait(60)

    def answers(self):
        """Whether control.sock answers."""
        def asked():
            assert self.process.poll() is None, self.text
            with socket.socket(socket.AF_UNIX) as control:
                control.settimeout(60)
                if control.connect_ex(str(self.runtime / "control.sock")) != 0:
                    return False
                control.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
                return b'"result"' in control.recv(65536)
        return wait_for(asked, 60, f"an answer; it said: {self.text}")

    def end(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def victim(stage):
    """A file that another user's link points to; it must not change."""
    path = stage.directory / "victim"
    path.write_bytes(b"precious")
    path.chmod(0o666)
    yield path
    assert path.read_bytes() == b"precious" and stat.S_IMODE(path.stat().st_mode) == 0o666


def put(kind, path, victim):
    """Puts something in the place of a file."""
    path.parent.mkdir(exist_ok=True, mode=0o750)
    if kind == "symbolic link":
        path.symlink_to(victim)
    elif kind == "FIFO":
        os.mkfifo(path, 0o666)
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    else:
        # The device of /dev/null.
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))


KINDS = [*matrix(["symbolic link", "FIFO", "directory", "socket"], "symbolic link"),
         pytest.param("character device", marks=[needs.ROOT, pytest.mark.thorough])]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["run/runtime.lock", "state/state.lock"])
def test_lock_of_another_file_type_is_reported_and_unchanged(stage, victim, kind, name):
    path = stage.directory / name
    put(kind, path, victim)
    before = os.lstat(path).st_mode
    attempt = Attempt(stage)
    attempt.says(f"{path} is a {kind} and not a regular file: run mv {path} {path}.old")
    if name.startswith("run"):
        assert attempt.ended() == 1
    assert os.lstat(path).st_mode == before


@pytest.mark.parametrize("kind", matrix(["symbolic link", "FIFO", "regular file"], "symbolic link"))
def test_other_file_in_place_of_a_socket_is_reported(stage, victim, kind):
    path = stage.directory / "run" / "control.sock"
    if kind == "regular file":
        path.parent.mkdir()
        path.write_bytes(b"precious")
    else:
        put(kind, path, victim)
    attempt = Attempt(stage)
    assert attempt.ended() == 1
    assert f"{path} is a {kind} and not a socket: run mv" in attempt.text
    assert kind != "regular file" or path.read_bytes() == b"precious"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", matrix(STATE_FILES, "journal.sqlite"))
def test_state_file_of_another_type_is_reported_and_the_daemon_serves(stage, victim, kind, name):
    path = stage.directory / "state" / name
    put(kind, path, victim)
    before = os.lstat(path)
    attempt = Attempt(stage)
    attempt.says(f"{path} is a {kind} and not a regular file: run mv")
    assert attempt.answers()
    after = os.lstat(path)
    assert (after.st_mode, after.st_ino, after.st_size) == (before.st_mode, before.st_ino, before.st_size)
    # A reader and an import in another process report the same, and do not block.
    if name.startswith("journal.sqlite"):
        track = stage.directory / "track.gpx"
        track.write_text(
            '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
            '<trkpt lat="52" lon="13"><time>2026-01-01T00:00:00Z</time></trkpt></trkseg></trk></gpx>')
        for words in (["activities"], ["import", track]):
            done = subprocess.run(
                [PACECTL, "--state-dir", path.parent, "--runtime-dir", stage.directory / "run", *words], capture_output=True, text=True, timeout=60)
            assert done.returncode == 1 and f"{path} is a {kind}" in done.stderr, done


def test_hard_link_is_logged_and_accepted(stage):
    paced = stage.paced(*OFF)
    paced.end()
    files = [stage.directory / "run" / "runtime.lock"] + [
        stage.directory / "state" / name for name in ["state.lock", "journal.sqlite"]]
    for path in files:
        os.link(path, stage.directory / (path.name + ".linked"))
    paced = stage.paced(*OFF)
    assert paced.call("status")["recorder"]["state"] == "writing"
    for path in files:
        assert paced.log.read_text().count(f"{path} has a second name (hard link)") == 1


def mended(text, option):
    """The command that a message suggests."""
    found = re.search(rf": run (ch\w+ [^,;]*){re.escape(AFTER[option])}\n", text)
    assert found, text
    return found[1].split(" as root")[0].split()


# The end of the message, after the command.
AFTER = {"--runtime-dir": "; or give another --runtime-dir", "--state-dir": ", keeping up to 10 min in memory"}
CASES = [
    *matrix([("everybody", 0o757), ("everybody, sticky", 0o1757)], "everybody"),
    *(pytest.param(who, mode, marks=[needs.ROOT, pytest.mark.thorough])
      for who, mode in [("a group", 0o770), ("another owner", 0o700)])]


@pytest.mark.parametrize("who, mode", CASES)
@pytest.mark.parametrize("which, option", [("run", "--runtime-dir"), ("state", "--state-dir")])
def test_directory_writable_by_others_is_rejected_with_its_remedy(stage, which, option, who, mode):
    directory = stage.directory / which
    directory.mkdir()
    if not who.startswith("everybody"):
        os.chown(directory, OTHER if who == "another owner" else 0, OTHER if who == "a group" else 0)
    directory.chmod(mode)
    attempt = Attempt(stage)
    attempt.says(AFTER[option])
    assert str(directory) in attempt.text
    if which == "run":
        assert attempt.ended() == 1
    attempt.end()
    assert list(directory.iterdir()) == [], "nothing is made in it"
    command = mended(attempt.text, option) if who != "another owner" else ["chown", "root", str(directory)]
    assert " ".join(command) in attempt.text
    subprocess.run(command, check=True)
    assert stage.paced(*OFF).call("status")["run"] == "idle"


def test_world_writable_parent_is_rejected_unless_sticky(stage):
    above = stage.directory / "above"
    above.mkdir()
    above.chmod(0o777)
    attempt = Attempt(stage, runtime=above / "run")
    assert attempt.ended() == 1
    assert f"every user can write to {above}: run chmod o-w {above}" in attempt.text
    above.chmod(0o1777)
    assert Attempt(stage, runtime=above / "run").answers()


def test_link_to_the_state_directory_is_resolved_once(stage):
    # As systemd creates it for DynamicUser=.
    private = stage.directory / "private" / "paced"
    private.mkdir(parents=True, mode=0o750)
    (stage.directory / "state").symlink_to("private/paced")
    paced = stage.paced(*OFF)
    assert paced.call("status")["recorder"]["state"] == "writing"
    assert (private / "journal.sqlite").exists()
    # The link now points elsewhere; open files stay where they are.
    (stage.directory / "state").unlink()
    (stage.directory / "state").symlink_to(stage.directory)
    number = paced.call("run.start")["activity"]
    assert paced.call("run.stop")["id"] == number

    def listed():
        return subprocess.run([PACECTL, "--state-dir", private, "activities"], capture_output=True, text=True, timeout=60)
    try:
        wait_for(lambda: listed().stdout.count("\n") == 2, 60, "the run in the journal")
    except Failed as failure:
        raise Failed(f"{failure}: {listed()}, recorder {paced.call('status')['recorder']}") from None
    assert not (stage.directory / "journal.sqlite").exists()


@needs.ROOT
def test_another_user_cannot_make_root_overwrite_a_file(stage, victim):
    """The whole attack: a user owns the directory that root starts a daemon in."""
    stage.directory.chmod(0o755)
    for name in ("run", "state"):
        directory = stage.directory / name
        directory.mkdir()
        os.chown(directory, OTHER, OTHER)
    attack = subprocess.run(
        ["ln", "-s", victim, stage.directory / "run/runtime.lock"], **acting_as(OTHER))
    assert attack.returncode == 0
    attempt = Attempt(stage)
    assert attempt.ended() == 1
    assert f"user {OTHER} owns {stage.directory}/run and paced runs as user root" in attempt.text


@needs.ROOT
def test_daemon_of_another_user_is_reported_to_root(stage):
    stage.directory.chmod(0o755)
    home = stage.directory / "home"
    home.mkdir()
    os.chown(home, OTHER, OTHER)
    attempt = Attempt(
        stage, runtime=home / "run", state=home / "state", program=reachable(PACED), **acting_as(OTHER))
    assert attempt.answers()
    for words in (["status"], ["start"], ["watch", "--json"]):
        done = subprocess.run(
            ["sh", "-c", 'timeout 50 "$@" | head -n 1', "sh", PACECTL, "--runtime-dir", attempt.runtime, *words],
            capture_output=True, text=True, timeout=60)
        lines = [line for line in done.stderr.splitlines() if "is run by" in line]
        socket_name = "control" if words == ["start"] else "state"
        assert lines == [
            f"pacectl: the daemon at {attempt.runtime}/{socket_name}.sock is run by user {OTHER}, not by root or paced"]
    # It does not run in a root-owned directory that is group-writable.
    attempt.end()
    os.chown(home / "state", 0, OTHER)
    (home / "state").chmod(0o770)
    attempt = Attempt(
        stage, runtime=home / "run", state=home / "state", program=reachable(PACED), **acting_as(OTHER))
    attempt.says(f"other users can write to {home}/state, through its group {OTHER}")


def test_daemon_of_root_is_not_reported_to_root(stage):
    paced = stage.paced(*OFF)
    done = subprocess.run(
        [PACECTL, "--runtime-dir", paced.runtime, "status"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
