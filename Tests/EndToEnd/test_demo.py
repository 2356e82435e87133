"""--demo and make run: a run that starts automatically, on a live screen."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

from harness.process import PACECTL, PACED, PROGRAMS, ROOT, ManagedProcess, Namespace, Paced
from harness.timing import wait_for

pytestmark = pytest.mark.fast_clock


def running(text):
    """The processes whose command line contains a text."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in command:
            found.append(int(path.parent.name))
    return found


def demo(stage):
    """Tools/demo with programs at a path with a space."""
    programs = stage.directory / "built programs"
    if not programs.exists():
        programs.symlink_to(PROGRAMS)
    return stage.terminal(f"PACED_BIN='{programs}' TMPDIR={stage.directory} Tools/demo; echo ended with $?; sleep 60")


def test_demo_shows_a_moving_screen_within_ten_seconds(stage):
    start = time.monotonic()
    terminal = demo(stage)
    wait_for(lambda: "Running" in terminal.text(), 60, "the screen of a run")
    seen = set()
    wait_for(lambda: seen.add(terminal.text()) or len(seen) > 5, 60, "a screen that moves")
    print(f"a living screen after {time.monotonic() - start:.1f} s")


def test_q_and_ctrl_c_end_both_programs_and_remove_their_files(stage):
    for key, status in [("q", "0"), ("C-c", "130")]:
        terminal = demo(stage)
        wait_for(lambda: "Running" in terminal.text(), 60, "the screen of a run")
        assert len(running(str(stage.directory))) >= 3
        terminal.type(key)
        ended = wait_for(lambda: (text := terminal.text()) and "ended with" in text and text, 60, f"an end after {key}")
        assert f"ended with {status}" in ended or (key == "C-c" and "ended with 0" in ended)
        assert [pid for pid in running("--demo=run --runtime-dir " + str(stage.directory))] == []
        assert list(stage.directory.glob("tmp.*")) == []
        terminal.end()


def test_killed_demo_leaves_no_process(stage):
    terminal = demo(stage)
    wait_for(lambda: "Running" in terminal.text(), 60, "the screen of a run")
    killed = []
    for pid in running("Tools/demo"):
        # Those of other tests may end at any time.
        with contextlib.suppress(OSError):
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
            if os.readlink(f"/proc/{pid}/cwd") == str(ROOT) and str(stage.directory) in environment:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
    assert killed
    wait_for(lambda: running("--runtime-dir " + str(stage.directory)) == [], 60, "the end of both programs")


def test_make_run_builds_and_starts_the_demo():
    # Without the variables of a make that runs this test.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"}
    said = subprocess.run(
        ["make", "-n", "run"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.rstrip().endswith("Tools/demo")


def test_key_shows_the_page_of_the_demo_with_a_fresh_code_each_minute(stage):
    terminal = demo(stage)

    def code():
        found = re.search(r"The code (\S+) lets one browser watch and command", terminal.text())
        return found and found[1]
    wait_for(lambda: "a address" in terminal.text(), 60, "the key")
    terminal.type("a")
    first = wait_for(code, 60, "a code")
    assert re.search(rf"http://127\.0\.0\.1:\d+/#code={first}", terminal.text())
    assert wait_for(lambda: (now := code()) and now != first and now, 120, "another code") != first
    terminal.type("?")
    wait_for(lambda: "The code" not in terminal.text(), 60, "the run screen")
    terminal.type("?")
    wait_for(lambda: "leaves, and ends the demo" in terminal.text(), 60, "the help")
    terminal.type("q")
    wait_for(lambda: "ended with 0" in terminal.text(), 60, "the end of the demo")
    sockets = pathlib.Path("/run") if os.geteuid() == 0 else base
    assert not (sockets / "paced").exists() and not (sockets / "paced-web").exists(), "the next demo has no place there"


@pytest.mark.thorough
def test_make_run_shows_the_screen_before_the_page_is_built(stage):
    """In a terminal of this checkout, where everything is built: the sockets are where pacectl finds them by itself."""
    base = stage.directory / "base"
    base.mkdir(mode=0o700)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PACED", "LD_PRELOAD"))}
    terminal = stage.terminal(f"env -u PACED_BIN -u LD_PRELOAD XDG_RUNTIME_DIR={base} TMPDIR={stage.directory} make run; sleep 60")
    wait_for(lambda: "Running" in terminal.text(), 1200, "the screen of a run")
    wait_for(lambda: "a address" in terminal.text(), 1200, "the page")
    said = subprocess.run(
        [PACECTL, "web", "code"], env=environment | {"XDG_RUNTIME_DIR": str(base)}, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0 and "/#code=" in said.stdout
    terminal.type("q")
    wait_for(lambda: list(stage.directory.glob("tmp.*")) == [], 60, "no file of the demo")


def test_demo_starts_a_run_and_its_strap_drops_out_and_returns(stage):
    reader = stage.reader(stage.paced("--demo"), since=0, interval_ms=1000)
    # An event may come before the daemon reads that all are wanted.
    watched = reader.lines.index(reader.first("WATCH"))
    oldest = reader.wait("an event", lambda line: line["class"] == "EVENT", 60, watched)
    assert oldest["seq"] == reader.first("VERSION")["events"]["first"]
    lost = reader.first("EVENT", seconds=240, event="link", link_of="heart", link="disconnected", reason="searching")
    # Of late ticks, which share a line, few are at a whole second.
    reader.send('{"class":"WATCH","interval_ms":100}')
    back = wait_for(
        lambda: next((event for event in reader.of("EVENT") if event["seq"] > lost["seq"]
                      and (event["event"], event.get("link_of"), event.get("link")) == ("link", "heart", "connected")), None),
        60, "the strap again")
    # The heart rate disappears with the link, and returns with it.
    states = reader.of("STATE")
    without = [state for state in states if lost["boot_ms"] < state["boot_ms"] < back["boot_ms"]]
    assert without and all("bpm" not in state["heart"] for state in without)
    after = [state for state in states if state["boot_ms"] > back["boot_ms"] + 3000]
    if not after:
        wait_for(lambda: reader.of("STATE")[-1]["boot_ms"] > back["boot_ms"] + 3000, 60, "states after that")
    assert 60 < reader.of("STATE")[-1]["heart"]["bpm"] < 190
    # A tunnel too: the position went stale or absent, and returned.
    kinds = [event.get("fix") for event in reader.of("EVENT") if event["event"] == "fix"]
    assert "stale" in kinds and kinds.count("fresh") >= 2
    assert {state["run"] for state in states} == {"active"}


def test_blocks_have_the_fields_the_laps_and_the_zones_of_a_run(stage):
    paced = stage.paced("--demo")
    control = paced.control
    control.result("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    control.result("settings.set", key="use_heart_rate_zones", value=True)
    control.result("settings.set", key="max_heart_rate", value=190)
    blocks = stage.reader(paced, blocks=["zones", "fields", "lap"])
    plain = stage.reader(paced)
    wanted = {"time", "pace", "speed_3s", "heart_rate", "heart_rate_percent_max", "time_in_zone", "altitude", "average_speed"}
    state = wait_for(
        lambda: next((state for state in reversed(blocks.of("STATE"))
                      if wanted <= state.get("blocks", {}).get("fields", {}).keys()), None),
        60, "a state with the values of a run")
    fields = state["blocks"]["fields"]
    assert fields["time"] == pytest.approx(state["elapsed_ms"] / 1000)
    assert fields["heart_rate"] == state["heart"]["bpm"] and fields["distance"] == state["distance_m"]
    assert fields["average_speed"] == pytest.approx(1 / state["average_pace_s_per_m"], abs=0.01)
    assert 0 < sum(state["blocks"]["zones"]["time_ms"]) <= state["elapsed_ms"]
    control.result("run.lap")
    state = wait_for(
        lambda: next((state for state in blocks.of("STATE") if "last" in state.get("blocks", {}).get("lap", {})), None),
        60, "a state of the second lap")
    assert state["blocks"]["lap"]["last"]["number"] == 1 and state["blocks"]["lap"]["number"] == 2
    assert all("blocks" not in state for state in plain.of("STATE"))
    assert max(len(state.text) for state in blocks.of("STATE")) < 8192


def test_strap_of_the_demo_is_one_of_its_sensors(stage):
    reader = stage.reader(stage.paced("--demo"), blocks=["sensors"])

    def sensors(state):
        # A STATE before the subscription has no blocks.
        return state.get("blocks", {}).get("sensors", [])

    def measures(line):
        return line["class"] == "STATE" and any("bpm" in sensor for sensor in sensors(line))

    state = reader.wait("a heart rate of a sensor", measures, 60)
    strap, = sensors(state)
    assert (strap["name"], strap["kinds"], strap["link"]) == ("Simulated strap", ["heart-rate"], "connected")
    assert strap["bpm"] == state["heart"]["bpm"] and strap["battery_percent"] == state["heart"]["battery_percent"]


def test_demo_has_a_ride_and_an_indoor_session(stage):
    def state_at(paced, milliseconds):
        return stage.reader(paced).wait(
            "a state of the run", lambda line: line.get("run") == "active" and line["elapsed_ms"] >= milliseconds, 60)

    state = state_at(stage.paced("--demo=ride"), 12_000)
    assert state["sport"] == "ride" and state["demo"] is True and state["distance_m"] > 20 and state["speed_mps"] > 2
    indoor = stage.start(Paced(stage.directory / "indoor", "--demo=indoor", log=stage.directory / "indoor.log"))
    state = state_at(indoor, 5000)
    assert state["sport"] == "ride" and state["demo"] is True and state["distance_m"] == 0 and state["heart"]["bpm"] > 60
    assert "position" not in state and state["gpsd"] == {"link": "disconnected", "reason": "off"}


class RootDemo(ManagedProcess):
    """A demo as root in a mount namespace with an empty /run and /var/lib, and pacectl beside it."""

    def __init__(self, stage, board):
        self.within = [*board.within, "env", "-u", "XDG_RUNTIME_DIR", "-u", "XDG_STATE_HOME", f"HOME={stage.directory}"]
        super().__init__([*self.within, PACED, "--demo"], log=stage.directory / "log")

    def wait_until_ready(self):
        wait_for(lambda: " serves /run/paced" in self.log_text(), 60, "a daemon that serves")

    def pacectl(self, *words):
        done = subprocess.run([*map(str, self.within), PACECTL, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def activities(self):
        return [json.loads(line) for line in self.pacectl("activities", "--json").splitlines()]


@pytest.fixture
def board(stage):
    board = stage.start(Namespace("mount"))
    for directory in ("/run", "/var/lib"):
        board.call("mount", "-t", "tmpfs", "none", directory)
    return board


def test_demo_as_root_records_beside_the_journal_of_the_service(stage, board):
    demo = RootDemo(stage, board)
    demo.pacectl("import", ROOT / "Tests/Data/gpx_tcx/togeojson-run_gpxtpx.gpx")
    stage.start(demo)
    wait_for(lambda: "the demo records into /var/lib/paced-demo" in demo.log_text(), 60, "where the demo records")
    losses = "the demo loses on purpose GPS after 75 s, in a tunnel of 20 s, and the strap after 150 s"
    wait_for(lambda: losses in demo.log_text(), 60, "what the demo loses")
    wait_for(lambda: [one.get("demo") for one in demo.activities()] == [True], 60, "the activity of the demo")
    demo.stop()
    assert ["demo" in one for one in demo.activities()] == [False]


def test_activity_of_a_demo_is_no_result_of_the_real_journal(stage):
    def pacectl(*words, status=0):
        done = subprocess.run(
            [PACECTL, "--runtime-dir", stage.directory / "run", "--state-dir", stage.directory / "state", *words],
            capture_output=True, text=True)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    demo = stage.paced("--demo")
    reader = stage.reader(demo)
    reader.wait("a run", lambda line: line.get("run") == "active" and line["elapsed_ms"] >= 3000, 60)
    demo.kill()
    # The service, which ends what the demo left open, and exports its own run after it.
    service = stage.paced("--gpsd", "off", "--sensors", "off")
    wait_for(lambda: [one["open"] for one in service.call("activities.list")] == [False], 60, "the end of the demo's run")
    assert pacectl("activities").rstrip().endswith("demo")
    assert pacectl("activities", "--totals", "year") == "No activity matches.\n"
    service.call("run.start")
    reader = stage.reader(service)
    reader.wait("a run", lambda line: line.get("run") == "active" and line["elapsed_ms"] >= 1000, 60)
    service.call("run.stop")
    exports = stage.directory / "state/exports"
    wait_for(lambda: exports.exists() and list(exports.glob("[!.]*")), 60, "the file of the run")
    assert len(list(exports.glob("*"))) == 1
    said = pacectl("export", "--all", "--format", "csv", "-o", str(stage.directory / "all"))
    assert "left out: 1 of the demo" in said and len(list((stage.directory / "all").glob("*"))) == 1
    assert json.loads(pacectl("activities", "--totals", "year", "--json"))["activities"] == 1
    assert pacectl("delete", "--now", "--demo") == "Erased: activity 1.\n"
    assert [one["id"] for one in service.call("activities.list")] == [2]
    assert "nothing is deleted" in pacectl("delete", "--demo", status=1)
