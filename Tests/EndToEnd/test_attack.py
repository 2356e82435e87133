"""What `make attack` refuses to touch, and how it reports."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys

import pytest

from harness.process import PROGRAMS, ROOT, Paced

# The attacks themselves are of "make test-all" too.
pytestmark = pytest.mark.thorough
SCRIPT = ROOT / "Tests/Attack/attack.py"
sys.path.append(str(SCRIPT.parent))
from safety import Ground, Refused  # noqa: E402


def attack(*words, **environment):
    return subprocess.run(
        [sys.executable, "-B", SCRIPT, *map(str, words)], capture_output=True, text=True, timeout=60,
        env=os.environ | {"PACED_BIN": "/nonexistent"} | environment)


def commands():
    """The arguments of each running process."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            yield path.read_bytes()


@pytest.fixture
def ground():
    ground = Ground()
    yield ground
    ground.remove()


@pytest.mark.parametrize("path", [
    "/run/paced", "/run/paced/attack", "/var/run/paced/x", "/var/lib/paced", "/var/lib/paced/new/x", "/run/../run/paced/x"])
def test_directories_of_an_installed_paced_are_rejected(path):
    there = pathlib.Path(path).exists()
    ended = attack("--directory", path, "crowd-at-the-limit")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1 and "installed paced" in ended.stderr
    assert pathlib.Path(path).exists() == there


def test_link_to_a_directory_of_an_installed_paced_is_rejected(tmp_path):
    (tmp_path / "link").symlink_to("/var/lib/paced")
    for path in (tmp_path / "link", tmp_path / "link" / "x"):
        ended = attack("--directory", path, "crowd-at-the-limit")
        assert ended.returncode == 2 and ended.stderr.count("\n") == 1, ended.stderr


def test_existing_directory_is_rejected_and_unchanged(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir(mode=0o755)
    (mine / "notes").write_text("mine")
    (tmp_path / "link").symlink_to(mine)
    for path in (mine, tmp_path / "link"):
        ended = attack("--directory", path, "crowd-at-the-limit")
        assert ended.returncode == 2 and "did not make it" in ended.stderr and ended.stderr.count("\n") == 1
    assert [path.name for path in mine.iterdir()] == ["notes"] and mine.stat().st_mode & 0o777 == 0o755


def test_paths_outside_the_ground_are_rejected(ground, tmp_path):
    ground.directory("one")
    (ground.root / "link").symlink_to(tmp_path)
    for path in (tmp_path, ground.root / "link", ground.root / "link" / "x", ground.root / ".." / "x", "/", "/run/paced", "/var/lib/paced"):
        with pytest.raises(Refused):
            ground.check(path)
    assert ground.check(ground.root / "one" / "run") == ground.root / "one" / "run"


def test_replaced_directory_is_rejected_and_not_removed(tmp_path):
    ground = Ground(tmp_path / "new")
    ground.root.rename(tmp_path / "old")
    ground.root.mkdir()
    (ground.root / "notes").write_text("mine")
    with pytest.raises(Refused):
        ground.check(ground.root / "x")
    ground.remove()
    assert (ground.root / "notes").read_text() == "mine"


def test_socket_of_another_daemon_is_rejected(ground, stage):
    other = stage.paced("--gpsd", "off", "--sensors", "off")
    with pytest.raises(Refused):
        ground.connect(other.state_socket)
    # Not even in its own directory.
    inside = stage.start(Paced(ground.directory("one"), "--gpsd", "off", "--sensors", "off"))
    with pytest.raises(Refused, match=str(inside.pid)):
        ground.connect(inside.runtime / "control.sock")
    ground.started(inside.pid)
    ground.connect(inside.runtime / "control.sock").close()
    with socket.socket(socket.AF_UNIX) as fake:
        fake.bind(str(ground.root / "fake"))
        fake.listen()
        with pytest.raises(Refused):
            ground.connect(ground.root / "fake")


def test_directories_of_the_environment_are_not_used(tmp_path):
    before = set(pathlib.Path("/tmp").glob("paced-attack-*"))
    names = ("RUNTIME_DIRECTORY", "STATE_DIRECTORY", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME")
    directories = {name: tmp_path / name for name in names}
    for directory in directories.values():
        directory.mkdir()
    made = tmp_path / "made"
    ended = attack("--directory", made, "--seed", 7, "--programs", PROGRAMS, "crowd-at-the-limit",
                   **{name: str(path) for name, path in directories.items()}, NOTIFY_SOCKET=str(tmp_path / "notify"))
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "seed 7" in lines[0] and lines[-1] == "1 passed, 0 failed"
    assert [list(path.iterdir()) for path in directories.values()] == [[]] * 5
    assert not made.exists() and set(pathlib.Path("/tmp").glob("paced-attack-*")) <= before


def test_failed_attack_is_named_with_its_reason_in_the_last_lines(tmp_path):
    (tmp_path / "paced").write_text("#!/bin/sh\necho broken on purpose >&2\nexit 1\n")
    (tmp_path / "paced").chmod(0o755)
    for program in ("pacectl", "paced-web"):
        (tmp_path / program).symlink_to(PROGRAMS / program)
    ended = attack("--programs", tmp_path, "crowd-at-the-limit", "slow-clients")
    *_, first, second, last = ended.stdout.splitlines()
    assert ended.returncode == 1
    assert first.startswith("FAILED crowd-at-the-limit: ") and "broken on purpose" in first
    assert second.startswith("FAILED slow-clients: ")
    assert last == "0 passed, 2 failed"


def test_interrupted_attack_leaves_no_daemons_or_directories(tmp_path):
    made = tmp_path / "made"
    run = subprocess.Popen(
        [sys.executable, "-B", SCRIPT, "--directory", made, "--programs", PROGRAMS, "gpsd-silence"], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline().startswith("seed ")
    while not (daemons := list(made.glob("*/run/control.sock"))):
        assert run.poll() is None
    run.send_signal(signal.SIGINT)
    run.wait(60)
    assert run.returncode == 1 and daemons and not made.exists()
    assert not [command for command in commands() if str(made).encode() in command]


def test_missing_programs_and_unknown_names_are_reported(tmp_path):
    ended = attack("--programs", tmp_path)
    assert ended.returncode == 1 and "make build" in ended.stderr and ended.stderr.count("\n") == 1
    ended = attack("no-such-attack", "--programs", PROGRAMS)
    assert ended.returncode == 1 and "--list" in ended.stderr and ended.stderr.count("\n") == 1


def test_reliability_page_lists_each_attack():
    names = [line.split()[0] for line in attack("--list", "--programs", PROGRAMS).stdout.splitlines()]
    page = (ROOT / "docs/reliability.md").read_text()
    assert len(names) >= 30 and [name for name in names if f"`{name}`" not in page] == []
