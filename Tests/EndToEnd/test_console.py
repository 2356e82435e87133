"""pacectl against a daemon that is only pretended: what a person sees, and how the terminal is left.

The programs are the built ones of .build/release, or of the directory that PACED_BIN names.
"""

import fcntl
import json
import os
import pathlib
import shlex
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENS = ROOT / "Tests" / "ConsoleTests" / "Screens"
PACECTL = pathlib.Path(os.environ.get("PACED_BIN", ROOT / ".build" / "release")) / "pacectl"

VERSION = {
    "class": "VERSION", "program": "paced", "release": "0.1.0", "protocol": 1, "boot_id": "b", "instance": "i",
}
IDLE = {
    "class": "STATE", "time": "2026-03-01T07:30:12.300Z", "boot_ms": 123456700, "clock": "system", "run": "idle",
    "heart": {
        "link": "connected", "address": "A0:9E:1A:00:00:01", "name": "Polar H10 00000001", "bpm": 96,
        "age_ms": 312, "stale": False, "contact": True, "battery_percent": 80, "zone": 0, "zone_name": "Warm Up",
        "zone_fraction": 0,
    },
    "position": {
        "latitude": 52.5, "longitude": 13.4, "altitude_m": 34.1, "accuracy_m": 4.1, "mode": 3, "satellites": 9,
        "age_ms": 180, "stale": False,
    },
    "gpsd": {"link": "connected", "device": "/dev/ttyACM0"}, "bluetooth": {"way": "kernel"},
    "recorder": {"state": "off"}, "ticks": {"late": 0, "worst_ms": 0.4}, "faults": [],
}
# The same as in Tests/ConsoleTests/Views.swift: the kept screens are of it.
RUN = IDLE | {
    "run": "active", "activity": 17, "sport": "run", "elapsed_ms": 1632300, "moving_ms": 1610000,
    "distance_m": 5034.2, "pace_s_per_m": 0.3124, "average_pace_s_per_m": 0.3243, "speed_mps": 3.2, "ascent_m": 41.6,
    "lap": {"number": 3, "elapsed_ms": 192300, "moving_ms": 192300, "distance_m": 603.1, "average_bpm": 151},
    "heart": IDLE["heart"] | {
        "bpm": 148, "average_bpm": 141, "max_bpm": 163, "zone": 2, "zone_name": "Zone 2", "zone_fraction": 0.489,
    },
}
COMPONENTS = [
    {"name": name, "position": position, "visible": True, "title_visible": name != "Zone", "size": size,
     "colour": "primary"}
    for position, (name, size) in enumerate(
        [("Time", 54), ("Distance", 24), ("Pace", 24), ("Heart Rate", 24), ("Zone", 24)])
]
SETTINGS = {
    "metric": True, "twelve_hour_clock": False, "use_heart_rate_zones": True, "sport": "run", "auto_lap_m": 0,
    "auto_lap_s": 0, "auto_stop_minutes": 0, "straps": [], "zones": [114, 133, 152, 171, 180],
    "components": COMPONENTS,
}
SUMMARY = {
    "id": 17, "sport": "run", "open": False, "elapsed_ms": 1632300, "total_ms": 1700000, "distance_m": 5034.2,
    "average_pace_s_per_m": 0.3243, "laps": 3, "gaps": 0, "heart_average_bpm": 141, "heart_maximum_bpm": 163,
}
# What a bad neighbour would call its strap: sets the title, clears the screen, reddens, turns text round, and is wide.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e\u2028日本語 👩‍👩‍👧 e\u0301\u200b \"</script>"


class FakePaced:
    """Speaks both sockets of protocol.md as far as pacectl asks. `state` and `settings` may be changed at any time."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.state = dict(RUN)
        self.settings = dict(SETTINGS)
        self.version = dict(VERSION)
        self.speaks = True
        self.tells_settings = True
        self.asked = []
        self.watches = []
        self.clients = []
        self.refusal = None
        self.running = threading.Event()
        self.running.set()
        self.listeners = []
        self.threads = []
        self.serve("state.sock", self.tell)
        self.serve("control.sock", self.answer)

    def serve(self, name, handle):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.directory / name))
        listener.listen()
        self.listeners.append(listener)

        def accept():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                self.clients.append(client)
                self.start(handle, client)

        self.start(accept)

    def start(self, body, *arguments):
        thread = threading.Thread(target=body, args=arguments, daemon=True)
        thread.start()
        self.threads.append(thread)

    def say(self, client, line):
        client.sendall((json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n").encode())

    def lines(self, client):
        """What a client sends until it, or the test, has gone."""
        try:
            yield from client.makefile("r")
        except (OSError, ValueError):
            pass

    def event(self, **fields):
        for client in self.clients:
            try:
                self.say(client, {"class": "EVENT"} | fields)
            except OSError:
                pass

    def tell(self, client):
        watch = {"every_ms": 100}
        said = {}

        def listen():
            for line in self.lines(client):
                watch.update(json.loads(line))
                self.watches.append(json.loads(line))

        self.start(listen)
        seq = 0
        try:
            self.say(client, self.version)
            while self.running.is_set():
                if self.speaks:
                    seq += 1
                    self.say(client, self.state | {"seq": seq})
                    if self.tells_settings and "SETTINGS" in watch.get("classes", []) and said != self.settings:
                        said = dict(self.settings)
                        self.say(client, {"class": "SETTINGS", "seq": seq} | said)
                time.sleep(watch["every_ms"] / 1000)
        except OSError:
            pass

    def answer(self, client):
        for line in self.lines(client):
            request = json.loads(line)
            method, params = request["method"], request.get("params", {})
            self.asked.append((method, params))
            reply = {"jsonrpc": "2.0", "id": request["id"]}
            if self.refusal and method.startswith("run."):
                reply["error"] = self.refusal
            elif method == "settings.get":
                reply["result"] = self.settings[params["key"]] if "key" in params else self.settings
            elif method == "settings.set":
                reply["result"] = self.settings[params["key"]] = params["value"]
            elif method == "run.start":
                reply["result"] = {"activity": 17}
            elif method in ("run.stop", "run.discard"):
                reply["result"] = SUMMARY
            else:
                reply["result"] = {"run": "paused", "elapsed_ms": 192300}
            try:
                self.say(client, reply)
            except OSError:
                return

    def stop(self):
        self.running.clear()
        for end in self.listeners + self.clients:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        for name in ("state.sock", "control.sock"):
            (self.directory / name).unlink(missing_ok=True)


class Screen:
    """A terminal of its own (tmux), in which a shell starts pacectl."""

    def __init__(self, directory, columns=80, rows=24, environment=()):
        self.socket = str(pathlib.Path(directory) / "tmux.sock")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows),
                  "env", "TZ=UTC", "TERM=tmux-256color", *environment, "PS1=ready> ", "sh")
        self.wait_for("ready>")

    def tmux(self, *arguments):
        # Nothing of a terminal that the tests themselves run in may get in.
        environment = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR", "COLORTERM")}
        result = subprocess.run(["tmux", "-S", self.socket, *arguments], env=environment, capture_output=True,
                                text=True, check=True)
        return result.stdout

    def type(self, *keys):
        self.tmux("send-keys", *keys)

    def run(self, *words):
        self.type("-l", shlex.join(str(word) for word in words))
        self.type("Enter")

    def text(self, colours=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colours else []))

    def wait_for(self, *texts, absent=(), seconds=10):
        deadline = time.monotonic() + seconds
        while True:
            shown = self.text()
            if all(text in shown for text in texts) and not any(text in shown for text in absent):
                return shown
            assert time.monotonic() < deadline, f"waited for {texts} without {absent}, saw:\n{shown}"
            time.sleep(0.05)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def pid_of_pacectl(self):
        shell = self.tmux("list-panes", "-F", "#{pane_pid}").strip()
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                pid, name, _, parent = stat.read_text().split()[:4]
            except OSError:
                continue
            if (name, parent) == ("(pacectl)", shell):
                return int(pid)
        raise AssertionError("pacectl does not run:\n" + self.text())

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)


@pytest.fixture
def paced(tmp_path):
    daemon = FakePaced(tmp_path)
    yield daemon
    daemon.stop()


@pytest.fixture
def screen(tmp_path):
    """Makes terminals, and ends them."""
    made = []

    def make(*arguments, **options):
        directory = tmp_path / f"terminal{len(made)}"
        directory.mkdir()
        made.append(Screen(directory, *arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.end()


def pacectl(paced, *words, **options):
    options = {"capture_output": True, "text": True, "timeout": 20} | options
    return subprocess.run([PACECTL, "--runtime-dir", paced.directory, *words], **options)


def kept(name, columns, rows):
    return (SCREENS / f"{name}-{columns}x{rows}.txt").read_text()


def expect_screen(terminal, name, columns, rows):
    """Waits until the terminal shows a kept screen, and nothing beside it."""
    wanted = kept(name, columns, rows)
    deadline = time.monotonic() + 10
    while (shown := terminal.text()).rstrip("\n") != wanted.rstrip("\n"):
        assert time.monotonic() < deadline, f"not {name} {columns}x{rows}, but:\n{shown}"
        time.sleep(0.05)


# The screen


@pytest.mark.parametrize("columns, rows", [(80, 24), (40, 12), (200, 50), (20, 5)])
def test_screen_is_drawn_as_kept(paced, screen, columns, rows):
    terminal = screen(columns, rows)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", columns, rows)


def test_screen_follows_the_terminals_size(paced, screen):
    terminal = screen(80, 24)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(terminal, "run", 80, 24)
    for columns, rows in [(40, 12), (200, 50), (20, 5), (80, 24)]:
        terminal.resize(columns, rows)
        expect_screen(terminal, "run", columns, rows)


def test_colours_are_left_out_where_they_are_not_wanted(paced, screen):
    plain = screen(environment=["NO_COLOR=1"])
    plain.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(plain, "run", 80, 24)
    assert "\x1b[" not in plain.text(colours=True)
    coloured = screen()
    coloured.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    expect_screen(coloured, "run", 80, 24)
    assert "38;5;75m" in coloured.text(colours=True), "zone 2 is blue"


def test_figures_move_with_the_run(paced, screen):
    terminal = screen(20, 5)
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "--imperial", "watch")
    terminal.wait_for("27:12", "3.13 mi")
    paced.state = RUN | {"elapsed_ms": 3600000, "distance_m": 10000.0}
    terminal.wait_for("1:00:00", "6.21 mi", absent=["27:12"])
    paced.settings = SETTINGS | {"components": [COMPONENTS[0]]}
    terminal.wait_for("1:00:00", absent=["6.21 mi"])
    paced.state = dict(IDLE)
    terminal.wait_for("Ready", "0.0")


def test_figures_are_never_in_the_wrong_units(paced, screen):
    paced.tells_settings = False
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Waiting for paced")
    time.sleep(0.3)
    assert "mi" not in terminal.text().split("watch")[-1]
    paced.tells_settings = True
    expect_screen(terminal, "run", 80, 24)


def test_lap_that_ends_is_shown(paced, screen):
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running")
    paced.event(event="lap", trigger="command", lap={"number": 3, "elapsed_ms": 192300, "distance_m": 603.1})
    terminal.wait_for("Lap 3 done: 3:12, 0.60 km")


def test_hostile_names_leave_screen_and_title_alone(paced, screen):
    terminal = screen()
    title = terminal.tmux("display-message", "-p", "#{pane_title}")
    paced.state = RUN | {
        "heart": RUN["heart"] | {"name": HOSTILE, "zone_name": HOSTILE},
        "gpsd": {"link": "disconnected", "reason": HOSTILE},
        "faults": [{"fault": HOSTILE, "since_ms": 1, "message": HOSTILE}],
    }
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    shown = terminal.wait_for("Running", "\ufffd]0;owned\ufffd\ufffd[2J\ufffd31m\ufffd\ufffd日本語")
    figures = kept("run", 80, 24).splitlines()[3:16]
    assert set(figures) <= set(shown.splitlines()), "the figures stand where they always do"
    assert terminal.tmux("display-message", "-p", "#{pane_title}") == title
    terminal.type("q")
    terminal.wait_for("ready>")


# How the terminal is left


def terminal_state(terminal, tmp_path):
    """What stty and tmux say about a terminal."""
    flags = "#{alternate_on} #{cursor_flag} #{wrap_flag} #{insert_flag} #{keypad_flag} #{origin_flag}"
    file = tmp_path / f"stty{time.monotonic_ns()}"
    terminal.run("sh", "-c", f"stty -g > {file}.new; mv {file}.new {file}")
    deadline = time.monotonic() + 10
    while not file.exists():
        assert time.monotonic() < deadline, terminal.text()
        time.sleep(0.02)
    return file.read_text(), terminal.tmux("display-message", "-p", flags)


@pytest.mark.parametrize("way", ["q", "C-c", "C-\\", signal.SIGTERM, signal.SIGHUP, "gone and q"])
def test_terminal_is_left_as_it_was(paced, screen, tmp_path, way):
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
    terminal.run("sh", "-c", f"{PACECTL} --runtime-dir {paced.directory} watch </dev/null")
    expect_screen(terminal, "run", 80, 24)
    terminal.type("C-c")
    terminal.wait_for("ready>", absent=["Running"])
    assert terminal_state(terminal, tmp_path) == before


def test_screen_can_be_put_to_sleep(paced, screen, tmp_path):
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
    for key in ["Up", "F1", "Escape", "x", " ", "l", "Enter", "C-s", "C-l"]:
        terminal.type(key)
    paced.state = RUN | {"elapsed_ms": 1633300}
    terminal.wait_for("Running")
    paced.state = dict(RUN)
    expect_screen(terminal, "run", 80, 24)
    assert paced.asked == []


# A daemon that comes and goes


def test_watch_waits_for_the_daemon_as_often_as_it_goes(tmp_path, screen):
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
    terminal.wait_for("paced has said nothing for")
    paced.speaks = True
    expect_screen(terminal, "run", 80, 24)


def test_protocol_of_another_release_is_refused(paced, screen):
    paced.version["protocol"] = 2
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("ready>", "paced speaks protocol 2")


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])


def test_terminal_that_takes_nothing_costs_nothing_and_holds_nothing_up(paced):
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    before = termios.tcgetattr(follower)
    program = subprocess.Popen([PACECTL, "--runtime-dir", paced.directory, "watch"], stdin=follower, stdout=follower,
                               env=os.environ | {"TERM": "xterm-256color"})
    try:
        figures = threading.Event()

        def hurry():
            # Every frame is new, and more than all that a terminal's buffer takes comes together.
            elapsed = 0
            while not figures.wait(0.02):
                elapsed += 11_100
                paced.state = RUN | {"elapsed_ms": elapsed, "distance_m": elapsed / 3.7}

        threading.Thread(target=hurry, daemon=True).start()
        time.sleep(1.5)
        first = resident_kib(program.pid)
        time.sleep(2)
        assert resident_kib(program.pid) - first < 512
        figures.set()
        begun = time.monotonic()
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=5) == 0
        assert time.monotonic() - begun < 2.5
        assert termios.tcgetattr(follower) == before
    finally:
        figures.set()
        if program.poll() is None:
            program.kill()
            program.wait()
        os.close(leader)
        os.close(follower)


# Lines


def read_lines(program, count):
    return [program.stdout.readline() for _ in range(count)]


def watching(paced, *words, **environment):
    return subprocess.Popen([PACECTL, "--runtime-dir", paced.directory, "watch", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=os.environ | environment)


def test_lines_come_where_there_is_no_terminal(paced):
    with watching(paced) as program:
        lines = read_lines(program, 3)
        program.terminate()
    assert lines == ["Running  27:12  5.03 km  5:12 min/km  148 bpm, Zone 2\n"] * 3
    assert paced.watches[-1]["every_ms"] == 1000


def test_dumb_terminal_gets_lines(paced, screen):
    terminal = screen(environment=["TERM=dumb"])
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running  27:12  5.03 km")
    terminal.type("C-c")
    terminal.run("echo", "left")
    terminal.wait_for("\nleft")


def test_json_lines_are_what_the_daemon_says(paced):
    paced.state = RUN | {"heart": RUN["heart"] | {"name": "Pólar"}, "later": [1e-7]}
    with watching(paced, "--json") as program:
        lines = read_lines(program, 6)
        program.terminate()
    assert lines[0] == json.dumps(VERSION, separators=(",", ":")) + "\n"
    states = [json.loads(line) for line in lines if '"STATE"' in line]
    assert [state["seq"] for state in states] == list(range(1, len(states) + 1))
    assert states[0] == paced.state | {"seq": 1}
    assert [json.loads(line)["class"] for line in lines].count("SETTINGS") == 1
    assert paced.watches[-1]["classes"] == ["STATE", "EVENT", "SETTINGS"]


def test_lines_go_on_when_the_daemon_comes_back(tmp_path):
    first = FakePaced(tmp_path)
    with watching(first, "--json") as program:
        read_lines(program, 3)
        first.stop()
        assert program.stderr.readline() == "pacectl: paced is gone, waiting for it\n"
        second = FakePaced(tmp_path)
        while "VERSION" not in program.stdout.readline():
            pass
        program.terminate()
    second.stop()


def test_reader_that_goes_away_ends_watch(paced):
    program = watching(paced, "--json")
    read_lines(program, 2)
    program.stdout.close()
    assert program.wait(timeout=5) == -signal.SIGPIPE
    program.stderr.close()


def test_full_disk_is_an_error(paced):
    with open("/dev/full", "w") as full:
        result = pacectl(paced, "watch", "--json", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert (result.returncode, result.stderr) == (
        1, "pacectl: cannot write to standard output: No space left on device\n")


# Commands


def test_status_says_all_of_it(paced):
    result = pacectl(paced, "status")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Running, activity 17" in result.stdout
    assert "5.03 km" in result.stdout
    assert pacectl(paced, "--imperial", "status").stdout.count("3.13 mi") == 1
    assert json.loads(pacectl(paced, "status", "--json").stdout) == RUN | {"seq": 1}


def test_hostile_names_are_harmless_in_status(paced):
    paced.state = RUN | {"heart": RUN["heart"] | {"name": HOSTILE}}
    for words in [["status"], ["settings"]]:
        paced.settings = SETTINGS | {"straps": [HOSTILE.replace("\x1b", "")]}
        text = pacectl(paced, *words).stdout
        assert "owned" in text
        assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028" for c in text)


@pytest.mark.parametrize("words, asked, said", [
    (["start"], ("run.start", {}), "Started, activity 17.\n"),
    (["start", "ride", "--indoor"], ("run.start", {"sport": "ride", "indoor": True}), "Started, activity 17.\n"),
    (["pause"], ("run.pause", {}), "Paused at 3:12.\n"),
    (["resume"], ("run.resume", {}), "Going on at 3:12.\n"),
    (["lap"], ("run.lap", {}), "Lap closed at 3:12.\n"),
    (["stop"], ("run.stop", {}), "Stopped: activity 17, 5.03 km, in 27:12, 5:24 min/km, 141 bpm on average, "
                                 "163 bpm at most.\n"),
    (["discard", "--imperial"], ("run.discard", {}), "Discarded: activity 17, 3.13 mi, in 27:12, 8:41 min/mi, "
                                                     "141 bpm on average, 163 bpm at most.\n"),
    (["settings", "get", "zones"], ("settings.get", {"key": "zones"}), "[114,133,152,171,180]\n"),
    (["settings", "set", "sport", "hike"], ("settings.set", {"key": "sport", "value": "hike"}), '"hike"\n'),
    (["settings", "set", "zones", "null"], ("settings.set", {"key": "zones", "value": None}), "null\n"),
])
def test_commands_ask_and_answer(paced, words, asked, said):
    result = pacectl(paced, *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, said, "")
    assert paced.asked[-1] == asked


def test_json_answers_are_what_the_daemon_says(paced):
    assert pacectl(paced, "--json", "start").stdout == '{"activity":17}\n'
    assert json.loads(pacectl(paced, "--json", "stop").stdout) == SUMMARY
    assert json.loads(pacectl(paced, "--json", "settings").stdout) == SETTINGS
    assert pacectl(paced, "settings").stdout.splitlines()[0] == "metric                true"


@pytest.mark.parametrize("error, said", [
    ({"code": -32001, "message": "not in this state", "data": {"state": "idle", "message": "cannot pause while idle"}},
     "cannot pause while idle; 'pacectl start' begins a run"),
    ({"code": -32001, "message": "not in this state", "data": {"state": "paused", "message": "cannot lap while paused"}},
     "cannot lap while paused; resume, stop and discard are possible"),
    ({"code": -32004, "message": "invalid value", "data": {"field": "zones", "message": "one is wrong\ntwo is wrong"}},
     "one is wrong; two is wrong"),
    ({"code": -32603, "message": "Internal error\x1b[2J"}, "Internal error\ufffd[2J"),
    ({"code": 1}, "paced refused, and did not say why"),
])
def test_refused_command_says_why_in_one_line(paced, error, said):
    paced.refusal = error
    for words in [["pause"], ["pause", "--json"]]:
        result = pacectl(paced, *words)
        assert (result.returncode, result.stdout, result.stderr) == (1, "", f"pacectl: {said}\n")


def test_absent_daemon_is_exit_status_three(tmp_path):
    for words in [["status"], ["watch"], ["start"], ["settings"]]:
        result = subprocess.run([PACECTL, "--runtime-dir", tmp_path, *words], capture_output=True, text=True)
        assert (result.returncode, result.stdout) == (3, "")
        assert result.stderr.startswith(f"pacectl: paced is not running at {tmp_path}")
        assert result.stderr.count("\n") == 1


def test_silent_daemon_is_exit_status_three(paced):
    paced.speaks = False
    result = pacectl(paced, "status")
    assert (result.returncode, result.stderr.count("\n")) == (3, 1)
    assert "does not answer" in result.stderr


def test_usage_errors_are_exit_status_two(paced):
    for words in [[], ["dance"], ["start", "swim"], ["--runtime-dir"], ["--runtime-dir", "/" + "x" * 200, "status"]]:
        result = subprocess.run([PACECTL, *words], capture_output=True, text=True)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert result.stderr.endswith("see 'pacectl --help'\n")


def test_help_and_version_need_no_daemon():
    assert "Usage: pacectl" in subprocess.run([PACECTL, "--help"], capture_output=True, text=True).stdout
    assert subprocess.run([PACECTL, "--version"], capture_output=True, text=True).stdout.startswith("pacectl ")


def test_sockets_are_found_without_being_named(paced, tmp_path):
    (tmp_path / "paced").symlink_to(paced.directory)
    # A daemon of the system comes before one's own.
    daemon = "/run/paced" if os.path.exists("/run/paced/state.sock") else str(tmp_path / "paced")
    result = subprocess.run([PACECTL, "pause"], capture_output=True, text=True,
                            env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)})
    assert (paced.asked != []) == (daemon != "/run/paced"), result.stderr
