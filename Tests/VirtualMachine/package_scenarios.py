"""The package on a board: installation, upgrade during a run, removal and purge."""
import pathlib
import sqlite3
import time

from board import (
    CONFIGURATION, CONTROL, KEPT, SERVICE, SOCKETS, WATCH, beating, configure, expect_none_failed, is_active, journal,
    main_process, mode, run, systemctl, wait_active)
from harness.timing import expect, wait_for

# Configuration keys of release 0.1.0, and their present names.
FORMER_KEYS = {
    "RecordAtBoot": "AutoStart=, and is read as AutoStart=yes", "SyncSeconds": "SyncIntervalSec=, and is read as SyncIntervalSec=2",
    "ResumeMinutes": "ResumeLimitSec=, and is read as ResumeLimitSec=1800",
    "StateClients": "MaxStateClients=, and is read as MaxStateClients=100"}
UNITS = (SERVICE, "paced-state.socket", "paced-control.socket", "paced-publish.socket", "paced-sensor.socket")


def dpkg(*words):
    """Returns the seconds that it took."""
    at = time.monotonic()
    # The index of the manual, which other packages trigger, takes a minute here.
    run("dpkg", "--no-triggers", *words, seconds=300)
    return round(time.monotonic() - at, 1)


def version():
    return run("dpkg-query", "--show", "--showformat", "${Version}", "paced")


def installation(board):
    """The package is installed on a board for the first time: users, groups, modes and units are correct."""
    board.measured["dpkg_s"] = dpkg("--install", board.package)
    for group in WATCH, CONTROL:
        expect(not board.members(group), f"{group} has members: {board.members(group)}")
    run("getent", "passwd", "paced")
    for unit in UNITS:
        expect(run("systemctl", "is-enabled", unit).strip() == "enabled", f"{unit} is not enabled")
        wait_active(unit=unit)
    wanted = {
        SOCKETS: "drwxr-xr-x root:root", SOCKETS / "state.sock": f"srw-rw---- root:{WATCH}",
        SOCKETS / "control.sock": f"srw-rw---- root:{CONTROL}",
        SOCKETS / "publish.sock": "srw-rw---- root:paced-publish",
        SOCKETS / "sensor.sock": "srw-rw---- root:paced-sensors", KEPT: f"drwxr-x--- paced:{WATCH}",
    }
    found = {path: mode(path) for path in wanted}
    expect(found == wanted, f"modes: {found}")
    expect(str(CONFIGURATION) in run("dpkg-query", "--show", "--showformat", "${Conffiles}", "paced"), "no conffile")
    expect_none_failed()
    verified = run("systemd-analyze", "verify", *UNITS, check=False)
    expect(not verified.stdout + verified.stderr, f"systemd-analyze verify: {verified.stdout}{verified.stderr}")


def upgrade(board):
    """An upgrade during a run: sockets and configuration stay, the new daemon runs, and the run is resumed.

    The configuration was edited by a user, with the key names of release 0.1.0.
    """
    rider = board.rider()
    beating(rider)
    board.owner().call("run.start", sport="run")
    before = rider.until("run", lambda state: state["run"] == "active" and state["elapsed_ms"] > 3000)
    configure("Recording RecordAtBoot=yes SyncSeconds=2 ResumeMinutes=30", "Clients StateClients=100")
    old, process, configured = version(), main_process(), CONFIGURATION.read_text()
    sockets = {path: path.stat().st_ino for path in SOCKETS.glob("*.sock")}
    board.measured["dpkg_s"] = dpkg("--install", pathlib.Path(board.package).with_name("paced-next.deb"))
    after = rider.again(60).until("run", lambda state: state["run"] == "active")
    passed, recorded = (after[key] - before[key] for key in ("boot_ms", "elapsed_ms"))
    board.measured["unrecorded_s"] = (passed - recorded) / 1000
    expect(version() == old + "+next", f"the version is {version()}")
    expect(main_process() != process, "it is the same process")
    expect(after["activity"] == before["activity"], f"another activity: {after['activity']}")
    expect(after["elapsed_ms"] >= before["elapsed_ms"], f"it went back: {before}, {after}")
    expect({path: path.stat().st_ino for path in SOCKETS.glob("*.sock")} == sockets, "the sockets are others")
    expect(CONFIGURATION.read_text() == configured, "the configuration is another one")
    expect(not is_active("paced-panel.service"), "a panel runs that nobody has switched on")
    said = journal("--unit", SERVICE)
    for then, now in FORMER_KEYS.items():
        expect(f"{then}= is now called {now}" in said, f"no warning of {then}: {said}")
    beating(rider)
    board.owner().call("run.discard")
    configure()
    systemctl("restart", SERVICE)


def removal(board):
    """Removed: nothing of it runs or listens; purged: no configuration is left; installed again: all runs are there."""
    recorded = board.rider().activities()
    dpkg("--remove", "paced")
    for unit in UNITS:
        wait_for(lambda: not is_active(unit), 60, f"the end of {unit}")
    expect(not list(SOCKETS.glob("*.sock")), "a socket is left")
    expect(CONFIGURATION.exists(), "the configuration went with the programs")
    dpkg("--purge", "paced")
    expect(not CONFIGURATION.parent.exists(), "something is left of the configuration")
    expect_none_failed()
    with sqlite3.connect(f"file:{KEPT}/journal.sqlite?mode=ro", uri=True) as database:
        expect(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "the journal is not whole")
    dpkg("--install", board.package)
    wait_active()
    expect(board.rider().activities() == recorded, "the runs are not what they were")
