"""Who can read the files of paced, and what its log reveals."""

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import time

import pytest

import needs
from harness.fake_gpsd import FakeGpsd
from harness.process import PACECTL, PROGRAMS
from harness.timing import wait_for
from harness.users import acting_as, reachable

OFF = ["--gpsd", "off", "--bluetooth", "off"]
LATITUDE, LONGITUDE = 52.516347, 13.377712
ADDRESS = "A0:9E:1A:C3:D4:E5"


@contextlib.contextmanager
def umask(mask):
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def record(paced, seconds=1):
    number = paced.call("run.start")["activity"]
    time.sleep(seconds)
    assert paced.call("run.stop")["id"] == number
    # An activity that is listed as closed is closed on the disk.
    wait_for(lambda: not paced.call("activities.list")[0].get("open"), 60, "the run closed in the journal")
    return number


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_modes_do_not_depend_on_the_umask(stage, mask):
    state = stage.directory / "state"
    strap = {"address": ADDRESS, "address_type": "public", "name": "H10", "wide": False}
    with umask(mask):
        paced = stage.paced(*OFF)
        record(paced)
        wait_for(lambda: list((state / "exports").glob("[!.]*.fit")), 60, "a file of the run")
        paced.end()
        (state / "sensors.json").write_text(json.dumps({"version": 1, "remembered": [strap, strap | {"name": "H9"}]}))
        paced = stage.paced(*OFF)
        # Rewrites the list.
        paced.call("sensor.forget", sensor="H9")
        wait_for(lambda: "keys" in (state / "sensors.json").read_text(), 60, "a list")
    assert mode(state) == mode(state / "exports") == 0o750
    files = [path for path in state.rglob("*") if path.is_file()]
    assert {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "sensors.json", "state.lock"} <= {
        path.name for path in files}
    for path in files:
        assert mode(path) == (0o600 if path.name == "sensors.json" else 0o640), path
    # The mode of a user's own files follows the umask.
    with umask(mask):
        target = stage.directory / "mine.gpx"
        done = subprocess.run(
            [PACECTL, "--state-dir", state, "export", "1", "--format", "gpx", "-o", target], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
    assert mode(target) == 0o640 & ~mask


def test_wider_modes_are_narrowed_at_the_start(stage):
    state = stage.directory / "state"
    paced = stage.paced(*OFF)
    record(paced)
    paced.end(signal.SIGKILL)
    journal = [state / ("journal.sqlite" + ending) for ending in ("", "-wal", "-shm")]
    for path in journal:
        path.chmod(0o666)
    paced = stage.paced(*OFF)
    assert paced.call("status")["run"] == "idle"
    assert [mode(path) for path in journal] == [0o640] * 3
    paced.end()
    # The copy of a damaged journal is as private as the journal was.
    for path in journal:
        path.chmod(0o666)
    data = bytearray(journal[0].read_bytes())
    data[1024:] = b"\x55" * (len(data) - 1024)
    journal[0].write_bytes(data)
    journal[1].write_bytes(b"")
    assert stage.paced(*OFF).call("status")["run"] == "idle"
    copies = list(state.glob("*.damaged.sqlite*"))
    assert copies and {mode(path) for path in copies} == {0o640}


MEMBER = acting_as(54301, 54311)
STRANGER = acting_as(54302, 54312)


def recorded(stage, group=None):
    """A daemon with one activity and its file, and a directory that everybody writes to."""
    stage.directory.chmod(0o755)
    state, free = stage.directory / "state", stage.directory / "free"
    state.mkdir()
    if group is not None:
        # As systemd creates it for Group=, by other means: new files in it get its group.
        os.chown(state, 0, group)
        state.chmod(0o2750)
    free.mkdir()
    free.chmod(0o777)
    (state / "sensors.json").write_text('{"version":1,"remembered":[],"keys":[]}')
    paced = stage.paced(*OFF)
    record(paced)
    wait_for(lambda: list((state / "exports").glob("[!.]*.fit")), 60, "a file of the run")
    return paced, state, free


def pacectl(who, state, free, *words):
    return subprocess.run(
        [reachable(PACECTL), "--state-dir", state, *words], capture_output=True, text=True, timeout=60, cwd=free, **who)


def reads(who, path):
    return subprocess.run(["cat", path], capture_output=True, timeout=60, **who).returncode == 0


def lists_and_exports(who, state, free, name):
    """The exported file."""
    assert pacectl(who, state, free, "activities").stdout.count("\n") == 2
    target = free / name
    assert pacectl(who, state, free, "export", "1", "--format", "gpx", "-o", target).returncode == 0
    assert b"<gpx" in target.read_bytes()
    assert reads(who, next((state / "exports").glob("[!.]*.fit")))
    return target


def test_its_own_user_lists_and_exports_beside_the_daemon_and_without_it(stage):
    paced, state, free = recorded(stage)
    lists_and_exports({}, state, free, "beside.gpx")
    paced.end()
    lists_and_exports({}, state, free, "without.gpx")


@needs.ROOT
def test_only_group_members_may_list_and_export(stage):
    paced, state, free = recorded(stage, MEMBER["group"])
    for is_running in (True, False):
        if not is_running:
            paced.end()
        target = lists_and_exports(MEMBER, state, free, f"{is_running}.gpx")
        # They may only read.
        before = (state / "journal.sqlite").read_bytes()
        assert pacectl(MEMBER, state, free, "import", target).returncode == 1
        assert (state / "journal.sqlite").read_bytes() == before
        assert not reads(MEMBER, state / "sensors.json")
        refused = pacectl(STRANGER, state, free, "activities")
        assert refused.returncode == 1 and refused.stdout == "" and "not allowed" in refused.stderr
        for path in state.rglob("*"):
            if path.is_file():
                assert not reads(STRANGER, path), path
    paced = stage.paced(*OFF)
    assert subprocess.run(["kill", "-0", str(paced.pid)], capture_output=True, **MEMBER).returncode != 0


@needs.ROOT
def test_members_learn_the_name_of_a_board_that_is_another_users(stage):
    """As under systemd: the state directory is that of the user paced, and neither root's nor the member's."""
    stage.directory.chmod(0o755)
    state, own = stage.directory / "state", stage.directory / "own"
    name = "30600253-f3e3-4d2c-8cee-3f759adae11b"
    for directory, owner in (state, 54303), (own, MEMBER["user"]):
        directory.mkdir(mode=0o750)
        os.chown(directory, owner, MEMBER["group"])
    device = state / "device.json"
    device.write_text(f'{{"uuid":"{name}"}}\n')
    device.chmod(0o640)
    os.chown(device, 54303, MEMBER["group"])
    for who in MEMBER, {}:
        shown = pacectl(who, state, stage.directory, "device")
        assert name in shown.stdout, shown.stderr
    refused = pacectl(STRANGER, state, stage.directory, "device")
    assert refused.returncode == 1 and name not in refused.stdout
    options = [f"--{option}={own}" for option in ("runtime-dir", "state-dir", "paced-dir")]
    link = subprocess.Popen(
        [reachable(PROGRAMS / "paced-link"), "--journal-dir", state, *options], stderr=subprocess.PIPE, text=True, **MEMBER)
    try:
        assert "serves" in link.stderr.readline()
    finally:
        link.kill()
        link.communicate()


class TalkativeGpsd(FakeGpsd):
    """A gpsd that knows a position, and puts it wherever it can."""

    def serve(self, client):
        place = {"lat": LATITUDE, "lon": LONGITUDE, "altMSL": 34.5, "speed": 3.0, "mode": 3}
        for count in range(10_000):
            self.say(client, {"class": "TPV", "device": self.device} | place | {"lat": LATITUDE + count * 2e-5})
            self.say(client, {"class": "ERROR", "message": f"no such place: {LATITUDE}, {LONGITUDE}"})
            client.sendall(b'{"class":"TPV","lat":%f,"lon":%f,\r\n' % (LATITUDE, LONGITUDE))
            time.sleep(0.2)


def test_log_has_no_position_and_no_full_address(stage):
    gpsd = stage.keep(TalkativeGpsd())
    # bluetoothd names a strap without a name by its address, and a strap may have any name.
    address = ADDRESS.replace(":", "-")
    strap = stage.strap("--name", address, "--manufacturer", address, period=0.2)
    options = ["--gpsd", gpsd.option, "--sensors", f"unix:{strap.path}"]
    paced = stage.paced(*options)
    wait_for(lambda: "bpm" in (now := paced.call("status"))["heart"] and "position" in now, 60, "heart and position")
    paced.call("run.start")
    time.sleep(3)
    position = paced.call("status")["position"]
    assert abs(position["latitude"] - LATITUDE) < 0.1
    # Killed and resumed, ended, read, edited, deleted.
    paced.end(signal.SIGKILL)
    paced = stage.paced(*options)
    time.sleep(2)
    number = paced.call("run.stop")["id"]
    rows = paced.call("activities.track", from_ms=0, interval_ms=1000, id=number)["rows"]
    assert any(str(value).startswith("52.5") for row in rows for value in row)
    exports = stage.directory / "state" / "exports"
    wait_for(lambda: list(exports.glob("[!.]*.fit")), 60, "a file of the run")
    paced.call("sensor.use", sensor=ADDRESS)
    paced.call("activities.edit", id=number, name=f"at {LATITUDE}, {LONGITUDE}")
    paced.call("activities.delete", id=number)
    paced.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    paced.end()
    log = paced.log.read_text()
    assert "is …D4-E5" in log and "resumed" in log
    assert not re.search(r"52[.,]5\d|13[.,]37", log), log
    assert not re.search("A0.9E.1A|1A.C3|C3.D4", log, re.IGNORECASE), log
