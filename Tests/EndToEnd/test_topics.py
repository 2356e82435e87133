"""Data of other programs: publishers on publish.sock, hostile ones too, and clients of state.sock that watch topics."""

import datetime
import json
import os
import random
import socket
import subprocess
import threading
import time

import pytest

import needs
from harness.client import connect
from harness.process import PACECTL, ROOT
from harness.timing import GUARD, boot_ms, expect_within, wait_for
from harness.users import NOBODY, acting_as
from matrix import matrix

OFF = ["--gpsd", "off", "--sensors", "off"]
NAME_RULE = "topic must be weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"


class Publisher:
    """A client of publish.sock with an open connection."""

    def __init__(self, daemon):
        self.socket = connect(daemon.runtime / "publish.sock", timeout=GUARD)
        self.lines = self.socket.makefile("rb")
        self.demand = {}

    def line(self):
        """The next line that is no DEMAND."""
        while True:
            message = json.loads(self.lines.readline())
            if message.get("class") != "DEMAND":
                return message
            self.demand[message["topic"]] = message["subscribers"]

    def wait_for_demand(self, topic, subscribers):
        while self.demand.get(topic) != subscribers:
            message = json.loads(self.lines.readline())
            assert message["class"] == "DEMAND"
            self.demand[message["topic"]] = message["subscribers"]

    def send(self, text):
        self.socket.sendall((text if isinstance(text, bytes) else text.encode()) + b"\n")
        return self.line()

    def call(self, method, **parameters):
        return self.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}))

    def publish(self, topic, data, **parameters):
        return self.call("topic.publish", topic=topic, data=data, **parameters)

    def end(self):
        self.lines.close()
        self.socket.close()


def reason(answer):
    return answer["error"]["data"]["message"]


@pytest.fixture
def daemon(stage):
    return stage.paced(*OFF)


@pytest.fixture
def publisher(stage, daemon):
    return stage.keep(Publisher(daemon))


def in_seconds(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).isoformat()


def test_data_goes_to_those_who_watch_its_topic(stage, daemon, publisher):
    other = stage.reader(daemon)
    watcher = stage.reader(daemon, topics=["x-tyres"])
    assert watcher.first("WATCH")["topics"] == ["x-tyres"]
    publisher.wait_for_demand("x-tyres", 1)
    data = {"rear": {"kpa": 545.5}, "front": [1, None, True, "ä<\u202e"]}
    assert publisher.publish("x-tyres", data, source="valve\x1b")["result"] is None
    line = watcher.first("DATA")
    assert line["data"] == data and line["source"] == "valve\ufffd" and line["stale"] is False
    assert 0 <= line["age_ms"] < 10_000
    # It is retained when its publisher has gone.
    publisher.end()
    late = stage.reader(daemon, topics=["x-tyres"])
    assert late.first("DATA")["data"] == data
    assert late.first("DATA")["age_ms"] >= line["age_ms"]
    again = stage.keep(Publisher(daemon))
    assert again.call("topic.retract", topic="x-tyres")["result"] is None
    wait_for(lambda: len(watcher.of("DATA")) == 2, 60, "the retraction")
    assert watcher.of("DATA")[1] == {"class": "DATA", "topic": "x-tyres"}
    assert again.demand["x-tyres"] == 2
    assert other.of("DATA") == []


@pytest.mark.fast_clock
def test_data_becomes_stale_and_is_dropped(stage, daemon, publisher):
    watcher = stage.reader(daemon, topics=["x-tyres"])
    watcher.first("WATCH")
    # The daemon looks once a second: a shorter validity could pass twice between two looks of a machine that stalls.
    validity = 10
    before = boot_ms()
    assert publisher.publish("x-tyres", {"kpa": 520}, valid_until=in_seconds(validity))["result"] is None
    latency = boot_ms() - before
    wait_for(lambda: any("data" not in line for line in watcher.of("DATA")), 60, "the end of the data")
    fresh, stale, dropped = watcher.of("DATA")
    assert (fresh["stale"], stale["stale"]) == (False, True)
    assert 1000 * validity - latency - 1 <= stale["age_ms"] < 2000 * validity
    assert "data" not in dropped and "age_ms" not in dropped
    assert "passed" in reason(publisher.publish("x-tyres", {}, valid_until=in_seconds(-5)))


def test_demand_ends_with_the_last_watcher(stage, daemon, publisher):
    watcher = stage.reader(daemon, topics=["x-a", "x-b"])
    publisher.wait_for_demand("x-b", 1)
    watcher.send('{"class":"WATCH","topics":["x-b"]}')
    publisher.wait_for_demand("x-a", 0)
    watcher.end()
    publisher.wait_for_demand("x-b", 0)


def test_notice_is_a_journalled_event_once_in_10_s(stage, daemon, publisher):
    reader = stage.reader(daemon)
    reader.first("STATE")
    notice = {"topic": "x-tyres", "key": "low", "text": "Front tyre \x1b[2J\u202e low"}
    assert publisher.call("notice", **notice)["result"] is None
    event = reader.first("EVENT", event="notice")
    assert (event["topic"], event["key"], event["text"]) == ("x-tyres", "low", "Front tyre \ufffd[2J\ufffd low")
    assert reason(publisher.call("notice", **notice)) == "x-tyres had a notice within 10 s: at most one each 10 s"
    daemon.end()
    publisher.end()
    daemon.start()
    daemon.wait_until_ready()
    replayed = stage.reader(daemon, since=0).first("EVENT", event="notice")
    assert replayed["seq"] == event["seq"] and replayed["text"] == event["text"]


@pytest.mark.parametrize("line, message", matrix([
    (b'{"topic":"wether","data":{}}', NAME_RULE), (b'{"topic":"x-A","data":{}}', NAME_RULE),
    (b'{"topic":"x-' + b"a" * 31 + b'","data":{}}', NAME_RULE), (b'{"topic":["x-a"],"data":{}}', NAME_RULE),
    (b'{"topic":"x-a"}', "data is missing"), (b'{"topic":"x-a","data":"text"}', "data must be an object"),
    (b'{"topic":"x-a","data":[1]}', "data must be an object"), (b'{"topic":"x-a","data":null}', "data must be an object"),
    (b'{"topic":"x-a","data":{"a":"' + b"x" * 32768 + b'"}}', "data has 32776 bytes: at most 32768 are allowed"),
    (b'{"topic":"x-a","data":{"a":"' + b"<" * 6000 + b'"}}', "data has 36008 bytes: at most 32768 are allowed"),
    (b'{"topic":"x-a","data":{"a":' + b"[" * 14 + b"]" * 14 + b"}}", "expected at most 16 levels of nesting"),
    (b'{"topic":"x-a","data":{"a":1,"a":2}}', None), (b'{"topic":"x-a","data":{"a":"\xff"}}', None),
    (b'{"topic":"x-a","data":{"a":1e999}}', None), (b'{"topic":"x-a","data":{},"source":7}', "source must be a string"),
    (b'{"topic":"x-a","data":{},"valid_until":5}', "valid_until must be a time with its zone"),
    (b'["x-a",{}]', "parameters must be named, not positional"),
], b'{"topic":"x-a"}'), ids=lambda value: repr(value[:30]) if value else "-")
def test_wrong_publication_gets_an_error_that_says_why(publisher, line, message):
    answer = publisher.send(b'{"jsonrpc":"2.0","id":1,"method":"topic.publish","params":' + line + b"}")
    assert answer["error"]["code"] in (-32700, -32602, -32004)
    if message:
        assert message in reason(answer)
    # The connection and the topic serve on.
    assert publisher.publish("x-a", {"a": "x" * 32000, "deep": json.loads("[" * 13 + "]" * 13)})["result"] is None


STATION = {"station": "EDDB", "distance_m": 12400, "observed_at": in_seconds(0)[:19] + "Z"}
CLOUD = {"cover": "BKN", "base_m": 900, "type": "CB"}
RAIN = {"code": "-SHRA", "intensity": "light", "vicinity": False, "descriptors": ["SH"], "phenomena": ["RA"]}
CONDITIONS = {
    "wind_from_deg": 240, "wind_variable": True, "wind_speed_mps": 5.14, "wind_gust_mps": 9.3, "wind_range_deg": [200, 280],
    "visibility_m": 9999, "visibility_bound": "at_least", "weather": [RAIN], "clouds": [CLOUD, {}], "ceiling_m": 900, "icon": "rain-sky"}
SPAN = {"from": "2026-03-01T07:00:00Z", "to": "2026-03-01T09:00:00.500Z"}
WEATHER = {
    **STATION, **CONDITIONS, "site": "Berlin Brandenburg", "bearing_deg": 134, "elevation_m": 46, "temperature_c": -1.5,
    "temperature_here_c": 0, "dew_point_c": -3, "humidity_percent": 89, "feels_like_c": -7.25, "pressure_hpa": 1013,
    "rain_from": "2026-03-01T08:00:00Z", "wind_shift_at": "2026-03-01T08:30:00Z",
    "other_stations": [{**STATION, "figures": ["visibility", "clouds"]}],
    "forecast": {
        "station": "EDDB", "distance_m": 12400, "issued_at": "2026-03-01T05:00:00Z",
        "periods": [{**SPAN, **CONDITIONS, "overlays": [
            {"kind": "possible", "probability_percent": 30, **SPAN, "visibility_m": 800}]}]}}
WRONG = [None, -1e6, 1e6, "", "x" * 65, "x", True, {}, {"x": 1}, [None], [1] * 50, 7, "2026-02-30T00:00:00Z"]


def places(value, path=()):
    """The path of each member and element of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, element in inner:
        yield (*path, key)
        yield from places(element, (*path, key))


def changed(path, change):
    """A copy of WEATHER after a change of the object or list that has the end of the path."""
    result = holder = json.loads(json.dumps(WEATHER))
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return result


@pytest.mark.thorough
def test_weather_is_accepted_where_the_schema_accepts_it(stage, schema):
    """Each member is removed, given wrong values, and joined by an unknown one."""
    daemon = stage.paced(*OFF)
    publisher = stage.keep(Publisher(daemon))
    cases = [WEATHER, STATION, {"reason": "no station within 100 km"}, {"reason": "x", "station": "EDDB"}, {}]
    for path in places(WEATHER):
        cases.append(changed(path, lambda holder, key: holder.pop(key)))
        for value in WRONG:
            cases.append(changed(path, lambda holder, key: holder.__setitem__(key, value)))
        if isinstance(path[-1], str):
            cases.append(changed(path, lambda holder, key: holder.__setitem__("x" + key, 1)))
    accepted = 0
    for number, data in enumerate(cases):
        # A rejected value does not count as one of two a second: the data is checked first.
        answer = publisher.publish("weather", data, valid_until=in_seconds(-5))
        wrong = reason(answer)
        line = {"class": "DATA", "topic": "weather", "data": data, "age_ms": 0, "stale": False}
        valid = not list(schema.iter_errors(line))
        # A day that a month lacks is beyond the schema.
        if "2026-02-30" not in json.dumps(data):
            assert (wrong == "valid_until has passed") == valid, (data, wrong)
        accepted += valid
    assert len(cases) > 800 and 60 < accepted < len(cases) / 2
    watcher = stage.reader(daemon, topics=["weather"])
    assert publisher.publish("weather", WEATHER, source="paced-net")["result"] is None
    assert watcher.first("DATA")["data"] == WEATHER


@pytest.mark.fast_clock
def test_wind_follows_the_topic_weather(stage, daemon, publisher):
    reader = stage.reader(daemon, blocks=["wind"])

    def wind():
        return reader.of("STATE")[-1].get("blocks", {}).get("wind")

    def shows(wanted):
        block = wind()
        return block is not None and wanted.items() <= block.items() and "age_s" in block

    reader.first("STATE")
    assert wind() is None
    publisher.publish("weather", {**STATION, "wind_from_deg": 240, "wind_speed_mps": 5})
    wanted = {"reason": "no-course", "speed_mps": 3.02, "from_deg": 240, "station": "EDDB", "distance_m": 12400}
    wait_for(lambda: shows(wanted), 60, "the wind")
    publisher.publish("weather", {**STATION, "wind_speed_mps": 0})
    wait_for(lambda: shows({"reason": "calm", "headwind_mps": 0}), 60, "the calm")
    variable = {**STATION, "wind_variable": True, "wind_speed_mps": 1}
    answer = publisher.publish("weather", variable, valid_until=in_seconds(15))
    assert answer["result"] is None
    wait_for(lambda: shows({"reason": "variable"}), 60, "the variable wind")
    wait_for(lambda: shows({"reason": "stale"}), 60, "the stale wind")
    wait_for(lambda: wind() is None, 60, "no wind after twice the validity")
    publisher.publish("weather", {**STATION, "wind_speed_mps": 0})
    wait_for(lambda: shows({"reason": "calm"}), 60, "the calm")
    assert publisher.call("topic.retract", topic="weather")["result"] is None
    wait_for(lambda: wind() is None, 60, "no wind after the retraction")


@pytest.mark.thorough
def test_line_of_10_mb_gets_an_error(daemon, publisher):
    sender = threading.Thread(target=lambda: publisher.socket.sendall(b"x" * 10_000_000 + b"\n"))
    sender.start()
    assert reason(publisher.line()) == "a line is at most 65536 bytes"
    sender.join(20)
    assert publisher.publish("x-a", {})["result"] is None


@pytest.mark.thorough
def test_100_topics_are_71_too_many(publisher):
    answers = [publisher.publish(f"x-{number}", {"number": number}) for number in range(100)]
    assert [answer.get("result", 1) for answer in answers[:29]] == [None] * 29
    assert {reason(answer) for answer in answers[29:]} == {
        "there are 29 topics x-…, the most that are possible: retract one"}


@pytest.mark.thorough
def test_full_table_of_topics_costs_the_daemon_little_memory(stage, daemon, publisher):
    before = daemon.kernel_status("VmRSS")
    for number in range(29):
        assert publisher.publish(f"x-{number}", {"text": "x" * 32_000})["result"] is None
    watcher = stage.reader(daemon, topics=[f"x-{number}" for number in range(29)])
    wait_for(lambda: len(watcher.of("DATA")) == 29, 60, "the data of 29 topics")
    # 1 MiB of data, the largest request, and what the allocator keeps.
    assert daemon.kernel_status("VmRSS") - before < 4096


@pytest.mark.thorough
def test_hostile_publishers_do_not_disturb_subscribers(stage):
    daemon = stage.paced("--demo")
    reader = stage.reader(daemon, topics=["x-flood", "x-still"])
    reader.first("STATE", run="active")
    running = True
    numbers = random.Random(17)

    def flood(make):
        while running:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(0.5)
                try:
                    client.connect(str(daemon.runtime / "publish.sock"))
                    for _ in range(200):
                        client.sendall(make())
                except OSError:
                    pass

    def request(method, **parameters):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode() + b"\n"

    floods = [threading.Thread(target=flood, args=[make], daemon=True) for make in (
        lambda: request("topic.publish", topic="x-flood", data={"n": numbers.randrange(1000)}) * 20,
        lambda: request("topic.publish", topic=f"x-{numbers.randrange(1000)}", data={}),
        lambda: request("notice", topic=f"x-{numbers.randrange(1000)}", key="k", text="t"),
        lambda: b"[" * 100_000, lambda: b"x" * 1_000_000, lambda: numbers.randbytes(3000) + b"\n",
        lambda: request("topic.publish", topic="x-flood", data={"a": "x" * 32_000}),
    )]
    begun = time.monotonic()
    for thread in floods:
        thread.start()
    memory = []

    def ten_seconds():
        seen = len(reader.lines)
        for _ in range(10):
            time.sleep(1)
            memory.append(daemon.kernel_status("VmRSS"))
        lines = reader.lines[seen:]
        states = [line for line in lines if line["class"] == "STATE" and line["run"] == "active"]
        return (lines, states), max(after.at - before.at for before, after in zip(states, states[1:])) / 1000

    # The tick is punctual for the reader: it misses none, and none is late by more than a second.
    lines, states = expect_within(1, ten_seconds, "the next state")
    running = False
    for thread in floods:
        thread.join(20)
    seconds = time.monotonic() - begun
    assert [state["seq"] for state in states] == list(range(states[0]["seq"], states[0]["seq"] + len(states)))
    assert not [line for line in lines if line["class"] == "DROPPED"]
    assert len(reader.of("DATA")) <= 2 * (seconds + 3)
    notices = [event for event in reader.of("EVENT") if event["event"] == "notice"]
    assert len(notices) <= 32 + seconds + 3
    assert memory[-1] - memory[2] < 2048
    wait_for(lambda: stage.keep(Publisher(daemon)).publish("x-still", {}).get("error", {}).get("code", 0) in (0, -32002),
             60, "an answer afterwards")


def test_17th_publisher_is_refused_with_a_reason(stage, daemon):
    publishers = [stage.keep(Publisher(daemon)) for _ in range(8)]
    for publisher in publishers:
        assert publisher.call("topic.retract", topic="x-a")["error"]["code"] == -32003
    assert "too many clients of user" in reason(stage.keep(Publisher(daemon)).line())


@needs.ROOT
def test_user_without_the_group_may_not_publish(daemon):
    os.chmod(daemon.runtime, 0o755)
    os.chmod(daemon.runtime.parent, 0o755)
    wait_for((daemon.runtime / "publish.sock").exists, 60, "the socket")
    done = subprocess.run(
        ["python3", "-c", "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])",
         daemon.runtime / "publish.sock"], capture_output=True, text=True, **acting_as(NOBODY))
    assert "PermissionError" in done.stderr


def test_example_publishes_what_is_wanted(stage, daemon):
    connect(daemon.runtime / "publish.sock").close()
    process = subprocess.Popen(
        ["python3", ROOT / "Examples" / "publisher.py", "520"], env=os.environ | {"PACED_SOCKET": str(daemon.state_socket)})
    try:
        watcher = stage.reader(daemon, topics=["x-tyres"])
        line = watcher.first("DATA")
        assert line["data"] == {"front_kpa": 520} and line["source"] == "valve"
    finally:
        process.kill()
        process.wait()


@pytest.mark.fast_clock
def test_pacectl_publishes_standard_input(stage, daemon):
    def publish(text, *options):
        return subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, "publish", "x-tyres", *options], input=text, capture_output=True,
            text=True, timeout=GUARD)

    watcher = stage.reader(daemon, topics=["x-tyres"])
    done = publish('{\n  "front_kpa": 520\n}\n', "--valid-for", "10", "--source", "valve")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    line = watcher.first("DATA")
    assert line["data"] == {"front_kpa": 520} and line["source"] == "valve"
    watcher.first("DATA", stale=True)
    for text, message in [("[]", "data must be an object"), ("x", "standard input is not the JSON of a topic"),
                          ('{"a":"' + "x" * 100_000 + '"}', "standard input has more than the 32768 bytes")]:
        done = publish(text)
        assert done.returncode == 1 and message in done.stderr
