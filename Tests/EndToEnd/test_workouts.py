"""Alerts and workouts: settings in words, FIT workout files of Garmin's own encoder, events, and their replay."""

import gzip
import json
import subprocess

import pytest

from harness import workouts
from harness.process import PACECTL
from harness.timing import wait_for
from harness.workouts import repeat, time

DATA = "Tests/Data/"


def fit(path, steps, sport="running"):
    """A FIT workout file."""
    path.write_bytes(workouts.fit(steps, sport))
    return path


@pytest.fixture
def pacectl(stage):
    """pacectl with a daemon; it returns the output, or the error of a failure."""
    daemon = stage.paced("--gpsd", "off", "--bluetooth", "off")

    def run(*arguments, status=0):
        result = subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, *map(str, arguments)], capture_output=True, text=True)
        assert result.returncode == status, result.stderr
        return result.stderr if status else result.stdout

    run.daemon = daemon
    return run


def test_fit_workout_becomes_the_setting(pacectl, tmp_path):
    path = fit(tmp_path / "workout.fit", [
        time(600, wkt_step_name="Warm up", target_type="heart_rate", target_value=2),
        {"duration_type": "distance", "duration_value": 100000, "target_type": "speed", "target_value": 0,
         "custom_target_value_low": 3333, "custom_target_value_high": 4000},
        {"duration_type": "open", "target_type": "heart_rate", "target_value": 0, "custom_target_value_low": 220,
         "custom_target_value_high": 240},
        repeat(1, 3),
        time(90.5, target_type="cadence", target_value=0, custom_target_value_low=80, custom_target_value_high=90),
    ])
    text = pacectl("workout", "load", path)
    assert text.splitlines() == [
        "Four by one", "  1  10 min · Heart-rate zone 2 · Warm up",
        "  2  1 km · Pace 4:10–5:00 /km", "  3  Until the next lap · Heart rate 120–140 bpm",
        "  4  1 km · Pace 4:10–5:00 /km", "  5  Until the next lap · Heart rate 120–140 bpm",
        "  6  1 km · Pace 4:10–5:00 /km", "  7  Until the next lap · Heart rate 120–140 bpm",
        "  8  1 min 30.5 s · Cadence 80–90 rpm"]
    assert pacectl("workout") == text.split("\n", 1)[1]
    setting = json.loads(pacectl("--json", "workout"))
    assert len(setting) == 8 and pacectl.daemon.call("settings.get", key="workout") == setting
    assert pacectl("workout", "unload") == "The workout is unloaded.\n"
    assert pacectl("workout").startswith("No workout is loaded")


def test_targets_in_percent_need_their_settings(pacectl, tmp_path):
    path = fit(tmp_path / "workout.fit", [
        time(60, target_type="power", target_value=0, custom_target_value_low=90, custom_target_value_high=105),
        time(60, target_type="heart_rate", target_value=0, custom_target_value_low=70, custom_target_value_high=80),
        time(60, target_type="power", target_value=0, custom_target_value_low=1200, custom_target_value_high=1250),
        time(60, target_type="power", target_value=4)], sport="cycling")
    assert "step 1 has a power in percent; set ftp with 'pacectl settings set' first" in pacectl(
        "workout", "load", path, status=1)
    pacectl("settings", "set", "ftp", "250")
    assert "step 2 has a heart rate in percent; set max_heart_rate" in pacectl("workout", "load", path, status=1)
    pacectl("settings", "set", "max_heart_rate", "190")
    pacectl("workout", "load", path)
    assert pacectl.daemon.call("settings.get", key="workout") == [
        "60 s power 225..263", "60 s heart_rate 133..152", "60 s power 200..250", "60 s power_zone 4"]


@pytest.mark.parametrize("steps, message", [
    ([], "the workout has no steps"),
    ([{"duration_type": "hr_less_than", "duration_value": 220, "target_type": "open"}],
     "step 1 does not end by time, distance or lap key"),
    ([time(60), repeat(5, 2)], "step 2 repeats steps that are not before it"),
    ([time(60), repeat(0, 101)], "more than 100 steps"),
    ([time(60), repeat(0, 4_000_000_000)], "more than 100 steps"),
    ([time(60)] * 101, "more than 100 steps"),
    ([time(100_000)], "step 1 has values out of range: 100000 s must be a length and a target; a time is 1 s to 24 h"),
    ([time(60, target_type="heart_rate", target_value=9)], "step 1 has values out of range"),
])
def test_workout_that_cannot_be_followed_is_rejected_with_its_step(pacectl, tmp_path, steps, message):
    pacectl("settings", "set", "workout", "5 min")
    assert message in pacectl("workout", "load", fit(tmp_path / "workout.fit", steps), status=1)
    assert pacectl.daemon.call("settings.get", key="workout") == ["5 min"]


def test_other_files_are_no_workouts(pacectl, tmp_path):
    whole = fit(tmp_path / "workout.fit", [time(60)]).read_bytes()
    cut, packed, text = tmp_path / "cut.fit", tmp_path / "packed.fit", tmp_path / "text.fit"
    packed.write_bytes(gzip.compress(whole))
    text.write_text("10 min")
    assert "the file is no workout" in pacectl("workout", "load", DATA + "fit/run-fenix2-9km.fit", status=1)
    assert "the file is no FIT file" in pacectl("workout", "load", packed, status=1)
    assert "the file is no FIT file" in pacectl("workout", "load", text, status=1)
    assert "No such file" in pacectl("workout", "load", tmp_path / "none.fit", status=1)
    assert "cannot read" in pacectl("workout", "load", tmp_path, status=1)
    for length in range(12, len(whole)):
        cut.write_bytes(whole[:length])
        assert "byte" in pacectl("workout", "load", cut, status=1)
    pacectl("workout", "load", status=2)
    pacectl("workout", "make", status=2)


@pytest.mark.parametrize("key, value, message", [
    ("alerts", ["heart_rate 120"], "alerts[0] 'heart_rate 120' must be heart_rate LOW..HIGH; heart_rate is 30 to 250"),
    ("alerts", ["heart 120"], "alerts[0] 'heart 120' must be heart_rate, zone, power,"),
    ("alerts", ["time 1 min", "time 2 min"], "alerts[1] is a second alert of time"),
    ("alerts", "time 1 min", "alerts must be a list of at most 11 strings"),
    ("workout", ["10 min", 5], "workout[1] '' must be a length (10 min, 1 km, or lap)"),
    ("workout", ["lap"] * 101, "workout must be a list of at most 100 strings"),
])
def test_wrong_words_are_rejected(pacectl, key, value, message):
    error = pacectl.daemon.call("settings.set", key=key, value=value)
    assert error["code"] == -32004 and message in json.dumps(error)


def test_words_are_typed_without_json_and_read_from_the_configuration(stage):
    configuration = stage.directory / "paced.conf"
    configuration.write_text("[Settings]\nalerts=zone 2..3,  pace 4:30..5:00 /km\nworkout=10 min zone 2 # Warm-up, lap\n")
    daemon = stage.paced("--gpsd", "off", "--bluetooth", "off", "--config", configuration)
    assert daemon.call("settings.get", key="alerts") == ["zone 2..3", "pace 4:30..5:00 /km"]
    assert daemon.call("settings.get", key="workout") == ["10 min zone 2 # Warm-up", "lap"]
    subprocess.run(
        [PACECTL, "--runtime-dir", daemon.runtime, "settings", "set", "alerts", "heart_rate ..165, sensor_lost"], check=True)
    assert daemon.call("settings.get", key="alerts") == ["heart_rate ..165", "sensor_lost"]
    configuration.write_text("[Settings]\nalerts=zone 7\n")
    daemon.end()
    result = subprocess.run([PACECTL.parent / "paced", "--config", configuration], capture_output=True, text=True)
    assert result.returncode == 2 and "alerts[0] 'zone 7' must be" in result.stderr


def step(reader, number):
    """The block of the first state in a step."""
    def matches(line):
        return line["class"] == "STATE" and line.get("blocks", {}).get("workout", {}).get("step") == number
    return reader.wait(f"step {number}", matches, 60)["blocks"]["workout"]


@pytest.mark.fast_clock
def test_workout_of_a_run_is_published_recorded_and_replayed(stage):
    daemon = stage.paced("--demo")
    daemon.call("run.discard")
    daemon.call("settings.set", key="alerts", value=["heart_rate ..60", "time 10 s"])
    daemon.call("settings.set", key="workout", value=["3 s", "10 m speed 20..30 m/s # Sprint", "lap", "1 h"])
    reader = stage.reader(daemon, classes=["STATE", "EVENT"], blocks=["workout"])
    activity = daemon.call("run.start", sport="run")["activity"]
    block = step(reader, 1)
    assert (block["step"], block["steps"], block["text"], block["next"]) == (1, 4, "3 s", "10 m speed 20..30 m/s # Sprint")
    assert block["elapsed_ms"] + block["remaining_ms"] == 3000
    assert reader.first("EVENT", event="workout", step=2)["text"] == "10 m speed 20..30 m/s # Sprint"
    block = step(reader, 2)
    assert block["name"] == "Sprint" and block["target"] == "speed"
    reader.first("EVENT", event="workout", step=3)
    high = reader.first("EVENT", event="alert", alert="heart_rate")
    assert high["state"] == "high" and high["high"] == 60 and high["value"] > 60
    assert reader.first("EVENT", event="alert", alert="time")["value"] == 10
    # A lap within 1 s of that of step 3 is refused.
    wait_for(lambda: "run" in daemon.call("run.lap"), 60, "the next lap")
    reader.first("EVENT", event="workout", step=4)
    summary = daemon.call("run.stop")
    assert summary["laps"] == 4
    live = [json.loads(line.text) for line in reader.of("EVENT") if line["event"] in ("alert", "workout")]
    daemon.end()
    replayed = [
        json.loads(line) for line in subprocess.check_output(
            [PACECTL, "--state-dir", stage.directory / "state", "replay", str(activity)], text=True).splitlines()]
    again = [line for line in replayed if line.get("event") in ("alert", "workout")]
    host = ("seq", "boot_ms", "activity", "time")
    assert [{key: value for key, value in line.items() if key not in host} for line in again] == [
        {key: value for key, value in line.items() if key not in host} for line in live]
