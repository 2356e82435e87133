"""The package paced-link on a board: its socket, a broker on loopback, the permissions of its user, and its removal."""
import pathlib
import shutil
import subprocess

from board import (
    CONFIGURATION, KEPT, SERVICE, User, acting_as, expect_none_failed, exposure, is_active, journal, main_process, mode,
    property_of, run, systemctl, wait_active)
from harness.client import ControlClient
from harness.timing import expect, wait_for
from package_scenarios import dpkg
from unit_rights import expect_identity, expect_rights

UNIT, SOCKET_UNIT = "paced-link.service", "paced-link.socket"
SOCKET, STATE = pathlib.Path("/run/paced-link/link.sock"), pathlib.Path("/var/lib/paced-link")
LINK_CONFIGURATION = CONFIGURATION.with_name("paced-link.conf")
BROKER_CONFIGURATION = pathlib.Path("/run/broker.conf")
DROP_IN = pathlib.Path("/etc/systemd/system/paced-link.service.d/uploads.conf")


def link(board):
    """paced-link is off after its installation and starts by its socket; enabled, it reaches a broker and a directory,
    and it reads recordings without a right to write them."""
    package = pathlib.Path(board.package).with_name("paced-link.deb")
    board.measured["dpkg_s"] = dpkg("--install", package)
    states = [run("systemctl", "is-enabled", unit, check=False).stdout.strip() for unit in (UNIT, SOCKET_UNIT)]
    expect(states == ["disabled", "disabled"], f"after the installation: {states}")
    expect(not is_active(UNIT) and not SOCKET.exists(), "it was started by its installation")
    expect(mode(LINK_CONFIGURATION) == "-rw-r----- root:paced-link", f"mode: {mode(LINK_CONFIGURATION)}")
    expect_start_by_socket(board)
    BROKER_CONFIGURATION.write_text("listener 1883 127.0.0.1\nallow_anonymous true\n")
    broker = subprocess.Popen(["mosquitto", "-c", BROKER_CONFIGURATION], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    LINK_CONFIGURATION.write_text(
        "[Mqtt]\nHost=127.0.0.1\nAllowPlain=yes\nLevel=position\nMeteredInterfaces=lo\n[Collector]\nSinks=main\n")
    systemctl("stop", UNIT)
    systemctl("enable", "--now", "paced-link")
    wait_active(unit=UNIT)
    expect(property_of(UNIT, "UnitFileState") == "enabled", "it is not enabled")
    said = run("mosquitto_sub", "-V", "5", "-h", "127.0.0.1", "-t", "paced/v1/+/status", "-C", "1", "-W", "60")
    expect(said.strip() == "online", f"the broker has the status: {said}")
    main = sinks(board)["main"]
    expect(main["state"] == "paused" and "metered" in main["reason"], f"the interface is not known: {main}")
    expect_identity(UNIT, "paced-link", "paced-watch", "paced-publish")
    board.measured["exposure"] = exposure(UNIT)
    expect(board.measured["exposure"] <= 2.0, f"exposure: {board.measured}")
    expect_rights(UNIT, "paced-link", STATE, journal="allowed", recordings="allowed", change_of_the_journal="EACCES",
                  new_recording="EROFS")
    expect_uploads(board)
    expect_wrong_configuration_fails()
    process = main_process(UNIT)
    dpkg("--install", package)
    wait_active(unit=UNIT)
    expect(main_process(UNIT) != process, "an upgrade did not restart it")
    expect_none_failed()
    expect_removal()
    broker.kill()
    broker.wait()


def expect_start_by_socket(board):
    """A watcher's question starts the service, which is off without a broker; a stranger has no access."""
    systemctl("start", SOCKET_UNIT)
    expect(not is_active(UNIT), "its socket alone has started it")
    expect(mode(SOCKET) == "srw-rw---- root:paced-watch", f"mode: {mode(SOCKET)}")
    expect(not User("nobody").may_connect(SOCKET), "a stranger may connect to link.sock")
    found = sinks(board)
    expect(is_active(UNIT), "a question did not start it")
    expect(found["mqtt"]["state"] == "off", f"without a broker: {found}")


def sinks(board):
    """What a watcher is told of each sink."""
    with acting_as(board.rider().name):
        answer = ControlClient(SOCKET, timeout=60).result("link.status")
    return {sink["name"]: sink for sink in answer["sinks"]}


def expect_uploads(board):
    """pacectl makes a file in the sandbox of the unit, where a drop-in lets it. An activity that is wholly in a hidden
    place, which needs the secret of the unit's user, and a place without a drop-in are reasons to wait."""
    before = LINK_CONFIGURATION.read_text()
    whole, hidden, closed = places = [pathlib.Path("/srv") / name for name in ("whole", "hidden", "closed")]
    for place in places:
        run("install", "-d", "-o", "paced-link", place)
    LINK_CONFIGURATION.write_text(before + "".join(
        f"[Upload {place.name}]\nService=directory\nPath={place}\nHideMetres={200 if place == hidden else 0}\n"
        for place in places))
    DROP_IN.parent.mkdir()
    DROP_IN.write_text(f"[Service]\nReadWritePaths={whole} {hidden}\n")
    systemctl("daemon-reload")
    systemctl("restart", UNIT)
    wait_active(unit=UNIT)
    activity = next(one["uuid"] for one in board.rider().activities() if not one["open"])
    with acting_as(board.rider().name):
        client = ControlClient(SOCKET, timeout=60)
        client.result("link.upload", activities=[activity])
        wait_for(
            lambda: {one["to"]: one["state"] for one in client.result("link.uploads", activity=activity)["uploads"]}
            == {"whole": "done", "hidden": "waiting", "closed": "waiting"}
            and "reason" in client.result("link.uploads", activity=activity)["uploads"][1],
            60, "the activity at one service of three")
        reason = client.result("link.uploads", activity=activity)["uploads"][1]["reason"]
    expect("outside of its hidden places" in reason and not list(hidden.iterdir()), f"hidden: {reason}")
    [file] = whole.iterdir()
    expect(activity in file.name, f"name: {file}")
    expect(file.read_bytes()[8:12] == b".FIT" and mode(file) == "-rw-r--r-- paced-link:paced-link", mode(file))
    found = sinks(board)["upload closed"]
    expect(found["state"] == "waiting" and found["activities"] == 1 and found["reason"], f"without a drop-in: {found}")
    LINK_CONFIGURATION.write_text(before)
    for directory in DROP_IN.parent, *places:
        shutil.rmtree(directory)
    systemctl("daemon-reload")
    systemctl("restart", UNIT)


def expect_wrong_configuration_fails():
    """An unknown key: status 2 and its place in the file, and no restart."""
    right = LINK_CONFIGURATION.read_text()
    LINK_CONFIGURATION.write_text("[Mqtt]\nBogus=1\n")
    result = run("systemctl", "restart", UNIT, check=False)
    expect(result.returncode != 0 and property_of(UNIT, "ExecMainStatus") == "2", "it started with an unknown key")
    expect(f"{LINK_CONFIGURATION}:2: there is no key Bogus in [Mqtt]" in journal("--unit", UNIT), "the place is not said")
    LINK_CONFIGURATION.write_text(right)
    systemctl("start", UNIT)


def expect_removal():
    """Removed: nothing of it runs or listens; purged: nothing of it is left, and every recording is."""
    dpkg("--remove", "paced-link")
    for unit in UNIT, SOCKET_UNIT:
        wait_for(lambda: not is_active(unit), 60, f"the end of {unit}")
    expect(not SOCKET.exists(), "its socket is left")
    expect((STATE / "link.sqlite").exists() and LINK_CONFIGURATION.exists(), "more than the programs was removed")
    dpkg("--purge", "paced-link")
    expect(not STATE.exists() and not LINK_CONFIGURATION.exists(), "something is left of it")
    expect(is_active(SERVICE) and (KEPT / "journal.sqlite").exists(), "it took paced with it")
    systemctl("daemon-reload")
    expect_none_failed()
