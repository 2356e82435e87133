"""pacectl's commands and its lines, against a fake daemon."""

import json
import os
import pathlib
import signal
import subprocess

import pytest

from harness.fake_paced import HOSTILE, RUN, SETTINGS, SUMMARY, VERSION, FakePaced
from harness.process import PACECTL
from harness.timing import wait_for


def pacectl(paced, *words, **options):
    options = {"capture_output": True, "text": True, "timeout": 20} | options
    return subprocess.run([PACECTL, "--runtime-dir", paced.directory, *words], **options)


# Lines


def read_lines(program, count):
    return [program.stdout.readline() for _ in range(count)]


def watching(paced, *words, **environment):
    return subprocess.Popen([PACECTL, "--runtime-dir", paced.directory, "watch", *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=os.environ | environment)


def test_watch_prints_lines_without_a_terminal(paced):
    with watching(paced) as program:
        lines = read_lines(program, 3)
        program.terminate()
    assert lines == ["Running  27:12  5.03 km  5:12 min/km  148 bpm, Zone 2\n"] * 3
    assert paced.watches[-1]["interval_ms"] == 1000


def test_watch_prints_lines_on_a_dumb_terminal(paced, screen):
    terminal = screen(environment=["TERM=dumb"])
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "watch")
    terminal.wait_for("Running  27:12  5.03 km")
    program = pathlib.Path(f"/proc/{terminal.pid_of_pacectl()}")
    terminal.type("C-c")
    wait_for(lambda: not program.exists(), 60, "the end of pacectl")


def test_json_lines_are_those_of_the_daemon(paced):
    paced.state = RUN | {"heart": RUN["heart"] | {"name": "Pólar"}, "later": [1e-7]}
    with watching(paced, "--json") as program:
        lines = read_lines(program, 6)
        program.terminate()
    assert lines[0] == json.dumps(VERSION, separators=(",", ":")) + "\n"
    states = [json.loads(line) for line in lines if '"class":"STATE"' in line]
    assert [state["seq"] for state in states] == list(range(1, len(states) + 1))
    assert states[0] == paced.state | {"seq": 1}
    assert [json.loads(line)["class"] for line in lines].count("SETTINGS") == 1
    assert paced.watches[-1]["classes"] == ["STATE", "EVENT", "SETTINGS"]


def test_watch_continues_when_the_daemon_returns(tmp_path):
    first = FakePaced(tmp_path)
    with watching(first, "--json") as program:
        read_lines(program, 3)
        first.stop()
        assert program.stderr.readline() == "pacectl: paced closed the connection, reconnecting\n"
        second = FakePaced(tmp_path)
        while "VERSION" not in program.stdout.readline():
            pass
        program.terminate()
    second.stop()


def test_closed_reader_ends_watch(paced):
    program = watching(paced, "--json")
    read_lines(program, 2)
    program.stdout.close()
    assert program.wait(timeout=60) == -signal.SIGPIPE
    program.stderr.close()


def test_full_disk_is_an_error(paced):
    with open("/dev/full", "w") as full:
        result = pacectl(paced, "watch", "--json", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert (result.returncode, result.stderr) == (
        1, "pacectl: cannot write to standard output: No space left on device\n")


# Commands


def test_status_reports_the_run(paced):
    result = pacectl(paced, "status")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Running, activity 17" in result.stdout
    assert "5.03 km" in result.stdout
    assert pacectl(paced, "--imperial", "status").stdout.count("3.13 mi") == 1
    assert json.loads(pacectl(paced, "status", "--json").stdout) == RUN | {"seq": 1}


def test_hostile_names_are_harmless_in_status_and_settings(paced):
    paced.state = RUN | {"heart": RUN["heart"] | {"name": HOSTILE}}
    for words in [["status"], ["settings"]]:
        paced.settings = SETTINGS | {"sensors": [HOSTILE.replace("\x1b", "")]}
        text = pacectl(paced, *words).stdout
        assert "owned" in text
        assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028" for c in text)


@pytest.mark.parametrize("words, asked, said", [
    (["start"], ("run.start", {}), "Started, activity 17.\n"),
    (["start", "ride", "--indoor"], ("run.start", {"sport": "ride", "indoor": True}), "Started, activity 17.\n"),
    (["start", "--ago", "30"], ("run.start", {"ago_ms": 30000}), "Started, activity 17.\n"),
    (["pause"], ("run.pause", {}), "Paused at 3:12.\n"),
    (["resume"], ("run.resume", {}), "Resumed at 3:12.\n"),
    (["lap"], ("run.lap", {}), "Lap closed at 3:12.\n"),
    (["stop"], ("run.stop", {}), "Stopped: activity 17, 5.03 km, in 27:12, 5:24 min/km, 141 bpm on average, "
                                 "163 bpm at most.\n"),
    (["discard", "--imperial"], ("run.discard", {}), "Discarded: activity 17, 3.13 mi, in 27:12, 8:41 min/mi, "
                                                     "141 bpm on average, 163 bpm at most.\n"),
    (["settings", "get", "zones"], ("settings.get", {"key": "zones"}), "[114,133,152,171,180]\n"),
    (["settings", "set", "sport", "hike"], ("settings.set", {"key": "sport", "value": "hike"}), '"hike"\n'),
    (["settings", "set", "metric", "yes"], ("settings.set", {"key": "metric", "value": True}), "true\n"),
    (["settings", "set", "metric", "0"], ("settings.set", {"key": "metric", "value": False}), "false\n"),
    (["settings", "set", "zones", "114, 133 152,171 180"],
     ("settings.set", {"key": "zones", "value": [114, 133, 152, 171, 180]}), "[114,133,152,171,180]\n"),
    (["settings", "set", "sensors", "auto"], ("sensor.use", {"sensor": "auto"}), "Selected: the known strap, or the one in range.\n"),
    (["settings", "set", "sensors", "off"], ("sensor.use", {"sensor": "off"}), "Sensors are switched off.\n"),
    (["settings", "set", "sensors", "9AD13824, Polar H10 1"],
     ("settings.set", {"key": "sensors", "value": ["9AD13824", "Polar H10 1"]}), '["9AD13824","Polar H10 1"]\n'),
    (["settings", "set", "zones", "null"], ("settings.set", {"key": "zones", "value": None}), "unset\n"),
    (["settings", "reset", "zones"], ("settings.set", {"key": "zones", "value": None}), "unset\n"),
])
def test_commands_send_a_request_and_print_the_result(paced, words, asked, said):
    result = pacectl(paced, *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, said, "")
    assert asked in paced.asked[-3:]


def test_json_answers_are_those_of_the_daemon(paced):
    assert pacectl(paced, "--json", "start").stdout == '{"activity":17}\n'
    assert json.loads(pacectl(paced, "--json", "stop").stdout) == SUMMARY
    assert json.loads(pacectl(paced, "--json", "settings").stdout) == SETTINGS
    assert pacectl(paced, "settings").stdout.splitlines()[0] == "metric                true"


@pytest.mark.parametrize("error, said", [
    ({"code": -32001, "message": "not in this state", "data": {"state": "idle", "message": "cannot pause while idle"}},
     "cannot pause while idle; 'pacectl start' starts a run"),
    ({"code": -32001, "message": "not in this state", "data": {"state": "paused", "message": "cannot lap while paused"}},
     "cannot lap while paused; resume, stop and discard are possible"),
    ({"code": -32004, "message": "invalid value", "data": {"field": "zones", "message": "one is wrong\ntwo is wrong"}},
     "one is wrong; two is wrong"),
    ({"code": -32603, "message": "Internal error\x1b[2J"}, "Internal error\ufffd[2J"),
    ({"code": 1}, "paced rejected the request without a reason"),
])
def test_rejected_command_reports_its_reason_in_one_line(paced, error, said):
    paced.refusal = error
    for words in [["pause"], ["pause", "--json"]]:
        result = pacectl(paced, *words)
        assert (result.returncode, result.stdout, result.stderr) == (1, "", f"pacectl: {said}\n")


def test_missing_daemon_gives_exit_status_three(tmp_path):
    for words in [["status"], ["watch"], ["start"], ["settings"]]:
        result = subprocess.run([PACECTL, "--runtime-dir", tmp_path, *words], capture_output=True, text=True)
        assert (result.returncode, result.stdout) == (3, "")
        assert result.stderr.startswith(f"pacectl: paced is not running at {tmp_path}")
        assert result.stderr.count("\n") == 1


def test_silent_daemon_gives_exit_status_three(paced):
    paced.speaks = False
    result = pacectl(paced, "status")
    assert (result.returncode, result.stderr.count("\n")) == (3, 1)
    assert "does not respond" in result.stderr


def test_usage_errors_give_exit_status_two(paced):
    for words in [[], ["dance"], ["start", "swim"], ["--runtime-dir"], ["--runtime-dir", "/" + "x" * 200, "status"]]:
        result = subprocess.run([PACECTL, *words], capture_output=True, text=True)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert result.stderr.endswith("see 'pacectl --help'\n")


def test_help_and_version_need_no_daemon():
    assert "Usage: pacectl" in subprocess.run([PACECTL, "--help"], capture_output=True, text=True).stdout
    assert subprocess.run([PACECTL, "--version"], capture_output=True, text=True).stdout.startswith("pacectl ")


def test_sockets_are_found_without_an_option(paced, tmp_path):
    (tmp_path / "paced").symlink_to(paced.directory)
    # A system daemon has precedence over the user's.
    daemon = "/run/paced" if os.path.exists("/run/paced/state.sock") else str(tmp_path / "paced")
    result = subprocess.run([PACECTL, "pause"], capture_output=True, text=True,
                            env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)})
    assert (paced.asked != []) == (daemon != "/run/paced"), result.stderr


# Straps


H10 = {"address": "A0:9E:1A:00:00:01", "address_type": "public", "name": "Polar H10 9AD13824", "rssi_dbm": -52,
       "kinds": ["heart-rate"],
       "services": ["180d", "180f"]}
H9 = {"address": "F6:01:02:03:04:05", "address_type": "random", "rssi_dbm": -81, "kinds": ["heart-rate"],
      "services": ["180d"]}


def test_scan_fills_a_table_on_a_terminal(paced, screen):
    paced.straps = [[], [H10], [H10 | {"rssi_dbm": -60}, H9]]
    terminal = screen()
    terminal.run(PACECTL, "--runtime-dir", paced.directory, "scan")
    terminal.wait_for("2 sensors. 'pacectl sensors add \"Polar H10 9AD13824\"' selects one.")
    shown = terminal.tmux("capture-pane", "-p", "-t", "0").splitlines()
    rows = [line for line in shown if ":" in line and "dBm" in line]
    assert [row.split()[0] for row in rows] == ["Polar", "–"]
    assert "-60 dBm" in rows[0] and "-81 dBm" in rows[1]
    assert not any("Scanning" in line for line in shown)
    assert [method for method, _ in paced.asked] == ["sensor.scan"] * 5
    assert sum(params["seconds"] for _, params in paced.asked) == 10


def test_scan_without_a_terminal_prints_one_table(paced):
    paced.straps = [[H10, H9]]
    result = pacectl(paced, "scan", "--seconds", "3")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Polar H10 9AD13824  A0:9E:1A:00:00:01  public  -52 dBm  heart rate" in result.stdout
    assert paced.asked == [("sensor.scan", {"seconds": 3})]
    assert json.loads(pacectl(paced, "scan", "--json").stdout) == [H10, H9]
    paced.straps = [[]]
    assert pacectl(paced, "scan").stdout.startswith("No sensor found")


def test_rejected_scan_reports_its_reason(paced):
    paced.refusal = {"code": -32002, "message": "busy", "data": {"message": "a scan is on"}}
    result = pacectl(paced, "scan")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "pacectl: a scan is on\n")


@pytest.mark.parametrize("words, asked, said", [
    (["use", "9AD13824"], ("sensor.use", {"sensor": "9AD13824"}), "9AD13824 is selected.\n"),
    (["add", 'a"b'], ("sensor.use", {"sensor": 'a"b', "add": True}), 'a"b is added.\n'),
    (["auto"], ("sensor.use", {"sensor": "auto"}), "Selected: the known strap, or the one in range.\n"),
    (["off"], ("sensor.use", {"sensor": "off"}), "Sensors are switched off.\n"),
    (["forget"], ("sensor.forget", {}), "All sensors are forgotten.\n"),
    (["forget", "9AD13824"], ("sensor.forget", {"sensor": "9AD13824"}), "Forgotten: 9AD13824.\n"),
])
def test_sensor_commands_send_a_request_and_print_the_result(paced, words, asked, said):
    result = pacectl(paced, "sensors", *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, said, "")
    assert paced.asked[-1] == asked


POWER = {"id": "C6:05:04:03:02:01/random", "kinds": ["power", "speed-cadence"], "name": "Assioma " + HOSTILE,
         "address": "C6:05:04:03:02:01", "link": "connected", "battery_percent": 90, "manufacturer": "Favero",
         "power_w": 0, "cadence_rpm": 87.5, "speed_mps": 10, "age_ms": 3200, "stale": True}
RADAR = {"id": "C6:05:04:03:02:02/random", "kinds": ["radar"], "name": "Varia", "link": "disconnected",
         "reason": "out-of-range"}


def test_sensors_are_listed_with_their_values(paced):
    paced.settings = SETTINGS | {"sensors": ["Assioma", "Varia"]}
    paced.sensors = [POWER, RADAR]
    text = pacectl(paced, "sensors").stdout
    lines = text.splitlines()
    assert lines[0].split() == ["SENSOR", "MEASURES", "LINK", "VALUES", "AGE", "BATTERY", "MAKER"]
    assert "power, speed and cadence" in lines[1] and "0 W, 88 /min, 36.0 km/h, stale" in lines[1]
    assert lines[1].endswith("3 s     90 %  Favero")
    assert lines[2].split() == ["Varia", "radar", "disconnected:", "out", "of", "range"]
    assert lines[4:] == ["Strap      Polar H10 00000001 connected, battery 80 %", "Selected   Assioma, Varia",
                         "Bluetooth  kernel"]
    assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028" for c in text)
    answer = json.loads(pacectl(paced, "sensors", "--json").stdout)
    assert answer == {"selected": ["Assioma", "Varia"], "heart": RUN["heart"], "bluetooth": RUN["bluetooth"],
                    "faults": [], "sensors": [POWER, RADAR]}


def test_sensors_name_what_is_in_range_while_the_choice_is_open(paced):
    paced.state = RUN | {"heart": {"link": "disconnected", "reason": "ambiguous", "name": "A, " + HOSTILE}}
    text = pacectl(paced, "sensors", "status").stdout
    assert "select yours" in text and "In range   A, " in text and "Selected   auto: " in text
    assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028" for c in text)
