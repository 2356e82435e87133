"""The package paced-net on a board: a weather server on loopback, the permissions of its user, and its removal."""
import http.server
import json
import pathlib
import re
import threading
import time

from board import (
    CONFIGURATION, CONTROL, SERVICE, acting_as, expect_none_failed, exposure, is_active, journal, main_process, mode,
    property_of, run, systemctl, wait_active)
from harness.client import ControlClient
from harness.timing import expect, wait_for
from package_scenarios import dpkg
from unit_rights import expect_identity, expect_rights

UNIT, SOCKET_UNIT = "paced-net.service", "paced-net.socket"
SOCKET = pathlib.Path("/run/paced-net/net.sock")
NET_CONFIGURATION = CONFIGURATION.with_name("paced-net.conf")
CREDENTIAL = CONFIGURATION.with_name("weather-authorization")
# A name that libcurl does not know itself, unlike localhost.
HOSTS, HOST = pathlib.Path("/etc/hosts"), "weather.test"
CACHE = pathlib.Path("/var/cache/paced-net")
DROP_IN = pathlib.Path(f"/etc/systemd/system/{UNIT}.d/credential.conf")


class WeatherServer(http.server.ThreadingHTTPServer):
    """The Data API of aviationweather.gov with one station, 15 km from the board."""

    STATION = {"icaoId": "EDDB", "lat": 52.38, "lon": 13.53, "elev": 46, "site": "Berlin"}

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.requests = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.requests.append((self.path, dict(self.headers)))
            at = int(time.time()) - 600
            report = f"METAR EDDB {time.strftime('%d%H%MZ', time.gmtime(at))} 24010KT 9999 FEW030 08/03 Q1015"
            more = {"siteType": ["METAR"]} if "/stationinfo?" in self.path else {"obsTime": at, "rawOb": report}
            body = json.dumps([WeatherServer.STATION | more]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass


def states():
    return [run("systemctl", "is-enabled", unit, check=False).stdout.strip() for unit in (UNIT, SOCKET_UNIT)]


def network(board):
    """paced-net is off after its installation; enabled, it serves and publishes the weather, and has no other rights."""
    package = pathlib.Path(board.package).with_name("paced-net.deb")
    board.measured["dpkg_s"] = dpkg("--install", package)
    expect(states() == ["disabled", "disabled"], f"after the installation: {states()}")
    expect(not is_active(UNIT) and not SOCKET.exists(), "it was started by its installation")
    expect(mode(NET_CONFIGURATION) == "-rw-r----- root:paced-net", f"mode: {mode(NET_CONFIGURATION)}")
    server = WeatherServer()
    hosts = HOSTS.read_text()
    HOSTS.write_text(f"{hosts}\n127.0.0.1 {HOST}\n")
    NET_CONFIGURATION.write_text(
        f"[Network]\nContact=board@example.org\n[Weather]\nServer=http://{HOST}:{server.server_port}/api/data\n"
        "[Transit]\nHome=52.5,13.4\n")
    CREDENTIAL.touch(0o600)
    CREDENTIAL.write_text("Bearer of weather\n")
    DROP_IN.parent.mkdir()
    DROP_IN.write_text(f"[Service]\nLoadCredential=weather-authorization:{CREDENTIAL}\n")
    systemctl("daemon-reload")
    systemctl("enable", "--now", "paced-net")
    wait_active(unit=UNIT)
    expect(states() == ["enabled", "enabled"], f"after enabling: {states()}")
    process = expect_identity(UNIT, "paced-net", "paced-watch", "paced-publish")
    expect(mode(SOCKET) == f"srw-rw---- root:{CONTROL}", f"mode: {mode(SOCKET)}")
    board.measured["exposure"] = exposure(UNIT)
    expect(board.measured["exposure"] <= 2.0, f"exposure: {board.measured}")
    expect_weather(board, server)
    board.measured["rss_kb"] = int(re.search(
        r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1))
    expect_rights(UNIT, "paced-net", CACHE, journal="EACCES", recordings="EACCES", change_of_the_journal="EACCES",
                  new_recording="EACCES")
    expect_wrong_configuration_fails()
    process = main_process(UNIT)
    dpkg("--install", package)
    wait_active(unit=UNIT)
    expect(main_process(UNIT) != process, "an upgrade did not restart it")
    expect_none_failed()
    expect_removal()
    server.shutdown()
    HOSTS.write_text(hosts)


def expect_weather(board, server):
    """Its data reach the watchers of the topic; net.sock answers commanders only."""
    rider, owner = board.rider(), board.owner()
    expect(not rider.may_connect(SOCKET), "a watcher may connect to net.sock")
    rider.send(json.dumps({"class": "WATCH", "topics": ["weather"]}))
    line = rider.wait(
        "weather", lambda line: line["class"] == "DATA" and line.get("data", {}).get("station") == "EDDB", 90)
    expect(line["data"]["temperature_c"] == 8 and 10_000 < line["data"]["distance_m"] < 25_000, f"data: {line}")
    with acting_as(owner.name):
        answer = ControlClient(SOCKET, timeout=60).result("weather.at", station="EDDB")
    expect(answer["weather"]["station"] == "EDDB" and len(answer["reports"]) == 1, f"answer: {answer}")
    for path, headers in server.requests:
        expect(headers.get("Authorization") == "Bearer of weather", f"authorization: {headers}")
        expect(re.fullmatch(r"paced-net/\S+ \(board@example\.org\)", headers["User-Agent"]), f"agent: {headers}")
        expect(re.search(r"\?(bbox=(-?\d+\.[05],?){4}|ids=EDDB)&format=json(&taf=true)?$", path), f"request: {path}")
    kinds = {path.split("?")[0].rsplit("/", 1)[1] for path, _ in server.requests}
    expect(kinds == {"stationinfo", "metar"}, f"requests: {server.requests}")
    board.measured["requests"] = len(server.requests)


def expect_wrong_configuration_fails():
    """An unknown key: status 2 and its place in the file, and no restart."""
    right = NET_CONFIGURATION.read_text()
    NET_CONFIGURATION.write_text("[Weather]\nBogus=1\n")
    result = run("systemctl", "restart", UNIT, check=False)
    expect(result.returncode != 0 and property_of(UNIT, "ExecMainStatus") == "2", "it started with an unknown key")
    expect(f"{NET_CONFIGURATION}:2: there is no key Bogus in [Weather]" in journal("--unit", UNIT), "the place is not said")
    NET_CONFIGURATION.write_text(right)
    systemctl("start", UNIT)


def expect_removal():
    """Removed: nothing of it runs or listens; purged: no response is left."""
    dpkg("--remove", "paced-net")
    for unit in UNIT, SOCKET_UNIT:
        wait_for(lambda: not is_active(unit), 60, f"the end of {unit}")
    expect(not SOCKET.exists(), "its socket is left")
    expect(list(CACHE.glob("*.response")) and NET_CONFIGURATION.exists(), "more than the programs was removed")
    dpkg("--purge", "paced-net")
    expect(not CACHE.exists() and not NET_CONFIGURATION.exists(), "something is left of it")
    expect(is_active(SERVICE) and CONFIGURATION.exists(), "it took paced with it")
    for path in CREDENTIAL, DROP_IN:
        path.unlink()
    DROP_IN.parent.rmdir()
    systemctl("daemon-reload")
    expect_none_failed()
