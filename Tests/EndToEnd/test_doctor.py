"""pacectl doctor: against a file tree that replaces a system's, a fake daemon, and a fake gpsd."""

import json
import os
import pathlib
import socket
import subprocess
import tempfile
import threading
import time

import pytest

import needs
from harness.fake_paced import IDLE, FakePaced
from harness.process import PACECTL, PACED, Gpsd, Paced, free_port
from harness.timing import expect_within, real_seconds, wait_for
from harness.users import NOBODY, acting_as, reachable


class Tree:
    def __init__(self, directory):
        self.root = directory / "root"
        self.put("/etc/paced/paced.conf", "")
        self.put("/etc/default/gpsd", 'DEVICES=""\nUSBAUTO="true"\n')
        self.put("/etc/group", "paced-watch:x:991:\npaced-control:x:992:\npaced-publish:x:993:\npaced-sensors:x:994:\n")
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
    start = real_seconds()
    result = subprocess.run(
        [PACECTL, "--runtime-dir", directory, "--state-dir", directory, "doctor", "--root", tree.root, *words],
        capture_output=True, text=True, timeout=60, **options)
    assert result.stderr == ""
    return result, real_seconds() - start


def findings(directory, tree):
    result = expect_within(6, lambda: doctor(directory, tree, "--json"), "the check")
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
        # The doctor waits 1.5 s for each of gpsd and paced: it may find a busy one silent.
        def all_is_well():
            found = findings(tmp_path, tree)
            is_well = all(found[check]["result"] == "ok" for check in ["gpsd", "strap"])
            return found if is_well and all(line["result"] != "fail" for line in found.values()) else None

        def is_said():
            text, _ = doctor(tmp_path, tree)
            return text if text.returncode == 0 and "ok    strap" in text.stdout else None

        found = wait_for(all_is_well, 60, "a machine without failures")
        assert found["strap"]["finding"] == "Polar H10 00000001 …00:01 is connected"
        assert found["gpsd"]["finding"].startswith("gpsd 3.")
        text = wait_for(is_said, 60, "a text without failures")
        everything = json.dumps(found) + text.stdout
        for secret in ["52.5", "13.4", "A0:9E", "1A:00"]:
            assert secret not in everything
    finally:
        gpsd.end()
        paced.stop()


def test_wrong_value_of_the_configuration_is_named_with_its_line(tmp_path, tree):
    tree.put("/etc/paced/paced.conf", "[Recording]\nAutoStart=maybe\nSyncIntervalSec=never\n")
    found = findings(tmp_path, tree)["configuration"]
    assert found["result"] == "fail"
    assert found["finding"].startswith("/etc/paced/paced.conf:2: AutoStart ") and "; and 1 more" in found["finding"]
    tree.put("/etc/paced/paced.conf", "[Recording]\nAutoStart=yes\n")
    assert findings(tmp_path, tree)["configuration"]["finding"] == "/etc/paced/paced.conf has no errors"


def test_check_prints_each_error_and_starts_nothing(tmp_path):
    file = tmp_path / "paced.conf"
    file.write_text("[Recording]\nAutoStart=maybe\nBogus=1\n")
    ended = subprocess.run([PACED, "--check", "--config", file], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and ended.stderr == ""
    assert [line.split(": ")[0] for line in ended.stdout.splitlines()] == [f"{file}:2", f"{file}:3"]
    file.write_text("")
    ended = subprocess.run([PACED, "--check", "--config", file], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_machine_without_devices_gets_remedies(tmp_path, tree):
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd=127.0.0.1:{free_port()}\n")
    for name in ["hci0/uevent", "hci0", ""]:
        path = tree.root / "sys/class/bluetooth" / name
        path.unlink() if path.is_file() else path.rmdir()
    found = findings(tmp_path, tree)
    assert found["adapter"]["remedy"][0] == "sudo modprobe btusb"
    assert found["gpsd"]["remedy"] == ["gpsd DEVICE"]
    assert found["strap"]["result"] == "unknown"


def test_hanging_daemons_do_not_block_the_doctor(tmp_path, tree):
    paced = FakePaced(tmp_path)
    paced.speaks = False
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    tree.put("/etc/paced/paced.conf", f"[Position]\nGpsd=127.0.0.1:{port}\n")
    try:
        found = findings(tmp_path, tree)
    finally:
        silent.close()
        paced.stop()
    assert found["gpsd"]["finding"].endswith(f":{port} but sends nothing")
    assert found["strap"]["finding"] == f"cannot tell: paced does not respond at {tmp_path}/state.sock"


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
        found = findings(tmp_path, tree)["gpsd"]
        assert found["result"] == "fail", found
    finally:
        server.close()


@needs.ROOT
def test_unprivileged_user_gets_the_missing_permissions():
    # pytest's own directories are readable by root only.
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        os.chmod(directory, 0o755)
        tree = Tree(directory)
        tree.put("/etc/paced/paced.conf", "[Position]\nGpsd=off\n")
        os.chmod(tree.root / "etc/paced/paced.conf", 0o600)
        paced = FakePaced(directory)
        os.chmod(directory / "state.sock", 0o600)
        try:
            result = subprocess.run(
                [reachable(PACECTL), "--runtime-dir", directory, "doctor", "--root", tree.root],
                capture_output=True, text=True, timeout=60, **acting_as(NOBODY))
        finally:
            paced.stop()
    assert "cannot tell: you are not permitted to read /etc/paced/paced.conf" in result.stdout
    assert f"cannot tell: you may not connect to {directory}/state.sock" in result.stdout
    assert "systemctl" not in result.stdout


@needs.ROOT
def test_sockets_of_an_unreadable_directory_are_not_denied():
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        os.chmod(directory, 0o755)
        tree = Tree(directory)
        hidden = directory / "hidden"
        hidden.mkdir(mode=0o700)
        paced = FakePaced(hidden)
        try:
            result = subprocess.run(
                [reachable(PACECTL), "--runtime-dir", hidden, "--state-dir", hidden / "state", "doctor", "--json",
                 "--root", tree.root],
                capture_output=True, text=True, timeout=60, **acting_as(NOBODY))
        finally:
            paced.stop()
    found = {line["check"]: line for line in map(json.loads, result.stdout.splitlines())}
    for check in ["paced", "sockets", "disk", "capabilities", "strap", "fix"]:
        assert found[check]["result"] == "unknown", found[check]
        assert found[check]["finding"].startswith("cannot tell: "), found[check]
    assert str(hidden) in found["sockets"]["finding"]


def test_daemon_with_gpsd_at_another_port_is_asked_first(tmp_path, tree):
    """paced.conf has no address: the daemon's option is the only place of it."""
    gpsd = Gpsd(tmp_path)
    gpsd.start()
    paced = Paced(tmp_path, "--gpsd", gpsd.option, "--bluetooth", "off")
    paced.start()

    def find():
        found = {}
        result, _ = doctor(paced.runtime, tree, "--json")
        for line in map(json.loads, result.stdout.splitlines()):
            found[line["check"]] = line
        is_well = all(found[check]["result"] == "ok" for check in ["gpsd", "receiver", "fix"])
        return found if is_well and f"process {paced.pid} " in found["paced"]["finding"] else None

    try:
        found = wait_for(find, 60, "a daemon with a fix")
    finally:
        paced.end()
        gpsd.end()
    for check in ["gpsd", "receiver", "fix"]:
        assert f":{gpsd.port}" in found[check]["finding"]


def test_daemon_of_other_directories_is_not_taken_for_ours(tmp_path, tree):
    tree.put("/proc/60/status", "Name:\tpaced\nUid:\t4000001\t4000001\t4000001\t4000001\n")
    found = findings(tmp_path, tree)
    assert found["paced"]["result"] == "fail"
    assert found["paced"]["finding"] == (
        f"nothing listens at {tmp_path}/state.sock, and systemd is not available to start it; "
        "process 60 of user 4000001 is another paced")
    assert found["paced"]["remedy"] == [f"paced --runtime-dir {tmp_path} &"]
    assert found["capabilities"]["result"] == "unknown"
    remedies = " ".join(word for line in found.values() for word in line.get("remedy", []))
    assert "systemctl" not in remedies and "journalctl" not in remedies


def test_doctor_runs_on_this_machine(tmp_path):
    start = time.monotonic()
    result = subprocess.run([PACECTL, "doctor", "--json"], capture_output=True, text=True, timeout=60)
    assert time.monotonic() - start < 30 and result.returncode in (0, 1) and result.stderr == ""
    assert all(json.loads(line)["check"] for line in result.stdout.splitlines())
