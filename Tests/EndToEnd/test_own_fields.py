"""Fields of one's own and those of the kinds gears, e-bike, muscle-oxygen and body-temperature, and second sensors of a kind: in STATE, in
the activity, in its files, and what those are imported as. A program with five sensors drives the run of a demo."""

import csv
import datetime
import json
import re
import struct
import threading

import fitdecode
import garmin_fit_sdk
import geojson
import pytest

from harness.timing import wait_for
from test_activities import said
from test_sensor_door import Door

MESSAGE = garmin_fit_sdk.Profile["mesg_num"]
OWN = [
    {"name": "saddle_angle", "title": "Saddle Angle", "unit": "°", "decimals": 1, "icon": "angle"},
    {"name": "tyre_pressure", "title": "Front Tyre", "unit": "bar", "decimals": 2, "icon": "pressure"},
    {"name": "respiration", "unit": "/min", "native_field": 99}]
KNOWN = ["gears", "e-bike", "muscle-oxygen", "body-temperature"]
# Name, title, unit, decimals, icon, native field of a record, and a value of the first and of the second lap, none of which is short in binary.
FIELDS = [
    ("saddle_angle", "Saddle Angle", "°", 1, "angle", None, -2.3, 12.6), ("tyre_pressure", "Front Tyre", "bar", 2, "pressure", None, 2.71, 2.69),
    ("respiration", "respiration", "/min", 0, "gauge", 99, 18.1, 30.7),
    ("front_gear", "Front Gear", "", 0, "gear", None, 1, 2), ("rear_gear", "Rear Gear", "", 0, "gear", None, 11, 3),
    ("front_teeth", "Front Teeth", "", 0, "gear", None, 34, 50), ("rear_teeth", "Rear Teeth", "", 0, "gear", None, 11, 28),
    ("assist_level", "Assist", "", 0, "bolt", 120, 2, 4), ("bike_battery", "Bike Battery", "%", 0, "battery", 118, 80, 79),
    ("motor_power", "Motor Power", "W", 0, "bolt", 82, 120, 250), ("bike_range", "Range", "km", 0, "battery", 117, 70, 69),
    ("smo2", "SmO2", "%", 1, "muscle", 57, 63.3, 41.7), ("thb", "tHb", "g/dl", 2, "drop", 54, 12.43, 12.61),
    ("core_temperature", "Core Temp.", "°C", 2, "temperature", 139, 37.01, 38.23),
    ("skin_temperature", "Skin Temp.", "°C", 2, "temperature", None, 33.33, 34.56)]
NAMES = [field[0] for field in FIELDS]
SECOND = "power_2"


def nearly(value, decimals):
    """What lines have of a value: it is rounded."""
    return pytest.approx(value, abs=0.51 * 10**-decimals)


def values_of(lap):
    return {name: values[lap] for name, *_, first, second in FIELDS for values in [(first, second)]}


class Program:
    """Sensors of all kinds; a thread repeats the values of `lap` five times a second."""

    def __init__(self, paced):
        self.door, self.lap, self.is_over, self.failures = Door(paced), 0, threading.Event(), []
        for answer in (
                self.door.announce("saddle", "fields", name="Saddle", fields=OWN), self.door.announce("bike", "gears", "e-bike", name="Bike"),
                self.door.announce("body", "muscle-oxygen", "body-temperature"), self.door.announce("pm-1", "power", name="Crank"),
                self.door.announce("pm-2", "power", name="Trainer")):
            assert answer is None, answer
        self.thread = threading.Thread(target=self.repeat)
        self.measure()
        self.thread.start()

    def measure(self):
        values = values_of(self.lap)

        def some(first, last):
            return dict(list(values.items())[first:last])

        measured = [
            ("saddle", "fields", {"values": some(0, 3)}), ("bike", "gears", some(3, 7)), ("bike", "e-bike", some(7, 11)),
            ("body", "muscle-oxygen", some(11, 13)), ("body", "body-temperature", some(13, 15)), ("pm-1", "power", {"power_w": 200 + self.lap}),
            ("pm-2", "power", {"power_w": 300 + self.lap})]
        self.failures += [answer for name, kind, more in measured if (answer := self.door.measure(name, kind, **more))]

    def repeat(self):
        while not self.is_over.wait(0.2):
            self.measure()

    def end(self):
        self.is_over.set()
        self.thread.join()
        self.door.end()


class Driven:
    """A run of two laps with all of these sensors. In the second one a second power meter is recorded too."""

    def __init__(self, stage):
        self.state = stage.directory / "state"
        paced = stage.paced("--demo")
        wait_for(lambda: paced.call("status").get("distance_m", 0) > 0, 60, "a position")
        paced.call("run.discard")
        program = stage.keep(Program(paced))
        reader = stage.reader(paced, classes=["STATE"], blocks=["fields", "own_fields", "sensors"])
        self.number = paced.call("run.start", sport="ride")["activity"]
        for lap in range(2):
            if lap:
                paced.call("run.lap")
                assert paced.call("settings.set", key="record_all_sensors", value=True) is True
                program.lap = 1
            angle = values_of(lap)["saddle_angle"]
            begun = reader.wait("a value of the lap", lambda line: self.has(line) and line["blocks"]["fields"]["saddle_angle"] == angle, 60)
            reader.wait("two seconds", lambda line: self.has(line) and line["elapsed_ms"] >= begun["elapsed_ms"] + 2000, 60)
        paced.call("run.stop")
        wait_for(lambda: not paced.call("activities.list")[0]["open"], 60, "the end of the activity")
        program.end()
        assert program.failures == []
        self.states = list(filter(self.has, reader.of("STATE")))
        self.declared = paced.call("activities.get", id=self.number)["fields"]
        self.track = paced.call(
            "activities.track", id=self.number, fields=["at_ms", "own:saddle_angle", "own:smo2", f"own:{SECOND}", "own:nobody"])
        paced.end()
        # With averages, for which it reads the whole activity.
        self.whole = json.loads(said(self.state, "--json", "show", str(self.number)))

    def has(self, state):
        return state.get("activity") == self.number and "saddle_angle" in state.get("blocks", {}).get("fields", {})

    def export(self, format):
        path = self.state.parent / f"driven.{format}"
        if not path.exists():
            said(self.state, "export", str(self.number), "--format", format, "-o", path)
        return path


@pytest.fixture(scope="module")
def driven(long_stage):
    return Driven(long_stage)


def test_values_of_a_program_are_in_the_blocks_of_state(driven):
    last = driven.states[-1]["blocks"]
    # In the order of their first values, and at most 16.
    listed = last["own_fields"]
    assert [field["name"] for field in listed][:15] == NAMES and len(listed) == 16
    for field, (name, title, unit, decimals, icon, *_, before, now) in zip(listed, FIELDS):
        assert (field["name"], field["title"], field["decimals"], field["icon"]) == (name, title, decimals, icon)
        assert field.get("unit", "") == unit and field["value"] == last["fields"][name] == nearly(now, decimals)
        assert min(before, now) - 0.5 <= field["average"] <= max(before, now) + 0.5
    one = next(one for one in last["sensors"] if one["id"] == "ext:saddle")
    assert one["values"] == {name: last["fields"][name] for name in NAMES[:3]}
    assert next(one for one in last["sensors"] if one["id"] == "ext:bike")["values"]["rear_gear"] == 3


def test_activity_has_the_averages_of_its_laps(driven):
    listed = {field["name"]: field for field in driven.whole["fields"]}
    assert list(listed)[:15] == NAMES
    for name, title, unit, decimals, icon, native, first, second in FIELDS:
        field = listed[name]
        assert driven.declared[NAMES.index(name)].items() <= field.items()
        assert (field["title"], field.get("unit", ""), field["decimals"], field["icon"]) == (title, unit, decimals, icon)
        assert field.get("native_field") == native
        assert (field["minimum"], field["maximum"]) == (nearly(min(first, second), decimals), nearly(max(first, second), decimals))
        averages = field["lap_averages"]
        # The values of the first lap reach into the next one, which begins with them.
        assert len(averages) == 2 and averages[0] == nearly(first, decimals)
        assert min(first, second) - 0.5 <= averages[1] <= max(first, second) + 0.5 and averages[0] != averages[1]
        assert min(averages) <= field["average"] <= max(averages)
    columns, rows = driven.track["columns"], driven.track["rows"]
    assert columns == ["at_ms", "own:saddle_angle", "own:smo2", f"own:{SECOND}", "own:nobody"] and len(rows) >= 4
    assert rows[0][1:] == pytest.approx([-2.3, 63.3, None, None]) and rows[-1][1:] == pytest.approx([12.6, 41.7, 301, None])


def test_second_power_meter_is_recorded_only_while_the_setting_says_so(driven):
    field = driven.whole["fields"][-1]
    assert (field["name"], field["title"], field["unit"]) == (SECOND, "Power 2", "W")
    assert field["lap_averages"][0] is None and 300 <= field["lap_averages"][1] <= 301
    rows = list(csv.DictReader(driven.export("csv").read_text().splitlines()))
    assert {row["power_w"] for row in rows} <= {"200", "201", ""}
    assert {row[SECOND] for row in rows if row["lap"] == "1"} == {""}
    assert {float(row[SECOND]) for row in rows if row["lap"] == "2" and row[SECOND]} in ({301}, {300, 301})
    assert SECOND not in driven.states[5]["blocks"]["fields"] and driven.states[-1]["blocks"]["fields"][SECOND] == 301


# Files


def records(path):
    """The values of own fields in each record, as fitdecode reads them, which are those of Garmin's reader, and their descriptions."""
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()
    assert not errors
    described = {one["key"]: one for one in messages.get("field_description_mesgs", [])}
    ours = [{described[key]["field_name"]: value for key, value in record.get("developer_fields", {}).items()}
            for record in messages["record_mesgs"]]
    with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.RAISE) as reader:
        frames = [frame for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
    others = [{field.name: field.value for field in frame.fields if type(field.field).__name__ == "DevField" and field.value is not None}
              for frame in frames if frame.name == "record"]
    assert ours == others
    return ours, {one["field_name"]: one for one in described.values()}, messages


def test_other_readers_find_the_fields_in_fit(driven):
    found, described, messages = records(driven.export("fit"))
    for name, title, unit, _, _, native, first, second in FIELDS:
        # Readers show the title, unless the name cannot be told from it.
        shown = title if re.sub("[^a-z0-9]+", "_", title.lower()) == name else name
        one = described[shown]
        assert (one.get("units", ""), one.get("native_field_num")) == (unit, native), name
        assert one["fit_base_type_id"] == 0x89 and (native is None or one["native_mesg_num"] == MESSAGE["RECORD"])
        column = [record[shown] for record in found if shown in record]
        # Not a bit is lost.
        assert set(column) == {first, second} and len(column) >= 3
    laps = messages["lap_mesgs"]
    for number, lap in enumerate(laps):
        averages = [value for _, value in sorted(lap["developer_fields"].items())]
        expected = [field for field in driven.whole["fields"] if field["lap_averages"][number] is not None]
        for average, field in zip(averages, expected, strict=True):
            assert average == nearly(field["lap_averages"][number], field["decimals"])


def test_columns_of_csv_and_geojson_have_the_values(driven):
    lines = driven.export("csv").read_text().splitlines()
    header = lines[0].split(",")
    assert header[-1] == "rr_ms" and header[-17:-1] == [field["name"] for field in driven.whole["fields"]]
    rows = list(csv.DictReader(lines, strict=True))
    feature = geojson.loads(driven.export("geojson").read_text())
    assert feature.is_valid, feature.errors()
    more = feature["properties"]["coordinateProperties"]
    for name, _, _, decimals, *_, first, second in FIELDS:
        column = {float(row[name]) for row in rows if row[name]}
        assert sorted(column) == [nearly(min(first, second), decimals), nearly(max(first, second), decimals)], name
        assert len(more[name]) == len(feature["geometry"]["coordinates"])
        assert all(value in (nearly(first, decimals), nearly(second, decimals)) for value in more[name] if value is not None)


def test_import_of_an_own_file_is_equal_to_the_last_bit(driven, tmp_path):
    said(tmp_path, "import", driven.export("fit"))
    again = json.loads(said(tmp_path, "--json", "show", "1"))["fields"]
    assert [field["name"] for field in again] == [field["name"] for field in driven.whole["fields"]]
    for field, other in zip(again, driven.whole["fields"]):
        for key in "unit", "native_field":
            assert field.get(key) == other.get(key), field["name"]
    said(tmp_path, "export", "1", "--format", "fit", "-o", tmp_path / "again.fit")
    assert records(tmp_path / "again.fit")[0] == records(driven.export("fit"))[0]


def foreign(path):
    """A FIT file of another author's device: three own fields, one of them text, and native SmO2, core temperature and motor power."""
    described = {
        "running": {"field_definition_number": 0, "fit_base_type_id": 0x84, "field_name": "Running Power", "units": "watts"},
        "bend": {"field_definition_number": 7, "fit_base_type_id": 0x88, "field_name": "Knee  Bend°", "units": "deg"},
        "text": {"field_definition_number": 8, "fit_base_type_id": 0x07, "field_name": "Note", "units": ""}}
    author = {"developer_data_index": 0, "application_id": list(range(16)), "application_version": 1}
    for one in described.values():
        one |= {"developer_data_index": 0, "native_mesg_num": MESSAGE["RECORD"]}
    encoder = garmin_fit_sdk.Encoder(field_descriptions={
        key: {"developer_data_id_mesg": author, "field_description_mesg": one} for key, one in described.items()})
    start = datetime.datetime(2026, 3, 1, 7, tzinfo=datetime.timezone.utc)
    encoder.on_mesg(MESSAGE["FILE_ID"], {"type": "activity", "manufacturer": "development", "product": 1, "serial_number": 7})
    encoder.on_mesg(MESSAGE["DEVELOPER_DATA_ID"], author)
    for one in described.values():
        encoder.on_mesg(MESSAGE["FIELD_DESCRIPTION"], one)
    for second in range(100):
        encoder.on_mesg(MESSAGE["RECORD"], {
            "timestamp": start + datetime.timedelta(seconds=second), "distance": 3.0 * second, "saturated_hemoglobin_percent": 40 + second / 10,
            "core_temperature": 37.5, "motor_power": 120,
            "developer_fields": {"running": 200 + second, "bend": struct.unpack("f", struct.pack("f", 0.1 * second))[0], "text": "x"}})
    end = start + datetime.timedelta(seconds=99)
    encoder.on_mesg(MESSAGE["SESSION"], {
        "timestamp": end, "start_time": start, "sport": "running", "total_elapsed_time": 99, "total_timer_time": 99})
    path.write_bytes(bytes(encoder.close()))
    return path


def test_fields_of_the_files_of_others_are_kept_and_written_again(tmp_path):
    said(tmp_path, "import", foreign(tmp_path / "foreign.fit"))
    fields = {field["title"]: field for field in json.loads(said(tmp_path, "--json", "show", "1"))["fields"]}
    assert set(fields) == {"Running Power", "Knee  Bend°", "SmO2", "Core Temp.", "Motor Power"}
    running = fields["Running Power"]
    assert (running["unit"], running["minimum"], running["maximum"]) == ("watts", 200, 299) and running["average"] == pytest.approx(249.5, abs=1)
    assert (fields["SmO2"]["name"], fields["SmO2"]["native_field"], fields["SmO2"]["maximum"]) == ("smo2", 57, pytest.approx(49.9))
    said(tmp_path, "export", "1", "--format", "fit", "-o", tmp_path / "again.fit")
    found, described, messages = records(tmp_path / "again.fit")
    before = [record["developer_fields"] for record in
              garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(tmp_path / "foreign.fit"))).read()[0]["record_mesgs"]]
    assert len(found) == len(before) == 100
    for record, other in zip(found, before):
        assert (record["Running Power"], record["Knee  Bend°"]) == (other[0], other[1])
    assert described["SmO2"]["native_field_num"] == 57 and described["core_temperature"]["native_field_num"] == 139
