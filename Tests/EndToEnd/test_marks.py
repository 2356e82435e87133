"""Marks: what run.mark takes and refuses, and where a mark is afterwards: in EVENT, the activity, its files, and what they are imported as."""

import json
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import fitdecode
import garmin_fit_sdk
import geojson
import pytest

from harness.process import PACECTL, Paced
from harness.timing import wait_for
from matrix import matrix
from test_activities import pacectl, said
from test_report import way

OFF = ["--gpsd", "off", "--sensors", "off"]
REFUSED, INVALID, PARAMETERS = -32001, -32004, -32602
# The words of FIT's course_point; in FIT they have underscores.
KINDS = (
    "generic summit valley water food danger first-aid sprint campsite rest-area service checkpoint shelter meeting-spot overlook toilet "
    "shower gear sharp-curve steep-incline tunnel bridge obstacle crossing store transport info").split()
LONGEST = "Brücke über den Fluß, " + "ß" * 42
# A text in FIT has at most 63 bytes.
LONGEST_OF_FIT = "Brücke über den Fluß, " + "ß" * 19


def mark(paced, text=None, kind=None):
    return paced.call("run.mark", **{key: value for key, value in (("text", text), ("kind", kind)) if value is not None})


class Marked:
    """A run of a demo with three marks, a kill of the daemon and a fourth mark."""

    def __init__(self, stage):
        self.state = stage.directory / "state"
        paced = stage.paced("--demo")
        reader = stage.reader(paced, classes=["EVENT", "STATE"])
        self.number = reader.wait("a distance", lambda line: line.get("distance_m", 0) > 1, 60)["activity"]
        self.reply = mark(paced, "Spring", "water")
        self.said = subprocess.check_output(
            [PACECTL, "--runtime-dir", paced.runtime, "mark", "--kind", "first-aid", LONGEST], text=True)
        paced.call("run.pause")
        self.reply_when_paced_is_paused = mark(paced)
        self.events = [reader.first("EVENT", event="mark", mark=number) for number in (1, 2, 3)]
        time.sleep(1)
        wait_for(lambda: paced.call("status")["recorder"].get("lag_ms", 1000) < 500, 60, "a journal that is written in time")
        paced.end(signal.SIGKILL)
        paced = stage.paced("--demo")
        paced.call("run.resume")
        assert mark(paced, kind="summit")["run"] == "active"
        paced.call("run.stop")
        wait_for(lambda: not paced.call("activities.list")[0]["open"], 60, "the end of the activity")
        self.whole = paced.call("activities.get", id=self.number)
        self.refused_when_idle = mark(paced, "Spring")
        paced.end()

    def export(self, format):
        path = self.state.parent / f"marked.{format}"
        if not path.exists():
            said(self.state, "export", str(self.number), "--format", format, "-o", path)
        return path


@pytest.fixture(scope="module")
def marked(long_stage):
    return Marked(long_stage)


@pytest.fixture(scope="module")
def paced(long_stage):
    """A daemon without positions, with an idle run."""
    directory = long_stage.directory / "other"
    directory.mkdir()
    return long_stage.start(Paced(directory, *OFF))


@pytest.fixture
def number(paced):
    """The number of a run indoors, which is discarded after the test."""
    yield paced.call("run.start", indoor=True)["activity"]
    paced.call("run.discard")


def test_mark_is_an_event_and_of_the_activity(marked):
    assert marked.reply["run"] == "active" and marked.reply["elapsed_ms"] > 0
    assert marked.reply_when_paced_is_paused["run"] == "paused"
    first, second, third, _ = marked.whole["marks"]
    assert [one["mark"] for one in marked.whole["marks"]] == [1, 2, 3, 4]
    assert (first["kind"], first["text"]) == ("water", "Spring") and (second["kind"], second["text"]) == ("first-aid", LONGEST)
    assert third["kind"] == "generic" and "text" not in third
    assert re.fullmatch(r"Marked at \d+\.\d s\.\n", marked.said)
    for event, one in zip(marked.events, marked.whole["marks"]):
        assert {key: event[key] for key in one if key != "at_ms"} == {key: one[key] for key in one if key != "at_ms"}
        assert event["activity"] == marked.number and -90 < one["latitude"] < 90 and one["distance_m"] >= 1
    assert first["at_ms"] >= first["elapsed_ms"] > 0
    shown = json.loads(said(marked.state, "--json", "show", str(marked.number)))
    assert shown["marks"] == marked.whole["marks"]


def test_kill_loses_no_mark_and_the_next_one_goes_on(marked):
    *before, last = marked.whole["marks"]
    assert len(before) == 3 and (last["mark"], last["kind"]) == (4, "summit")
    # The pause counts in one of the times only.
    assert last["at_ms"] - last["elapsed_ms"] >= 1000
    events = [json.loads(line) for line in said(marked.state, "replay", str(marked.number)).splitlines() if '"mark"' in line]
    assert [(one["mark"], one["kind"], one.get("text")) for one in events if one.get("event") == "mark"] == [
        (one["mark"], one["kind"], one.get("text")) for one in marked.whole["marks"]]


def test_mark_of_no_run_is_refused(marked, paced):
    assert marked.refused_when_idle["code"] == REFUSED and "idle" in json.dumps(marked.refused_when_idle["data"])
    result = subprocess.run([PACECTL, "--runtime-dir", paced.runtime, "mark", "x"], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("parameters, code", matrix([
    ({"text": "x" * 65}, INVALID), ({"text": ""}, INVALID), ({"text": 7}, INVALID), ({"text": None}, INVALID), ({"kind": "left"}, INVALID),
    ({"kind": "first_aid"}, INVALID), ({"kind": "Water"}, INVALID), ({"kind": ""}, INVALID), ({"kind": 4}, INVALID),
    ({"latitude": 1}, PARAMETERS), ({"text": "a", "x": 1}, PARAMETERS)], {"text": "x" * 65}, {"kind": "left"}), ids=repr)
def test_wrong_mark_is_refused_and_changes_nothing(paced, number, parameters, code):
    assert paced.call("run.mark", **parameters)["code"] == code
    assert "marks" not in paced.call("activities.get", id=number)


def test_activity_has_a_hundred_marks_of_harmless_text(paced, number):
    hostile = "a\x00b\n\x1b[31m\u202ec\x7f<b>"
    for index in range(100):
        answer = mark(paced, hostile if index == 0 else f"mark {index}", KINDS[index % len(KINDS)])
        assert answer.get("run") == "active", (index, answer)
    refused = mark(paced, "one more")
    assert refused["code"] == REFUSED and "100" in json.dumps(refused["data"])
    paced.call("run.stop")
    marks = wait_for(lambda: len(marks := paced.call("activities.get", id=number).get("marks", [])) == 100 and marks, 60, "all marks")
    assert [one["kind"] for one in marks] == [KINDS[index % len(KINDS)] for index in range(100)]
    # Each of these characters is replaced, and none is lost.
    assert marks[0]["text"] == "a\ufffdb\ufffd\ufffd[31m\ufffdc\ufffd<b>"
    assert all("latitude" not in one and "distance_m" not in one or one["distance_m"] == 0 for one in marks)
    # Another run has marks of its own.
    second = paced.call("run.start", indoor=True)["activity"]
    assert mark(paced, "first")["run"] == "active"
    paced.call("run.stop")
    assert wait_for(lambda: paced.call("activities.get", id=second).get("marks"), 60, "the mark")[0]["mark"] == 1


# Files


def gpx_marks(path):
    """Kind, text, latitude, longitude and time of the way points; they are before the track, as the schema of GPX has them."""
    space = "{http://www.topografix.com/GPX/1/1}"
    root = ElementTree.parse(path).getroot()
    names = [child.tag.removeprefix(space) for child in root]
    assert names == sorted(names, key=["metadata", "wpt", "rte", "trk"].index)
    order = ["ele", "time", "name", "sym", "type"]
    for point in root.iter(space + "wpt"):
        members = [child.tag.removeprefix(space) for child in point]
        assert members == sorted(members, key=order.index)
        found = {name: point.findtext(space + name) for name in order}
        assert found["sym"] == found["type"] and found["time"].endswith("Z")
        yield found["type"], found["name"], float(point.get("lat")), float(point.get("lon"))


def fit_marks(path):
    """Those of fitdecode, which are those of Garmin's reader."""
    messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(str(path))).read()
    assert not errors
    ours = messages["course_point_mesgs"]
    with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.RAISE) as reader:
        others = [{field.name: field.value for field in frame.fields} for frame in reader
                  if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "course_point"]
    assert [one["message_index"] for one in ours] == list(range(len(ours)))
    session, = messages["session_mesgs"]
    for one, other in zip(ours, others, strict=True):
        for key in "timestamp", "type", "name", "position_lat", "position_long":
            assert one.get(key) == other.get(key), key
        assert session["start_time"] <= one["timestamp"]
        yield (one["type"].replace("_", "-"), one.get("name"), one["position_lat"] * 180 / 2**31, one["position_long"] * 180 / 2**31)


def kml_marks(path):
    text = path.read_text()
    root = ElementTree.fromstring(text)
    space = "{http://www.opengis.net/kml/2.2}"
    for place in root.iter(space + "Placemark"):
        if (point := place.find(space + "Point")) is not None:
            longitude, latitude, *_ = map(float, point.findtext(space + "coordinates").split(","))
            kinds = [value.text for value in place.iter(space + "value") if value.text in KINDS]
            yield kinds[0], place.findtext(space + "name"), latitude, longitude


def geojson_marks(path):
    feature = geojson.loads(path.read_text())
    assert feature.is_valid, feature.errors()
    for one in feature["properties"]["marks"]:
        yield one["kind"], one.get("text"), one["latitude"], one["longitude"]


READERS = {"gpx": gpx_marks, "fit": fit_marks, "kml": kml_marks, "geojson": geojson_marks}


@pytest.mark.parametrize("format", READERS)
def test_other_readers_find_the_marks_in_files(marked, format):
    found = list(READERS[format](marked.export(format)))
    assert len(found) == 4
    for (kind, text, latitude, longitude), one in zip(found, marked.whole["marks"]):
        assert kind == one["kind"] and ("text" not in one or text in (one["text"], LONGEST_OF_FIT))
        assert (latitude, longitude) == pytest.approx((one["latitude"], one["longitude"]), abs=1e-6)
    if format == "geojson":
        assert geojson.loads(marked.export(format).read_text())["properties"]["marks"] == marked.whole["marks"]


@pytest.mark.parametrize("format", ["gpx", "fit"])
def test_marks_of_files_are_imported(marked, format, tmp_path):
    def imported(path, state):
        said(state, "import", path)
        return json.loads(said(state, "--json", "show", "1"))["marks"]

    marks = imported(marked.export(format), tmp_path / "first")
    for one, other in zip(marks, marked.whole["marks"], strict=True):
        assert (one["mark"], one["kind"]) == (other["mark"], other["kind"])
        assert one.get("text") in (other.get("text"), LONGEST_OF_FIT)
        assert (one["latitude"], one["longitude"]) == pytest.approx((other["latitude"], other["longitude"]), abs=1e-6)
        # FIT has whole seconds. In GPX, one after the last point of a track is moved to it.
        assert one["at_ms"] == pytest.approx(other["at_ms"], abs=2000) or format == "gpx" and one["at_ms"] < other["at_ms"]
    said(tmp_path / "first", "export", "1", "--format", format, "-o", tmp_path / f"again.{format}")
    assert imported(tmp_path / f"again.{format}", tmp_path / "second") == marks


def test_report_lists_the_marks_with_harmless_text(tmp_path):
    track = gpx_with_marks(tmp_path, [("</script><img src=x>", "danger", 900), (None, "water", 1000)])
    said(tmp_path, "import", "--sport", "run", track)
    said(tmp_path, "report", "1", "-o", tmp_path / "page.html", "--hide", "0")
    page = (tmp_path / "page.html").read_text()
    assert "&lt;img src=x" in page and "<img" not in page
    assert re.search(r"[Mm]arks", page) and re.search(r"[Ww]ater", page)


def gpx_with_marks(directory, marks):
    """A track of half an hour to the north east, 3 m/s, and marks at seconds of it: text, kind, second."""
    points = [(second, latitude, longitude) for second, latitude, longitude, _ in way(1800)]

    def time_of(second):
        return f"<time>2026-03-01T07:{second // 60:02}:{second % 60:02}Z</time>"

    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")

    places = "".join(
        f'<wpt lat="{points[second][1]:.7f}" lon="{points[second][2]:.7f}">{time_of(second)}'
        + (f"<name>{escaped(text)}</name>" if text else "") + f"<sym>{kind}</sym><type>{kind}</type></wpt>"
        for text, kind, second in marks)
    track = "".join(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}">{time_of(second)}</trkpt>' for second, latitude, longitude in points)
    path = directory / "marks.gpx"
    path.write_text(
        '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">'
        f"{places}<trk><trkseg>{track}</trkseg></trk></gpx>")
    return path


@pytest.mark.parametrize("format", matrix(["gpx", "fit", "kml", "geojson", "html"], "gpx", "html"))
def test_marks_in_hidden_places_are_left_out_with_their_text(tmp_path, format):
    # The circle covers 250 m around the start and the end wherever its middle is.
    track = gpx_with_marks(tmp_path, [("HomeAtTheStart", "shelter", 0), ("Halfway", "water", 900), ("HomeAtTheEnd", "shelter", 1795)])
    said(tmp_path, "import", "--sport", "run", track)
    command = ["report", "1"] if format == "html" else ["export", "1", "--format", format]
    environment = {"XDG_STATE_HOME": str(tmp_path / "own")}
    texts = {}
    for metres in ("0", "500"):
        path = tmp_path / f"{metres}.{format}"
        assert pacectl(tmp_path, *command, "-o", path, "--hide", metres, env=environment).returncode == 0
        texts[metres] = path.read_bytes().decode(errors="replace")
    assert all(name in texts["0"] for name in ("HomeAtTheStart", "Halfway", "HomeAtTheEnd"))
    assert "Halfway" in texts["500"] and "HomeAt" not in texts["500"]
    if format in READERS:
        assert [(one[0], one[1]) for one in READERS[format](tmp_path / f"500.{format}")] == [("water", "Halfway")]
