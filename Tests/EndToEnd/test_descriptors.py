"""Few descriptors: below the minimum paced does not start, above it every client of its sockets gets a response."""

import json
import os
import resource
import subprocess
import time

import pytest

from harness.fake_systemd import Service
from harness.notify import NotifyListener
from harness.process import PACECTL, PACED
from harness.timing import wait_for
from matrix import matrix
from test_hostile import connect, leave

LEAST = 64
REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"status"}\n'


def read_line(client, seconds=60):
    client.settimeout(seconds)
    return json.loads(client.makefile("rb").readline())


@pytest.mark.parametrize("files", matrix([8, 16, 24, 32, LEAST - 1], LEAST - 1))
def test_daemon_below_64_descriptors_does_not_start(stage, files):
    done = subprocess.run(
        ["bash", "-c", f'ulimit -n {files}; exec "$@"', "bash", PACED, "--demo", "--runtime-dir", stage.directory / "run",
         "--state-dir", stage.directory / "state"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    line, = done.stderr.splitlines()
    assert f"paced may open {files} files and needs {LEAST}: run ulimit -n {LEAST}" in line
    assert "LimitNOFILE=64" in line
    assert not (stage.directory / "run").exists() and not (stage.directory / "state").exists()


def test_low_soft_limit_is_raised(stage):
    notified = stage.keep(NotifyListener(stage.directory))
    # Only the soft limit is low: bash sets both without -S.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
    try:
        daemon = stage.start(Service(stage.directory, "--demo", NOTIFY_SOCKET=str(notified.path)))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    notified.wait("READY=1")
    assert resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE) == (min(hard, 8192), hard)


def test_every_control_client_is_answered_with_64_descriptors(stage):
    notified = stage.keep(NotifyListener(stage.directory))
    daemon = stage.start(Service(stage.directory, "--demo", files=LEAST, NOTIFY_SOCKET=str(notified.path)))
    notified.wait("READY=1")
    control, state = daemon.runtime / "control.sock", daemon.state_socket
    quiet = daemon.descriptors()
    # However many subscribers there are, control clients are served.
    readers = [connect(state) for _ in range(100)]
    first = [read_line(client)["class"] for client in readers]
    assert "VERSION" in first and "ERROR" in first
    callers = [connect(control) for _ in range(4)]
    for client in callers:
        client.sendall(REQUEST)
        assert read_line(client)["result"]["run"] == "active"
    # And the others get the reason.
    callers += [connect(control) for _ in range(60)]
    refusals = []
    for client in callers[4:]:
        try:
            client.sendall(REQUEST)
        except BrokenPipeError:
            pass
        refusals.append(read_line(client))
    refused = [answer["error"] for answer in refusals if "error" in answer]
    assert len(refused) > 40 and all(error["code"] == -32002 for error in refused)
    assert "LimitNOFILE" in refused[-1]["data"]["message"]

    def refused_lap():
        done = subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, "lap"], capture_output=True, text=True, timeout=60)
        if done.returncode == 1 and "too many clients" in done.stderr:
            return True
        # A descriptor that a file used for a moment is free again: another client takes it.
        callers.append(connect(control))
        return False

    wait_for(refused_lap, 60, "a rejected command")
    leave(readers + callers, daemon, quiet)
    assert daemon.call("status")["run"] == "active"


def test_client_without_a_free_descriptor_is_rejected_at_once(stage):
    daemon = stage.paced("--demo")
    kept = connect(daemon.runtime / "control.sock")
    kept.sendall(REQUEST)
    assert read_line(kept)["result"]["run"] == "active"

    def listed():
        return [int(number) for number in os.listdir(f"/proc/{daemon.pid}/fd")]

    # A file may use a descriptor for a moment.
    used = wait_for(lambda: (used := listed()) == (time.sleep(0.1), listed())[1] and used, 60, "descriptors at rest")
    limits = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    # All descriptors below this are in use.
    lowest = next(number for number in range(len(used) + 1) if number not in used)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (lowest, limits[1]))
    for _ in range(3):
        with connect(daemon.runtime / "control.sock") as client:
            answer = read_line(client)
            assert answer["error"]["code"] == -32002 and "LimitNOFILE" in answer["error"]["data"]["message"]
            assert client.recv(1) == b""
        with connect(daemon.state_socket) as client:
            assert "LimitNOFILE" in read_line(client)["message"]
            assert client.recv(1) == b""
    # Clients from before are still served.
    kept.sendall(REQUEST)
    assert read_line(kept)["result"]["run"] == "active"
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limits)
    assert daemon.call("status")["run"] == "active"
