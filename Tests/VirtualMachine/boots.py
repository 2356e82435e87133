"""The boots of a board since the installation of the package, and the expectations for each."""
import os
import pathlib
import signal
import tempfile

from board import KEPT, SERVICE, Board, beating, configure, main_process, moment, note, run, systemctl, wait_active
from harness.timing import expect
from device_scenarios import adapter, barometer, console, panel, receiver
from link_scenarios import link
from network_scenarios import network
from package_scenarios import installation, removal, upgrade
from page_scenarios import page
from unit_scenarios import (
    bluetoothd_only, kernel_way, others, owner, reload, restart, sandbox, security, sigterm, socket_activation,
    watchdog, watcher, wrong_configuration)


# The first boot: no devices around the board.

def doctor(board):
    """pacectl doctor names what is missing, and the remedies; and no position."""
    result = run("pacectl", "doctor", check=False)
    board.measured["doctor"] = result.stdout
    expect(result.returncode == 1, f"doctor: status {result.returncode}\n{result.stdout}{result.stderr}")
    expect("adapter" in result.stdout and "receiver" in result.stdout, f"doctor: {result.stdout}")


def settled(_):
    """Prepares the next boot: our strap, and automatic start of runs."""
    configure("Recording AutoStart=yes")


# The second boot: a strap and a receiver, and no user.

def first_beat(board):
    """Without a login and without a client: heart rate and position within 10 s of the service's start."""
    wait_active()
    # Connects only now: a client must not be what starts the service.
    since = moment("InactiveExit")
    rider = board.rider()
    beat = rider.wait("beat", lambda line: line["class"] == "STATE" and line["heart"].get("bpm"), 60)
    place = rider.wait(
        "position", lambda line: line["class"] == "STATE" and not line.get("position", {}).get("stale", True), 60)
    board.measured |= {
        "started_s": since / 1000, "beat_s": (beat["boot_ms"] - since) / 1000,
        "position_s": (place["boot_ms"] - since) / 1000, "bluetooth": beat["bluetooth"], "gpsd": place["gpsd"]}
    expect(board.measured["beat_s"] <= 10, f"the first beat came after {board.measured['beat_s']} s")
    expect(board.measured["position_s"] <= 10, f"the first position came after {board.measured['position_s']} s")
    expect(abs(place["position"]["latitude"] - 52.52) < 0.01, "the position is another one")
    expect(not run("who").strip(), "somebody is logged in")


def record_at_boot(board):
    """A strap has sent beats for 30 s, and a run has started, backdated to their start."""
    rider = board.rider()
    state = rider.wait("run", lambda line: line["class"] == "STATE" and line["run"] == "active", 90)
    board.measured["elapsed_s"] = state["elapsed_ms"] / 1000
    expect(25_000 <= state["elapsed_ms"] < 90_000, f"the run began {state['elapsed_ms']} ms ago")
    rider.watch(3)
    note("begun", rider.until("state", lambda state: True))


# The third boot: after a poweroff during a run.

def poweroff(board):
    """A run during which the board was powered off is there, closed, with its file; and the service ended in time."""
    begun = note("begun")
    activity = next(activity for activity in board.rider().activities() if activity["id"] == begun["activity"])
    board.measured["activity"] = activity
    expect(not activity["open"], f"the run is open: {activity}")
    expect(activity["elapsed_ms"] >= begun["elapsed_ms"], f"the run is shorter than it was: {activity}")
    expect(list((KEPT / "exports").glob("*.fit")), "no file was made of it")
    # From now on runs start by command.
    configure()
    systemctl("restart", SERVICE)


def cut(board):
    """The power is cut during a run: the states seen until then are kept for the next boot."""
    owner = board.owner()
    beating(owner)
    owner.call("run.start", sport="run")
    owner.until("run", lambda state: state["run"] == "active" and state["elapsed_ms"] > 8000)
    note("cut", owner.until("state", lambda state: True))


# The fourth boot: after a power cut during a run.

def goes_on(board):
    """The interrupted run is resumed, has lost at most what was not synced, and can be exported."""
    before = note("cut")
    owner = board.owner()
    after = owner.wait("run", lambda line: line["class"] == "STATE" and line["run"] == "active", 60)
    board.measured |= {
        "before_ms": before["elapsed_ms"], "after_ms": after["elapsed_ms"], "started_s": moment("ActiveEnter") / 1000}
    expect(after["activity"] == before["activity"], f"another activity: {after['activity']}")
    expect(after["elapsed_ms"] >= before["elapsed_ms"] - 2000, f"more than two seconds are lost: {board.measured}")
    beating(owner)
    owner.until("run", lambda state: state["elapsed_ms"] > after["elapsed_ms"] + 2000)
    owner.call("run.stop")
    expect(exported(after["activity"], "fit")[8:12] == b".FIT", "no FIT file")


def exported(activity, form):
    """pacectl's export of an activity."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / f"run.{form}"
        run("pacectl", "export", activity, "--format", form, "-o", path)
        return path.read_bytes()


def too_old(board):
    """A run that is older than ResumeLimitSec is closed at its last moment, and can be exported."""
    owner = board.owner()
    owner.call("run.start", sport="run")
    before = owner.until("run", lambda state: state["run"] == "active" and state["elapsed_ms"] > 3000)
    configure("Recording ResumeLimitSec=0")
    os.kill(main_process(), signal.SIGKILL)
    owner.again(60).until("idle", lambda state: state["run"] == "idle")
    closed = owner.activities()[0]
    expect(closed["id"] == before["activity"] and not closed["open"], f"the run is not closed: {closed}")
    expect(b"<gpx" in exported(closed["id"], "gpx"), "no GPX file")


# For each boot, the devices around the board and the scenarios.
BOOTS = {
    "install": (lambda board: None, [installation, security, doctor, settled]),
    "first": (Board.surround, [first_beat, record_at_boot]),
    "daily": (Board.surround, [
        poweroff, socket_activation, restart, watchdog, sigterm, others, watcher, owner, wrong_configuration, reload,
        network, page, link, receiver, adapter, kernel_way, bluetoothd_only, upgrade, panel, console, barometer,
        sandbox, cut]),
    "last": (Board.surround, [goes_on, too_old, removal]),
}
# Those that `make test` and .ci/run name. `rest` names all others.
SEEN = {first_beat, upgrade}
# Needed by the other scenarios of their boot, and by later boots.
FIRST = {installation, poweroff}
ALWAYS = {settled, record_at_boot, cut}
