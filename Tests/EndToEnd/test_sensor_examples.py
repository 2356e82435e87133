"""Examples/sensors: edges and accelerations that become measurements, and the programs with a real daemon."""

import http.client
import json
import math
import os
import random
import re
import subprocess
import sys
import threading
import time
import types

import fitdecode
import pytest

from harness.process import ManagedProcess, ROOT
from harness.timing import GUARD, wait_for
from matrix import matrix

EXAMPLES = ROOT / "Examples/sensors"
sys.path.insert(0, str(EXAMPLES))

import ant  # noqa: E402
import imu  # noqa: E402
import sensor_door  # noqa: E402
import wheel  # noqa: E402

RIDE = ROOT / "Tests/Data/ant/ride.txt"
OFF = ["--gpsd", "off", "--sensors", "off"]


def edges(turn_s, closed_s, bounces):
    """Ten turns of a contact, each edge with bounces of 1 ms."""
    for turn in range(10):
        for begin, is_closed in ((turn * turn_s, True), (turn * turn_s + closed_s, False)):
            yield is_closed, begin
            for bounce in range(bounces):
                yield not is_closed, begin + 0.002 * bounce + 0.001
                yield is_closed, begin + 0.002 * bounce + 0.002


@pytest.mark.parametrize("turn_s, closed_s", [(0.1, 0.005), (0.35, 0.02), (2, 0.2), (60, 20)])
@pytest.mark.parametrize("bounces", [0, 1, 5])
def test_turn_of_the_wheel_is_counted_once_however_the_contact_bounces(turn_s, closed_s, bounces):
    counter = wheel.Wheel()
    for edge in edges(turn_s, closed_s, bounces):
        counter.edge(*edge)
    assert counter.revolutions == 10
    assert counter.event_s == pytest.approx(9 * turn_s)


class Heard(list):
    """In the place of a door: the calls."""

    def announce(self, sensor, **parameters):
        self.append((sensor, parameters))

    def measure(self, sensor, kind, **values):
        self.append((sensor, kind, values))


def test_power_is_0_when_the_meter_has_had_no_event_for_a_while(monkeypatch):
    heard, seconds = Heard(), iter([0, 1, 4, 5])
    monkeypatch.setattr(ant.time, "monotonic", lambda: next(seconds))
    meter = ant.Sensor(heard, "power")
    for page in ("1006a9460205ef00", "1006a9460205ef00", "1006a9460205ef00", "1007a9460305f000"):
        meter.receive(bytes.fromhex(page))
    values = [measurement[2] for measurement in heard if measurement[1] == "power"]
    assert [one["power_w"] for one in values] == [239, 0, 240]
    assert values[1] == {"power_w": 0, "cadence_rpm": 0}


def test_counter_of_the_wheel_goes_on_where_that_of_the_page_wraps():
    heard = Heard()
    bicycle = ant.Sensor(heard, "speed")
    for count in (65534, 65535, 0, 3, 3):
        bicycle.receive(bytes(6) + count.to_bytes(2, "little"))
    counts = [measurement[2]["wheel_revolutions"] for measurement in heard if measurement[1] == "speed-cadence"]
    assert counts == [65534, 65535, 65536, 65539, 65539]


def test_standing_wheel_is_measured_too(monkeypatch):
    types_of_edges = types.SimpleNamespace(FALLING_EDGE="falling")
    edge = types.SimpleNamespace(event_type="falling", timestamp_ns=7_500_000_000, Type=types_of_edges)
    waits = iter([False, True, False, False])
    request = types.SimpleNamespace(wait_edge_events=lambda _: next(waits), read_edge_events=lambda: [edge])
    monkeypatch.setattr(wheel, "INTERVAL_S", 0)
    heard = Heard()
    with pytest.raises(StopIteration):
        wheel.watch(request, heard)
    assert heard[0] == ("wheel", {"kinds": ["speed-cadence"], "name": "Reed contact"})
    assert heard[1:] == [("wheel", "speed-cadence", {"wheel_revolutions": 1, "wheel_event_s": 7.5})] * 3


def walk(steps_per_minute, at, unevenness=0.0, noise=random.Random(1)):
    """The acceleration of a body: steps with an overtone, of which the left ones are stronger, and sway."""
    phase = at * steps_per_minute / 60
    strength = 3 * (1 + unevenness if int(phase) % 2 else 1 - unevenness)
    bounce = strength * (math.sin(math.tau * phase) + 0.4 * math.sin(2 * math.tau * phase + 0.7))
    return noise.gauss(0, 0.3), math.sin(math.pi * phase), 9.81 + bounce + noise.gauss(0, 0.3)


@pytest.mark.parametrize("unevenness", [0, 0.1, 0.2])
def test_cadence_of_a_walk_is_that_of_the_steps(unevenness):
    for steps in range(60, 221, 5):
        samples = [walk(steps, index / 50, unevenness) for index in range(250)]
        assert imu.cadence(samples, 50) == pytest.approx(steps, abs=2), steps


def test_no_cadence_without_motion_or_rhythm():
    noise = random.Random(1)
    still = [(noise.gauss(0, 0.1), noise.gauss(0, 0.1), 9.81 + noise.gauss(0, 0.1)) for _ in range(250)]
    assert imu.cadence(still, 50) == 0
    assert imu.cadence([(0, 0, 9.81)] * 250, 50) == 0
    shaken = [(noise.gauss(0, 5), noise.gauss(0, 5), noise.gauss(0, 5)) for _ in range(250)]
    assert imu.cadence(shaken, 50) is None


def test_complaint_that_stays_the_same_is_printed_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PACED_SOCKET", str(tmp_path / "state.sock"))
    monkeypatch.setattr(sensor_door.Door, "PAUSE_S", 0)
    door, complaint = sensor_door.Door(), f"{tmp_path}/sensor.sock: No such file or directory"
    assert door.announce("a", kinds=["power"]) == complaint
    assert [door.measure("a", "power", power_w=200) for _ in range(3)] == [complaint] * 3
    assert capsys.readouterr().err == complaint + "\n"


@pytest.fixture
def program(stage):
    """Starts an example that finds the daemon."""
    def start(daemon, name, *arguments, **environment):
        process = ManagedProcess(
            [sys.executable, "-B", EXAMPLES / name, *arguments],
            {"PACED_SOCKET": str(daemon.state_socket)} | environment, stage.directory / f"{name}.log")
        return stage.start(process)
    return start


def sensor(reader, name):
    """A sensor by the id of its announcement, as the newest state has it; empty without it."""
    sensors = reader.first("STATE") and reader.of("STATE")[-1].get("blocks", {}).get("sensors", [])
    return next((one for one in sensors if one["id"] == f"ext:{name}"), {})


def heart_rate(reader):
    return reader.first("STATE") and reader.of("STATE")[-1]["heart"].get("bpm")


@pytest.mark.fast_clock
def test_recorded_ant_sensors_drive_a_run_and_are_in_its_file(stage, program):
    daemon = stage.paced(*OFF)
    reader = stage.reader(daemon, blocks=["sensors"])
    daemon.call("run.start", sport="ride", indoor=True)
    replay = program(daemon, "ant.py", "--replay", RIDE)
    assert replay.process.wait(2 * GUARD) == 0 and replay.log_text() == ""
    states = reader.of("STATE")
    sensors = [one for state in states for one in state.get("blocks", {}).get("sensors", [])]

    def shown(profile, field):
        return {one[field] for one in sensors if one["id"] == f"ext:ant-{profile}" and field in one}
    assert {59, 60} <= {state["heart"].get("bpm") for state in states} and shown("heart-rate", "link")
    assert min(shown("power", "power_w")) > 200 and shown("power", "name") == {"ANT+ power"}
    assert max(shown("speed-cadence", "speed_mps")) > 10
    assert 80 < max(shown("speed-cadence", "cadence_rpm")) < 130
    # A sensor is lost with the connection of its program.
    wait_for(lambda: sensor(reader, "ant-power").get("link") != "connected", 60, "the lost sensor")
    daemon.call("run.stop")
    files = stage.directory / "state/exports"
    path = wait_for(lambda: next(files.glob("[!.]*.fit"), None), 60, "the file of the run")
    with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.RAISE) as fit:
        messages = [frame for frame in fit if isinstance(frame, fitdecode.FitDataMessage)]

    def values(name, field):
        found = [message.get_value(field, fallback=None) for message in messages if message.name == name]
        return [value for value in found if value is not None]
    assert {59, 60} <= set(values("record", "heart_rate"))
    power, cadence = values("record", "power"), values("record", "cadence")
    assert len(power) > 40 and 245 < sum(power) / len(power) < 275
    assert len(cadence) > 40 and 70 < sum(cadence) / len(cadence) < 95
    # 263 turns of 2.105 m, of which the first ones may be over before the run has the sensor.
    assert values("session", "total_distance")[-1] == pytest.approx(263 * 2.105, rel=0.05)


class Phone:
    """What an app of a phone does."""

    def __init__(self, process):
        address = wait_for(lambda: process.log_text().split("\n")[0], 60, "the address")
        assert address.startswith("http://127.0.0.1:")
        self.host, self.path = address.removeprefix("http://").split("/")

    def post(self, body, path=None):
        """The status and the text of the answer."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request("POST", f"/{self.path if path is None else path}", json.dumps(body))
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text


@pytest.fixture
def phone(stage, program):
    """A phone, its daemon, and the program between them."""
    daemon = stage.paced(*OFF)
    process = program(daemon, "phone.py", "--listen", "127.0.0.1:0", PHONE_TOKEN="secret")
    phone = Phone(process)
    assert phone.path == "secret"
    phone.daemon, phone.process = daemon, process
    return phone


def test_phone_posts_its_heart_rate_and_its_battery(stage, phone):
    reader = stage.reader(phone.daemon, blocks=["sensors"])
    assert phone.post({"bpm": 128, "rr_ms": [468.7], "app": "any"}) == (200, "")
    wait_for(lambda: heart_rate(reader) == 128, 60, "the heart rate")
    assert phone.post({"battery_percent": 71}) == (200, "")
    wait_for(lambda: sensor(reader, "phone").get("battery_percent") == 71, 60, "the battery")


def test_phone_is_the_receiver_of_a_board_that_has_none(stage, program):
    daemon = stage.paced("--gpsd", "sensor-socket", "--sensors", "off")
    phone = Phone(program(daemon, "phone.py", "--listen", "127.0.0.1:0"))
    place = {"latitude": 52.51635, "longitude": 13.37771}
    assert phone.post(place | {"altitude_m": 35, "accuracy_m": 4, "speed_mps": 2.8, "app": "any"}) == (200, "")
    wait_for(lambda: place.items() <= daemon.call("status").get("position", {}).items(), 60, "the position")
    status, text = phone.post(place | {"latitude": 91})
    assert status == 502 and "latitude" in text
    assert phone.post({"latitude": 52})[0] == 502


def test_wrong_post_is_refused_with_a_reason(phone):
    assert phone.post({"bpm": 128}, path="secre")[0] == 404
    assert phone.post({"bpm": 128}, path="")[0] == 404
    for wrong in ([128], {}, {"heart": 128}, 128, "x" * 4090, json.loads("[" * 900 + "]" * 900)):
        status, text = phone.post(wrong)
        assert status == 400 and '{"bpm": 128}' in text
    assert {phone.post({"battery_percent": wrong})[0] for wrong in (101, -1, 7.5, 7.0, True, [7])} == {400}
    assert phone.post({"bpm": "x" * 4096})[0] == 413
    # What only paced knows to be wrong has its reason.
    status, text = phone.post({"bpm": 1000})
    assert status == 502 and "bpm" in text
    status, text = phone.post({"latitude": 52, "longitude": 13})
    assert status == 502 and "Gpsd=sensor-socket" in text
    assert phone.post({"bpm": 128}) == (200, "")


def test_program_announces_its_sensor_again_after_a_restart_of_paced(stage, phone):
    assert phone.post({"bpm": 128, "battery_percent": 71}) == (200, "")
    phone.daemon.end()
    assert phone.post({"bpm": 129}) == (502, "paced has ended the connection\n")
    phone.daemon.start()
    wait_for(lambda: phone.post({"bpm": 130}) == (200, ""), 60, "the next connection")
    reader = stage.reader(phone.daemon, blocks=["sensors"])
    wait_for(lambda: heart_rate(reader) == 130, 60, "the heart rate")
    assert sensor(reader, "phone")["battery_percent"] == 71


def test_sensors_of_the_how_to_page_are_in_the_state(stage):
    daemon = stage.paced(*OFF)
    reader = stage.reader(daemon, blocks=["sensors"])
    for text in re.findall("```python\n(.*?)```", (ROOT / "docs/how-to/sensors.md").read_text(), re.DOTALL):
        stage.start(ManagedProcess(
            [sys.executable, "-B", "-c", text + "import time; time.sleep(60)"],
            {"PACED_SOCKET": str(daemon.state_socket), "PYTHONPATH": str(EXAMPLES)}))
    wait_for(lambda: sensor(reader, "saddle").get("temperature_c") == 21.5, 60, "the temperature")
    wait_for(lambda: sensor(reader, "lever").get("values") == {"saddle_angle": 12.5}, 60, "the angle")


def device(folder, x=0, y=0, z=1000):
    """An accelerometer as the kernel shows it, in units of a thousandth of gravity."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in_accel_scale").write_text("0.00980665\n")
    for axis, value in (("x", x), ("y", y), ("z", z)):
        (folder / f"in_accel_{axis}_raw").write_text(f"{value:6}\n")


@pytest.mark.thorough
def test_steps_of_an_accelerometer_are_in_the_state(stage, program):
    daemon = stage.paced(*OFF)
    root = stage.directory / "devices"
    (root / "iio:device0").mkdir(parents=True)
    device(root / "iio:device1")
    reader = stage.reader(daemon, blocks=["sensors"])
    program(daemon, "imu.py", "--root", root)
    wait_for(lambda: sensor(reader, "imu").get("cadence_rpm") == 0, 60, "that nobody walks")
    files = [os.open(root / f"iio:device1/in_accel_{axis}_raw", os.O_WRONLY) for axis in "xyz"]
    is_over = threading.Event()

    def walking():
        while not is_over.wait(0.005):
            for file, value in zip(files, walk(120, time.monotonic())):
                os.pwrite(file, f"{round(value / 0.00980665):6}\n".encode(), 0)
    thread = threading.Thread(target=walking)
    thread.start()
    try:
        wait_for(lambda: 115 < sensor(reader, "imu").get("cadence_rpm", 0) < 125, 60, "the steps")
    finally:
        is_over.set()
        thread.join()
    assert sensor(reader, "imu")["kinds"] == ["foot-pod"]


@pytest.mark.parametrize("name", matrix(["ant.py", "imu.py", "phone.py"], "phone.py"))
@pytest.mark.parametrize("is_there", matrix([True, False], True))
def test_program_ends_cleanly_at_sigterm(stage, program, name, is_there):
    daemon = stage.paced(*OFF)
    if not is_there:
        daemon.end()
    device(stage.directory / "devices/iio:device0")
    arguments = {
        "ant.py": ["--replay", RIDE], "imu.py": ["--root", stage.directory / "devices"],
        "phone.py": ["--listen", "127.0.0.1:0"]}
    process = program(daemon, name, *arguments[name])
    if is_there:
        reader = stage.reader(daemon, blocks=["sensors"])
        wait_for(lambda: any(sensor(reader, one) for one in ("ant-power", "imu", "phone")), 60, "the sensor")
    else:
        wait_for(lambda: "sensor.sock: " in process.log_text(), 60, "why there is no connection")
    assert process.end()[0] == 0
    assert "Traceback" not in process.log_text()
    assert process.log_text().count("sensor.sock: ") == (0 if is_there else 1)


@pytest.mark.parametrize("name, arguments, message", [
    ("ant.py", [], "ant.py needs openant: pip install openant"),
    ("wheel.py", ["17"], "wheel.py needs the Python bindings of libgpiod 2: pip install gpiod"),
    ("imu.py", ["--root", "/nowhere"], "no device in /nowhere has in_accel_x_raw: is the driver loaded?")])
def test_what_is_missing_is_said(stage, name, arguments, message):
    # In the place of modules that are installed: an empty one, and the bindings of libgpiod 1.
    for module in ("openant", "gpiod"):
        (stage.directory / f"{module}.py").touch()
    done = subprocess.run(
        [sys.executable, "-B", EXAMPLES / name, *arguments], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(stage.directory)})
    assert (done.returncode, done.stderr) == (1, message + "\n")
