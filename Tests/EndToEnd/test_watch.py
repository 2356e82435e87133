"""pacectl watch on a terminal: its screen, and the state of the terminal afterwards."""

import fcntl
import os
import pathlib
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest

from harness.fake_paced import HOSTILE, IDLE, RUN, SETTINGS, SUMMARY, FakePaced
from harness.process import PACECTL, ROOT
from harness.timing import wait_for


def kept(name, columns, rows):
    return (ROOT / "Tests/ConsoleTests/Screens" / f"{name}-{columns}x{rows}.txt").read_text()


def expect_screen(terminal, name, columns, rows):
    """Waits until the terminal shows exactly a kept screen."""
    wanted = kept(name, columns, rows)
    deadline = time.monotonic() + 10
    while (shown := terminal.text()).rstrip("\n") != wanted.rstrip("\n"):
        assert time.monotonic() < deadline, f"not {name} {columns}x{rows}, but:\n{shown}"
        time.sleep(0.05)


# The screen


@pytest.mark.parametrize("columns, rows", [(80, 24), (40, 12), (200, 50), (20, 5)])
def test_screen_matches_the_stored_one(paced, screen, columns, rows):
    terminal = screen(columns, rows)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", columns, rows)


def test_screen_follows_the_terminal_size(paced, screen):
    terminal = screen(80, 24)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", 80, 24)
    for columns, rows in [(40, 12), (200, 50), (20, 5), (80, 24)]:
        terminal.resize(columns, rows)
        expect_screen(terminal, "run", columns, rows)


def test_no_color_omits_colours(paced, screen):
    plain = screen(environment=["NO_COLOR=1"])
    plain.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(plain, "run", 80, 24)
    assert "\x1b[" not in plain.text(colours=True)
    coloured = screen()
    coloured.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(coloured, "run", 80, 24)
    assert "38;5;75m" in coloured.text(colours=True), "zone 2 is blue"


def test_locale_without_utf8_gets_a_screen_in_ascii(paced, screen):
    terminal = screen(environment=["LC_ALL=C"])
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    shown = terminal.wait_for("Running", "####")
    assert shown.isascii()
    figures = kept("run", 80, 24).splitlines()[3:16]
    assert [len(line.rstrip()) for line in shown.splitlines()[3:16]] == [len(line.rstrip()) for line in figures]


def test_figures_follow_the_run(paced, screen):
    terminal = screen(20, 5)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "--imperial", "watch")
    terminal.wait_for("27:12", "3.13 mi")
    paced.state = RUN | {"elapsed_ms": 3600000, "distance_m": 10000.0}
    terminal.wait_for("1:00:00", "6.21 mi", absent=["27:12"])
    paced.settings = SETTINGS | {"screens": {"run": [{"fields": ["time"]}]}}
    terminal.wait_for("1:00:00", absent=["6.21 mi"])
    paced.state = dict(IDLE)
    terminal.wait_for("Ready", "0.0")


def test_arrows_show_the_pages_of_the_sport(paced, screen):
    terminal = watched(paced, screen)
    terminal.type("Right")
    terminal.wait_for("Lap Distance", "Lap Pace")
    paced.state = RUN | {"sport": "ride"}
    terminal.wait_for("Lap Distance", "Lap Speed")
    terminal.type("Left")
    terminal.wait_for("Riding", "Speed", "km/h", absent=["Lap Speed", "min/km"])


def test_figures_wait_for_the_units(paced, screen):
    paced.tells_settings = False
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Waiting for paced")
    time.sleep(0.3)
    assert "mi" not in terminal.text().split("watch")[-1]
    paced.tells_settings = True
    expect_screen(terminal, "run", 80, 24)


def test_figures_wait_for_the_data_fields(paced, screen):
    """The daemon sends a STATE without blocks to each new client."""
    paced.answers_watch = False
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Waiting for paced")
    time.sleep(0.3)
    assert "Running" not in terminal.text()
    paced.answers_watch = True
    expect_screen(terminal, "run", 80, 24)


def test_ended_lap_is_shown(paced, screen):
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running")
    paced.event(event="lap", trigger="command", lap={"number": 3, "elapsed_ms": 192300, "distance_m": 603.1})
    terminal.wait_for("Lap 3 done", "3:12", "0.60 km", "5:18 min/km")


def test_hostile_names_do_not_change_screen_and_title(paced, screen):
    terminal = screen()
    title = terminal.tmux("display-message", "-p", "#{pane_title}")
    paced.state = RUN | {
        "heart": RUN["heart"] | {"name": HOSTILE, "zone_name": HOSTILE},
        "gpsd": {"link": "disconnected", "reason": HOSTILE},
        "faults": [{"fault": HOSTILE, "since_boot_ms": 1, "message": HOSTILE}],
    }
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    shown = terminal.wait_for("Running", "\ufffd]0;owned\ufffd\ufffd[2J\ufffd31m\ufffd\ufffd日本語")
    figures = kept("run", 80, 24).splitlines()[3:16]
    assert set(figures) <= set(shown.splitlines()), "the figures stand where they always do"
    assert terminal.tmux("display-message", "-p", "#{pane_title}") == title
    terminal.type("q")
    terminal.wait_for("ready>")


# The terminal afterwards


def terminal_state(terminal, tmp_path):
    """The state of a terminal from stty and tmux."""
    flags = "#{alternate_on} #{cursor_flag} #{wrap_flag} #{insert_flag} #{keypad_flag} #{origin_flag}"
    file = tmp_path / f"stty{time.monotonic_ns()}"
    terminal.run("sh", "-c", f"stty -g > {file}.new; mv {file}.new {file}")
    deadline = time.monotonic() + 10
    while not file.exists():
        assert time.monotonic() < deadline, terminal.text()
        time.sleep(0.02)
    return file.read_text(), terminal.tmux("display-message", "-p", flags)


@pytest.mark.parametrize("way", ["q", "C-c", "C-\\", signal.SIGTERM, signal.SIGHUP, "gone and q"])
def test_terminal_is_restored(paced, screen, tmp_path, way):
    terminal = screen()
    before = terminal_state(terminal, tmp_path)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running")
    assert terminal.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").split() == ["1", "0"]
    if way == "gone and q":
        paced.stop()
        terminal.wait_for("Waiting for paced")
    if isinstance(way, signal.Signals):
        os.kill(terminal.pid_of_pacectl(), way)
    else:
        terminal.type(way.split()[-1])
    terminal.wait_for("ready>", absent=["Running", "Waiting for paced"])
    terminal.run("echo", "left")
    terminal.wait_for("\nleft")
    assert terminal_state(terminal, tmp_path) == before


def test_screen_without_keys_can_be_left(paced, screen, tmp_path):
    terminal = screen()
    before = terminal_state(terminal, tmp_path)
    terminal.run("sh", "-c", '"$@" </dev/null', "sh", PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running", "min/km", absent=["Space"])
    terminal.type("C-c")
    terminal.wait_for("ready>", absent=["Running"])
    assert terminal_state(terminal, tmp_path) == before


def test_screen_can_be_suspended(paced, screen, tmp_path):
    terminal = screen()
    before = terminal_state(terminal, tmp_path)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", 80, 24)
    terminal.type("C-z")
    terminal.wait_for("Stopped", absent=["Running"])
    assert terminal_state(terminal, tmp_path) == before
    terminal.run("fg")
    expect_screen(terminal, "run", 80, 24)
    terminal.type("q")
    terminal.wait_for("ready>", absent=["Running"])
    assert terminal_state(terminal, tmp_path) == before


def test_other_keys_do_nothing(paced, screen):
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", 80, 24)
    for key in ["Up", "F1", "F5", "Escape", "x", "k", "d", "M-s", "M-l", "Enter", "C-s", "C-l"]:
        terminal.type(key)
    paced.state = RUN | {"elapsed_ms": 1633300}
    terminal.wait_for("Running")
    paced.state = dict(RUN)
    expect_screen(terminal, "run", 80, 24)
    assert paced.asked == []


# Keys that change the run


def watched(paced, screen, *size):
    terminal = screen(*size)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Space")
    return terminal


def wait_for_commands(paced, *methods):
    wait_for(lambda: [method for method, _ in paced.asked] == list(methods), 60, f"{methods}, not {paced.asked}")


def test_space_and_l_command_the_run(paced, screen):
    paced.state = dict(IDLE)
    terminal = watched(paced, screen)
    terminal.wait_for("Ready", "Space starts a run")
    terminal.type("Space")
    wait_for_commands(paced, "run.toggle")
    paced.state = dict(RUN)
    terminal.wait_for("Running", "Space pauses", "l lap", "s stops")
    terminal.type("l")
    wait_for_commands(paced, "run.toggle", "run.lap")


def test_stop_asks_and_continues_until_answered(paced, screen):
    terminal = watched(paced, screen, 60, 16)
    terminal.type("s")
    terminal.wait_for("Stop the run?", "k keeps it")
    paced.state = RUN | {"elapsed_ms": 3600000}
    terminal.wait_for("Stop the run?", "Running", "5.03 km")
    terminal.type("c")
    terminal.wait_for("Space pauses", absent=["Stop the run?"])
    assert paced.asked == []
    terminal.type("s")
    terminal.wait_for("Stop the run?")
    terminal.type("k")
    wait_for_commands(paced, "run.stop")
    paced.event(event="stop", activity=17, summary=SUMMARY)
    paced.state = dict(IDLE)
    terminal.wait_for("Ready", "Stopped, run, activity 17", "5.03 km", "141 bpm average", "any key returns")
    terminal.type("l")
    terminal.wait_for("Space starts a run", absent=["Stopped"])
    wait_for_commands(paced, "run.stop")


def test_stop_can_discard(paced, screen):
    terminal = watched(paced, screen)
    terminal.type("s")
    terminal.wait_for("Stop the run?")
    terminal.type("d")
    wait_for_commands(paced, "run.discard")
    paced.event(event="discard", activity=17, summary=SUMMARY)
    paced.state = dict(IDLE)
    terminal.wait_for("Discarded.", "Ready")


def test_rejected_command_is_shown(paced, screen):
    paced.refusal = {"code": -32001, "message": "not in this state",
                     "data": {"message": "the last lap ended less than 1 s ago"}}
    terminal = watched(paced, screen)
    terminal.type("l")
    terminal.wait_for("cannot lap: the last lap ended less than 1 s ago")
    terminal.type("?")
    terminal.wait_for("closes the lap", "leaves; the run continues", absent=["cannot lap"])


def test_reader_without_the_right_to_command_sees_no_keys_of_the_run(paced, screen):
    (paced.directory / "control.sock").unlink()
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running", "q leaves", absent=["Space"])
    for key in ["Space", "l", "s"]:
        terminal.type(key)
    terminal.type("?")
    terminal.wait_for("need a connection to control.sock")
    assert paced.asked == []


# A daemon that stops and returns


def test_watch_waits_for_the_daemon_each_time(tmp_path, screen):
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", tmp_path, "watch")
    for _ in range(2):
        terminal.wait_for("Waiting for paced", f"in {tmp_path}"[:60], "q leaves")
        daemon = FakePaced(tmp_path)
        expect_screen(terminal, "run", 80, 24)
        daemon.stop()
    terminal.wait_for("Waiting for paced")
    terminal.type("q")
    terminal.wait_for("ready>", absent=["Waiting"])


def test_silence_of_the_daemon_is_shown(paced, screen):
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running")
    paced.speaks = False
    terminal.wait_for("no data from paced for")
    paced.speaks = True
    expect_screen(terminal, "run", 80, 24)


def test_other_protocol_version_is_rejected(paced, screen):
    paced.version["protocol"] = 2
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("ready>", "paced speaks protocol 2")


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])


def test_stalled_terminal_stays_bounded_and_delays_no_stop(paced):
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    before = termios.tcgetattr(follower)
    program = subprocess.Popen([PACECTL, "--runtime-dir", paced.directory, "watch"], stdin=follower, stdout=follower,
                               env=os.environ | {"TERM": "xterm-256color"})
    try:
        figures = threading.Event()

        def hurry():
            # Every frame differs, and together they exceed a terminal's buffer.
            elapsed = 0
            while not figures.wait(0.02):
                elapsed += 11_100
                paced.state = RUN | {"elapsed_ms": elapsed, "distance_m": elapsed / 3.7}

        threading.Thread(target=hurry, daemon=True).start()
        # A slow machine needs longer until the program has all that it needs.
        for _ in range(3):
            time.sleep(1.5)
            first = resident_kib(program.pid)
            time.sleep(2)
            growth = resident_kib(program.pid) - first
            if growth < 512:
                break
        assert growth < 512
        figures.set()
        begun = time.monotonic()
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=60) == 0
        assert time.monotonic() - begun < 30
        assert termios.tcgetattr(follower) == before
    finally:
        figures.set()
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(leader)
        os.close(follower)
