"""The package paced-web on a board: its permissions, a browser of the board, the drop-ins of pacectl, and its removal."""
import http.client
import json
import os
import pathlib
import re
import socket
import time

from board import (
    CONFIGURATION, CONTROL, SERVICE, acting_as, expect_none_failed, exposure, is_active, journal, main_process, mode,
    property_of, run, systemctl, wait_active)
from harness.client import ControlClient
from harness.timing import expect, wait_for
from package_scenarios import dpkg
from unit_rights import expect_identity

UNIT = "paced-web.service"
SOCKET_UNITS = ["paced-web.socket", "paced-web-code.socket", "paced-web-admin.socket"]
CODES, ADMIN = pathlib.Path("/run/paced-web/code.sock"), pathlib.Path("/run/paced-web/admin.sock")
STATE = pathlib.Path("/var/lib/paced-web")
OVERRIDE = pathlib.Path("/etc/systemd/system/paced-web.socket.d/override.conf")


class Browser:
    """A client of the page, signed in with a code."""

    def __init__(self, code):
        self.token = None
        self.token = self.send("POST", "/api/token", {"code": code})[1]["token"]

    def send(self, method, path, body=None):
        """The status of the response, and its JSON, or its bytes if it is none."""
        connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        try:
            return answer.status, json.loads(data)
        except ValueError:
            return answer.status, data

    def call(self, method, **parameters):
        return self.send("POST", "/api", {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})

    def first_lines(self, count):
        """The classes of the first lines of the stream."""
        connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=60)
        connection.request("POST", "/api/stream", headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        classes = [json.loads(answer.readline())["class"] for _ in range(count)]
        connection.close()
        return classes


def page(board):
    """paced-web is off after its installation; enabled, it serves this machine, and commands only with the drop-in."""
    package = pathlib.Path(board.package).with_name("paced-web.deb")
    board.measured["dpkg_s"] = dpkg("--install", package)
    states = [run("systemctl", "is-enabled", unit, check=False).stdout.strip() for unit in [UNIT, *SOCKET_UNITS]]
    expect(states == ["disabled"] * 4, f"after the installation: {states}")
    expect(not is_active(UNIT) and not CODES.exists(), "it was started by its installation")
    systemctl("enable", "--now", "paced-web")
    wait_active(unit=UNIT)
    process = expect_identity(UNIT, "paced-web", "paced-watch")
    expect(os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"), "it has the machine's network")
    board.measured["exposure"] = exposure(UNIT)
    expect(board.measured["exposure"] <= 1.5, f"exposure: {board.measured}")
    rider, owner = board.rider(), board.owner()
    expect(mode(CODES) == "srw-rw---- root:paced-watch" and mode(ADMIN) == f"srw-rw---- root:{CONTROL}",
           f"modes: {mode(CODES)}, {mode(ADMIN)}")
    expect(rider.may_connect(CODES) and not rider.may_connect(ADMIN), "what a watcher may connect to")
    with acting_as(rider.name):
        watcher = Browser(ControlClient(CODES).result("web.code")["code"])
    with acting_as(owner.name):
        commander = Browser(ControlClient(ADMIN).result("web.code", control=True)["code"])
    expect_page(watcher)
    expect(watcher.call("settings.set", key="metric", value=True)[0] == 403, "a watch token commands")
    status, answer = commander.call("settings.set", key="metric", value=True)
    expect((status, answer["error"]["code"]) == (403, "no-control"), f"without the drop-in: {status} {answer}")
    expect(commander.send("GET", "/api/token")[1]["can_command"] is False, "it says that it may command")
    board.measured["own_kb"] = int(re.search(
        r"RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1))
    expect(board.measured["own_kb"] < 10 << 10, f"memory: {board.measured}")

    run("pacectl", "web", "control", "on")
    wait_active(unit=UNIT)
    expect(commander.send("GET", "/api/token")[1]["can_command"] is True, "it may not command with the drop-in")
    expect(commander.call("settings.set", key="metric", value=True)[1].get("result") is True, "no command")
    commander.call("settings.set", key="metric", value=None)
    expect(watcher.call("settings.set", key="metric", value=True)[0] == 403, "a watch token commands")

    process = main_process(UNIT)
    dpkg("--install", package)
    wait_active(unit=UNIT)
    expect(main_process(UNIT) != process, "an upgrade did not restart it")
    expect(watcher.send("GET", "/api/token")[0] == 200, "an upgrade signed the browsers out")
    expect_end_with_membership(rider, watcher, commander)
    expect_none_failed()
    expect_wrong_address_is_named(board)
    expect_wrong_configuration_heals(board)
    expect_opening_and_closing(board)
    expect_removal()


def expect_end_with_membership(rider, watcher, commander):
    """Who leaves the group loses the tokens of the codes that he made, within a minute, and nobody else does."""
    makers = [token["user"] for token in ControlClient(ADMIN).result("web.tokens")]
    expect(makers[0] == rider.name and rider.name not in makers[1:], f"the tokens are of {makers}")
    run("gpasswd", "--delete", rider.name, "paced-watch")
    wait_for(lambda: watcher.send("GET", "/api/token")[0] == 401, 120, "the end of the tokens of a former member")
    expect(commander.send("GET", "/api/token")[0] == 200, "another user lost a token")
    run("gpasswd", "--add", rider.name, "paced-watch")
    wait_for(lambda: watcher.send("GET", "/api/token")[0] == 200, 120, "the tokens of the member")


def starts(since):
    """How often systemd tried to start the service since a moment of the journal."""
    lines = journal("--unit", UNIT, "--unit", "init.scope", "--since", f"@{since:.3f}").splitlines()
    return sum("Starting paced-web.service" in line or "Dependency failed for paced-web.service" in line for line in lines)


def expect_wrong_address_is_named(board):
    """An address that contains the default: the three sockets fail together, doctor names its line, systemd is calm, and
    the corrected file heals all with one restart."""
    OVERRIDE.parent.mkdir(exist_ok=True)
    OVERRIDE.write_text("[Socket]\nListenStream=0.0.0.0:8080\n")
    systemctl("daemon-reload")
    began = time.time()
    run("systemctl", "restart", "paced-web.socket", check=False)
    expect(not any(is_active(unit) for unit in [UNIT, *SOCKET_UNITS]), "a part of it goes on")
    said = run("pacectl", "doctor", check=False).stdout
    expect(f"{OVERRIDE}:2: 0.0.0.0:8080 contains 127.0.0.1:8080 of /lib/systemd/system/paced-web.socket:" in said
           or f"{OVERRIDE}:2: 0.0.0.0:8080 contains 127.0.0.1:8080 of /usr/lib" in said, f"doctor: {said}")
    result = run("pacectl", "web", "code", check=False)
    expect(result.returncode == 3, f"web code: {result}")
    # Each 10 s one attempt to listen again; the third is on its way.
    wait_for(lambda: journal("--since", f"@{began:.3f}").count("Failed to listen on") >= 3, 60, "another attempt")
    board.measured["starts_with_wrong_address"] = starts(began)
    expect(starts(began) < 20, f"{starts(began)} starts")
    OVERRIDE.write_text("[Socket]\nListenStream=\nListenStream=0.0.0.0:8080\n")
    systemctl("daemon-reload")
    systemctl("restart", "paced-web.socket")
    expect(all(is_active(unit) for unit in SOCKET_UNITS), "the restart of one socket did not heal the three")
    expect("code" in ControlClient(CODES).result("web.code"), "no code")
    OVERRIDE.unlink()
    systemctl("daemon-reload")
    systemctl("restart", "paced-web.socket")


def expect_wrong_configuration_heals(board):
    """A service that ends with status 2, or cannot even be started, while clients wait: no spin, and after the
    correction the next client is served without a restart of a socket."""
    file = CONFIGURATION.with_name("paced-web.conf")
    before = file.read_text()
    drop_in = pathlib.Path(f"/etc/systemd/system/{UNIT}.d/broken.conf")
    drop_in.parent.mkdir(exist_ok=True)
    for kind in ["configuration", "dependency"]:
        if kind == "configuration":
            file.write_text("[Web]\nBogus=1\n")
        else:
            drop_in.write_text("[Unit]\nRequires=broken.service\nAfter=broken.service\n")
            broken = pathlib.Path("/etc/systemd/system/broken.service")
            broken.write_text("[Service]\nType=oneshot\nExecStart=/bin/false\n")
        systemctl("daemon-reload")
        systemctl("stop", UNIT)
        began, end = time.time(), time.monotonic() + 25
        while time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as client:
                # A full backlog makes connect() wait too.
                client.settimeout(1)
                try:
                    client.connect(str(CODES))
                    client.recv(1)
                except OSError:
                    time.sleep(0.2)
        board.measured[f"starts_with_wrong_{kind}"] = count = starts(began)
        expect(0 < count <= 40, f"{count} starts in 25 s with a wrong {kind}")
        file.write_text(before)
        drop_in.unlink(missing_ok=True)
        systemctl("daemon-reload")
        wait_for(lambda: code_of_next_client() is not None, 60, f"a code after the correction of the {kind}")
    pathlib.Path("/etc/systemd/system/broken.service").unlink()
    run("systemctl", "reset-failed")


def code_of_next_client():
    try:
        return ControlClient(CODES).result("web.code").get("code")
    except OSError:
        return None


def expect_opening_and_closing(board):
    """web open listens for others, now and at boot, and web close ends it; a file of another is left as it is."""
    place = OVERRIDE.with_name("pacectl-open.conf")
    said = run("pacectl", "web", "open")
    board.measured["web_open"] = said
    expect("paced-web listens at 0.0.0.0:8080" in said and "http://127.0.0.1" not in said, f"web open: {said}")
    expect("Plain HTTP" in said and "█" in said, f"web open: {said}")
    expect("0.0.0.0:8080" in property_of("paced-web.socket", "Listen"), "it does not listen")
    expect("AllowPlain=live" in pathlib.Path("/etc/paced/paced-web.conf.d/pacectl-open.conf").read_text(), "no permission")
    expect("ok    page" in run("pacectl", "doctor", check=False).stdout, "doctor does not see it")
    result = run("pacectl", "web", "open", "192.0.2.1:1", user=board.rider().name, check=False)
    expect(result.returncode == 1 and "sudo" in result.stderr, f"as a user: {result}")
    run("pacectl", "web", "close")
    expect(not place.exists() and "127.0.0.1:8080" in property_of("paced-web.socket", "Listen"), "it is open")
    place.parent.mkdir(exist_ok=True)
    place.write_text("[Socket]\n")
    result = run("pacectl", "web", "open", check=False)
    expect(result.returncode == 1 and f"{place} is not of pacectl" in result.stderr, f"a foreign file: {result}")
    place.unlink()
    run("pacectl", "web", "open")


def expect_page(watcher):
    """A browser of this machine gets the page, the lines, the activities, a report and a file."""
    status, text = watcher.send("GET", "/")
    expect(status == 200 and b"<html" in text, f"the page: {status}")
    expect(watcher.first_lines(2) == ["VERSION", "STATE"], "the stream")
    status, listed = watcher.send("GET", "/api/activities?limit=1")
    expect(status == 200 and listed["id"] > 0, f"the activities: {status} {listed}")
    for path, start in [("report?hide=0", b"<!doctype html"), ("file?format=gpx", b"<?xml")]:
        status, text = watcher.send("GET", f"/api/activities/{listed['id']}/{path}")
        expect(status == 200 and text.lower().startswith(start), f"{path}: {status} {str(text)[:200]}")
    expect(watcher.send("GET", "/metrics")[0] == 200, "the figures")


def expect_removal():
    """Removed: nothing of it runs or listens; purged: no token is left."""
    dpkg("--remove", "paced-web")
    for unit in [UNIT, *SOCKET_UNITS]:
        wait_for(lambda: not is_active(unit), 60, f"the end of {unit}")
    expect(not CODES.exists() and not ADMIN.exists(), "its sockets are left")
    expect((STATE / "tokens.json").exists(), "more than the program was removed")
    dpkg("--purge", "paced-web")
    expect(not STATE.exists() and not CONFIGURATION.with_name("paced-web.conf").exists(), "something is left of it")
    expect(is_active(SERVICE) and CONFIGURATION.exists(), "it took paced with it")
    left = [path for path in pathlib.Path("/etc").rglob("pacectl-*.conf")]
    expect(not left, f"files of pacectl web are left: {left}")
    systemctl("daemon-reload")
    expect_none_failed()
