"""What systemd has of the service, and who may do what with it."""
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
# Numbers of system calls of x86-64 that the filters of the service refuse, and what comes instead: clone3 (C's library
# takes clone), clock_adjtime, which could set the clock too (timedated is asked), setpriority (a thread that would stand
# back has the daemon's own), and in bluetoothd_only socket, for the kernel's own Bluetooth.
KNOWN = {"435", "305", "141", "41"}


class DropIn:
    """The service without the kernel's way to Bluetooth, as long as it is entered."""

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
    """What the daemon may, as bits."""
    status = pathlib.Path(f"/proc/{main_process()}/status").read_text()
    held = {name: int(bits, 16) for name, bits in re.findall(r"^(Cap\w+):\s+(\w+)$", status, re.MULTILINE)}
    expect(held["CapEff"] == held["CapBnd"] == held["CapPrm"], f"capabilities: {held}")
    return held["CapEff"]


def security(board):
    """systemd-analyze gives the unit at most 1.6, and at most 1.1 without the kernel's way to Bluetooth."""
    board.measured["exposure"] = exposure()
    with DropIn():
        board.measured["exposure_bluetoothd_only"] = exposure()
    expect(board.measured["exposure"] <= 1.6, f"exposure: {board.measured}")
    expect(board.measured["exposure_bluetoothd_only"] <= 1.1, f"exposure: {board.measured}")


def socket_activation(board):
    """Who connects before the daemon is up is served by the one that systemd then starts."""
    systemctl("stop", SERVICE)
    expect(not is_active(), "the service goes on")
    at = boot_ms()
    rider = board.rider()
    state = rider.wait("state", lambda line: line["class"] == "STATE", 30)
    board.measured["answer_s"] = (state["boot_ms"] - at) / 1000
    wait_active()


def restart(board):
    """Readers that come back after a restart in mid-run see the same activity go on."""
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
    """A daemon that does nothing any more is restarted within 10 s, and the run goes on."""
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
    """Told to stop, the daemon is gone within a second, and its journal is whole and closed."""
    board.owner().call("run.start", sport="run")
    process = main_process()
    time.sleep(3)
    at = time.monotonic()
    os.kill(process, signal.SIGTERM)
    while pathlib.Path(f"/proc/{process}").exists():
        time.sleep(0.005)
    board.measured["ended_s"] = round(time.monotonic() - at, 3)
    wait_for(lambda: not is_active(), 15, "the service stopped")
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
    for name in "state.sock", "control.sock":
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
    """A member of the group of those who watch: reads what is said and what is recorded, and commands nothing."""
    rider = board.rider()
    expect(not rider.may_connect("control.sock"), "a watcher may connect to control.sock")
    told = rider.pacectl("start", check=False)
    expect(told.returncode != 0, f"a watcher began a run: {told}")
    expect(rider.until("state", lambda state: True)["run"] == "idle", "a run began")
    newest = rider.activities()[0]
    expect("<trk>" in rider.pacectl("export", newest["id"], "--format", "gpx"), "no track")
    files = {path: mode(path).split()[0] for path in KEPT.rglob("*")}
    readable = {path: bits for path, bits in files.items() if bits[7:] != "---" or bits[5] == "w"}
    expect(not readable, f"modes: {readable}")


def owner(board):
    """A member of the group of those who command is obeyed, and the journal says whose word it was."""
    owner = board.owner()
    owner.pacectl("start", "walk")
    owner.until("run", lambda state: state["run"] == "active" and state["sport"] == "walk")
    owner.pacectl("discard")
    uid = run("id", "-u", "owner").strip()
    said = journal("--unit", SERVICE)
    expect(re.search(rf"user {uid}, process \d+, asks for start", said), f"it is not said that user {uid} began a run")


def wrong_configuration(_):
    """A key that is none: status 2, and its place in the file; it does not spin, and mended the service starts."""
    configure("Recording Bogus=1")
    try:
        told = run("systemctl", "restart", SERVICE, check=False)
        expect(told.returncode != 0, "the service started")
        expect(property_of(SERVICE, "ExecMainStatus") == "2", f"status {property_of(SERVICE, 'ExecMainStatus')}")
        restarts = property_of(SERVICE, "NRestarts")
        time.sleep(4)
        expect(property_of(SERVICE, "NRestarts") == restarts, "it is tried again and again")
        expect(f"{CONFIGURATION}:4" in journal("--unit", SERVICE), "the place in the file is not said")
    finally:
        configure()
        systemctl("start", SERVICE)


def reload(board):
    """A reload takes over what has changed in the file; of a file that is wrong nothing, and the service goes on."""
    owner, process = board.owner(), main_process()
    configure("Settings metric=yes")
    systemctl("reload", SERVICE)
    wait_for(lambda: owner.call("settings.get", key="metric") is True, 15, "the new setting")
    configure("Settings metric=no Bogus=1")
    run("systemctl", "reload", SERVICE, check=False)
    wait_for(lambda: f"{CONFIGURATION}:5" in journal("--unit", SERVICE), 15, "the place in the file")
    expect(owner.call("settings.get", key="metric") is True, "half of a wrong file was taken over")
    configure()
    systemctl("reload", SERVICE)
    wait_for(lambda: owner.call("settings.get", key="metric") is False, 15, "the setting of before")
    expect(main_process() == process, "it was restarted")


def kernel_way(board):
    """Without bluetoothd beats come too, with CAP_NET_ADMIN and nothing else."""
    systemctl("mask", "--runtime", "--now", "bluetooth.service")
    systemctl("restart", SERVICE)
    state = beating(board.rider())
    held = capabilities()
    systemctl("unmask", "--runtime", "bluetooth.service")
    systemctl("start", "bluetooth.service")
    expect(state["bluetooth"]["backend"] == "kernel", f"bluetooth: {state['bluetooth']}")
    expect(held == NET_ADMIN, f"capabilities: {held:#x}")


def bluetoothd_only(board):
    """With the drop-in beats come through bluetoothd, and the daemon may nothing that any user may not."""
    with DropIn():
        systemctl("restart", SERVICE)
        state = beating(board.rider())
        held = capabilities()
    systemctl("restart", SERVICE)
    expect(state["bluetooth"]["backend"] == "bluetoothd", f"bluetooth: {state['bluetooth']}")
    expect(held == 0, f"capabilities: {held:#x}")


def sandbox(board):
    """In all of this boot the filters refused nothing of the service's but what is known, and done without."""
    refused = [line for line in journal("--grep", "SECCOMP|type=1326").splitlines() if "/usr/bin/pace" in line]
    calls = sorted({re.search(r"syscall=(\d+)", line).group(1) for line in refused})
    board.measured["refused_calls"] = calls
    expect(set(calls) <= KNOWN, "refused calls:\n" + "\n".join(refused[:10]))
    expect_none_failed()
