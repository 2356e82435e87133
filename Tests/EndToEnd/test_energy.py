"""Energy, TRIMP and the grade-adjusted pace: the settings, figures and files of a recording that has them."""

import json

import garmin_fit_sdk
import pytest

from harness.uploads import Client, data, lines, sample

FIGURES = {"elapsed_ms": 60_000, "moving_ms": 60_000, "distance_m": 180, "energy_kcal": 15.25, "trimp": 1.75}


def upload(daemon, **figures):
    """A minute at 150 bpm. Returns the number of the activity."""
    figures = FIGURES | figures
    figures = {name: value for name, value in figures.items() if value is not None}
    rows = [{"row": "begin", "at_ms": 0, "trigger": "command"}]
    rows += [sample(second, distance_m=3 * second, bpm=150) for second in range(1, 61)]
    rows.append({"row": "end", "at_ms": 60_000, "trigger": "command"})
    lap = {"row": "lap-totals", "began_ms": 0, "ended_ms": 60_000} | figures
    head, *_, last = lines(60, rows, **figures, sport="run")
    client = Client(daemon)
    number = client.upload(data([head, *rows, lap, last]))["id"]
    client.close()
    return number


def newest(daemon):
    number = max(one["id"] for one in daemon.call("activities.list"))
    return number, daemon.call("activities.get", id=number)


def test_settings_of_the_body(pacectl):
    daemon = pacectl.daemon
    assert daemon.call("settings.get", key="sex") is None and daemon.call("settings.get", key="age") == 0
    pacectl("settings", "set", "sex", "female")
    pacectl("settings", "set", "age", "41")
    pacectl("settings", "set", "weight_kg", "62")
    settings = daemon.call("settings.get")
    assert (settings["sex"], settings["age"], settings["weight_kg"]) == ("female", 41, 62)
    assert "sex must be one of female, male, or null" in pacectl("settings", "set", "sex", "other", status=1)
    assert "age must be an integer from 0 to 120" in pacectl("settings", "set", "age", "121", status=1)
    pacectl("settings", "reset", "sex")
    assert daemon.call("settings.get", key="sex") is None


def test_figures_and_files_of_a_recording(pacectl, tmp_path):
    daemon = pacectl.daemon
    number = upload(daemon)
    activity = daemon.call("activities.get", id=number)
    for figures in activity["summary"], activity["laps"][0]:
        assert (figures["energy_kcal"], figures["trimp"]) == (15, 1.8)
    shown = json.loads(pacectl("--json", "show", number))
    assert shown["summary"]["energy_kcal"] == 15 and shown["laps"][0]["trimp"] == 1.8
    assert "Energy     15 kcal, TRIMP 2" in pacectl("show", number)

    path = tmp_path / "run.fit"
    pacectl("export", number, "-o", path)
    file, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read()
    assert not errors
    assert file["session_mesgs"][0]["total_calories"] == 15 and file["lap_mesgs"][0]["total_calories"] == 15
    pacectl("import", "--again", path)
    again, activity = newest(daemon)
    assert again == number and activity["summary"]["energy_kcal"] == 15 and activity["laps"][0]["energy_kcal"] == 15
    text = pacectl("show", again)
    assert "From file" in text and text.count("15 kcal") == 2

    path = tmp_path / "run.tcx"
    pacectl("export", number, "-o", path)
    assert "<Calories>15</Calories>" in path.read_text()


@pytest.mark.parametrize("has_daemon", [True, False])
def test_import_computes_the_figures_by_the_settings(pacectl, stage, tmp_path, has_daemon):
    daemon = pacectl.daemon
    for key, value in ("age", 40), ("sex", "male"), ("weight_kg", 80), ("resting_heart_rate", 60), ("max_heart_rate", 190):
        pacectl("settings", "set", key, value)
    files = []
    for name, energy in ("plain", None), ("stated", 99):
        files.append(tmp_path / f"{name}.fit")
        pacectl("export", upload(daemon, energy_kcal=energy, trimp=None), "-o", files[-1])
    if not has_daemon:
        daemon.stop()
    figures = []
    for file in files:
        last = json.loads(pacectl("--json", "import", "--again", file))
        figures.append((last["energy_kcal"], last["trimp"]))
    # A minute at 150 bpm, by Keytel and by Banister.
    assert figures == [(15, pytest.approx(1.7, abs=0.05)), (99, pytest.approx(1.7, abs=0.05))]


def test_grade_adjusted_pace_of_a_recording(pacectl):
    daemon = pacectl.daemon
    number = upload(daemon, average_grade_adjusted_pace_s_per_m=0.3)
    activity = daemon.call("activities.get", id=number)
    for figures in activity["summary"], activity["laps"][0]:
        assert figures["average_grade_adjusted_pace_s_per_m"] == 0.3
    assert "5:00 min/km grade-adjusted" in pacectl("--metric", "show", number)
    assert "grade_adjusted" not in json.dumps(daemon.call("activities.get", id=upload(daemon)))
