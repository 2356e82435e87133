"""paced --replay and pacectl watch --replay: a recording served as if it happened now."""

import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

from harness.fixture import ProcessFixture
from harness.process import PACECTL, PACED, ROOT, Paced
from harness.timing import wait_for
from matrix import matrix

GPX = ROOT / "Tests/Data/gpx_tcx/togeojson-run_gpxtpx.gpx"


@pytest.fixture
def temporary():
    """The directory of temporary files; all of them must be gone at the end. A socket's path is short."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-test-", dir="/tmp"))
    yield directory
    try:
        wait_for(lambda: list(directory.iterdir()) == [], 60, "the removal of the private directories")
    finally:
        shutil.rmtree(directory)


@pytest.fixture
def stage(temporary):
    """Ends before the check of the temporary files."""
    stage = ProcessFixture()
    yield stage
    stage.end()


@pytest.fixture
def ride(tmp_path):
    """A ride of six minutes with two laps, a pause of a minute, beats, positions and a distance by a wheel."""
    file = tmp_path / "ride.tcx"

    def time(at):
        return f"2026-03-01T07:{at // 60:02}:{at % 60:02}Z"

    def track(first, last, pause):
        points = "".join(
            f"<Trackpoint><Time>{time(second + pause)}</Time><Position><LatitudeDegrees>{52.5 + second * 5.84e-5:.7f}"
            "</LatitudeDegrees><LongitudeDegrees>13.4</LongitudeDegrees></Position><AltitudeMeters>40</AltitudeMeters>"
            f"<DistanceMeters>{second * 6.6:.1f}</DistanceMeters><HeartRateBpm><Value>{120 + second % 29}</Value>"
            "</HeartRateBpm></Trackpoint>" for second in range(first, last + 1))
        return f"<Track>{points}</Track>"

    def lap(began, tracks, metres):
        return (f'<Lap StartTime="{time(began)}"><TotalTimeSeconds>180</TotalTimeSeconds><DistanceMeters>{metres}'
                f"</DistanceMeters><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>{tracks}</Lap>")

    file.write_text(
        '<?xml version="1.0"?><TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">'
        '<Activities><Activity Sport="Biking"><Id>2026-03-01T07:00:00Z</Id>' + lap(0, track(0, 180, 0), 1188)
        + lap(180, track(180, 240, 0) + track(240, 360, 60), 1188) + "</Activity></Activities></TrainingCenterDatabase>")
    return file


def imported(file, state):
    """The summary of an import of a file."""
    done = subprocess.run([PACECTL, "--state-dir", state, "import", "--again", "--json", file], capture_output=True,
                          text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def replayed(stage, temporary, recording, *options):
    return stage.paced("--replay", recording, *options, TMPDIR=str(temporary))


def summary_of(reader, seconds=60):
    return reader.first("EVENT", seconds=seconds, event="stop")["summary"]


def expect_same_figures(found, wanted):
    for name in ("sport", "elapsed_ms", "moving_ms", "total_ms", "laps", "max_bpm"):
        assert found.get(name) == wanted.get(name), (name, found, wanted)
    assert found["distance_m"] == pytest.approx(wanted["distance_m"], abs=0.011)
    if "average_bpm" in wanted:
        # An import weights a value by the time before it, the pipeline by the time after it.
        assert abs(found["average_bpm"] - wanted["average_bpm"]) <= 1


# Figures


@pytest.mark.parametrize("kind", matrix(["tcx", "tcx.gz", "fit", "gpx"], "fit"))
def test_figures_at_60_times_equal_those_of_an_import(stage, temporary, tmp_path, ride, kind):
    state = tmp_path / "imports"
    file = GPX if kind == "gpx" else ride
    if kind == "tcx.gz":
        file = tmp_path / "ride.tcx.gz"
        file.write_bytes(gzip.compress(ride.read_bytes()))
    if kind == "fit":
        imported(ride, state)
        file = tmp_path / "ride.fit"
        subprocess.run([PACECTL, "--state-dir", state, "export", "1", "-o", file], check=True, timeout=60)
    wanted = imported(file, state)
    paced = replayed(stage, temporary, file, "--speed", "60")
    found = summary_of(stage.reader(paced, since=0))
    expect_same_figures(found, wanted)
    assert found["demo"] is True
    assert paced.end()[0] == 0


@pytest.mark.thorough
def test_pauses_and_laps_replay_as_such(stage, temporary, ride):
    reader = stage.reader(replayed(stage, temporary, ride, "--speed", "60"), since=0, interval_ms=1000)
    summary_of(reader)
    events = [event for event in reader.of("EVENT") if event["event"] in ("start", "pause", "resume", "lap", "stop")]
    assert [event["event"] for event in events] == ["start", "lap", "pause", "resume", "stop"]
    began = events[0]["boot_ms"]
    assert [event["boot_ms"] - began for event in events] == pytest.approx([0, 180_000, 240_000, 300_000, 420_000], abs=2)
    assert events[1]["lap"]["distance_m"] == pytest.approx(1188, abs=0.1)
    states = reader.of("STATE")
    assert {"active", "paused"} <= {state["run"] for state in states}
    active = [state for state in states if state["run"] == "active" and state["elapsed_ms"] > 10_000]
    # At most ten states a second, each at a whole second of the run. Those of a busy machine are fewer.
    assert 5 <= len(active) <= 90
    assert all(state["elapsed_ms"] % 1000 == 0 for state in active)
    rates = [state["heart"]["bpm"] for state in active if "bpm" in state["heart"]]
    # At the resume, the last heart rate is a minute old.
    assert len(rates) >= len(active) - 2 and all(120 <= rate <= 150 for rate in rates)


@pytest.mark.thorough
def test_replay_at_speed_one_has_the_time_of_the_machine(stage, temporary, ride):
    reader = stage.reader(replayed(stage, temporary, ride))
    state = reader.wait("five seconds", lambda line: line.get("run") == "active" and line["elapsed_ms"] >= 5000, 60)
    assert state["sport"] == "ride" and state["distance_m"] == pytest.approx(state["elapsed_ms"] / 1000 * 6.6, abs=6.7)
    # The time of the recording is months away.
    assert abs(state.at - state["boot_ms"]) < 15_000
    assert state["clock"] == "system" and state["time"][:2] == "20"
    assert state["heart"]["link"] == state["gpsd"]["link"] == "connected"


@pytest.mark.thorough
def test_loop_begins_again_with_the_same_figures(stage, temporary):
    reader = stage.reader(replayed(stage, temporary, GPX, "--speed", "60", "--loop"), since=0)
    stops = wait_for(
        lambda: (found := [event["summary"] for event in reader.of("EVENT") if event["event"] == "stop"])[1:] and found,
        120, "the end of two passes")
    assert [stop["id"] for stop in stops[:2]] == [1, 2]
    for name in ("elapsed_ms", "distance_m", "max_bpm", "laps"):
        assert stops[0].get(name) == stops[1].get(name), name


def test_commands_change_the_replayed_run(stage, temporary, ride):
    paced = replayed(stage, temporary, ride)
    reader = stage.reader(paced)
    reader.first("STATE", seconds=60, run="active")
    paced.control.result("run.pause")
    reader.first("STATE", run="paused")
    paced.control.result("run.stop")
    reader.first("STATE", run="idle")
    assert paced.control.result("run.start", sport="run") == {"activity": 2}


# Nothing is recorded


def test_nothing_is_recorded(stage, temporary):
    paced = replayed(stage, temporary, GPX, "--speed", "60")
    reader = stage.reader(paced, since=0)
    summary_of(reader)
    assert {state["recorder"]["state"] for state in reader.of("STATE")} == {"off"}
    assert paced.control.result("activities.list") == []
    for method, parameters in [("activities.delete", {"id": 1}), ("upload.begin", {"kind": "activity"})]:
        assert paced.control.call(method, **parameters)["message"] == "busy"
    paced.control.result("settings.set", key="auto_lap_m", value=500)
    assert paced.end()[0] == 0
    assert not (stage.directory / "state").exists()
    assert not paced.state_socket.exists()


@pytest.mark.thorough
def test_activity_of_a_running_daemon_is_replayed(stage, temporary, tmp_path, ride):
    live = stage.paced("--gpsd", "off", "--sensors", "off")
    done = subprocess.run([PACECTL, "--runtime-dir", live.runtime, "import", "--json", ride], check=True, timeout=60,
                          capture_output=True, text=True)
    wanted = json.loads(done.stdout)
    journal = stage.directory / "state/journal.sqlite"
    before = journal.read_bytes()
    other = Paced(tmp_path / "other", "--replay", str(wanted["id"]), "--speed", "60", state=stage.directory / "state",
                  log=tmp_path / "log", TMPDIR=str(temporary))
    stage.start(other)
    expect_same_figures(summary_of(stage.reader(other, since=0)), wanted)
    assert journal.read_bytes() == before
    assert len(live.control.result("activities.list")) == 1
    assert other.end()[0] == 0


def test_directory_of_the_sockets_is_private_without_an_option(temporary):
    daemon = subprocess.Popen([PACED, "--replay", GPX], stderr=subprocess.PIPE, text=True,
                              env=os.environ | {"TMPDIR": str(temporary), "XDG_RUNTIME_DIR": str(temporary / "none")})
    line = next(line for line in daemon.stderr if " serves " in line)
    runtime = pathlib.Path(line.split(" serves ")[1].strip())
    assert temporary in runtime.parents and runtime.parent.stat().st_mode & 0o777 == 0o700
    assert (runtime / "state.sock").is_socket()
    daemon.terminate()
    assert daemon.wait(60) == 0


# Wrong uses


@pytest.mark.thorough
@pytest.mark.parametrize("prefix, variables", [
    (["sh", "-c", 'SYSTEMD_EXEC_PID=$$ exec "$0" "$@"'], {}), ([], {"NOTIFY_SOCKET": "@nobody"})])
def test_replay_is_refused_under_systemd(tmp_path, temporary, prefix, variables):
    done = subprocess.run(
        [*prefix, PACED, "--replay", GPX, "--runtime-dir", tmp_path / "run"], capture_output=True, text=True, timeout=60,
        env=os.environ | variables | {"TMPDIR": str(temporary)})
    assert done.returncode == 2
    assert done.stderr == (
        "paced: --replay is refused under systemd: a service records; run paced --replay in a shell\n")
    assert not (tmp_path / "run").exists()


def wrong(options, temporary, program=(PACED,)):
    done = subprocess.run([*program, *options], capture_output=True, text=True, timeout=60,
                          env=os.environ | {"TMPDIR": str(temporary)})
    assert done.stdout == "" and done.stderr.count("\n") == 1, done.stderr
    return done.returncode, done.stderr.strip().split(": ", 1)[1]


@pytest.mark.parametrize("options, text", matrix([
    (["--speed", "2"], "--speed is an option of --replay only"),
    (["--loop"], "--loop is an option of --replay only"),
    (["--replay"], "--replay needs a value"),
    *[(["--replay", "a", "--speed", speed], "--speed takes a number from 0.1 to 60") for speed in ("0", "nan", "-1")],
    *[(["--replay", "a", option], f"--replay and {option.split('=')[0]} exclude each other: a replay uses the recording only")
      for option in ("--sensors=off", "--gpsd=localhost", "--demo")],
    (["--demo=swim"], "--demo takes one of run, ride, indoor")], ["--loop"]))
def test_wrong_options_are_usage_errors(temporary, options, text):
    assert wrong(options, temporary) == (2, text)


def test_unusable_recordings_are_errors_with_one_line(tmp_path, temporary, ride):
    state = tmp_path / "state"
    imported(ride, state)
    empty, text, unusable = tmp_path / "empty.fit", tmp_path / "text.gpx", tmp_path / "unusable.gpx"
    empty.write_bytes(b"")
    text.write_text("no recording\n")
    unusable.write_text('<gpx xmlns="http://www.topografix.com/GPX/1/1" creator="x" version="1.1"></gpx>')
    for recording, words in [
            (tmp_path / "missing.fit", "missing.fit"), (tmp_path, "it is a directory"), (empty, "empty.fit"),
            (text, "text.gpx"), (unusable, "unusable.gpx"), ("7", "7"), ("9999999999", "9999999999")]:
        for program in [(PACED, "--replay"), (PACECTL, "watch", "--replay")]:
            status, line = wrong([recording, "--state-dir", state], temporary, program)
            assert status == 1 and words in line, (status, line)


def parser(directory, lines):
    """A copy of paced beside a pacectl that prints lines."""
    programs = directory / "programs"
    if not programs.exists():
        programs.mkdir()
        shutil.copy(PACED, programs)
    (directory / "data").write_text(lines)
    (programs / "pacectl").write_text(f"#!/bin/sh\ncat {directory}/data\n")
    (programs / "pacectl").chmod(0o755)
    return programs


HEADER = '{"format":"paced-activity","version":1}'


@pytest.mark.thorough
def test_rows_that_a_parser_makes_up_are_rejected(tmp_path, temporary):
    header = HEADER
    for lines, words in [
            ("", "line 1"), (header, "the data is cut"),
            (header + '\n{"row":"sample","at_ms":0,"elapsed_ms":0}', "timer is stopped"),
            (header + '\n{"row":"begin","at_ms":0,"trigger":"command"}\n{"row":"sample","at_ms":-1,"elapsed_ms":0}', "at_ms"),
            (header + '\n{"row":"begin","at_ms":0,"trigger":"command"}\n'
             '{"row":"sample","at_ms":0,"elapsed_ms":0,"latitude":95,"longitude":0}', "latitude"), ("x" * 5000, "line 1")]:
        programs = parser(tmp_path, lines)
        status, line = wrong(["--replay", "1"], temporary, (programs / "paced",))
        assert status == 1 and words in line, line
    fake = programs / "pacectl"
    fake.write_text("#!/bin/sh\nyes | head -c 340000000\n")
    assert wrong(["--replay", "1"], temporary, (programs / "paced",)) == (1, "--replay: the recording is larger than 320 MiB")
    fake.unlink()
    assert wrong(["--replay", "1"], temporary, (programs / "paced",)) == (
        1, "--replay: pacectl, which reads the recording, is not in the directory of paced")


@pytest.mark.thorough
def test_many_rows_of_one_moment_are_replayed(stage, tmp_path, temporary):
    count = 100_000
    samples = '{"row":"sample","at_ms":0,"elapsed_ms":0,"latitude":52.5,"longitude":13.4,"bpm":120}\n' * count
    totals = '"elapsed_ms":0,"moving_ms":0,"distance_m":0'
    programs = parser(
        tmp_path, HEADER + '\n{"row":"begin","at_ms":0,"trigger":"command"}\n' + samples
        + '{"row":"end","at_ms":1000,"trigger":"command"}\n{"row":"lap-totals","began_ms":0,"ended_ms":1000,' + totals
        + '}\n{"row":"activity","rows":' + str(count + 2) + ',"sport":"run","started_utc_ms":0,"total_ms":1000,' + totals + "}")
    paced = stage.start(Paced(stage.directory, "--replay", "1", program=programs / "paced", TMPDIR=str(temporary)))
    reader = stage.reader(paced, since=0)
    assert paced.control.result("status")["demo"] is True
    assert summary_of(reader, seconds=120)["sport"] == "run"


# pacectl watch --replay


def replaying(directory):
    """The processes of paced whose temporary files are in a directory."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"--replay" in (path / "cmdline").read_bytes() and os.readlink(path / "exe") == str(PACED.resolve()):
                if f"TMPDIR={directory}".encode() in (path / "environ").read_bytes():
                    found.append(int(path.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("way", matrix(["q", "C-c", signal.SIGTERM, signal.SIGKILL], "q"))
def test_watched_replay_ends_with_the_screen(screen, temporary, ride, way):
    terminal = screen(environment=[f"TMPDIR={temporary}"])
    terminal.run(PACECTL, "watch", "--replay", ride, "--speed", "10")
    terminal.wait_for("Riding", seconds=60)
    assert len(replaying(temporary)) == 1 and len(list(temporary.iterdir())) == 1
    if isinstance(way, signal.Signals):
        os.kill(terminal.pid_of_pacectl(), way)
    else:
        terminal.type(way)
    terminal.wait_for("ready>", absent=["Riding"] if way != signal.SIGKILL else [])
    wait_for(lambda: replaying(temporary) == [], 60, "the end of paced")


@pytest.mark.thorough
@pytest.mark.parametrize("number, words", [(signal.SIGTERM, "stop requested"), (signal.SIGKILL, "paced ended with status 137")])
def test_end_of_a_watched_replay_is_an_error(screen, temporary, ride, number, words):
    terminal = screen(environment=[f"TMPDIR={temporary}"])
    terminal.run("sh", "-c", '"$@"; echo "ended with $?"', "sh", PACECTL, "watch", "--replay", ride)
    terminal.wait_for("Riding", seconds=60)
    os.kill(replaying(temporary)[0], number)
    terminal.wait_for(words, "ended with 1", absent=["Riding"])


@pytest.mark.thorough
def test_watched_replay_prints_lines_without_a_terminal(temporary, ride):
    with subprocess.Popen([PACECTL, "watch", "--replay", ride, "--metric", "--loop"], stdout=subprocess.PIPE, text=True,
                          env=os.environ | {"TMPDIR": str(temporary)}) as program:
        line = next(line for line in program.stdout if line.startswith("Riding"))
        program.terminate()
    assert "km" in line


def test_watched_replay_takes_no_runtime_directory(temporary, ride):
    status, line = wrong(["watch", "--replay", ride, "--runtime-dir", temporary], temporary, (PACECTL,))
    assert status == 2 and line.startswith("--replay and --runtime-dir exclude each other")
