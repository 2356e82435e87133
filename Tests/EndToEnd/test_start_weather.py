"""The weather at the start of an activity: in its FIT file, its report, and what pacectl shows of it."""

import contextlib
import json
import signal
import sqlite3
import subprocess

import fitdecode
import garmin_fit_sdk
from harness.process import PACECTL
from harness.timing import wait_for
from test_topics import OFF, RAIN, STATION, in_seconds

OBSERVED = {
    "wind_from_deg": 240, "wind_speed_mps": 5.14, "wind_gust_mps": 9.3, "temperature_c": 7, "humidity_percent": 89,
    "pressure_hpa": 1013, "weather": [RAIN]}
FIGURES = "7 °C, wind 18.5 km/h from 240° (SW), gusts 33.5 km/h, humidity 89 %, light showers of rain"


def pacectl(stage, *words, text=None):
    directories = ["--state-dir", stage.directory / "state", "--runtime-dir", stage.directory / "run"]
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "XDG_STATE_HOME": str(stage.directory / "own")}
    done = subprocess.run(
        [PACECTL, *directories, *words], input=text or "", capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def publish(stage, minutes=10):
    data = {**STATION, **OBSERVED, "observed_at": in_seconds(-60 * minutes)[:19] + "Z"}
    pacectl(stage, "publish", "weather", text=json.dumps(data))


def wait_for_wind(reader):
    """Waits until the run knows the weather: once a second it looks for it. The line WATCH names the block too."""
    reader.wait("the wind", lambda line: line["class"] == "STATE" and "wind" in line.get("blocks", {}), 60)


def run_for_a_second(paced):
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 1000, 60, "a second of the run")


def written_ms(stage):
    """The elapsed time of the run in the journal."""
    with contextlib.closing(sqlite3.connect(f"file:{stage.directory}/state/journal.sqlite?mode=ro", uri=True)) as journal:
        return journal.execute("SELECT max(elapsed_ms) FROM record").fetchone()[0] or 0


def stop(paced, activity):
    """Ends the run, and waits for its end in the journal: pacectl reads what is committed."""
    paced.call("run.stop")
    wait_for(lambda: [one["open"] for one in paced.call("activities.list")] == [False] * activity, 60, "the end in the journal")


def weather_of(stage, activity, *words):
    """The weather in the FIT file as Garmin's reader reads it; fitdecode must read the same."""
    path = stage.directory / "weather.fit"
    pacectl(stage, "export", str(activity), "--format", "fit", "-o", path, "--force", *words)
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()
    assert errors == []
    found = messages.get("weather_conditions_mesgs", [])
    with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.RAISE) as file:
        others = [{field.name: field.value for field in frame.fields} for frame in file
                  if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "weather_conditions"]
    assert found == others
    return found, messages["session_mesgs"][0]["start_time"]


def test_weather_that_is_known_at_the_start_survives_a_kill(stage):
    paced = stage.paced(*OFF)
    reader = stage.reader(paced, blocks=["wind"])
    publish(stage)
    wait_for_wind(reader)
    paced.call("run.start")
    run_for_a_second(paced)
    wait_for(lambda: written_ms(stage) >= 1000, 60, "the second in the journal")
    paced.process.send_signal(signal.SIGKILL)
    paced.process.wait()
    paced = stage.paced(*OFF)
    assert paced.call("status")["run"] == "active"
    run_for_a_second(paced)
    stop(paced, 1)

    (weather,), start = weather_of(stage, 1)
    age = (start - weather.pop("observed_at_time")).total_seconds()
    assert 600 <= age < 660
    assert weather == {
        "timestamp": start, "weather_report": "current", "temperature": 7, "condition": "light_rain", "wind_direction": 240,
        "wind_speed": 5.14, "relative_humidity": 89, "location": "EDDB"}

    assert weather_of(stage, 1, "--hide", "200")[0] == []
    assert "Weather" not in pacectl(stage, "report", "1")

    shown = pacectl(stage, "show", "1", "--metric")
    assert f"  Weather    {FIGURES}; EDDB, 12.40 km away, observed 10 min before the start\n" in shown
    answer = paced.call("activities.get", id=1)["weather"]
    assert answer == json.loads(pacectl(stage, "--json", "show", "1"))["weather"]
    assert 600 <= answer.pop("age_s") < 660 and answer.pop("observed_at").endswith("Z")
    assert answer == {
        "station": "EDDB", "distance_m": 12400, "temperature_c": 7, "wind_from_deg": 240, "wind_speed_mps": 5.14,
        "wind_gust_mps": 9.3, "humidity_percent": 89, "pressure_hpa": 1013, "codes": ["-SHRA"]}

    page = pacectl(stage, "report", "1", "--metric", "--hide", "0")
    assert f"<p>Weather at the start: {FIGURES}; EDDB, 12.40 km away, observed 10 min before the start</p>" in page
    page = pacectl(stage, "report", "1", "--imperial", "--hide", "0")
    assert "<p>Weather at the start: 45 °F, wind 11.5 mph from 240° (SW), gusts 20.8 mph, " in page


def test_activity_has_the_first_weather_after_its_start_or_none(stage):
    paced = stage.paced(*OFF)
    paced.call("run.start")
    run_for_a_second(paced)
    stop(paced, 1)
    assert weather_of(stage, 1)[0] == []
    assert "weather" not in paced.call("activities.get", id=1)
    assert "Weather" not in pacectl(stage, "show", "1") + pacectl(stage, "report", "1")

    reader = stage.reader(paced, blocks=["wind"])
    paced.call("run.start")
    publish(stage, minutes=30)
    wait_for_wind(reader)
    run_for_a_second(paced)
    stop(paced, 2)
    assert weather_of(stage, 2)[0][0]["temperature"] == 7
    # The observation is still known; indoors it says nothing.
    paced.call("run.start", indoor=True)
    run_for_a_second(paced)
    stop(paced, 3)
    assert weather_of(stage, 3)[0] == []
