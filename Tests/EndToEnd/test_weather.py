"""pacectl weather with a paced-net that a test sets, and the page of the weather with a daemon."""

import datetime
import json
import os
import socket
import subprocess
import threading

import pytest

from harness.fake_net import REPORTS, FakeNet
from harness.process import PACECTL
from harness.users import unprivileged

PACKAGE = "sudo apt install ./paced-net_*.deb && sudo systemctl enable --now paced-net"


def ago(minutes):
    time = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def weather():
    """The data of the topic, observed 14 minutes ago, with a forecast for the next day."""
    return {
        "station": "EDDB", "distance_m": 12400, "observed_at": ago(14), "site": "Berlin Brandenburg", "bearing_deg": 134,
        "temperature_c": 8, "feels_like_c": 4.6, "wind_from_deg": 240, "wind_speed_mps": 8.2, "wind_gust_mps": 17.5,
        "weather": [{"code": "-SHRA", "intensity": "light", "descriptors": ["SH"], "phenomena": ["RA"]}],
        "clouds": [{"cover": "BKN", "base_m": 910}], "visibility_m": 10000, "visibility_bound": "at_least",
        "other_stations": [{"station": "EDAZ", "distance_m": 31000, "observed_at": ago(40), "figures": ["clouds"]}],
        "forecast": {
            "station": "EDDB", "distance_m": 12400, "issued_at": ago(121),
            "periods": [{"from": ago(120), "to": ago(-1440), "wind_from_deg": 250, "wind_speed_mps": 9.3,
                         "weather": [{"code": "RA"}], "overlays": []}]}}


@pytest.fixture
def net(tmp_path):
    """Starts a paced-net whose answers a test sets."""
    made = []

    def start(answer):
        made.append(FakeNet(tmp_path, answer))
        return made[-1]

    yield start
    for one in made:
        one.stop()


@pytest.fixture
def ask(tmp_path):
    """pacectl weather without a daemon; returns the status, the output and the errors."""

    def run(*words, net_directory=tmp_path, program=PACECTL, **options):
        result = subprocess.run(
            [program, "--runtime-dir", tmp_path / "none", "weather", "--net-dir", net_directory, *words],
            capture_output=True, text=True, **options)
        return result.returncode, result.stdout, result.stderr

    return run


def result(weather, reports=()):
    return {"result": {"weather": weather, "reports": list(reports)}}


@pytest.mark.parametrize("words, params", [
    ([], {}), (["--at", "52.5,13.4"], {"lat": 52.5, "lon": 13.4}), (["--at", "-33.95,-151.25"], {"lat": -33.95, "lon": -151.25}),
    (["--at", "eddb"], {"station": "EDDB"}), (["--at=K1G4"], {"station": "K1G4"}), (["--at", "90,-180"], {"lat": 90, "lon": -180}),
])
def test_place_is_the_parameter(net, ask, words, params):
    server = net(lambda request: result(weather()))
    assert ask(*words)[0] == 0
    assert server.asked == [("weather.at", params)]


@pytest.mark.parametrize("words", [
    ["--at", "91,0"], ["--at", "0,180.5"], ["--at", "FOO"], ["--at", "EDDBX"], ["--at", "4DDB"], ["--at", "EDDB,13.4"],
    ["--at", "52.5,13.4,0"], ["--at", "52.5,"], ["--at", "nan,0"], ["--at", "0x10,0"], ["--at", "1e1,0"], ["--at", ""],
    ["--at"], ["--at", "52.5,13.4", "--at", "EDDB"], ["--raw", "--json"], ["EDDB"], ["--net-dir", ""],
])
def test_wrong_arguments_are_usage_errors(net, ask, words):
    server = net(lambda request: result(weather()))
    status, output, error = ask(*words)
    assert (status, output, error.count("\n"), server.asked) == (2, "", 1, [])
    assert error.endswith("see 'pacectl --help'\n")


def test_weather_is_printed_in_lines(net, ask):
    net(lambda request: result(weather() | {"reason": "no newer report"}))
    hours = [datetime.datetime.now(datetime.timezone.utc).hour]
    status, output, error = ask("--metric", env=os.environ | {"TZ": "UTC"})
    hours.append(datetime.datetime.now(datetime.timezone.utc).hour)
    lines = output.splitlines()
    assert (status, error) == (0, "")
    assert lines[:9] == [
        "EDDB Berlin Brandenburg, 12.4 km to the SE, 14 min old", "  No newer report", "! Gusts of 63 km/h: at EDDB now",
        "  Light showers of rain", "  8 °C, feels like 5 °C", "  Wind from SW at 30 km/h, gusts of 63 km/h",
        "  Visibility 10 km or more", "EDAZ, 31 km, 40 min old", "  Clouds broken at 910 m"]
    assert lines[9:11] == ["", "Forecast of EDDB, 12.4 km, made 2 h 1 min ago"]
    assert [line.split() for line in lines[11:]] in [
        [[f"{(hour + row) % 24}:00", "W", "33", "km/h", "rain"] for row in range(6)] for hour in hours]


def test_units_and_clock_are_those_of_the_settings(paced, tmp_path, ask):
    directory = tmp_path / "net"
    directory.mkdir()
    server = FakeNet(directory, lambda request: result(weather()))
    paced.settings |= {"metric": False, "twelve_hour_clock": True}
    paced.state["time"] = ago(0)[:-1] + ".000Z"
    command = [PACECTL, "--runtime-dir", paced.directory, "weather", "--net-dir", directory]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    server.stop()
    assert "46 °F, feels like 40 °F" in output and "Wind from SW at 18 mph" in output
    assert ":00 am  W 21 mph  rain" in output or ":00 pm  W 21 mph  rain" in output


def test_reports_are_printed_one_a_line(net, ask):
    net(lambda request: result({"reason": "no station"}, [*REPORTS, {"station": "X", "metar": "METAR \x1b[2J\nX"}]))
    assert ask("--raw") == (0, "\n".join([
        REPORTS[0]["metar"], "TAF EDDB 010500Z 0106/0206 24014KT 9999 BKN030 BECMG 0108/0110 30012KT",
        REPORTS[1]["metar"], "METAR \ufffd[2J X"]) + "\n", "")


def test_json_is_the_unchanged_result(net, ask):
    text = '{"weather":{"reason":"none"},"reports":[],"later":1.50}'
    net(lambda request: f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{text}}}\n'.encode())
    assert ask("--json") == (0, text + "\n", "")


def test_reason_is_an_error(net, ask):
    net(lambda request: result({"reason": "no station within 100 km\x1b[2J"}))
    for words in [], ["--raw"]:
        assert ask(*words) == (1, "", "pacectl: no station within 100 km\ufffd[2J\n")


@pytest.mark.parametrize("has_socket", [False, True])
def test_absent_and_refusing_servers_name_the_package(tmp_path, ask, has_socket):
    if has_socket:
        # Of a server that has ended.
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "net.sock"))
    assert ask() == (
        3, "", f"pacectl: this needs paced-net, which is not running at {tmp_path}/net.sock: {PACKAGE}\n")


def test_socket_is_found_without_an_option(net, tmp_path, monkeypatch):
    (tmp_path / "paced-net").symlink_to(tmp_path)
    net(lambda request: result(weather()))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    command = [PACECTL, "--runtime-dir", tmp_path / "none", "weather"]
    assert subprocess.run(command, capture_output=True, text=True).returncode == 0


@pytest.mark.parametrize("answer, status, said", [
    (b"garbage\n", 1, "the response of paced-net is not valid JSON"),
    (b"\xff\x00[[[[\n", 1, "the response of paced-net is not valid JSON"),
    (b"x" * 70_000 + b"\n", 1, "the response of paced-net is longer than 65536 bytes"),
    (None, 3, "paced-net closed the connection; try again, or see its log"),
    ({"result": None}, 1, "the response of paced-net has no weather; see its log"),
    ({"result": [1]}, 1, "the response of paced-net has no weather; see its log"),
    ({"result": {"weather": {}}}, 1, "the response of paced-net has no weather; see its log"),
    ({"result": {"weather": {"station": "EDDB", "temperature_c": 8}}}, 1, "the response of paced-net has no weather; see its log"),
    ({"error": {"code": -32000, "message": "Failed", "data": {"message": "no network: \x1b[2J"}}}, 1, "no network: \ufffd[2J"),
    ({"error": {"code": -32000, "message": "Failed"}}, 1, "Failed"),
], ids=repr)
def test_wrong_answer_is_an_error_of_one_line(net, ask, answer, status, said):
    net(lambda request: answer)
    assert ask() == (status, "", f"pacectl: {said}\n")


@pytest.mark.thorough
def test_slow_server_is_waited_for(net, ask):
    """It answers after all other commands would have given up, and before 60 s."""
    release = threading.Event()
    threading.Timer(6, release.set).start()
    net(lambda request: release.wait(20) and result(weather()))
    assert ask()[0] == 0


def test_socket_of_another_group_names_the_group(net, ask, tmp_path):
    net(lambda request: result(weather()))
    (tmp_path / "net.sock").chmod(0)
    program, options = unprivileged(PACECTL)
    status, output, error = ask(program=program, **options)
    assert (status, output) == (3, "")
    assert "become a member of its group (sudo usermod -aG paced-control " in error


# The page of watch


def publish(daemon, data, *options):
    subprocess.run([PACECTL, "--runtime-dir", daemon.runtime, "publish", "weather", *options], input=json.dumps(data),
                   text=True, check=True)


def test_watch_shows_the_weather_while_there_is_some(stage):
    daemon = stage.paced("--demo")
    terminal = stage.terminal(columns=80, rows=24)
    terminal.run(PACECTL, "--runtime-dir", daemon.runtime, "--metric", "watch")
    terminal.wait_for("Running", "q leaves", seconds=60)
    publish(daemon, weather())
    # The page before the first is the last.
    terminal.type("Left")
    shown = terminal.wait_for("EDDB Berlin Brandenburg, 12.4 km to the SE", "eadwind", seconds=60)
    for text in ("14 min old", "! Gusts of 63 km/h: at EDDB now", "EDAZ, 31 km, 40 min old", "Forecast of EDDB"):
        assert text in shown
    terminal.resize(40, 12)
    terminal.wait_for("EDDB, 12.4 km to the SE, 14 min old", "Wind SW 30 km/h, gusts 63")
    publish(daemon, weather(), "--valid-for", "8")
    terminal.wait_for("14 min old, stale", seconds=60)
    publish(daemon, {"reason": "no station within 100 km"})
    terminal.wait_for("No station within 100 km", absent=["EDDB"])
