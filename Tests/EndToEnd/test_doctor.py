"""pacectl doctor: against a file tree that replaces a system's, a fake daemon, and a fake gpsd."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import pytest

import needs
from harness.fake_paced import IDLE, FakePaced
from harness.process import PACECTL, Gpsd, free_port
from harness.timing import wait_for


class Tree:
    def __init__(self, directory):
        self.root = directory / "root"
        self.put("/etc/paced/paced.conf", "")
        self.put("/etc/default/gpsd", 'DEVICES=""\nUSBAUTO="true"\n')
        self.put("/etc/group", "paced-watch:x:991:\npaced-control:x:992:\n")
        self.put("/etc/passwd", "root:x:0:0::/root:/bin/sh\n")
        self.put("/sys/class/bluetooth/hci0/uevent", "")
        self.put("/proc/50/comm", "bluetoothd\n")
        self.put("/proc/60/comm", "paced\n")
        self.put("/proc/60/status", "Name:\tpaced\nCapEff:\t0000000000001000\n")

    def put(self, path, text):
        path = self.root / path[1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def doctor(directory, tree, *words, **options):
    start = time.monotonic()
    result = subprocess.run(
        [PACECTL, "--runtime-dir", directory, "--state-dir", directory, "doctor", "--root", tree.root, *words],
        capture_output=True, text=True, timeout=20, **options)
    assert result.stderr == ""
    return result, time.monotonic() - start


def findings(directory, tree):
    result, seconds = doctor(directory, tree, "--json")
    assert seconds < 6
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert all(line["result"] in ["ok", "fail", "note", "unknown"] for line in lines)
    assert all(line["remedy"] for line in lines if line["result"] == "fail")
    assert result.returncode == (1 if any(line["result"] == "fail" for line in lines) else 0)
    return {line["check"]: line for line in lines}


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_healthy_machine_has_no_failures(tmp_path, tree):
    gpsd = Gpsd(tmp_path)
    gpsd.start()
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd={gpsd.option}\n")
    paced = FakePaced(tmp_path)
    paced.state = IDLE | {"recorder": {"state": "writing", "sync_age_ms": 300, "free_mib": 9000}}
    for name in ["state.sock", "control.sock"]:
        os.chmod(tmp_path / name, 0o660)
    try:
        def all_is_well():
            found = findings(tmp_path, tree)
            return found if found["receiver"]["result"] == "ok" else None
        found = wait_for(all_is_well, 15, "a receiver of gpsd's")
        assert [line for line in found.values() if line["result"] == "fail"] == []
        assert found["strap"]["finding"] == "Polar H10 00000001 …00:01 is connected"
        assert found["gpsd"]["finding"].startswith("gpsd 3.")
        text, _ = doctor(tmp_path, tree)
        assert text.returncode == 0 and "ok    strap" in text.stdout
        everything = json.dumps(found) + text.stdout
        for secret in ["52.5", "13.4", "A0:9E", "1A:00"]:
            assert secret not in everything
    finally:
        gpsd.end()
        paced.stop()


def test_machine_without_devices_gets_remedies(tmp_path, tree):
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd=127.0.0.1:{free_port()}\n")
    for name in ["hci0/uevent", "hci0", ""]:
        path = tree.root / "sys/class/bluetooth" / name
        path.unlink() if path.is_file() else path.rmdir()
    found = findings(tmp_path, tree)
    assert found["adapter"]["remedy"][0] == "sudo modprobe btusb"
    assert found["gpsd"]["remedy"] == ["sudo systemctl enable --now gpsd.socket"]
    assert found["strap"]["result"] == "unknown"


def test_hanging_daemons_do_not_block_the_doctor(tmp_path, tree):
    paced = FakePaced(tmp_path)
    paced.speaks = False
    silent = socket.create_server(("127.0.0.1", 0))
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd=127.0.0.1:{silent.getsockname()[1]}\n")
    try:
        found = findings(tmp_path, tree)
    finally:
        silent.close()
        paced.stop()
    assert found["gpsd"]["finding"] == "it accepts connections but sends nothing"
    assert found["strap"]["finding"] == "paced does not respond"


def test_flood_of_garbage_is_a_failure_of_gpsd(tmp_path, tree):
    server = socket.create_server(("127.0.0.1", 0))
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd=127.0.0.1:{server.getsockname()[1]}\n")

    def flood():
        try:
            client, _ = server.accept()
            while True:
                client.sendall(b"\xff{[" * 30000)
        except OSError:
            pass

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    try:
        assert findings(tmp_path, tree)["gpsd"]["result"] == "fail"
    finally:
        server.close()


@needs.ROOT
def test_unprivileged_user_gets_the_missing_permissions():
    # pytest's own directories are readable by root only.
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        os.chmod(directory, 0o755)
        shutil.copy(PACECTL, directory / "pacectl")
        tree = Tree(directory)
        tree.put("/etc/paced/paced.conf", "[Position]\nGpsd=off\n")
        os.chmod(tree.root / "etc/paced/paced.conf", 0o600)
        paced = FakePaced(directory)
        os.chmod(directory / "state.sock", 0o600)
        try:
            result = subprocess.run(
                [directory / "pacectl", "--runtime-dir", directory, "doctor", "--root", tree.root],
                capture_output=True, text=True, timeout=20, user=65534, group=65534, extra_groups=[])
        finally:
            paced.stop()
    assert "you are not permitted to read it" in " ".join(result.stdout.split())
    assert "only members of paced-watch may read it" in result.stdout


def test_doctor_runs_on_this_machine(tmp_path):
    start = time.monotonic()
    result = subprocess.run([PACECTL, "doctor", "--json"], capture_output=True, text=True, timeout=20)
    assert time.monotonic() - start < 8 and result.returncode in (0, 1) and result.stderr == ""
    assert all(json.loads(line)["check"] for line in result.stdout.splitlines())
