"""Ctrl-Z and fg in make run and pacectl watch, in a terminal with an interactive shell."""

import os
import shlex
import signal

import pytest

from harness.process import PACECTL, PROGRAMS
from harness.timing import wait_for

pytestmark = pytest.mark.fast_clock

ROUNDS = 10
SHELL = "exec env PS1='ready> ' TMPDIR={} PACED_BIN={} bash --norc --noprofile -i"


def shell(stage, *words):
    """A terminal of which an interactive bash runs a command."""
    terminal = stage.terminal(SHELL.format(shlex.quote(str(stage.directory)), shlex.quote(str(PROGRAMS))))
    terminal.wait_for("ready>")
    terminal.run(*words)
    return terminal


def wait_for_moving_screen(terminal):
    seen = set()
    wait_for(lambda: "Running" in (text := terminal.text()) and (seen.add(text) or len(seen) > 2), 60, "a screen that moves")
    modes = terminal.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").split()
    assert modes == ["1", "0"]


def suspend_and_resume(terminal):
    """Ten times. The round's number keeps texts of earlier rounds apart."""
    wait_for_moving_screen(terminal)
    for number in range(ROUNDS):
        terminal.type("C-z")
        terminal.wait_for("Stopped", "ready>", absent=["Running"], seconds=60)
        # The shell has a usable terminal: it echoes, and its screen is the normal one.
        terminal.run("clear")
        terminal.run("echo", f"round-{number}")
        terminal.wait_for(f"\nround-{number}\nready>", absent=["Running", "Stopped"])
        assert terminal.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").split() == ["0", "1"]
        terminal.run("fg")
        wait_for_moving_screen(terminal)


MAKE = ["make", "--silent", "--old-file=build", "run"]


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["q", "C-c"])
def test_make_run_survives_ten_suspensions(stage, key):
    terminal = shell(stage, *MAKE)
    suspend_and_resume(terminal)
    terminal.type(key)
    terminal.wait_for("ready>", absent=["Running"])
    terminal.run("jobs")
    terminal.run("echo", "left")
    assert "Stopped" not in terminal.wait_for("\nleft").split("jobs")[-1]
    assert list(stage.directory.glob("tmp.*")) == []


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["q", "C-c"])
def test_watch_survives_ten_suspensions(stage, key):
    paced = stage.paced("--demo")
    terminal = shell(stage, PACECTL, "--runtime-dir", paced.runtime, "watch")
    suspend_and_resume(terminal)
    terminal.type(key)
    terminal.wait_for("ready>", absent=["Running"])


@pytest.mark.thorough
def test_watch_resumes_after_stop_and_continue_signals_of_another_process(stage):
    paced = stage.paced("--demo")
    terminal = stage.terminal()
    terminal.run(PACECTL, "--runtime-dir", paced.runtime, "watch")
    wait_for_moving_screen(terminal)
    pid = terminal.pid_of_pacectl()
    for _ in range(ROUNDS):
        os.kill(pid, signal.SIGTSTP)
        os.kill(pid, signal.SIGCONT)
    seen = set()

    def is_live_or_suspended():
        text = terminal.text()
        return "Running" in text and (seen.add(text) or len(seen) > 3) or "ready>" in text
    wait_for(is_live_or_suspended, 60, "a live screen, or the shell")
    # A shell that has seen a stop owns the terminal until fg.
    if "ready>" in terminal.text():
        terminal.run("fg")
    wait_for_moving_screen(terminal)
    terminal.type("q")
    terminal.wait_for("ready>", absent=["Running"])


def test_ctrl_z_without_a_shell_stops_nothing(stage):
    paced = stage.paced("--demo")
    terminal = stage.terminal([PACECTL, "--runtime-dir", paced.runtime, "watch"])
    wait_for_moving_screen(terminal)
    terminal.type("C-z")
    wait_for_moving_screen(terminal)
