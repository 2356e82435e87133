"""pacectl's commands on the journal and on files: list, show, export, import and replay, with a demo's run."""

import csv
import datetime
import gzip
import json
import os
import re
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

import fitdecode
import pytest

from harness.process import PACECTL, ROOT
from harness.timing import expect_within, real_seconds, wait_for
from matrix import matrix

FORMATS = ["fit", "gpx", "tcx", "geojson", "kml", "csv"]
READ_BACK = ["fit", "gpx", "tcx", "kml"]
RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
# Fields that depend on the machine, or that only a replay of a journal has.
MACHINE = {"time", "seq", "boot_ms", "activity", "recorder", "acquisition", "gpsd", "bluetooth", "ticks", "faults"}


def pacectl(state, *words, **options):
    options = {"capture_output": True, "timeout": 60} | options
    return subprocess.run([PACECTL, "--state-dir", state, *words], **options)


def failed(state, *words):
    """The error of a command that must fail with one line."""
    result = pacectl(state, *words, text=True)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1), result
    return result.stderr


def said(state, *words):
    """The standard output of a command that must succeed."""
    result = pacectl(state, *words, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def recorded(long_stage):
    """The state directory, the number and the published lines of a run of half a minute, with pause, resume and lap."""
    paced = long_stage.paced("--demo")
    state = long_stage.directory / "state"
    reader = long_stage.reader(paced)
    reader.first("STATE", run="active")
    paced.call("run.stop")
    time.sleep(1.2)
    number = paced.call("run.start", sport="hike")["activity"]
    for command, seconds in [("run.pause", 12), ("run.resume", 2.5), ("run.lap", 7), ("run.stop", 6)]:
        time.sleep(seconds)
        assert "code" not in paced.call(command)
    stop = reader.first("EVENT", event="stop", activity=number)
    wait_for(lambda: reader.lines[-1] is not stop, 60, "a line after the stop")
    lines = list(reader.lines)
    first = next(i for i, line in enumerate(lines) if line.get("event") == "start" and line["activity"] == number)
    last = next(i for i, line in enumerate(lines) if line.get("event") == "stop" and line["activity"] == number)
    yield state, number, [line.text for line in lines[first:last + 2]]


def figures(line):
    """A line without machine-dependent fields, each number as its text."""
    value = json.loads(line, parse_float=str, parse_int=str)
    for part in [value, value.get("summary", {})]:
        part.pop("uuid", None)
    return json.dumps([(name, value[name]) for name in value if name not in MACHINE])


def test_replay_prints_the_published_lines(recorded):
    state, number, published = recorded
    late = max(line["ticks"]["late"] for line in map(json.loads, published) if line.get("run") == "active")
    published = [figures(line) for line in published if json.loads(line).get("event") != "recorder"]
    replayed = [figures(line) for line in said(state, "replay", str(number)).splitlines()]
    # Ticks that were caught up together were published as one line.
    rest = iter(replayed)
    assert all(line in rest for line in published), [line for line in published if line not in replayed]
    others = set(replayed) - set(published)
    assert all(('"active"' in line or '"paused"' in line) and '"STATE"' in line for line in others)
    print(f"{len(others)} of {len(replayed)} states were not published; {late} ticks were late")
    assert len([line for line in others if '"active"' in line]) <= late
    assert published[0] == replayed[0] and published[-1] == replayed[-1]
    events = [json.loads(line)["event"] for line in said(state, "replay", str(number)).splitlines() if "EVENT" in line]
    assert [event for event in events if event in ("start", "pause", "resume", "lap", "stop")] == [
        "start", "pause", "resume", "lap", "stop"]


def test_thinned_replay_has_whole_seconds(recorded):
    state, number, _ = recorded
    whole = said(state, "replay", str(number)).splitlines()
    thinned = said(state, "replay", str(number), "--interval-ms", "1000").splitlines()
    active = [json.loads(line) for line in thinned if '"run":"active"' in line]
    assert all(line["elapsed_ms"] % 1000 == 0 for line in active) and len(active) >= 24
    assert set(thinned) <= set(whole)
    assert [line for line in thinned if "EVENT" in line] == [line for line in whole if "EVENT" in line]


@pytest.mark.thorough
def test_replay_with_a_speed_takes_its_time(recorded):
    state, number, _ = recorded
    total = json.loads(said(state, "show", str(number), "--json"))["summary"]["total_ms"] / 1000

    def replay():
        start = real_seconds()
        output = said(state, "replay", str(number), "--speed", "10", "--interval-ms", "1000")
        took = real_seconds() - start
        assert took > total / 10 - 0.2
        return output, took

    expect_within(total / 10 + 3, replay, "the replay")


def test_activities_are_listed_newest_first(recorded):
    state, number, _ = recorded
    lines = said(state, "activities", "--metric").splitlines()
    assert lines[0].split() == ["ID", "STARTED", "SPORT", "DISTANCE", "TIME", "AVERAGE", "HEART"]
    assert lines[1].split()[0] == str(number) and "hike" in lines[1] and lines[1].endswith("demo")
    assert " km" in lines[1] and " mi" not in lines[1].replace(" min", "")
    assert " mi" in said(state, "activities", "--imperial")
    summaries = [json.loads(line) for line in said(state, "activities", "--json").splitlines()]
    assert [summary["id"] for summary in summaries][:1] == [number]
    assert summaries[0]["laps"] == 2 and summaries[0]["demo"] is True and summaries[0]["open"] is False
    assert said(state, "activities", "--limit", "1").splitlines()[-1] == (
        f"Older ones: 'pacectl activities --limit 1 --before {number}'.")
    older = [json.loads(line) for line in said(state, "activities", "--json", "--before", str(number)).splitlines()]
    assert older == summaries[1:]


def test_shown_activity_has_its_laps(recorded):
    state, number, published = recorded
    text = said(state, "show", str(number), "--metric")
    assert text.startswith(f"Activity {number}, hike, demo\n") and "paused " in text
    assert text.count(" min/km") == 3
    shown = json.loads(said(state, "show", str(number), "--json"))
    stop = next(json.loads(line) for line in published if json.loads(line).get("event") == "stop")
    # The end's milliseconds are truncated where the activity's are.
    ended = [datetime.datetime.fromisoformat(summary.pop("ended")) for summary in (shown["summary"], stop["summary"])]
    assert abs(ended[0] - ended[1]) <= datetime.timedelta(milliseconds=1)
    assert shown["summary"] == stop["summary"]
    assert [lap["number"] for lap in shown["laps"]] == [1, 2]
    assert sum(lap["elapsed_ms"] for lap in shown["laps"]) == stop["summary"]["elapsed_ms"]


def samples(format, path):
    """A file's content for each second, without totals and slopes: an import computes those again, from whole samples."""
    content = path.read_bytes()
    marks = {"gpx": b"<trkpt", "tcx": b"<Trackpoint>", "kml": b""}
    if format == "fit":
        with fitdecode.FitReader(content) as reader:
            messages = [frame for frame in reader if isinstance(frame, fitdecode.FitDataMessage)]
        return [[(field.name, field.raw_value) for field in message.fields
                 if field.name not in ("grade", "vertical_speed")] for message in messages
                if message.name in ("record", "hrv", "event")]
    return [line for line in content.splitlines() if marks[format] in line]


def test_exported_files_are_imported_unchanged(recorded, tmp_path):
    state, number, _ = recorded
    before = json.loads(said(state, "show", str(number), "--json"))["summary"]
    for format in READ_BACK:
        paths = [tmp_path / f"{count}.{format}" for count in range(3)]
        said(state, "export", str(number), "--format", format, "-o", paths[0])
        for count in (1, 2):
            again = tmp_path / f"{format}{count}"
            after = json.loads(said(again, "import", paths[count - 1], "--json"))
            said(again, "export", "1", "--format", format, "-o", paths[count])
            assert after["id"] == 1 and "demo" not in after
            # GPX and KML have no distances: those are computed from the positions.
            tolerance = 0.2 * before["distance_m"] if format in ("gpx", "kml") else 0.02
            assert abs(after["distance_m"] - before["distance_m"]) <= tolerance, format
            # The text formats have times of points only: up to one second of each part is lost, and at the end.
            assert abs(after["elapsed_ms"] - before["elapsed_ms"]) <= 3000, format
        assert len(samples(format, paths[0])) > 20
        assert samples(format, paths[0]) == samples(format, paths[1]), format
        assert paths[1].read_bytes() == paths[2].read_bytes(), format
        assert "From file" in said(again, "show", "1")
        assert "imported" in said(again, "activities")


def test_standard_output_has_the_bytes_of_the_file(recorded, tmp_path):
    state, number, _ = recorded
    for format in FORMATS:
        path = tmp_path / f"run.{format}"
        said(state, "export", str(number), "--format", format, "-o", path)
        out = pacectl(state, "export", str(number), "--format", format)
        assert out.returncode == 0 and out.stdout == path.read_bytes() and len(out.stdout) > 1000
    assert sorted(os.listdir(tmp_path)) == sorted(f"run.{format}" for format in FORMATS)
    json.loads((tmp_path / "run.geojson").read_text())
    assert b" RR intervals" in pacectl(state, "export", str(number), "--format", "gpx").stderr


def test_existing_file_is_not_overwritten(recorded, tmp_path):
    state, number, _ = recorded
    path = tmp_path / "run.gpx"
    path.write_text("mine")
    (tmp_path / "link").symlink_to("nowhere")
    for target in [path, tmp_path / "link", tmp_path, f"{tmp_path}/"]:
        result = pacectl(state, "export", str(number), "--format", "gpx", "-o", target, text=True)
        assert (result.returncode, result.stdout, result.stderr) == (
            1, "", f"pacectl: {target} exists already; name another file with -o, or replace it with --force\n")
    assert path.read_text() == "mine" and sorted(os.listdir(tmp_path)) == ["link", "run.gpx"]
    result = pacectl(state, "export", str(number), "--format", "gpx", "-o", tmp_path / "no" / "run.gpx", text=True)
    assert result.returncode == 1 and "No such file or directory" in result.stderr and result.stderr.count("\n") == 1


def test_full_disk_leaves_no_partial_file(recorded, tmp_path):
    state, number, _ = recorded
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)) or signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # noqa: E731
    result = pacectl(state, "export", str(number), "--format", "tcx", "-o", tmp_path / "run.tcx", text=True,
                     preexec_fn=limit)
    assert result.returncode == 1 and "File too large" in result.stderr, result
    assert os.listdir(tmp_path) == []
    with open("/dev/full", "w") as full:
        for words in [["export", str(number), "--format", "fit"], ["replay", str(number)], ["activities"]]:
            result = pacectl(state, *words, stdout=full, stderr=subprocess.PIPE, capture_output=False, text=True)
            assert (result.returncode, result.stderr) == (
                1, "pacectl: cannot write to standard output: No space left on device\n")


def test_closed_reader_ends_replay(recorded):
    state, number, _ = recorded
    program = subprocess.Popen([PACECTL, "--state-dir", state, "replay", str(number), "--speed", "1"],
                               stdout=subprocess.PIPE)
    program.stdout.readline()
    program.stdout.close()
    assert program.wait(timeout=60) == -signal.SIGPIPE


def test_fit_file_is_not_written_to_a_terminal(recorded, stage):
    state, number, _ = recorded
    export = shlex.join(map(str, [PACECTL, "--state-dir", state, "export", number, "--format", "fit"]))
    terminal = stage.terminal(f"{export}; echo ended with $?; sleep 60")
    text = wait_for(lambda: (text := terminal.text()) and "ended with" in text and text, 60, "an end")
    assert "a FIT file is binary" in text and "ended with 2" in text


def test_missing_activity_and_journal_are_reported(recorded, tmp_path):
    state, _, _ = recorded
    for words in [["show", "999"], ["export", "999", "--format", "gpx"], ["replay", "999"]]:
        result = pacectl(state, *words, text=True)
        assert (result.returncode, result.stdout, result.stderr) == (
            1, "", "pacectl: activity 999 does not exist; 'pacectl activities' lists all activities\n")
    for words in [["activities"], ["show", "1"], ["export", "1", "--format", "fit"], ["replay", "1"]]:
        result = pacectl(tmp_path, *words, text=True)
        assert (result.returncode, result.stdout, result.stderr) == (
            1, "", f"pacectl: there is no journal in {tmp_path}; record a run, import a file, or name its directory "
                   "with --state-dir\n")
    assert os.listdir(tmp_path) == []


def test_journal_is_found_without_an_option(tmp_path):
    # A system journal has precedence over the user's.
    own = not os.path.exists("/var/lib/paced/journal.sqlite")
    (tmp_path / "paced").mkdir()
    said(tmp_path / "paced", "import", RUN)
    for environment in [{"XDG_STATE_HOME": str(tmp_path)}, {"HOME": str(tmp_path)}]:
        if "HOME" in environment:
            (tmp_path / ".local").mkdir()
            (tmp_path / ".local" / "state").symlink_to(tmp_path)
        environment = {k: v for k, v in os.environ.items() if k != "XDG_STATE_HOME"} | environment
        result = subprocess.run([PACECTL, "activities"], env=environment, capture_output=True, text=True)
        assert result.returncode == 0 and ("imported" in result.stdout or not own), result.stderr


# Import


def test_import_counts_skipped_content(tmp_path):
    result = pacectl(tmp_path, "--metric", "import", "--verbose", RUN, text=True)
    assert result.returncode == 0
    assert result.stdout.startswith(f"{RUN} is activity 1: 2015-08-1") and ", run, 9.01 km, in 47:14, " in result.stdout
    assert result.stderr.startswith(f"pacectl: {RUN}: left out: ") and "vertical_oscillation" in result.stderr
    assert result.stderr.count("\n") == 1
    brief = pacectl(tmp_path, "import", "--again", RUN, "--json", text=True)
    assert json.loads(brief.stdout)["id"] == 1
    assert brief.stderr == f"pacectl: {RUN}: left out: running dynamics\n"


def test_activity_without_samples_works_everywhere(tmp_path):
    state, field = tmp_path / "state", ROOT / "Tests/Data/field/K06-fit-no-timed-records"
    said(state, "import", field / "swim-norecords.fit", field / "strength-norecords.fit")
    assert "131 bpm on average, 150 at most" in said(state, "show", "1")
    assert "0.10 km" in said(state, "show", "1") and "30:00" in said(state, "show", "2")
    said(state, "report", "1", "-o", tmp_path / "report.html")
    assert json.loads(said(state, "replay", "1").splitlines()[-1])["run"] == "idle"
    assert json.loads(said(state, "rows", "1").splitlines()[-1])["distance_m"] == 100
    for name in "gpx", "kml", "geojson":
        line = failed(state, "export", "1", "-o", tmp_path / f"swim.{name}")
        assert "has totals only and no samples" in line and line.count("\n") <= 1
        assert not (tmp_path / f"swim.{name}").exists()
    for name in "fit", "tcx":
        said(state, "export", "1", "-o", tmp_path / f"swim.{name}")
        summary = json.loads(said(tmp_path / name, "import", tmp_path / f"swim.{name}", "--json"))
        assert (summary["elapsed_ms"], summary["distance_m"]) == (120_000, 100)
        assert (summary["average_bpm"], summary["max_bpm"]) == (131, 150)
    said(state, "export", "1", "-o", tmp_path / "swim.csv")
    rows = list(csv.DictReader((tmp_path / "swim.csv").read_text().splitlines()))
    assert [(row["elapsed_s"], row["distance_m"]) for row in rows] == [("120", "100")]
    # The others of a directory are exported.
    said(state, "import", RUN)
    assert "has totals only" in pacectl(state, "export", "--all", "--format", "gpx", "-o", tmp_path / "all", text=True).stderr
    assert len(list((tmp_path / "all").iterdir())) == 1


def test_several_activities_of_a_file_are_imported_one_by_one(tmp_path):
    file = ROOT / "Tests/Data/field/K13-tcx-several-activities/tcx-2act.tcx"
    text = said(tmp_path / "state", "import", file)
    assert ", activity 1 of 2, is activity 1: " in text and ", activity 2 of 2, is activity 2: " in text
    assert len(said(tmp_path / "one", "import", "--one", file).splitlines()) == 1
    # As an earlier release stored it.
    line = failed(tmp_path / "one", "import", file)
    assert "is activity 1 already" in line and "'import --again'" in line
    said(tmp_path / "one", "import", "--again", file)
    # The number of the one that took the place of 1 is not given again.
    listed = [json.loads(line) for line in said(tmp_path / "one", "activities", "--json").splitlines()]
    assert {one["id"]: one["distance_m"] for one in listed} == {1: 180, 3: 360}


def test_import_works_beside_a_running_daemon(recorded):
    state, number, _ = recorded
    runtime = ["--runtime-dir", state.parent / "run"]
    numbers = [json.loads(said(state, *runtime, "import", "--again", RUN, "--json"))["id"] for _ in range(3)]
    assert len(set(numbers)) == 1 and min(numbers) > number
    listed = [json.loads(line)["id"] for line in said(state, "activities", "--json").splitlines()]
    assert set(numbers) < set(listed)


GPX = """<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk>
<name>%s</name><trkseg>
<trkpt lat="52.5" lon="13.4"><time>2026-03-01T07:30:12Z</time></trkpt>
<trkpt lat="52.5001" lon="13.4"><time>2026-03-01T07:30:15Z</time></trkpt>
</trkseg></trk></gpx>"""


@pytest.mark.parametrize("content, said_of_it", matrix([
    (b"", "the file is empty"),
    (b"hello", "not a FIT, GPX, TCX or KML file"),
    (GPX[:GPX.index("<time>")].encode(), "line 3, column "),
    (GPX.replace("52.5001", "north").replace("52.5", "north").encode(), "no point has both a time and a position"),
    (b'<?xml version="1.0"?><!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><gpx>&b;</gpx>', "line 1, "),
    (RUN.read_bytes()[:200], "byte "),
    (b"\x1f\x8b\x09" + gzip.compress(GPX.encode())[3:], "the packed data (gzip) are damaged"),
], b"hello"), ids=["empty", "text", "cut", "nowhere", "entities", "FIT without records", "bad gzip"])
def test_invalid_file_stores_nothing(tmp_path, content, said_of_it):
    state = tmp_path / "state"
    said(state, "import", RUN)
    path = tmp_path / "bad.gpx"
    path.write_bytes(content)
    result = pacectl(state, "import", path, text=True)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1), result
    assert result.stderr.startswith(f"pacectl: {path}: ") and said_of_it in result.stderr
    assert [json.loads(line)["id"] for line in said(state, "activities", "--json").splitlines()] == [1]
    journal = sqlite3.connect(state / "journal.sqlite")
    assert journal.execute("SELECT count(*) FROM record WHERE key >= ?", [2 << 32]).fetchone() == (0,)
    journal.close()
    for words in [["replay", path]]:
        result = pacectl(state, *words, text=True)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1), result
        assert said_of_it in result.stderr


def test_unreadable_file_creates_no_journal(tmp_path):
    for words in [["import", tmp_path / "no.fit"], ["import", tmp_path], ["replay", tmp_path / "no.fit"]]:
        result = pacectl(tmp_path / "state", *words, text=True)
        assert result.returncode == 1 and result.stderr.startswith(f"pacectl: cannot read {words[1]}: "), result
    assert not (tmp_path / "state").exists()


def test_invalid_file_does_not_stop_the_import_of_others(tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("hello")
    result = pacectl(tmp_path / "state", "import", bad, RUN, tmp_path / "no", text=True)
    assert result.returncode == 1 and result.stdout.count("\n") == 1 and "is activity 1" in result.stdout
    lines = result.stderr.splitlines()
    assert len(lines) == 4 and lines[1].startswith(f"pacectl: {bad}: ") and "No such file" in lines[2]
    assert lines[3] == "pacectl: 1 imported, 2 refused"


@pytest.mark.parametrize("name", matrix([
    b"with space.gpx", b"new\nline.gpx", b"\x1b[2Jowned.gpx", b"-o.gpx", b"--json", b"17", "été 東京.gpx".encode(),
    b"a" * 250 + b".gpx",
], b"new\nline.gpx"))
def test_odd_file_names_are_accepted(tmp_path, name):
    content = GPX % "Na\u202eme &#x9b;2J"
    directory = os.fsencode(tmp_path) + b"/files"
    os.mkdir(directory)
    with open(directory + b"/" + name, "w") as file:
        file.write(content)
    state = tmp_path / "state"
    result = pacectl(state, "import", "--", name, cwd=directory)
    assert result.returncode == 0, result
    shown = result.stdout + pacectl(state, "activities").stdout + pacectl(state, "show", "1").stdout
    assert not any(c < " " and c != "\n" or "\x7f" <= c <= "\x9f" or c in "\u202e\u2028" for c in shown.decode())
    assert result.stdout.count(b"\n") == 1
    path = b"./" + name
    assert pacectl(state, "replay", path, cwd=directory).stdout.count(b'"event":"stop"') == 1
    assert pacectl(state, "export", "1", "--format", "gpx", "-o", b"./x" + name[:200], cwd=directory).returncode == 0
    os.remove(directory + b"/" + name)
    wrong = pacectl(state, "import", path, cwd=directory).stderr
    assert wrong.count(b"\n") == 1 and b"\x1b" not in wrong


def test_distance_of_a_track_without_distances_is_computed(tmp_path):
    path = tmp_path / "track.gpx"
    path.write_text(GPX % "Track")
    assert 11 < json.loads(said(tmp_path / "state", "import", path, "--json"))["distance_m"] < 11.3


def points(*points, sport="cycling"):
    """A GPX file of latitudes and times."""
    track = "".join(f'<trkpt lat="{latitude}" lon="13.4"><time>{time}</time></trkpt>\n' for latitude, time in points)
    return (f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><type>{sport}</type><trkseg>{track}'
            "</trkseg></trk></gpx>")


def test_track_over_a_year_is_rejected_with_its_remedy(tmp_path):
    path = tmp_path / "ages.gpx"
    path.write_text(points((52.5, "2000-01-01T00:00:12Z"), (52.6, "2000-01-01T00:00:15Z"), (52.5, "2026-03-01T07:30:12Z")))
    for words in [["import", path], ["replay", path]]:
        result = pacectl(tmp_path / "state", *words, text=True)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1), result
        assert result.stderr.startswith(f"pacectl: {path}: ") and result.stderr.endswith(
            "the track lasts from 2000-01-01 to 2026-03-01, longer than a year: correct or remove the points whose time is "
            "wrong, or split the file\n"), result
    assert not (tmp_path / "state").exists()


@pytest.mark.thorough
def test_track_of_a_year_is_imported_and_exported(tmp_path):
    path = tmp_path / "year.gpx"
    days = [f"{2025 + month // 12}-{1 + month % 12:02}-{day:02}T07:30:00Z" for month in range(12) for day in range(1, 29)]
    path.write_text(points(*((50 + index / 100, day) for index, day in enumerate(days))))
    assert json.loads(said(tmp_path, "import", path, "--json"))["distance_m"] == 0
    for format in FORMATS:
        assert said(tmp_path, "export", "1", "--format", format, "-o", tmp_path / f"out.{format}") == ""
    assert "Activity 1" in said(tmp_path, "show", "1") and said(tmp_path, "activities").count("\n") == 2


def test_import_and_replay_of_a_file_count_the_same_distance(tmp_path):
    # Two places 111 km apart, alternating for five minutes; and a ride at 25 m/s.
    for name, latitude, metres in [("jumps", lambda second: 52 + second % 2, 0),
                                   ("ride", lambda second: 52 + second * 25 / 111_267, 299 * 25)]:
        path = tmp_path / f"{name}.gpx"
        path.write_text(points(*((latitude(second), f"2026-03-01T07:{30 + second // 60}:{second % 60:02}Z")
                                 for second in range(300))))
        result = pacectl(tmp_path, "import", path, "--json", text=True)
        replayed = [json.loads(line) for line in said(tmp_path, "replay", path).splitlines()]
        summary = next(line for line in replayed if line.get("event") == "stop")["summary"]
        imported = json.loads(result.stdout)
        assert imported["distance_m"] == summary["distance_m"] and abs(imported["distance_m"] - metres) < 8, imported
        assert result.stderr == ("" if metres else f"pacectl: {path}: distance not counted: 150 × position beyond the 35.0 m/s "
                                 "of the sport ride\n")


def test_totals_of_the_file_are_shown_beside_the_computed_ones(tmp_path):
    path = tmp_path / "laps.tcx"
    path.write_text("""<TrainingCenterDatabase><Activities><Activity Sport="Running">
        <Lap StartTime="2026-03-01T07:30:12Z"><TotalTimeSeconds>600</TotalTimeSeconds>
        <DistanceMeters>33000000</DistanceMeters></Lap></Activity></Activities></TrainingCenterDatabase>""")
    assert "run, 0.00 km, in 10:00; the file states 33000.00 km.\n" in said(tmp_path, "--metric", "import", path)
    assert json.loads(said(tmp_path, "--json", "show", "1"))["source_totals"] == {
        "elapsed_ms": 600_000, "distance_m": 33_000_000}
    assert re.search(r"Distance +0.00 km\n(.*\n)*  From file +33000.00 km, 10:00\n", said(tmp_path, "--metric", "show", "1"))


def test_file_of_another_type_is_rejected(tmp_path):
    os.mkfifo(tmp_path / "pipe.gpx")
    for words in [["import", tmp_path / "pipe.gpx"], ["replay", tmp_path / "pipe.gpx"]]:
        result = pacectl(tmp_path / "state", *words, text=True)
        assert (result.returncode, result.stdout, result.stderr) == (
            1, "", f"pacectl: cannot read {words[1]}: it must be a regular file, since it is read twice; save it to "
            "a file first\n")


# Replay of files


def test_replayed_file_gives_its_run(tmp_path):
    lines = [json.loads(line) for line in said(tmp_path, "replay", RUN, "--interval-ms", "1000").splitlines()]
    assert lines[0] == {"class": "EVENT", "time": "2015-08-15T14:45:50.000Z", "event": "start", "sport": "run"} or (
        lines[0]["event"], lines[0]["sport"]) == ("start", "run")
    summary = next(line for line in lines if line.get("event") == "stop")["summary"]
    assert abs(summary["distance_m"] - 9010) < 90 and summary["elapsed_ms"] == 2834000 and summary["laps"] == 4
    assert not any(MACHINE - {"time"} & line.keys() for line in lines)
    assert os.listdir(tmp_path) == []
    said(tmp_path, "import", RUN)
    assert said(tmp_path, "replay", "1") == said(tmp_path, "replay", RUN)


@pytest.mark.thorough
def test_large_file_uses_less_than_32_mib(tmp_path):
    head, tail = (GPX % "Long").split("<trkseg>\n")[0] + "<trkseg>\n", "</trkseg></trk></gpx>"
    path = tmp_path / "long.gpx"
    with open(path, "w") as file:
        file.write(head)
        for second in range(100_000):
            clock = f"2026-03-{1 + second // 86400:02}T{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
            file.write(f'<trkpt lat="{52.5 + second * 2e-5:.6f}" lon="13.4"><time>{clock}</time></trkpt>{" " * 200}\n')
        file.write(tail)
    # A small process starts the commands: until exec, a child's peak memory is that of its parent.
    code = ("import resource, subprocess, sys\n"
            "status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode\n"
            "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    for words in [["import", path], ["export", "1", "--format", "fit", "-o", tmp_path / "long.fit"],
                  ["replay", path, "--interval-ms", "60000"], ["show", "1"]]:
        status, kibibytes = map(int, subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, PACECTL, "--state-dir", tmp_path / "state", *words],
            capture_output=True, text=True, timeout=120).stdout.split())
        print(words[0], f"{kibibytes / 1024:.1f} MiB")
        assert status == 0 and kibibytes < 32 * 1024, words


# Slow tests


def ten_hours(state, number, path):
    """A journal with an activity of ten hours with a fix and two beats each second, made from a recorded one."""
    path.mkdir()
    source = sqlite3.connect(state / "journal.sqlite")
    journal = sqlite3.connect(path / "journal.sqlite")
    source.backup(journal)
    source.close()
    key, at = journal.execute("SELECT min(key), min(at_ns) FROM input WHERE key >= ?", [number << 32]).fetchone()
    assert key == number << 32
    for table in ["location", "heart", "record"]:
        journal.execute(f"DELETE FROM {table} WHERE key >= ?", [key])
    # The snapshot and the start remain.
    journal.execute("DELETE FROM input WHERE key > ?", [key + 1])
    link = json.dumps({"link": "connected", "name": "simulated"})
    for place, kind in [(2, "gpsd link"), (3, "heart link")]:
        journal.execute("INSERT INTO input VALUES (?, ?, ?, ?)", [key + place, at + 1000 * place, kind, link])
    began, = journal.execute("SELECT started_ms FROM activity WHERE id = ?", [number]).fetchone()
    rows = [(key, 0, "begin", "command", None, None, None, None, None, None, None, None)]
    for second in range(1, 36_001):
        place, now = key + 2 + 2 * second, at + second * 1_000_000_000
        latitude, bpm, beats = 52.5 + second * 2.7e-5, 140 + second % 5, bytes([0xB6, 1, 0xB7, 1])
        journal.execute("INSERT INTO location VALUES (?, ?, ?, ?, 'simulated', 3, ?, 13.4, 34.1, 4.1, 3.0, 0.5, 9, NULL, NULL)",
                        [place, now + 300_000_000, now + 290_000_000, began + second * 1000, latitude])
        journal.execute("INSERT INTO heart VALUES (?, ?, ?, 1, NULL, ?)", [place + 1, now + 700_000_000, bpm, beats])
        rows.append((key + 2 * second, second * 1000, None, None, None, None, second * 1000, second * 3.0, latitude, 34.1,
                     3.0, bpm))
        rows.append((key + 2 * second + 1, second * 1000 + 700, "beats", None, beats, 0, None, None, None, None, None, None))
    journal.executemany(
        "INSERT INTO record (key, at_ms, kind, cause, rr_1024, gap, elapsed_ms, distance_m, latitude, longitude, altitude_m, "
        "speed_mps, bpm) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 13.4, ?, ?, ?)", rows)
    journal.execute("UPDATE activity SET total_ms = 36000900, elapsed_ms = 36000000, distance_m = 108000 WHERE id = ?", [number])
    journal.execute("DELETE FROM lap WHERE activity = ?", [number])
    journal.commit()
    journal.close()


@pytest.mark.thorough
def test_ten_hours_are_replayed_and_exported_in_seconds(recorded, tmp_path):
    state, number, _ = recorded
    long = tmp_path / "long"
    ten_hours(state, number, long)
    # Seconds of CPU time: the limits of 1.8 and 1 are promised for an idle machine.
    for words, limit in [(["replay", str(number), "--interval-ms", "1000"], 1.8), (["export", str(number), "--format", "fit"], 1)]:
        with open(tmp_path / "out", "wb") as out:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert subprocess.run([PACECTL, "--state-dir", long, *words], stdout=out, timeout=120).returncode == 0
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(words[0], f"{seconds:.2f} s, {(tmp_path / 'out').stat().st_size} bytes")
        assert seconds < 3 * limit
        if words[0] == "replay":
            lines = (tmp_path / "out").read_bytes().splitlines()
            states = [line for line in lines if b'"run":"active"' in line]
            assert len(states) > 35_990 and b'"elapsed_ms":36000000,' in states[-1]
            distance = json.loads(states[-1])["distance_m"]
            assert abs(distance - 36_000 * 2.7e-5 * 111_300) < 1000
