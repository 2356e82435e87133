"""What declarations and values of own fields may be: limits of a sensor and of an activity, screens, and how soon a value is in STATE."""

import json
import time

import pytest

from harness.client import connect
from harness.timing import GUARD, expect_within, real_seconds, wait_for
from matrix import matrix
from test_sensor_door import INVALID, OFF, REFUSED, UNKNOWN, Door, sensor


@pytest.fixture(scope="module")
def paced(long_stage):
    paced = long_stage.paced(*OFF)
    # In a run there are ten states a second.
    paced.call("run.start", sport="ride", indoor=True)
    return paced


@pytest.fixture
def door(paced):
    door = Door(paced)
    yield door
    door.end()
    wait_for(lambda: (one := sensor(paced, "one")) is None or one["link"] != "connected", 60, "the end of the sensor")


def field(name="angle", **more):
    return {"name": name, "decimals": 1} | more


@pytest.mark.parametrize("wrong", matrix([
    ([field(f"f_{number}") for number in range(9)],), ([field("power")],), ([field("time")],), ([field("smo2")],),
    ([field("distance_m")],), ([field("heart_rate_bpm")],), ([field("Angle")],), ([field("1st")],), ([field("_a")],), ([field("a-b")],),
    ([field("x" * 65)],), ([field("")],), ([field("é")],), ([field(), field()],), ([{}],), ("angle",), (["angle"],), ([field(title="")],),
    ([field(title="x" * 65)],), ([field(title=7)],), ([field(unit="x" * 17)],), ([field(decimals=4)],), ([field(decimals=-1)],),
    ([field(decimals=1.5)],), ([field(icon="star")],), ([field(native_field=255)],), ([field(native_field=-1)],),
], [field("x" * 65)], [field("power")], [field("distance_m")]), ids=lambda wrong: json.dumps(wrong)[:40])
def test_wrong_declaration_is_refused(paced, door, wrong):
    assert door.announce("one", "fields", fields=wrong)["code"] == INVALID
    assert sensor(paced, "one") is None or sensor(paced, "one")["link"] != "connected"


def test_fields_belong_to_their_kind(paced, door):
    for kinds, more in [(["fields"], {}), (["fields"], {"fields": []}), (["power"], {"fields": [field()]})]:
        assert door.announce("one", *kinds, **more)["code"] == -32602
    # A name is that of one sensor.
    assert door.announce("one", "fields", fields=[field()]) is None
    assert door.announce("two", "fields", fields=[field(), field("other")])["code"] == REFUSED


def test_longest_declaration_is_accepted(paced, door):
    longest = [field("x" * 63 + str(number), title="ß" * 64, unit="é" * 16, decimals=3, icon="wind", native_field=254) for number in range(8)]
    assert door.announce("one", "fields", fields=longest) is None
    assert door.measure("one", "fields", values={longest[0]["name"]: -999_999_999_999.5}) is None
    wait_for(lambda: sensor(paced, "one").get("values"), 60, "the value")


@pytest.mark.parametrize("values", matrix(
    ['{"angle":NaN}', '{"angle":Infinity}', '{"angle":1e999}', '{"angle":1e12}', '{"angle":-1e12}', '{"angle":"7"}', '{"angle":true}',
     '{"angle":[7]}', '{"other":7}', '{"angle":7,"smo2":7}', '[7]', '7', 'null'], '{"angle":NaN}', '{"angle":1e999}', '{"other":7}'))
def test_wrong_value_is_an_error_and_changes_nothing(paced, door, values):
    assert door.announce("one", "fields", fields=[field()]) is None
    assert door.measure("one", "fields", values={"angle": 1.5}) is None
    reply = door.send('{"jsonrpc":"2.0","id":1,"method":"sensor.measure","params":{"id":"one","kind":"fields","values":%s}}' % values)
    assert "error" in reply
    assert wait_for(lambda: sensor(paced, "one").get("values"), 60, "the value before") == {"angle": 1.5}


@pytest.mark.parametrize("kind, values", matrix([
    ("muscle-oxygen", {"smo2": 100.1}), ("muscle-oxygen", {"thb": 51}), ("gears", {"rear_gear": 0}), ("gears", {"front_gear": 21}),
    ("gears", {"front_teeth": 101}), ("e-bike", {"assist_level": -1}), ("e-bike", {"bike_battery": 101}), ("e-bike", {"motor_power": 5001}),
    ("e-bike", {"bike_range": 1001}), ("body-temperature", {"core_temperature": 19}), ("body-temperature", {"skin_temperature": 51}),
    ("body-temperature", {"smo2": 50}), ("gears", {"values": {"rear_gear": 3}}), ("fields", {"values": {"smo2": 50}}),
], "muscle-oxygen"))
def test_value_of_a_known_kind_that_is_out_of_range_is_an_error(paced, door, kind, values):
    own = {"fields": [field()]} if kind == "fields" else {}
    assert door.announce("two", kind, **own) is None
    assert door.measure("two", kind, **values)["code"] in (INVALID, UNKNOWN, -32602)
    assert "values" not in sensor(paced, "two")


def test_log_has_one_line_of_refused_requests(stage):
    paced = stage.paced(*OFF)
    for _ in range(20):
        door = Door(paced)
        assert door.measure("nobody", "power", power_w=1)["code"] == UNKNOWN
        door.end()
    assert paced.log_text().count("refused") == 1


def test_value_that_is_null_or_left_out_is_unknown_from_then_on(paced, door):
    door.announce("one", "fields", "muscle-oxygen", fields=[field("a"), field("b"), field("c")])

    def values():
        return sensor(paced, "one").get("values", {})

    door.measure("one", "fields", values={"a": 1, "b": 2, "c": 3})
    door.measure("one", "muscle-oxygen", smo2=60, thb=12)
    wait_for(lambda: values() == {"a": 1, "b": 2, "c": 3, "smo2": 60, "thb": 12}, 60, "all values")
    door.measure("one", "fields", values={"a": 0, "b": None})
    wait_for(lambda: values() == {"a": 0, "smo2": 60, "thb": 12}, 60, "what is known")
    door.measure("one", "fields", values={})
    wait_for(lambda: values() == {"smo2": 60, "thb": 12}, 60, "the values of the other kind")


def test_value_is_never_shown_under_the_name_of_another_declaration(stage):
    paced = stage.paced(*OFF)
    door = Door(paced)
    paced.call("run.start", sport="ride", indoor=True)

    def own():
        with connect(paced.runtime / "state.sock", timeout=GUARD) as client:
            client.sendall(b'{"class":"WATCH","classes":["STATE"],"blocks":["own_fields"]}\n')
            for line in client.makefile("rb"):
                if b'"own_fields":[{' in line:
                    return {one["name"]: one.get("value") for one in json.loads(line)["blocks"]["own_fields"]}

    def shows(measured, *shown):
        """A value is shown for some seconds, so that it is sent again on a slow machine."""
        door.measure("one", "fields", values=measured)
        return own() in shown

    door.announce("one", "fields", fields=[field("a"), field("b")])
    wait_for(lambda: shows({"a": 1, "b": 2}, {"a": 1, "b": 2}), 60, "the values")
    # The same program has changed, and declares other fields, or in another order.
    door.announce("one", "fields", fields=[field("c"), field("a")])
    wait_for(lambda: sensor(paced, "one").get("values", {}).get("c") is None, 60, "a sensor without a value of c")
    names = {"a": 4, "b": None, "c": 3}, {"a": 4, "c": 3}
    wait_for(lambda: shows({"c": 3, "a": 4}, *names), 60, "the values under their names")


@pytest.mark.thorough
def test_second_sensors_of_all_kinds_are_recorded(stage):
    paced = stage.paced(*OFF)
    assert paced.call("settings.set", key="record_all_sensors", value=True) is True
    door = Door(paced)
    measured = {"heart-rate": "bpm", "speed-cadence": "cadence_rpm", "power": "power_w", "muscle-oxygen": "smo2"}
    for kind in measured:
        for number in (1, 2):
            assert door.announce(f"{kind}-{number}", kind, name=f"N{number}") is None
    paced.call("run.start", sport="ride", indoor=True)
    reader = stage.reader(paced, classes=["STATE"], blocks=["own_fields"])

    def shown():
        for kind, member in measured.items():
            for number in (1, 2):
                assert door.measure(f"{kind}-{number}", kind, **{member: 60 + 10 * number}) is None
        time.sleep(0.2)
        state = reader.of("STATE")[-1]
        fields = {one["name"]: (one["title"], one.get("value")) for one in state.get("blocks", {}).get("own_fields", [])}
        return fields if {"power_2", "heart_rate_2", "cadence_2", "smo2_2"} <= fields.keys() and state["heart"].get("bpm") == 70 else None

    assert wait_for(shown, 60, "the fields of the second sensors") == {
        "smo2": ("SmO2", 70), "smo2_2": ("SmO2 2", 80), "power_2": ("Power 2", 80), "heart_rate_2": ("Heart Rate 2", 80),
        "cadence_2": ("Cadence 2", 80)}


@pytest.mark.thorough
def test_activity_has_sixteen_fields(stage):
    paced = stage.paced(*OFF)
    doors = [Door(paced) for _ in range(3)]
    number = paced.call("run.start", sport="ride", indoor=True)["activity"]
    for index, door in enumerate(doors):
        names = [f"f_{index}_{place}" for place in range(8)]
        assert door.announce(f"s-{index}", "fields", fields=[field(name) for name in names]) is None
        door.measure(f"s-{index}", "fields", values=dict.fromkeys(names, 7))
    wait_for(lambda: paced.call("status")["elapsed_ms"] >= 1200, 60, "a second")
    paced.call("run.stop")
    wait_for(lambda: not paced.call("activities.list")[0]["open"], 60, "the end of the activity")
    fields = paced.call("activities.get", id=number)["fields"]
    assert [one["name"] for one in fields] == [f"f_{index}_{place}" for index in range(2) for place in range(8)]
    for door in doors:
        door.end()


def test_own_value_is_in_the_state_within_200_ms(stage):
    paced = stage.paced(*OFF)
    door = Door(paced)
    paced.call("run.start", sport="ride", indoor=True)
    door.announce("one", "fields", fields=[field("angle", decimals=3)])
    reader = stage.reader(paced, classes=["STATE"], blocks=["fields", "own_fields", "sensors"])
    value = 0

    def measure():
        nonlocal value
        value += 1
        begun, seen = real_seconds(), len(reader.lines)
        assert door.measure("one", "fields", values={"angle": value}) is None
        state = reader.wait(
            "the value", lambda line: line.get("blocks", {}).get("fields", {}).get("angle") == value, 60, since=seen)
        return state["blocks"], real_seconds() - begun

    blocks = expect_within(0.2, measure, "a value on its way into the state")
    assert next(one for one in blocks["own_fields"] if one["name"] == "angle")["value"] == value
    assert next(one for one in blocks["sensors"] if one["id"] == "ext:one")["values"] == {"angle": value}


@pytest.mark.parametrize("own, is_accepted", matrix([
    ("own:saddle_angle", True), ("own:smo2", True), ("own:" + "x" * 64, True), ("own:", False), ("own:Angle", False), ("own:" + "x" * 65, False),
    ("own:a b", False), ("saddle_angle", False)], "own:smo2", "own:Angle"))
def test_screens_take_own_names(paced, own, is_accepted):
    pages = {"ride": [{"fields": [own, {"field": "speed"}]}], "run": [{"fields": [{"field": own, "title": "Mine"}]}]}
    answer = paced.call("settings.set", key="screens", value=pages)
    if is_accepted:
        assert own in json.dumps(answer["ride"]) and answer["run"] == [{"fields": [{"field": own, "title": "Mine"}]}]
    else:
        assert answer["code"] == INVALID and "screens.ride[0].fields[0].field" in answer["data"]["message"]
