"""The daemon as a systemd service: notifications, socket activation, the watchdog and the shutdown."""

import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import time

import pytest

from harness.fake_bluez import Bus
from harness.fake_systemd import FakeSystemd, Service, listening
from harness.faults import fault_library
from harness.notify import NotifyListener
from harness.process import PACECTL, expect_end
from harness.timing import expect_within, real_seconds, wait_for
from matrix import matrix

OFF = ["--gpsd", "off", "--sensors", "off"]


@pytest.fixture
def notified(stage):
    return stage.keep(NotifyListener(stage.directory))


def service(stage, notified, *options, **settings):
    started = stage.start(Service(stage.directory, *options, NOTIFY_SOCKET=str(notified.path), **settings))
    notified.wait("READY=1")
    return started


def record_at_boot(stage):
    path = stage.directory / "paced.conf"
    path.write_text("[Recording]\nAutoStart=yes\n")
    return ["--config", path]


def summaries(stage):
    listed = subprocess.run(
        [PACECTL, "--state-dir", stage.directory / "state", "--json", "activities"], capture_output=True, text=True)
    return [json.loads(line) for line in listed.stdout.splitlines()]


# Notifications

def test_ready_follows_serving_and_only_a_changed_status_is_sent(stage, notified):
    daemon = service(stage, notified, *OFF)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(daemon.state_socket))
        first = client.recv(65536).splitlines()
    assert [json.loads(line)["class"] for line in first] == ["VERSION", "STATE"]
    assert notified.words("STATUS") == ["idle"]
    daemon.call("run.start")
    notified.wait("STATUS=recording run 1")
    daemon.call("run.lap")
    daemon.call("settings.set", key="metric", value=True)
    time.sleep(1.5)
    daemon.call("run.pause")
    notified.wait("STATUS=run 1 is paused")
    daemon.call("run.stop")
    wait_for(lambda: notified.words("STATUS")[-1] == "idle", 60, "idle again")
    assert daemon.end()[0] == 0
    notified.wait("STOPPING=1")
    assert notified.words("STATUS") == ["idle", "recording run 1", "run 1 is paused", "idle"]
    assert len(notified.moments("READY=1")) == 1 and not notified.words("WATCHDOG")


def test_status_of_a_resumed_run_is_sent_at_once(stage, notified):
    first = stage.paced(*OFF)
    first.call("run.start")
    first.end()
    service(stage, notified, *OFF)
    assert notified.words("STATUS") == ["recording run 1"]


# The watchdog

@pytest.mark.parametrize("options, microseconds, seconds", [(["--demo"], 1_000_000, 0.5), (OFF, 2_000_000, 1)], ids=["active", "idle"])
def test_watchdog_is_notified_at_half_its_limit(stage, notified, options, microseconds, seconds):
    service(stage, notified, *options, WATCHDOG_USEC=str(microseconds))
    fed = wait_for(lambda: len(fed := notified.moments("WATCHDOG=1")) > 12 and fed, 60, "12 notifications")
    steps = [after - before for before, after in zip(fed, fed[1:])]
    print(f"fed every {min(steps):.0f} to {max(steps):.0f} ms, {len(steps)} times")
    # This process may receive a message late.
    assert statistics.median(steps) == pytest.approx(seconds * 1000, rel=0.2)


def test_loop_without_ticks_does_not_notify_the_watchdog(stage, notified):
    """The clock is frozen, so that no tick is ever due; clients still get responses."""
    broken = stage.directory / "broken"
    daemon = service(
        stage, notified, *OFF, WATCHDOG_USEC="400000", LD_PRELOAD=fault_library("clock"), CLOCK_FAULT=str(broken))
    daemon.call("run.start")
    wait_for(lambda: len(notified.moments("WATCHDOG=1")) > 5, 60, "food")
    broken.touch()
    # The last tick that was due is over when a second request is answered.
    for _ in range(2):
        daemon.call("status")

    def count_after_a_second():
        before = len(notified.moments("WATCHDOG=1"))
        time.sleep(1)
        return len(notified.moments("WATCHDOG=1")) == before and before

    count = wait_for(count_after_a_second, 60, "the last message on its way")
    elapsed = daemon.call("status")["elapsed_ms"]
    for _ in range(50):
        assert daemon.call("status")["elapsed_ms"] == elapsed
        time.sleep(0.02)
    assert len(notified.moments("WATCHDOG=1")) == count
    broken.unlink()
    daemon.call("status")
    wait_for(lambda: len(notified.moments("WATCHDOG=1")) > count + 2, 60, "food again")


# The sockets

@pytest.mark.parametrize("order", matrix([["state", "control"], ["control", "state"]], ["state", "control"]), ids="-".join)
def test_passed_sockets_outlive_the_daemon_and_need_no_directory(stage, notified, order):
    sockets = {name: stage.directory / f"{name}.sock" for name in order}
    handed = [(name, listening(path)) for name, path in sockets.items()]
    # A client that connects before the daemon starts is served.
    early = socket.socket(socket.AF_UNIX)
    early.connect(str(sockets["state"]))
    first = service(stage, notified, "--demo", handed=handed)
    early.settimeout(60)
    assert json.loads(early.recv(65536).splitlines()[0])["class"] == "VERSION"
    assert not first.runtime.exists()
    first.runtime = stage.directory
    activity = first.call("status")["activity"]
    assert first.end()[0] == 0
    assert all(path.is_socket() for path in sockets.values())
    # No daemon runs now: the request waits in the socket.
    waiting = socket.socket(socket.AF_UNIX)
    waiting.connect(str(sockets["control"]))
    waiting.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
    second = stage.start(Service(stage.directory, "--demo", handed=handed))
    waiting.settimeout(60)
    state = json.loads(waiting.makefile().readline())["result"]
    assert state["activity"] == activity and state["run"] == "active"
    assert not second.runtime.exists()
    for _, one in handed:
        one.close()


def test_socket_that_is_not_passed_is_created(stage, notified):
    path = stage.directory / "other.sock"
    daemon = service(stage, notified, *OFF, handed=[("state", listening(path))])
    assert daemon.call("status")["run"] == "idle"
    assert not daemon.state_socket.exists()
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        assert b"VERSION" in client.recv(65536)
    daemon.end()
    assert path.exists() and not list(daemon.runtime.glob("*.sock"))


@pytest.mark.parametrize("variables", matrix([
    {"LISTEN_FDS": "x"}, {"LISTEN_FDS": "-1"}, {"LISTEN_FDS": "99999999999"}, {"LISTEN_FDS": "500"},
    {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "state:control:more"},
], {"LISTEN_FDS": "x"}), ids=repr)
def test_invalid_listen_fds_give_one_error(stage, variables):
    status, line = stage.start(Service(stage.directory, *OFF, **variables)).fails()
    assert status == 1 and "LISTEN_FDS" in line
    assert not (stage.directory / "run").exists()


@pytest.mark.parametrize("kind", matrix(["datagrams", "not listening", "internet", "file"], "datagrams"))
def test_passed_socket_of_another_kind_gives_one_error(stage, kind):
    path = stage.directory / "strange"
    made = {
        "datagrams": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM), "not listening": lambda: socket.socket(socket.AF_UNIX),
        "internet": lambda: socket.create_server(("127.0.0.1", 0)), "file": lambda: open(path, "w"),
    }[kind]()
    status, line = stage.start(
        Service(stage.directory, *OFF, handed=[("state", listening(stage.directory / "s")), ("control", made)])).fails()
    assert status == 1 and "control" in line
    made.close()


@pytest.mark.thorough
def test_other_passed_descriptors_are_closed(stage, notified):
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe:
        handed = [("state", listening(stage.directory / "s")), ("other", pipe), ("control", listening(stage.directory / "c"))]
        daemon = service(stage, notified, *OFF, handed=handed)
    open_files = []
    for path in pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir():
        # The daemon may close one meanwhile.
        with contextlib.suppress(FileNotFoundError):
            open_files.append(os.readlink(path))
    assert os.readlink(f"/proc/self/fd/{reading}") not in open_files
    assert '"other"' in daemon.log_text()
    os.close(reading)


# Shutdown

def test_hanging_disk_does_not_delay_the_stop(stage):
    hanging = stage.directory / "fault"

    def start():
        hanging.write_text("fine")
        daemon = stage.paced("--demo", LD_PRELOAD=fault_library("disk"), DISK_FAULT=str(hanging))
        wait_for(lambda: daemon.call("status").get("elapsed_ms", 0) > 1000, 60, "a run")
        hanging.write_text("slow 60000")
        time.sleep(2)
        return daemon

    expect_end(start, 1)
    assert "the end of the run may be lost" in (stage.directory / "log").read_text()


def test_stalled_clients_do_not_delay_the_stop(stage):
    clients = []

    def start():
        daemon = stage.paced("--demo")
        clients.clear()
        for index in range(112):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(daemon.runtime / ("state.sock" if index < 100 else "control.sock")))
            client.sendall(b'{"class":"WATCH","classes":["STATE","EVENT","HEART","FIX"],"since":0}\n' if index < 100
                           else b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n' * 500)
            clients.append(client)
        time.sleep(1)
        return daemon

    expect_end(start, 1)


def test_machine_shutdown_closes_the_run_and_exports_it(stage, notified):
    bus = stage.start(Bus(stage.directory))
    stage.keep(FakeSystemd(bus, "stopping"))
    readers = []

    def end():
        shutil.rmtree(stage.directory / "state", ignore_errors=True)
        daemon = service(
            stage, notified, "--demo", *record_at_boot(stage), DBUS_SYSTEM_BUS_ADDRESS=bus.address)
        readers.append(stage.reader(daemon))
        wait_for(lambda: daemon.call("status")["elapsed_ms"] > 2000, 60, "a run")
        status, seconds = daemon.end()
        assert status == 0
        summary, = summaries(stage)
        # The answer of systemd may be late on a machine that stalls: then the run stays open.
        return summary, math.inf if summary["open"] else seconds

    summary = expect_within(1, end, "the end of the daemon and of its run")
    assert readers[-1].first("EVENT", event="stop")["summary"]["id"] == 1
    assert summary["elapsed_ms"] > 2000
    made = list((stage.directory / "state/exports").glob("*.fit"))
    assert made or stage.paced("--demo") and wait_for(
        lambda: list((stage.directory / "state/exports").glob("*.fit")), 60, "the file at the next start")


@pytest.mark.parametrize("state, delay, atBoot", matrix([
    ("running", 0, True), ("stopping", 30, True), ("stopping", 0, False)], "running"), ids=["restart", "no answer", "not asked for"])
def test_other_stops_keep_the_run_open(stage, notified, state, delay, atBoot):
    bus = stage.start(Bus(stage.directory))
    systemd = stage.keep(FakeSystemd(bus, state, delay))
    options = record_at_boot(stage) if atBoot else []

    def start():
        daemon = service(stage, notified, *OFF, *options, DBUS_SYSTEM_BUS_ADDRESS=bus.address)
        daemon.call("run.start")
        time.sleep(1)
        return daemon

    expect_end(start, 1)
    if atBoot:
        wait_for(lambda: systemd.calls, 60, "the question")
    else:
        assert not systemd.calls
    summary, = summaries(stage)
    assert summary["open"]
    assert stage.paced(*OFF).call("status")["activity"] == 1


@pytest.mark.thorough
def test_systemd_is_not_queried_outside_a_service(stage):
    bus = stage.start(Bus(stage.directory))
    systemd = stage.keep(FakeSystemd(bus, "stopping"))
    daemon = stage.paced(*OFF, *record_at_boot(stage), DBUS_SYSTEM_BUS_ADDRESS=bus.address)
    daemon.call("run.start")
    assert daemon.end()[0] == 0
    assert not systemd.calls and summaries(stage)[0]["open"]


@pytest.mark.thorough
def test_second_stop_signal_ends_the_daemon_at_once(stage, notified):
    bus = stage.start(Bus(stage.directory))
    systemd = stage.keep(FakeSystemd(bus, "running", delay=30))

    def end():
        asked = len(systemd.calls)
        daemon = service(stage, notified, *OFF, *record_at_boot(stage), DBUS_SYSTEM_BUS_ADDRESS=bus.address)
        daemon.call("run.start")
        begun = real_seconds()
        daemon.process.send_signal(signal.SIGTERM)
        wait_for(lambda: len(systemd.calls) > asked, 60, "the question")
        daemon.process.send_signal(signal.SIGTERM)
        status = daemon.process.wait(60)
        assert status == 0
        return status, real_seconds() - begun

    # The answer of systemd would be waited for until 0.5 s are over.
    expect_within(0.45, end, "the end after the second signal")
