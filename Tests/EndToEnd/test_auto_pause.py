"""Automatic pauses: the setting, figures and files of a recording that has them."""

import json

import garmin_fit_sdk
import pytest

from harness.uploads import Client, data, lines, sample

# A minute with a pause from 20 s to 45 s.
FIGURES = {"elapsed_ms": 60_000, "moving_ms": 35_000, "auto_paused_ms": 25_000, "distance_m": 210}


def ride():
    rows = [{"row": "begin", "at_ms": 0, "trigger": "command"}]
    for second in range(1, 61):
        metres = 6 * (min(second, 20) + max(second - 45, 0))
        rows.append(sample(second, distance_m=metres))
        if second == 23:
            rows.append({"row": "auto-pause", "at_ms": 23_000, "elapsed_ms": 20_000})
        if second == 47:
            rows.append({"row": "auto-resume", "at_ms": 47_000, "elapsed_ms": 45_000})
    rows.append({"row": "end", "at_ms": 60_000, "trigger": "command"})
    lap = {"row": "lap-totals", "began_ms": 0, "ended_ms": 60_000} | FIGURES
    head, *_, last = lines(60, rows, **FIGURES, sport="ride")
    return data([head, *rows, lap, last])


def messages(path):
    found, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read(convert_datetimes_to_dates=False)
    assert not errors
    return found


def test_setting_is_a_list_of_sports(pacectl):
    daemon = pacectl.daemon
    assert daemon.call("settings.get", key="auto_pause") == ["ride"]
    pacectl("settings", "set", "auto_pause", "ride, run")
    assert daemon.call("settings.get", key="auto_pause") == ["run", "ride"]
    pacectl("settings", "set", "auto_pause", "")
    assert daemon.call("settings.get", key="auto_pause") == []
    pacectl("settings", "reset", "auto_pause")
    assert daemon.call("settings.get", key="auto_pause") == ["ride"]
    assert "auto_pause must be a list of some of run, walk" in pacectl("settings", "set", "auto_pause", "swim", status=1)


def test_figures_and_files_of_a_recording_with_a_pause(pacectl, tmp_path):
    daemon = pacectl.daemon
    client = Client(daemon)
    number = client.upload(ride())["id"]
    client.close()
    summary = daemon.call("activities.get", id=number)["summary"]
    assert {name: summary[name] for name in FIGURES} == FIGURES
    assert summary["average_pace_s_per_m"] == pytest.approx(60 / 210, abs=1e-4)
    assert summary["average_moving_pace_s_per_m"] == pytest.approx(35 / 210, abs=1e-4)
    shown = json.loads(pacectl("--json", "show", number))
    assert shown["summary"]["auto_paused_ms"] == 25_000 and shown["laps"][0]["moving_ms"] == 35_000
    text = pacectl("--metric", "show", number)
    assert "moving 35.0 s" in text and "12.6 km/h on average" in text and "21.6 km/h moving" in text

    path = tmp_path / "ride.fit"
    pacectl("export", number, "-o", path)
    file = messages(path)
    session, = file["session_mesgs"]
    assert session["total_timer_time"] == 35 and session["total_elapsed_time"] == 60
    assert session["enhanced_avg_speed"] == pytest.approx(6, abs=0.001)
    assert file["lap_mesgs"][0]["total_timer_time"] == 35
    events = [(event["event_type"], event["timestamp"] - session["start_time"], event["timer_trigger"])
              for event in file["event_mesgs"] if event["event"] == "timer"]
    assert events == [("start", 0, "manual"), ("stop_all", 20, "auto"), ("start", 45, "auto"), ("stop_all", 60, "manual")]
    assert len(file["record_mesgs"]) == 60

    pacectl("import", "--again", path)
    again = daemon.call("activities.get", id=max(one["id"] for one in daemon.call("activities.list")))["summary"]
    assert again["id"] == number
    assert {name: again[name] for name in ("elapsed_ms", "moving_ms", "auto_paused_ms")} == {
        "elapsed_ms": 60_000, "moving_ms": 35_000, "auto_paused_ms": 25_000}
