"""Settings: paced.conf, changes over control.sock, and their precedence."""

import json
import os
import re
import signal
import sqlite3
import subprocess

import pytest

from harness.process import PACECTL, PACED
from harness.timing import wait_for
from matrix import matrix

# No test uses the machine's own Bluetooth.
OFF = ["--gpsd", "off", "--bluetooth", "off"]
ZONES = [100, 120, 140, 160, 180]


class Board:
    """A daemon with a configuration file, started and ended any number of times."""

    def __init__(self, stage):
        self.stage = stage
        self.file = stage.directory / "paced.conf"
        self.database = stage.directory / "state" / "journal.sqlite"

    def write(self, text):
        self.file.write_text(text)

    def start(self, *options):
        self.paced = self.stage.paced("--config", self.file, *OFF, *options)
        return self.paced

    def end(self, number=signal.SIGTERM):
        self.paced.end(number)
        self.stage.running.remove(self.paced)

    def reload(self):
        """The log line about it."""
        before = len(self.reload_lines())
        self.paced.process.send_signal(signal.SIGHUP)
        wait_for(lambda: len(self.reload_lines()) > before, 60, "a line about the configuration")
        return self.reload_lines()[-1].split("reload: ")[1]

    def reload_lines(self):
        return [line for line in self.paced.log.read_text().splitlines() if "configuration reload: " in line]

    def kept(self):
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as database:
            return dict(database.execute("SELECT name, value FROM setting"))

    def get(self, key):
        return self.paced.call("settings.get", key=key)

    def set(self, key, value):
        assert self.paced.call("settings.set", key=key, value=value) == value


@pytest.fixture
def board(stage):
    return Board(stage)


def test_changed_settings_survive_a_kill_and_override_the_file(board):
    board.write("[Settings]\nmetric=yes\nsport=hike\nauto_lap_m=1000\n")
    board.start()
    assert [board.get(key) for key in ("metric", "sport", "auto_lap_m")] == [True, "hike", 1000]
    board.set("metric", False)
    board.set("zones", ZONES)
    board.set("auto_lap_m", 0)
    board.set("auto_lap_s", 300)
    wait_for(lambda: "auto_lap_s" in board.kept(), 60, "the settings on the disk")
    board.end(signal.SIGKILL)
    board.write("[Settings]\nmetric=yes\nsport=ride\nauto_lap_m=500\n")
    board.start()
    keys = ("metric", "sport", "auto_lap_m", "auto_lap_s", "zones")
    assert [board.get(key) for key in keys] == [False, "ride", 0, 300, ZONES]
    # Only changed settings are stored.
    assert sorted(board.kept()) == ["auto_lap_m", "auto_lap_s", "metric", "zones"]


def test_damaged_settings_alone_fall_back_with_a_warning(board):
    board.write("[Settings]\nsport=hike\n")
    board.start()
    for key, value in [("sport", "ride"), ("metric", True), ("use_heart_rate_zones", True), ("zones", ZONES)]:
        board.set(key, value)
    wait_for(lambda: "zones" in board.kept(), 60, "the settings on the disk")
    board.end()
    with sqlite3.connect(board.database) as database:
        database.execute("UPDATE setting SET value = '[100,120,120,160,180]' WHERE name = 'zones'")
        database.execute("UPDATE setting SET value = '\"swim\"' WHERE name = 'sport'")
    database.close()
    board.start()
    keys = ("sport", "metric", "use_heart_rate_zones", "zones")
    assert [board.get(key) for key in keys] == ["hike", True, False, None]
    log = board.paced.log.read_text()
    assert "the setting sport is damaged" in log
    assert "the heart-rate zones are damaged (zone 3 begins at 120, must be above zone 2 at 120)" in log
    # They are repaired, and not logged again.
    wait_for(lambda: board.kept() == {"metric": "true", "use_heart_rate_zones": "false", "zones": "null"}, 60, "mended rows")
    board.end()
    board.paced.log.write_text("")
    board.start()
    assert "damaged" not in board.paced.log.read_text()


@pytest.mark.parametrize("text, complaint", [
    ("[Recording]\nSyncIntervalSec=0\n", "paced.conf:2: SyncIntervalSec takes a whole number from 1 to 60"),
    ("[Recording]\n\nSyncSecs=1\n", "paced.conf:3: there is no key SyncSecs in [Recording]"),
    ("[Settings]\nzones=1 2 3 3 5\n", "paced.conf:2: zone 4 begins at 3, must be above zone 3 at 3"),
    ("nonsense\n", "paced.conf:1: expected [Section], Key=value or # comment"),
])
def test_invalid_file_gives_status_2_and_its_line(board, text, complaint):
    board.write(text)
    ended = subprocess.run(
        [PACED, "--config", board.file, "--runtime-dir", board.stage.directory / "run", *OFF], capture_output=True,
        text=True, timeout=60)
    assert ended.returncode == 2
    assert complaint in ended.stderr and ended.stderr.count("\n") == 1


def test_sighup_applies_what_can_change_and_reports_the_rest(board):
    board.write("[Settings]\nmetric=yes\nsport=hike\n")
    board.start()
    reader = board.stage.reader(board.paced, classes=["SETTINGS", "EVENT", "STATE"])
    reader.first("SETTINGS", metric=True)
    board.set("sport", "ride")
    run = board.paced.call("run.start")["activity"]
    board.write("[Recording]\nExportAtStop=gpx csv\nSyncIntervalSec=5\n[Bluetooth]\nAdapter=hci3\n[Clients]\nMaxStateClients=1\n"
                "[Settings]\ntwelve_hour_clock=yes\nsport=walk\nzones=100 120 140 160 180\n")
    assert board.reload() == (
        "SyncIntervalSec, ExportAtStop, MaxStateClients, metric, twelve_hour_clock, zones changed; "
        "Adapter takes effect at the next start; sport unchanged: set over control.sock")
    settings = reader.first("SETTINGS", twelve_hour_clock=True)
    assert "metric" not in settings
    assert (settings["twelve_hour_clock"], settings["sport"], settings["zones"]) == (True, "ride", ZONES)
    assert reader.first("EVENT", event="settings", key="zones")["value"] == ZONES
    # It is not stored as a user's change.
    wait_for(lambda: list(board.kept()) == ["sport"], 60, "what was set on the disk")
    # The run continues, and ends with the new configuration.
    assert board.paced.call("run.stop")["id"] == run
    exports = board.stage.directory / "state" / "exports"
    wait_for(lambda: exports.is_dir() and {path.suffix for path in exports.glob("[!.]*")} == {".gpx", ".csv"}, 60, "files")
    assert board.reload() == "Adapter takes effect at the next start"
    # The present subscriber stays; another one exceeds the limit.
    line = json.loads(subprocess.run(
        ["nc", "-U", board.paced.state_socket], capture_output=True, timeout=60, stdin=subprocess.DEVNULL).stdout)
    assert line["message"] == "too many clients: at most 1"


def test_invalid_file_at_sighup_changes_nothing(board):
    board.write("[Settings]\nmetric=yes\n")
    board.start()
    for text, complaint in [
            ("[Settings]\nmetric=no\nsport=swim\n", "paced.conf:3: sport must be one of run, walk, hike, ride, other"),
            ("[Settings]\nmetric=no\nmetric=no\n", "paced.conf:3: metric is already set in line 2")]:
        board.write(text)
        assert board.reload().endswith(complaint + "; the configuration is unchanged")
    board.file.unlink()
    assert "there is no file" in board.reload()
    board.file.mkdir()
    assert "Is a directory" in board.reload()
    assert board.get("metric") is True and board.get("sport") == "run"
    board.file.rmdir()
    board.write("[Settings]\nmetric=yes\n")
    assert board.reload() == "nothing changed"


def test_sighup_of_a_terminal_ends_the_daemon(stage):
    terminal = stage.terminal(
        [PACED, "--demo", "--runtime-dir", stage.directory / "run", "--state-dir", stage.directory / "state"])
    socket = stage.directory / "run" / "state.sock"
    wait_for(socket.exists, 60, "a daemon")
    terminal.end()
    wait_for(lambda: not socket.exists(), 60, "its end")


def test_configured_straps_apply_until_a_strap_is_selected(board):
    board.write("[Bluetooth]\nStraps=9AD13824,Polar H9\n")
    board.start()
    assert board.get("sensors") == ["9AD13824", "Polar H9"]
    board.end()
    board.write("[Bluetooth]\nStraps=9AD13824\n")
    board.start()
    assert board.get("sensors") == ["9AD13824"]
    # A strap chosen over control.sock is stored even if the configuration names the same.
    board.paced.call("sensor.use", sensor="9AD13824")
    wait_for(lambda: board.kept() == {"straps": '["9AD13824"]', "straps_off": "false"}, 60, "the wish on the disk")
    board.end()
    board.write("[Bluetooth]\nStraps=off\n")
    board.start()
    assert board.get("sensors") == ["9AD13824"]
    board.paced.call("sensor.use", sensor="auto")
    wait_for(lambda: board.kept()["straps"] == "[]", 60, "the wish on the disk")
    assert not (board.stage.directory / "state" / "sensors.json").exists()


def test_straps_of_an_earlier_release_are_migrated_once(board):
    board.write("[Bluetooth]\nStraps=auto\n")
    state = board.stage.directory / "state"
    state.mkdir()
    remembered = {"address": "A0:9E:1A:00:00:01", "address_type": "public", "name": "H10", "wide": False}
    (state / "straps.json").write_text(json.dumps(
        {"version": 1, "off": True, "straps": ["9AD13824"], "remembered": [remembered], "keys": []}))
    (state / "straps.json").chmod(0o644)
    board.start()
    assert board.get("sensors") == ["9AD13824"]
    assert (state / "sensors.json").stat().st_mode & 0o777 == 0o600
    wait_for(lambda: board.kept() == {"straps": '["9AD13824"]', "straps_off": "true"}, 60, "the wish on the disk")
    board.set("sensors", [])
    wait_for(lambda: board.kept()["straps"] == "[]", 60, "the wish on the disk")
    board.end(signal.SIGKILL)
    board.start()
    assert board.get("sensors") == []
    assert board.paced.call("sensor.forget", sensor="A0:9E:1A:00:00:01") is None
    wait_for(lambda: json.loads((state / "sensors.json").read_text()) == {"version": 1, "remembered": [], "keys": []}, 60,
             "a list without the strap")


def test_demo_neither_reads_nor_stores_settings(board):
    board.write("[Settings]\nmetric=yes\n")
    board.start()
    board.set("sport", "ride")
    board.end()
    board.start("--demo")
    assert (board.get("metric"), board.get("sport")) == (None, "run")
    board.set("twelve_hour_clock", True)
    assert board.paced.call("run.stop")["open"] is False
    board.end()
    assert list(board.kept()) == ["sport"]


@pytest.mark.parametrize("locale, kilometres", matrix([
    ({}, True), ({"LANG": "C"}, True), ({"LANG": "en_US.UTF-8"}, False), ({"LANG": "de_DE.UTF-8"}, True),
    ({"LANG": "de_DE.UTF-8", "LC_MEASUREMENT": "en_US"}, False),
    ({"LANG": "en_US.UTF-8", "LC_MEASUREMENT": "en_GB.UTF-8"}, True),
    ({"LC_ALL": "es_US.UTF-8", "LC_MEASUREMENT": "de_DE"}, False), ({"LC_ALL": "", "LANG": "en_US"}, False),
], {"LANG": "en_US.UTF-8"}))
def test_unset_unit_is_that_of_the_clients_locale(board, locale, kilometres):
    board.write("")
    board.start()

    def said(*words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        result = subprocess.run(
            [PACECTL, "--runtime-dir", board.paced.runtime, "--state-dir", board.stage.directory / "state", *words],
            env=environment | locale, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def units(*words):
        text = said(*words)
        return " km" in text, re.search(r" mi\b", text) is not None

    name = "kilometres" if kilometres else "miles"
    assert f"metric                unset (by LC_MEASUREMENT: {name})\n" in said("settings")
    assert said("settings", "get", "metric") == f"unset (by LC_MEASUREMENT: {name})\n"
    assert said("--json", "settings", "get", "metric") == "null\n"
    board.paced.call("run.start")
    unit = kilometres, not kilometres
    assert units("status") == units("stop") == units("activities") == units("show", "last") == unit
    assert units("rename", "last", "A run") == unit
    # Once it is set, all follow it.
    for value in (True, False):
        board.set("metric", value)
        wait_for(lambda: board.kept() == {"metric": str(value).lower()}, 60, "the setting on the disk")
        assert units("activities") == units("show", "last") == units("rename", "last", "A run") == (value, not value)
    assert units("--metric", "activities") == (True, False)
    assert said("settings", "reset", "metric") == f"unset (by LC_MEASUREMENT: {name})\n"
    wait_for(lambda: board.kept() == {}, 60, "no stored setting")
    assert units("activities") == unit


def test_pacectl_without_a_daemon_uses_the_stored_unit(board):
    board.write("")
    board.start()
    board.paced.call("run.start")
    board.paced.call("run.stop")
    wait_for(lambda: [run["open"] for run in board.paced.call("activities.list")] == [False], 60, "the run on the disk")

    def units(*words):
        result = subprocess.run(
            [PACECTL, "--state-dir", board.stage.directory / "state", *words], capture_output=True, text=True, timeout=60,
            env=os.environ | {"LC_ALL": "en_US.UTF-8"})
        assert result.returncode == 0, result.stderr
        return " km" in result.stdout, " mi" in result.stdout
    assert units("activities") == units("show", "1") == (False, True)
    board.set("metric", True)
    wait_for(lambda: "metric" in board.kept(), 60, "the setting on the disk")
    assert units("activities") == units("show", "1") == (True, False)
    assert units("--imperial", "activities") == (False, True)
    board.end()
    assert units("activities") == units("show", "1") == (True, False)


def test_null_brings_the_value_of_the_file_back(board):
    board.write("[Settings]\nmetric=yes\nzones=90 100 110 120 130\nscreens={\"run\":[{\"fields\":[\"pace\"]}]}\n")
    board.start()
    board.set("metric", False)
    board.set("zones", ZONES)
    board.set("sensors", ["H10"])
    board.set("auto_lap_m", 500)
    board.paced.call("settings.set", key="screens", value={"run": [{"fields": ["time"]}]})
    wait_for(lambda: len(board.kept()) >= 5, 60, "the settings on the disk")
    for key, value in [("metric", True), ("zones", [90, 100, 110, 120, 130]), ("sensors", []), ("auto_lap_m", 0)]:
        assert board.paced.call("settings.set", key=key, value=None) == value
        assert board.get(key) == value
    result = subprocess.run([PACECTL, "--runtime-dir", board.paced.runtime, "settings", "reset", "screens"],
                            capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["run"] == [{"fields": ["pace"]}]
    wait_for(lambda: board.kept() == {}, 60, "no stored settings")
    board.end()
    board.start()
    assert board.get("metric") is True and board.get("screens")["run"] == [{"fields": ["pace"]}]


def test_pacectl_sets_pages_and_names_what_is_wrong(board):
    board.write("")
    board.start()

    def said(*words):
        return subprocess.run([PACECTL, "--runtime-dir", board.paced.runtime, "settings", *words],
                              capture_output=True, text=True, timeout=60)

    result = said("set", "screens", '{"ride":[{"fields":["speed",{"field":"time","title":"Total","colour":"mint"}]}]}')
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout)["ride"] == [
        {"fields": ["speed", {"field": "time", "title": "Total", "colour": "mint"}]}]
    assert "screens               pages: run 4, walk 4, hike 5, ride 1, other 4; 'settings get screens' prints them\n" in (
        said().stdout)
    # The default of the sport that is left out.
    assert len(json.loads(said("set", "screens", '{"run":[{"fields":["time"]}]}').stdout)["ride"]) == 6
    for value, place in [('{"run":[{"fields":["weather"]}]}', "screens.run[0].fields[0].field must be one of time, lap_time, "),
                         ('{"ride":[{"fields":["pace"]}]}', "screens.ride[0].fields[0].field must be one of time, lap_time, "),
                         ("[]", "screens must be an object with any of run, walk, hike, ride, other")]:
        result = said("set", "screens", value)
        assert (result.returncode, result.stdout) == (1, "")
        assert place in result.stderr and result.stderr.count("\n") == 1
        # Nothing is cut off.
        assert result.stderr.endswith((" the name of a field\n", " other\n"))
