"""The service under systemd, and the permissions of its users."""
import os
import pathlib
import re
import signal
import sqlite3
import time

from board import (
    CONFIGURATION, KEPT, SERVICE, User, acting_as, beating, configure, expect_none_failed, exposure, is_active, journal,
    main_process, mode, moment, property_of, run, shipped, systemctl, wait_active)
from harness.timing import Failed, boot_ms, expect, wait_for

NET_ADMIN = 1 << 12
# System calls of x86-64, by number, that the service's filters reject, with the fallback: clone3 (the C
# library uses clone), clock_adjtime, which could set the clock (timedated is queried), setpriority (a
# thread keeps the daemon's priority), and with bluetoothd-only.conf socket, for the kernel's own Bluetooth.
KNOWN = {"435", "305", "141", "41"}


class DropIn:
    """Inside it, the service has no access to the kernel's Bluetooth."""

    def __enter__(self):
        self.path = pathlib.Path(f"/etc/systemd/system/{SERVICE}.d/bluetoothd-only.conf")
        self.path.parent.mkdir()
        self.path.write_bytes(shipped(self.path.name).read_bytes())
        systemctl("daemon-reload")

    def __exit__(self, *_):
        self.path.unlink()
        self.path.parent.rmdir()
        systemctl("daemon-reload")


def capabilities():
    """The daemon's capabilities as a bit set."""
    status = pathlib.Path(f"/proc/{main_process()}/status").read_text()
    held = {name: int(bits, 16) for name, bits in re.findall(r"^(Cap\w+):\s+(\w+)$", status, re.MULTILINE)}
    expect(held["CapEff"] == held["CapBnd"] == held["CapPrm"], f"capabilities: {held}")
    return held["CapEff"]


def security(board):
    """systemd-analyze rates the unit at most 1.6, and at most 1.1 without the kernel's Bluetooth."""
    board.measured["exposure"] = exposure()
    with DropIn():
        board.measured["exposure_bluetoothd_only"] = exposure()
    expect(board.measured["exposure"] <= 1.6, f"exposure: {board.measured}")
    expect(board.measured["exposure_bluetoothd_only"] <= 1.1, f"exposure: {board.measured}")


def socket_activation(board):
    """A client that connects before the daemon is up is served by the daemon that systemd then starts."""
    systemctl("stop", SERVICE)
    expect(not is_active(), "the service goes on")
    at = boot_ms()
    rider = board.rider()
    state = rider.wait("state", lambda line: line["class"] == "STATE", 30)
    board.measured["answer_s"] = (state["boot_ms"] - at) / 1000
    wait_active()


def restart(board):
    """Subscribers that reconnect after a restart during a run see the same activity continue."""
    owner, rider = board.owner(), board.rider()
    beating(rider)
    owner.call("run.start", sport="run")
    before = rider.until("run", lambda state: state["run"] == "active" and state["elapsed_ms"] > 3000)
    at, process = boot_ms(), main_process()
    systemctl("--no-block", "restart", SERVICE)
    after = rider.again().until("run", lambda state: state["run"] == "active")
    board.measured["back_s"] = (after["boot_ms"] - at) / 1000
    expect(main_process() != process, "it is the same process")
    expect(after["activity"] == before["activity"], f"another activity: {after['activity']}")
    expect(after["elapsed_ms"] >= before["elapsed_ms"], f"it went back: {before}, {after}")
    beating(rider)


def watchdog(board):
    """A hanging daemon is restarted within 10 s, and the run is resumed."""
    owner, rider = board.owner(), board.rider()
    if rider.until("state", lambda state: True)["run"] == "idle":
        owner.call("run.start", sport="run")
    before = rider.until("run", lambda state: state["run"] == "active")
    process, at = main_process(), boot_ms()
    os.kill(process, signal.SIGSTOP)
    wait_for(lambda: is_active() and main_process() not in (0, process), 60, "a restart")
    board.measured["restarted_s"] = (moment("ActiveEnter") - at) / 1000
    after = rider.again().until("run", lambda state: state["run"] == "active")
    expect(board.measured["restarted_s"] <= 10, f"restarted after {board.measured['restarted_s']} s")
    expect(after["activity"] == before["activity"], f"another activity: {after['activity']}")
    owner.call("run.stop")


def sigterm(board):
    """After SIGTERM the daemon ends within a second, and its journal is intact and closed."""
    board.owner().call("run.start", sport="run")
    process = main_process()
    time.sleep(3)
    at = time.monotonic()
    os.kill(process, signal.SIGTERM)
    while pathlib.Path(f"/proc/{process}").exists():
        time.sleep(0.005)
    board.measured["ended_s"] = round(time.monotonic() - at, 3)
    wait_for(lambda: not is_active(), 60, "the service stopped")
    result = property_of(SERVICE, "Result")
    expect(result == "success", f"the service ended with {result}")
    expect(board.measured["ended_s"] < 1, f"it took {board.measured['ended_s']} s")
    log = KEPT / "journal.sqlite-wal"
    expect(not log.exists() or not log.stat().st_size, "its journal is not closed")
    with sqlite3.connect(f"file:{KEPT}/journal.sqlite?mode=ro", uri=True) as database:
        expect(database.execute("PRAGMA integrity_check").fetchone() == ("ok",), "its journal is not whole")
    systemctl("start", SERVICE)
    board.owner().call("run.stop")


def others(board):
    """A user in none of the groups: no connection, nothing readable, no signal."""
    nobody = User("nobody")
    for name in "state.sock", "control.sock", "publish.sock", "sensor.sock":
        expect(not nobody.may_connect(name), f"nobody may connect to {name}")
    process = main_process()
    paths = [KEPT, *KEPT.rglob("*")]
    expect(len(paths) > 2, "there is nothing that could be read")
    with acting_as("nobody"):
        for path in paths:
            try:
                os.close(os.open(path, os.O_RDONLY))
            except PermissionError:
                continue
            raise Failed(f"nobody may read {path}")
        try:
            os.kill(process, 0)
        except PermissionError:
            return
    raise Failed("nobody may send it signals")


def watcher(board):
    """A member of the readers' group: reads the sockets and the recordings, and may not send commands."""
    rider = board.rider()
    expect(not rider.may_connect("control.sock"), "a watcher may connect to control.sock")
    expect(not rider.may_connect("publish.sock"), "a watcher may connect to publish.sock")
    result = rider.pacectl("start", check=False)
    expect(result.returncode != 0, f"a watcher began a run: {result}")
    expect(rider.until("state", lambda state: True)["run"] == "idle", "a run began")
    newest = rider.activities()[0]
    expect("<trk>" in rider.pacectl("export", newest["id"], "--format", "gpx"), "no track")
    files = {path: mode(path).split()[0] for path in KEPT.rglob("*")}
    readable = {path: bits for path, bits in files.items() if bits[7:] != "---" or bits[5] == "w"}
    expect(not readable, f"modes: {readable}")


def owner(board):
    """A member of the commanders' group may send commands, and the journal names the user of each."""
    owner = board.owner()
    owner.pacectl("start", "walk")
    owner.until("run", lambda state: state["run"] == "active" and state["sport"] == "walk")
    owner.pacectl("discard")
    uid = run("id", "-u", "owner").strip()
    said = journal("--unit", SERVICE)
    expect(re.search(rf"user {uid}, process \d+: start", said), f"it is not said that user {uid} began a run")


def wrong_configuration(_):
    """An unknown key: status 2, and its place in the file; no restart loop, and after the repair the service starts."""
    configure("Recording Bogus=1")
    try:
        result = run("systemctl", "restart", SERVICE, check=False)
        expect(result.returncode != 0, "the service started")
        expect(property_of(SERVICE, "ExecMainStatus") == "2", f"status {property_of(SERVICE, 'ExecMainStatus')}")
        restarts = property_of(SERVICE, "NRestarts")
        time.sleep(4)
        expect(property_of(SERVICE, "NRestarts") == restarts, "it is tried again and again")
        expect(f"{CONFIGURATION}:4" in journal("--unit", SERVICE), "the place in the file is not said")
    finally:
        configure()
        systemctl("start", SERVICE)


def reload(board):
    """A reload applies the changes of the file, and nothing of an invalid file; the service continues."""
    owner, process = board.owner(), main_process()
    configure("Settings metric=yes")
    systemctl("reload", SERVICE)
    wait_for(lambda: owner.call("settings.get", key="metric") is True, 60, "the new setting")
    configure("Settings metric=no Bogus=1")
    run("systemctl", "reload", SERVICE, check=False)
    wait_for(lambda: f"{CONFIGURATION}:5" in journal("--unit", SERVICE), 60, "the place in the file")
    expect(owner.call("settings.get", key="metric") is True, "half of a wrong file was taken over")
    configure()
    systemctl("reload", SERVICE)
    wait_for(lambda: owner.call("settings.get", key="metric") is None, 60, "the default of before")
    expect(main_process() == process, "it was restarted")


def kernel_way(board):
    """Without bluetoothd there are beats too, with CAP_NET_ADMIN as the only capability."""
    systemctl("mask", "--runtime", "--now", "bluetooth.service")
    systemctl("restart", SERVICE)
    state = beating(board.rider())
    held = capabilities()
    systemctl("unmask", "--runtime", "bluetooth.service")
    systemctl("start", "bluetooth.service")
    expect(state["bluetooth"]["backend"] == "kernel", f"bluetooth: {state['bluetooth']}")
    expect(held == NET_ADMIN, f"capabilities: {held:#x}")


def bluetoothd_only(board):
    """With the drop-in beats come through bluetoothd, and the daemon has no capability."""
    with DropIn():
        systemctl("restart", SERVICE)
        state = beating(board.rider())
        held = capabilities()
    systemctl("restart", SERVICE)
    expect(state["bluetooth"]["backend"] == "bluetoothd", f"bluetooth: {state['bluetooth']}")
    expect(held == 0, f"capabilities: {held:#x}")


def sandbox(board):
    """In all of this boot the filters rejected only known system calls of the service, which it does without."""
    refused = [line for line in journal("--grep", "SECCOMP|type=1326").splitlines() if "/usr/bin/pace" in line]
    calls = sorted({re.search(r"syscall=(\d+)", line).group(1) for line in refused})
    board.measured["refused_calls"] = calls
    expect(set(calls) <= KNOWN, "refused calls:\n" + "\n".join(refused[:10]))
    expect_none_failed()
