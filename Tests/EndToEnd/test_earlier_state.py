"""A state directory of an earlier release, left by a kill during a run: this release resumes it."""

import csv
import json
import shutil
import signal
import sqlite3
import subprocess

import pytest

from harness.fixture import Subscriber
from harness.process import PACECTL, ROOT
from harness.timing import wait_for

SOURCE = ROOT / "Tests/Data/state-68d19db"
OFF = ["--gpsd", "off", "--bluetooth", "off"]
EVENTS = 50


@pytest.fixture
def state(stage):
    """A copy of the directory, as after a reboot: its time of day was never known, so the run is resumed."""
    place = stage.directory / "state"
    shutil.copytree(SOURCE, place, ignore=shutil.ignore_patterns("README", "exports", "paced.conf"))
    place.chmod(0o750)
    for path in place.iterdir():
        path.chmod(0o600)
    with sqlite3.connect(place / "journal.sqlite") as journal:
        journal.execute("UPDATE part SET boot_id = '00000000-0000-0000-0000-000000000000'")
    journal.close()
    return place


def test_run_of_an_earlier_release_is_resumed(stage, state):
    daemon = stage.paced(*OFF)
    reader = stage.reader(daemon, since=0)
    start = reader.first("EVENT", event="start", resumed=True)
    assert start["activity"] == 4 and start["seq"] > EVENTS
    first = reader.first("STATE", run="active")
    assert (first["activity"], first["sport"]) == (4, "ride") and first["distance_m"] > 20
    assert 9000 <= first["elapsed_ms"] < 20000
    wait_for(lambda: daemon.call("status")["elapsed_ms"] >= first["elapsed_ms"] + 1000, 60, "a second more")
    assert daemon.call("run.stop")["id"] == 4
    assert [(one["id"], one["sport"], one["elapsed_ms"], one["distance_m"], one["laps"])
            for one in sorted(daemon.call("activities.list"), key=lambda one: -one["id"])][1:] == [
        (3, "walk", 19000, 63.05, 1), (2, "hike", 5000, 0, 1), (1, "run", 21000, 68.42, 5)]


def test_settings_and_keys_of_an_earlier_release_are_kept(stage, state):
    straps = (state / "straps.json").read_bytes()
    daemon = stage.paced(*OFF)
    settings = daemon.call("settings.get")
    assert settings == settings | {
        "metric": True, "sport": "hike", "sensors": ["9AD13824"], "auto_lap_m": 20, "use_heart_rate_zones": True,
        "zones": [100, 120, 140, 160, 180]}
    # The only screen of that release is each sport's first page.
    for sport, field in [("run", "pace"), ("hike", "pace"), ("ride", "speed")]:
        assert settings["screens"][sport][0] == {
            "fields": [{"field": field, "title_visible": False, "size": 40, "colour": "mint"}]}
        assert len(settings["screens"][sport]) >= 4
    daemon.call("settings.set", key="screens", value={"run": [{"fields": ["time"]}]})
    daemon.end()
    daemon = stage.paced(*OFF)
    assert daemon.call("settings.get", key="screens")["run"] == [{"fields": ["time"]}]
    daemon.end()
    # The file has its present name, and has its key.
    assert not (state / "straps.json").exists() and (state / "sensors.json").stat().st_mode & 0o777 == 0o600
    assert (state / "sensors.json").read_bytes() == straps and len(json.loads(straps)["keys"]) == 1


# The fields of these events, by their former and present names.
NAMES = {
    '"of":': '"link_of":', '"reason":"elsewhere"': '"reason":"in-use"', '"raised":': '"active":',
    '"fault":"export failed"': '"fault":"export-failed"', '"heart_average_bpm":': '"average_bpm":',
    '"heart_maximum_bpm":': '"max_bpm":'}


def test_last_events_of_an_earlier_release_are_replayed(stage, state):
    with sqlite3.connect(state / "journal.sqlite") as journal:
        expected = [line for line, in journal.execute("SELECT line FROM event ORDER BY seq")]
    journal.close()
    assert len(expected) == EVENTS
    for then, now in NAMES.items():
        assert any(then in line for line in expected)
        expected = [line.replace(then, now) for line in expected]
    daemon = stage.paced(*OFF)
    reader = stage.reader(daemon, since=0)
    start = reader.first("EVENT", event="start", resumed=True)
    lines = reader.of("EVENT")
    # Every line is validated against the schema too.
    assert [line.text.decode() for line in lines[:EVENTS]] == expected
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1)) and start["seq"] > EVENTS


def test_configuration_of_an_earlier_release_applies_with_warnings(stage, state):
    configuration = stage.directory / "paced.conf"
    text = "[Recording]\nSyncSeconds=5\nResumeMinutes=30\nRecordAtBoot=yes\n[Bluetooth]\nWay=off\nStraps=H10\n[Clients]\nStateClients=1\n"
    configuration.write_text(text)
    daemon = stage.paced("--gpsd", "off", "--config", configuration)
    said = [line.split("paced.conf:")[1] for line in daemon.log.read_text().splitlines() if "paced.conf:" in line]
    assert [line.split(";")[0] for line in said] == [
        "2: SyncSeconds= is now called SyncIntervalSec=, and is read as SyncIntervalSec=5",
        "3: ResumeMinutes= is now called ResumeLimitSec=, and is read as ResumeLimitSec=1800",
        "4: RecordAtBoot= is now called AutoStart=, and is read as AutoStart=yes",
        "6: Way= is now called Backend=, and is read as Backend=off",
        "7: Straps= is now called Sensors=, and is read as Sensors=H10",
        "9: StateClients= is now called MaxStateClients=, and is read as MaxStateClients=1"]
    stage.reader(daemon)
    one_too_many = stage.keep(Subscriber(daemon.state_socket)).open()
    assert one_too_many.first("ERROR")["message"]
    state = daemon.call("status")
    assert (state["run"], state["activity"], state["bluetooth"]["backend"]) == ("active", 4, "off")
    # A reload accepts the former names too.
    daemon.process.send_signal(signal.SIGHUP)
    wait_for(lambda: daemon.log.read_text().count("SyncSeconds= is now called") == 2, 60, "a second warning")
    wait_for(lambda: "configuration reload: nothing changed" in daemon.log.read_text(), 60, "a reload")


@pytest.mark.parametrize("format", ["gpx", "geojson", "kml", "csv"])
def test_exports_of_an_earlier_release_are_unchanged(stage, state, format):
    """FIT and TCX name the machine; EarlierStateTests compares those."""
    for number in (1, 2, 3):
        result = subprocess.run(
            [PACECTL, "--state-dir", state, "export", str(number), "--format", format], capture_output=True, timeout=60)
        assert result.returncode == 0, result.stderr
        former = (SOURCE / f"exports/{number}.{format}").read_bytes()
        assert (result.stdout if format != "csv" else columns(result.stdout, former)) == former


def columns(table, former):
    """The columns of a CSV file that an earlier file has; others were added since."""
    def parsed(file):
        return list(csv.reader(file.decode().splitlines()))
    names, rows = parsed(former)[0], parsed(table)
    places = [rows[0].index(name) for name in names]
    return "".join(",".join(row[place] for place in places) + "\r\n" for row in rows).encode()
