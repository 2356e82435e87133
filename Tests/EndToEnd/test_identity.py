"""The names of boards, activities and courses: made once, kept in files, told apart in a fleet."""

import json
import re
import sqlite3
import subprocess
import uuid

import fitdecode
import pytest

import needs
from harness.process import PACECTL, ROOT
from harness.timing import wait_for

OFF = ["--gpsd", "off", "--bluetooth", "off"]
RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
WALK = ROOT / "Tests/Data/gpx_tcx/togeojson-run_gpxtpx.gpx"


def call(state, *words, runtime="/nonexistent"):
    return subprocess.run(
        [PACECTL, "--state-dir", state, "--runtime-dir", runtime, *map(str, words)], capture_output=True, text=True)


def said(state, *words, **options):
    result = call(state, *words, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(state, *words, **options):
    result = call(state, *words, **options)
    assert result.returncode == 1, result
    return result.stderr


def listed(state):
    return [json.loads(line) for line in said(state, "--json", "activities").splitlines()]


def device_file(stage):
    return stage.directory / "state/device.json"


def named(stage, paced):
    """The device of VERSION."""
    reader = stage.reader(paced)
    return reader.first("VERSION").get("device")


def test_board_keeps_its_uuid_and_gets_a_name(stage):
    paced = stage.paced(*OFF)
    wait_for(device_file(stage).exists, 60, "the name of the board")
    state, runtime = stage.directory / "state", stage.directory / "run"
    before = json.loads(said(state, "--json", "device"))
    assert uuid.UUID(before["uuid"]).version == 4 and "name" not in before
    wait_for(lambda: named(stage, paced) == before, 60, "the device in VERSION")
    assert paced.call("device.get") == before
    assert "Anna's bike" in said(state, "device", "name", "Anna's", "bike", runtime=runtime)
    assert named(stage, paced) == before | {"name": "Anna's bike"}
    assert oct(device_file(stage).stat().st_mode)[-3:] == "640"
    paced.end()
    paced = stage.paced(*OFF)
    wait_for(lambda: named(stage, paced) == before | {"name": "Anna's bike"}, 60, "the name after a restart")
    assert f"Device    Anna's bike ({before['uuid']})" in call(state, "status", runtime=runtime).stdout
    assert "code" in paced.call("device.rename", name="x" * 65)
    assert paced.call("device.rename", name=None) == before
    assert (stage.directory / "state/device.json").read_text().count("uuid") == 1


def test_damaged_name_is_not_replaced(stage):
    state = stage.directory / "state"
    state.mkdir(mode=0o750)
    device_file(stage).write_text("{")
    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("status")["recorder"]["state"] == "writing", 60, "a journal that is written")
    assert named(stage, paced) is None and device_file(stage).read_text() == "{"
    assert "device.json is damaged" in paced.log_text() and "is damaged" in refused(state, "device")
    assert "code" in paced.call("device.new")


@needs.MACHINE_ID
def test_copied_disk_raises_a_fault_until_it_is_decided(stage):
    paced = stage.paced(*OFF)
    wait_for(device_file(stage).exists, 60, "the name of the board")
    first = json.loads(device_file(stage).read_text())
    paced.end()

    def faults(paced):
        return [fault["fault"] for fault in paced.call("status")["faults"]]

    for method in ["device.keep", "device.new"]:
        device_file(stage).write_text(json.dumps(first | {"machine": str(uuid.uuid4())}))
        paced = stage.paced(*OFF)
        wait_for(lambda: "device-copied" in faults(paced), 60, "the fault")
        assert named(stage, paced)["uuid"] == first["uuid"]
        changed = paced.call(method)
        assert (changed["uuid"] == first["uuid"]) == (method == "device.keep")
        assert "device-copied" not in faults(paced)
        assert json.loads(device_file(stage).read_text()) == first | {"uuid": changed["uuid"]}
        paced.end()


def test_activity_has_one_uuid_from_its_start_over_a_kill_to_its_rows(stage):
    paced = stage.paced(*OFF)
    reader = stage.reader(paced)
    number = paced.call("run.start", indoor=True)["activity"]
    name = reader.first("EVENT", event="start")["uuid"]
    assert uuid.UUID(name).version in (4, 7)
    state = stage.directory / "state"
    wait_for(lambda: (state / "journal.sqlite").exists() and listed(state), 60, "the activity in the journal")
    assert listed(state)[0]["uuid"] == name and listed(state)[0]["open"]
    wait_for(lambda: paced.call("status")["run"] == "active" and reader.first("STATE", run="active"), 60, "a state")
    paced.kill()
    paced = stage.paced(*OFF)
    reader = stage.reader(paced, since=0)
    assert reader.first("EVENT", event="start", resumed=True)["uuid"] == name
    wait_for(lambda: paced.call("status").get("elapsed_ms", 0) > 2500, 60, "two samples")
    stopped = paced.call("run.stop")
    assert stopped["uuid"] == name and stopped["id"] == number
    assert reader.first("EVENT", event="stop")["summary"]["uuid"] == name
    wait_for(lambda: not listed(state)[0]["open"], 60, "the end of the activity")
    last = said(state, "rows", str(number)).splitlines()[-1]
    assert json.loads(last)["uuid"] == name
    # An export of it is known here, and was recorded with more than it has.
    said(state, "export", str(number), "-o", stage.directory / "one.fit")
    assert "recorded here" in refused(state, "import", stage.directory / "one.fit", "--again")


def test_requests_and_commands_take_the_beginning_of_a_uuid(stage):
    state, runtime = stage.directory / "state", stage.directory / "run"
    for file in [WALK, RUN]:
        said(state, "import", file)
    database = sqlite3.connect(state / "journal.sqlite")
    names = ["019ca84e-08cc-7abc-98c4-dc0c0c07398f", "019ca84e-08cd-7abc-98c4-dc0c0c07398f"]
    for number, name in enumerate(names):
        database.execute("UPDATE activity SET uuid = ? WHERE id = ?", [name, number + 1])
    database.commit()
    database.close()
    for name, number in zip(names, [1, 2]):
        assert said(state, "show", name[:13].upper()).startswith(f"Activity {number},")
    candidates = f"several activities begin with 019ca84e: 1 ({names[0]}), 2 ({names[1]})"
    assert candidates in refused(state, "show", names[0][:8])
    assert "no activity whose uuid begins with 11111111-" in refused(state, "export", "11111111-", "--format", "gpx")
    assert call(state, "show", "12345678").stderr.startswith("pacectl: activity 12345678 does not exist")
    assert call(state, "show", "019ca84").returncode == 2
    assert [one["id"] for one in map(json.loads, said(state, "--json", "activities", "--before", names[1]).splitlines())] \
        == ([1] if listed(state)[0]["id"] == 2 else [])
    completed = said(state, "complete", "--", "--state-dir", str(state), "show", "019ca84e").split()
    assert completed == names

    paced = stage.paced(*OFF)
    wait_for(lambda: paced.call("status")["recorder"]["state"] == "writing", 60, "a journal that is written")
    assert "Changed: activity 1, Lake" in said(state, "rename", names[0][:14], "Lake", runtime=runtime)
    assert paced.call("activities.get", id=names[1][:13])["summary"]["id"] == 2
    assert paced.call("activities.get", id="2")["summary"]["uuid"] == names[1]
    error = paced.call("activities.edit", id=names[0][:8], name="x")
    assert error["code"] == -32003 and candidates in error["data"]["message"] and error["data"]["field"] == "id"
    assert paced.call("activities.get", id="019ca8")["code"] == -32004
    assert paced.call("activities.track", id=names[1], interval_ms=60000)["rows"]
    assert [one["id"] for one in paced.call("activities.list", before=names[1])] in ([1], [])
    assert paced.call("activities.delete", id=names[0]) is None
    wait_for(lambda: [one["id"] for one in listed(state)] == [2], 60, "the list without the deleted one")
    assert "delete activity 1" in paced.log_text()


def board(stage, name, *files):
    """A state directory with imported activities and a device."""
    state = stage.directory / name
    state.mkdir(mode=0o700)
    for file in files:
        said(state, "import", file)
    device = str(uuid.uuid4())
    (state / "device.json").write_text(json.dumps({"uuid": device, "name": name}))
    return state, device


def test_exports_of_two_boards_are_told_apart_where_they_are_merged(stage):
    (one, first), (two, second) = board(stage, "one", RUN), board(stage, "two", WALK)
    assert [entry["id"] for entry in listed(one) + listed(two)] == [1, 1]
    names = {entry["uuid"] for entry in listed(one) + listed(two)}
    merged, _ = board(stage, "merged")
    files = []
    for state in [one, two]:
        for suffix in ["fit", "gpx", "tcx"]:
            files.append(stage.directory / f"{state.name}.{suffix}")
            said(state, "export", "1", "-o", files[-1])
    said(merged, "import", files[0])
    said(merged, "import", files[4])
    for file in files:
        assert re.search(r"is activity [12] already: .*'import --again' reads it once more", refused(merged, "import", file))
    assert {entry["uuid"] for entry in listed(merged)} == names and len(listed(merged)) == 2

    # A part of a track has its uuid, and other samples.
    part = stage.directory / "part.gpx"
    points = files[4].read_text().split("<trkpt")
    part.write_text("<trkpt".join(points[:len(points) // 2]) + "</trkseg></trk></gpx>")
    assert "has the uuid of activity 2, but other samples" in refused(merged, "import", part)
    before = {entry["id"]: entry for entry in listed(merged)}
    said(merged, "import", part, "--again")
    after = {entry["id"]: entry for entry in listed(merged)}
    assert after[1] == before[1] and after[2]["uuid"] == before[2]["uuid"]
    assert after[2]["elapsed_ms"] < before[2]["elapsed_ms"] * 0.6

    with fitdecode.FitReader(str(files[0])) as reader:
        messages = [frame for frame in reader if frame.frame_type == fitdecode.FIT_FRAME_DATA]
    values = {field.name: bytes(field.value) for message in messages for field in message.fields
              if field.name in ("activity_uuid", "device_uuid")}
    assert values == {"activity_uuid": uuid.UUID(listed(one)[0]["uuid"]).bytes, "device_uuid": uuid.UUID(first).bytes}
    serial = next(message for message in messages if message.name == "file_id").get_value("serial_number")
    assert serial == uuid.UUID(first).int >> 96
    assert first in files[1].read_text() and f"<UnitId>{serial}</UnitId>" in files[2].read_text()


@pytest.mark.parametrize("options", [["--hide", "200"], ["--anonymous"]], ids=["hidden", "anonymous"])
def test_hidden_and_anonymous_files_name_no_board_and_no_activity(stage, options):
    state, device = board(stage, "one", RUN)
    name = listed(state)[0]["uuid"]
    secrets = [device, name, str(uuid.UUID(device).int >> 96)]
    binary = [uuid.UUID(text).bytes for text in secrets[:2]] + [(uuid.UUID(device).int >> 96).to_bytes(4, "little")]
    for suffix in ["fit", "gpx", "tcx", "geojson", "kml", "csv"]:
        file = stage.directory / f"one.{suffix}"
        said(state, "export", "1", "-o", file, "--force", *options)
        assert not [secret for secret in [text.encode() for text in secrets] + binary if secret in file.read_bytes()]
    for report in [["--hide", "0"], []]:
        said(state, "report", "1", "-o", stage.directory / "report.html", "--force", *report)
        assert not [secret for secret in secrets if secret in (stage.directory / "report.html").read_text()]


def test_course_keeps_its_uuid_from_board_to_board(stage):
    (one, device), (two, _) = board(stage, "one"), board(stage, "two")
    said(one, "course", "import", ROOT / "Tests/Data/courses/cptr004.gpx")
    course = json.loads(said(one, "--json", "course", "list").splitlines()[0])
    for suffix, options in [("gpx", []), ("tcx", []), ("gpx", ["--anonymous"])]:
        file = stage.directory / f"course.{suffix}"
        said(one, "course", "export", course["uuid"][:13], "-o", file, "--force", *options)
        assert (course["uuid"] in file.read_text()) == (not options) and device not in file.read_text()
    said(one, "course", "export", "1", "-o", stage.directory / "course.gpx", "--force")
    said(two, "course", "import", stage.directory / "course.gpx")
    assert json.loads(said(two, "--json", "course", "list").splitlines()[0])["uuid"] == course["uuid"]
    assert "no course whose uuid begins with ffffffff" in refused(two, "course", "show", "ffffffff")
