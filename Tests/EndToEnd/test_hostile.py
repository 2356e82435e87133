"""Hostile clients: hundreds at once, half-open, slow, garbage, endless lines; and no descriptor leaks."""

import json
import os
import random
import socket
import subprocess
import threading
import time

import pytest

import needs
from harness.fake_systemd import Service
from harness.notify import NotifyListener
from harness.timing import wait_for

OFF = ["--gpsd", "off", "--sensors", "off"]
EVERYTHING = b'{"class":"WATCH","classes":["STATE","EVENT","HEART","FIX","SETTINGS"],"since":0}\n'


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    # Waits while the backlog is full.
    client.connect(str(path))
    client.setblocking(False)
    return client


class HostileClients:
    """Clients that each repeat one attack, in a thread."""

    def __init__(self, daemon):
        self.random = random.Random(1)
        self.state = daemon.state_socket
        self.control = daemon.runtime / "control.sock"
        self.clients = []
        self.is_running = True
        self.thread = threading.Thread(target=self.rage, daemon=True)
        for count, path, begin, act in [
            # Half-open: subscribes to everything, and reads nothing.
            (100, self.state, EVERYTHING, lambda client: None),
            (40, self.state, EVERYTHING, lambda client: client.recv(7)),
            (40, self.state, b"", lambda client: client.send(self.random.randbytes(3000) + b"\n")),
            (40, self.state, b'{"class":', lambda client: client.send(b"x" * 65536)),
            (30, self.control, b'{"jsonrpc":', lambda client: client.send(b"[" * 65536)),
            (20, self.control, b"", lambda client: client.send(self.random.randbytes(3000) + b"\n")),
            # Sends requests without end, and reads no response.
            (30, self.control, b"", lambda client: client.send(
                b'{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}\n' * 100)),
        ]:
            for _ in range(count):
                client = connect(path)
                client.send(begin)
                self.clients.append((client, act))
        self.thread.start()

    def rage(self):
        while self.is_running:
            for client, act in self.clients:
                try:
                    act(client)
                except OSError:
                    pass
            time.sleep(0.01)

    def end(self):
        self.is_running = False
        self.thread.join(10)
        for client, _ in self.clients:
            client.close()


def descriptors_at_rest(daemon):
    """The number of its descriptors after its start, which the last line of its log reports."""
    wait_for(lambda: " serves " in daemon.log.read_text(), 60, "the end of the start")
    daemon.call("status")
    return daemon.descriptors()


def leave(clients, daemon, quiet):
    """Disconnects them; waits until the daemon has no more descriptors than before, except the journal's."""
    for client in clients:
        client.close()
    wait_for(lambda: daemon.descriptors() <= quiet + 4, 60, "room again")


def missed_nothing(lines, name):
    numbers = [line["seq"] for line in lines.of(name)]
    return len(numbers) > 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


@pytest.mark.thorough
def test_300_hostile_clients_do_not_disturb_the_others(stage):
    (stage.directory / "paced.conf").write_text(
        "[Clients]\nMaxStateClients=400\nMaxStateClientsPerUser=400\nMaxControlClients=200\nMaxControlClientsPerUser=200\n")
    daemon = stage.paced("--demo", "--config", stage.directory / "paced.conf")
    reader = stage.reader(daemon, classes=["STATE", "EVENT", "HEART", "FIX"], since=0)
    subscribers = stage.subscribers(daemon, 3)
    wait_for(lambda: all(len(sequence) > 10 for sequence in subscribers.sequences), 60, "states for all")
    quiet, before = daemon.descriptors(), daemon.kernel_status("VmRSS")
    hostile = stage.keep(HostileClients(daemon))
    wait_for(lambda: daemon.descriptors() >= quiet + 290, 60, "300 clients")
    memory = []
    for _ in range(14):
        time.sleep(0.5)
        memory.append(daemon.kernel_status("VmRSS"))
    assert daemon.call("run.pause")["run"] == "paused"
    assert daemon.call("run.resume")["run"] == "active"
    hostile.end()
    wait_for(lambda: daemon.descriptors() <= quiet, 60, "the hostile clients' descriptors closed")
    after = daemon.kernel_status("VmRSS")
    print(f"resident: {before} KiB before, {max(memory)} at most, {after} after; "
          f"ticks {daemon.call('status')['ticks']}")
    assert max(memory) - before < 24 << 10
    assert max(memory[7:]) - memory[6] < 4 << 10, "it does not grow on"
    begun = len(reader.of("STATE"))
    wait_for(lambda: len(reader.of("STATE")) > begun + 10, 60, "states after that")
    subscribers.end()
    paused = sum(state["run"] == "paused" for state in reader.of("STATE"))
    for sequence in subscribers.sequences:
        # The states of the pause are excluded: the subscriber keeps those of a run.
        assert len(sequence) >= sequence[-1] - sequence[0] + 1 - paused
    assert all("DROPPED" not in others for others in subscribers.others)
    for name in ("STATE", "EVENT", "HEART", "FIX"):
        assert missed_nothing(reader, name), name
    assert {event["event"] for event in reader.of("EVENT")} >= {"pause", "resume"}
    assert not reader.of("DROPPED")


def test_user_over_the_limit_is_rejected_and_others_are_served(stage):
    daemon = stage.paced(*OFF)
    reader = stage.reader(daemon)
    control = daemon.runtime / "control.sock"
    quiet = descriptors_at_rest(daemon)
    clients = [connect(daemon.state_socket) for _ in range(300)] + [connect(control) for _ in range(100)]
    for client in clients:
        client.settimeout(60)
    lines = [json.loads(client.makefile().readline()) for client in clients[:300]]
    assert [line["class"] for line in lines] == ["VERSION"] * 127 + ["ERROR"] * 173
    assert lines[-1]["message"] == f"too many clients of user {os.getuid()}: at most 128"
    assert clients[299].recv(1) == b""
    refusals = [json.loads(client.makefile().readline())["error"] for client in clients[316:]]
    assert all(refusal["code"] == -32002 and str(os.getuid()) in refusal["data"]["message"] for refusal in refusals)
    leave(clients, daemon, quiet)
    assert daemon.call("status")["run"] == "idle"
    begun = len(reader.of("STATE"))
    wait_for(lambda: len(reader.of("STATE")) > begun + 1, 60, "states after that")
    assert missed_nothing(reader, "STATE") and not reader.of("DROPPED")


@pytest.mark.thorough
@needs.ROOT
def test_a_user_over_the_limit_leaves_room_for_another_user(stage):
    daemon = stage.paced(*OFF)
    quiet = descriptors_at_rest(daemon)
    clients = [connect(daemon.state_socket) for _ in range(300)]
    clients[299].settimeout(60)
    assert b'"ERROR"' in clients[299].recv(65536)
    # The modes of the files admit everybody here.
    stage.directory.chmod(0o755)
    daemon.runtime.chmod(0o755)
    daemon.state_socket.chmod(0o666)
    other = subprocess.run(
        f"setpriv --reuid=65534 --regid=65534 --clear-groups nc -U {daemon.state_socket} </dev/null | head -n 2",
        shell=True, capture_output=True, text=True, timeout=60).stdout
    assert [json.loads(line)["class"] for line in other.splitlines()] == ["VERSION", "STATE"]
    leave(clients, daemon, quiet)


@pytest.mark.thorough
def test_run_is_recorded_and_exported_without_free_descriptors(stage):
    notified = stage.keep(NotifyListener(stage.directory))
    daemon = stage.start(Service(stage.directory, "--demo", files=64, NOTIFY_SOCKET=str(notified.path)))
    notified.wait("READY=1")
    reader = stage.reader(daemon, since=0)
    control = daemon.runtime / "control.sock"
    kept = connect(control)
    quiet = descriptors_at_rest(daemon)
    clients = [connect(daemon.state_socket) for _ in range(200)] + [connect(control) for _ in range(100)]
    refused = clients[150]
    refused.settimeout(60)
    assert "LimitNOFILE" in json.loads(refused.makefile().readline())["message"]
    time.sleep(2)
    kept.sendall(b'{"jsonrpc":"2.0","id":1,"method":"run.stop"}\n')
    kept.settimeout(60)
    assert json.loads(kept.makefile().readline())["result"]["id"] == 1
    wait_for(lambda: list((stage.directory / "state/exports").glob("*.fit")), 60, "the file")
    assert missed_nothing(reader, "EVENT")
    leave(clients, daemon, quiet)
    assert daemon.call("status")["run"] == "idle"


@pytest.mark.thorough
def test_short_connections_are_not_logged(stage):
    daemon = stage.paced(*OFF)
    quiet, before = descriptors_at_rest(daemon), daemon.log.read_text()
    for _ in range(500):
        for name in ("state.sock", "control.sock"):
            connect(daemon.runtime / name).close()
    leave([], daemon, quiet)
    assert daemon.call("status")["run"] == "idle"
    assert daemon.log.read_text() == before


@pytest.mark.thorough
def test_flood_of_commands_is_limited_in_the_log_and_names_its_user(stage):
    daemon = stage.paced(*OFF)
    daemon.call("run.start")
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "run.toggle"})
    for _ in range(10):
        daemon.ask(*[request] * 100)
    lines = daemon.log.read_text().splitlines()
    print(f"{len(lines)} lines for 1001 commands")
    # Twenty commands, twenty changes of the run, and its start.
    assert len(lines) <= 45
    assert any(f"user {os.getuid()}, process {os.getpid()}: toggle" in line for line in lines)
