"""pacectl's commands on activities: which are listed, exported, changed, deleted and imported, and every command tried wrong."""

import csv
import datetime
import gzip
import io
import json
import os
import random
import signal
import subprocess
import zoneinfo

import pytest

import needs
from harness.process import PACECTL, PROGRAMS, ROOT
from harness.timing import wait_for
from harness.users import NOBODY, acting_as, reachable
from matrix import matrix

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
CUTS = int(os.environ.get("PACED_CUTS", "20"))
OFF = ["--gpsd", "off", "--sensors", "off"]


def pacectl(state, *words, **options):
    options = {"capture_output": True, "text": True, "timeout": 60, "stdin": subprocess.DEVNULL} | options
    environment = os.environ | {"TZ": "Europe/Berlin"} | options.pop("env", {})
    return subprocess.run([PACECTL, "--state-dir", state, *words], env=environment, **options)


def said(state, *words):
    result = pacectl(state, *words)
    assert result.returncode == 0, result.stderr
    return result.stdout


def failed(state, *words, status=1, **options):
    """The error of a command that must fail with one line."""
    result = pacectl(state, *words, **options)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1), result
    assert result.stderr.startswith("pacectl: ")
    return result.stderr.removeprefix("pacectl: ").rstrip("\n")


def gpx(time, metres=1000):
    """A track that goes north for 10 minutes from a time."""
    points = "".join(
        f'<trkpt lat="{52 + metres / 111_200 * part / 10:.7f}" lon="13"><time>{time[:14]}{int(time[14:16]) + part:02}:00Z</time></trkpt>'
        for part in range(11))
    return f'<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>'


@pytest.fixture
def year(tmp_path):
    """A state directory with five activities of two sports."""
    state = tmp_path / "state"
    for time, sport, metres in [
        ("2025-12-29T23:30:00", "run", 1000), ("2026-03-01T07:00:00", "run", 2000), ("2026-03-02T07:00:00", "run", 2500),
        ("2026-03-05T07:00:00", "ride", 4000), ("2026-04-01T22:10:00", "run", 3000),
    ]:
        path = tmp_path / f"{time[:10]}.gpx"
        path.write_text(gpx(time, metres))
        said(state, "import", "--sport", sport, path)
    return state


def test_show_draws_in_the_width_and_the_characters_of_the_terminal(year, screen):
    terminal = screen(50, 40)
    terminal.run(PACECTL, "--state-dir", year, "show", "4")
    shown = terminal.wait_for("Route, ", "Distance")
    assert max(map(len, shown.splitlines())) <= 50 and "\x1b[" in terminal.text(colours=True)
    plain = pacectl(year, "show", "4", env={"LC_ALL": "C"}).stdout
    assert "Route, " in plain and plain.isascii()
    piped = pacectl(year, "show", "4", env={"LC_ALL": "C.UTF-8"}).stdout
    assert "\x1b" not in piped and any("\u2800" < sign < "\u2900" for sign in piped)


def ids(text):
    return [json.loads(line)["id"] for line in text.splitlines()]


@pytest.mark.parametrize("words, numbers", matrix([
    ([], {1, 2, 3, 4, 5}), (["--sport", "ride"], {4}), (["--since", "2026-03-02"], {3, 4, 5}),
    (["--until", "2026-03-02"], {1, 2, 3}), (["--since", "2026-03-01", "--until", "2026-03-31"], {2, 3, 4}),
    # Its local day in Berlin is that after its day in UTC.
    (["--since", "2025-12-30", "--until", "2025-12-30"], {1}), (["--since", "2026-04-02"], {5}),
    (["--sport", "run", "--limit", "2"], {3, 5}), (["--sport", "hike"], set()),
], ["--sport", "ride"]))
def test_list_selects_sport_and_days(year, words, numbers):
    assert set(ids(said(year, "activities", "--json", *words))) == numbers
    if not numbers:
        assert said(year, "activities", *words) == "No activity matches.\n"


@pytest.mark.thorough
def test_totals_equal_brute_force_on_200_made_activities(tmp_path):
    chance = random.Random(3)
    state = tmp_path / "state"
    paths = {"run": [], "ride": []}
    for number in range(200):
        day = datetime.date(2024, 1, 1) + datetime.timedelta(chance.randrange(1000))
        path = tmp_path / f"{number}.gpx"
        path.write_text(gpx(f"{day}T{number % 20:02}:{number % 40:02}:00", chance.randrange(500, 3000)))
        paths[chance.choice(list(paths))].append(path)
    for sport, files in paths.items():
        said(state, "import", "--again", "--sport", sport, *files)
    summaries = [json.loads(line) for line in said(state, "activities", "--json", "--limit", "1000").splitlines()]
    assert len(summaries) == 200
    names = {
        "week": lambda day: "{}-W{:02}".format(*day.isocalendar()), "month": lambda day: f"{day:%Y-%m}",
        "year": lambda day: f"{day:%Y}"}
    for period, name in names.items():
        expected = {}
        for one in summaries:
            local = datetime.datetime.fromisoformat(one["started"]).astimezone(zoneinfo.ZoneInfo("Europe/Berlin"))
            total = expected.setdefault((name(local.date()), one["sport"]), [0, 0, 0])
            for index, value in enumerate([1, one["distance_m"], one["elapsed_ms"]]):
                total[index] += value
        lines = [json.loads(line) for line in said(state, "activities", "--totals", period, "--json").splitlines()]
        shown = {(one[period], one["sport"]): [one["activities"], one["distance_m"], one["elapsed_ms"]] for one in lines}
        assert shown.keys() == expected.keys() and len(lines) == len(shown)
        assert all(shown[key] == pytest.approx(expected[key], abs=1) for key in expected)
    # The newest period comes first.
    assert [one["year"] for one in lines] == sorted((one["year"] for one in lines), reverse=True)
    bests = {(one["sport"], one["best"]): one for one in map(json.loads, said(state, "bests", "--json").splitlines())}
    for sport in paths:
        assert bests[sport, "distance"]["distance_m"] == max(one["distance_m"] for one in summaries if one["sport"] == sport)


def test_totals_of_weeks_months_and_years(year):
    def totals(period):
        lines = [json.loads(line) for line in said(year, "activities", "--totals", period, "--json").splitlines()]
        return [(line[period], line["sport"], line["activities"], round(line["distance_m"], -2)) for line in lines]
    assert totals("year") == [("2026", "ride", 1, 4000), ("2026", "run", 3, 7500), ("2025", "run", 1, 1000)]
    assert totals("month") == [
        ("2026-04", "run", 1, 3000), ("2026-03", "ride", 1, 4000), ("2026-03", "run", 2, 4500), ("2025-12", "run", 1, 1000)]
    # 1 March 2026 is a Sunday, and 30 December 2025 is in the first week of 2026 (ISO 8601).
    assert totals("week") == [
        ("2026-W14", "run", 1, 3000), ("2026-W10", "ride", 1, 4000), ("2026-W10", "run", 1, 2500), ("2026-W09", "run", 1, 2000),
        ("2026-W01", "run", 1, 1000)]
    text = said(year, "activities", "--totals", "year", "--sport", "run", "--metric").splitlines()
    assert text[0].split() == ["YEAR", "SPORT", "ACTIVITIES", "DISTANCE", "TIME"]
    assert text[1].split()[:3] == ["2026", "run", "3"] and " km" in text[1]


def test_badges_are_of_all_activities_on_foot_oldest_first(year, tmp_path):
    # The import with the highest number began first: 2010 m in 10 minutes. The ride of 4 km counts for none.
    (tmp_path / "old.gpx").write_text(gpx("2024-05-01T07:00:00", 2010))
    said(year, "import", "--sport", "run", tmp_path / "old.gpx")
    badges = [json.loads(line) for line in said(year, "badges", "--json").splitlines()]
    assert len(badges) == 33 and badges[2]["badge"] == "The Moon" and badges[2]["distance_m"] == 1609.344
    # 3.35 m/s earns it, 2.5 km in the same time is 24 % faster, 3 km is the fastest.
    assert {grade: badges[2][grade]["activity"] for grade in ("earned", "silver", "gold", "best")} == {
        "earned": 6, "silver": 3, "gold": 3, "best": 5}
    assert badges[2]["earned"]["elapsed_ms"] == 600_000 and badges[2]["earned"]["started"] == "2024-05-01T07:00:00.000Z"
    assert round(badges[2]["earned"]["distance_m"], -1) == 2010
    assert [badge["badge"] for badge in badges if "earned" in badge][-1] == "Earth's Magnetotail"
    lines = said(year, "badges", "--metric").splitlines()
    assert lines[0].split() == ["BADGE", "OVER", "EARNED", "SILVER", "GOLD", "BEST", "PACE"] and len(lines) == 6
    assert lines[3].split() == [
        "The", "Moon", "1.61", "km", "6", "(2024-05-01)", "3", "(2026-03-02)", "3", "(2026-03-02)", "5", "(2026-04-02)",
        "3:19", "min/km"]
    assert lines[5] == "Next: Mars, for more than 3.22 km in one run, walk or hike."
    assert failed(year, "badges", "1", status=2).startswith("unexpected")


def test_bests_are_found_inside_activities_of_each_sport(year):
    def bests(*words):
        return {(line["sport"], line["best"]): line for line in map(json.loads, said(year, "bests", "--json", *words).splitlines())}
    found = bests()
    # The points of a track are one minute apart, at a constant speed: 3 km in 10 minutes.
    kilometre = found["run", "1km"]
    assert kilometre["activity"] == 5 and abs(kilometre["elapsed_ms"] - 200_000) < 1500
    assert kilometre["started"].startswith("2026-04-01T22:10:00") and kilometre["from_elapsed_ms"] >= 0
    assert abs(kilometre["from_distance_m"] - kilometre["from_elapsed_ms"] * 0.005) < 20
    assert found["run", "distance"]["activity"] == 5 and round(found["run", "distance"]["distance_m"], -2) == 3000
    assert "from_elapsed_ms" not in found["run", "distance"] and ("run", "5km") not in found
    assert {best for sport, best in found if sport == "ride"} == {"distance"}
    assert bests("--sport", "run", "--before", "2026-04-02")["run", "1km"]["activity"] == 3
    assert set(bests("--since", "2026-03-05", "--before", "2026-03-06")) == {("ride", "distance")}
    lines = said(year, "bests", "--metric").splitlines()
    assert lines[0].split() == ["SPORT", "BEST", "VALUE", "PACE", "DATE", "ACTIVITY", "FROM"]
    assert lines[2].split()[:3] == ["run", "1", "km"] and lines[2].split()[3] in ("3:19", "3:20", "3:21")
    assert said(year, "bests", "--sport", "hike") == "No activity matches.\n"
    assert failed(year, "bests", "--before", "17", status=2).startswith("--before needs a day, such as 2026-03-01")
    assert failed(year, "activities", "--before", "2026-03-01", status=2).startswith("--before needs the number or the uuid")


@pytest.mark.thorough
def test_bests_of_a_recorded_run_lie_inside_it(tmp_path):
    state = tmp_path / "state"
    said(state, "import", RUN)
    total = json.loads(said(state, "show", "1", "--json"))["summary"]
    found = {line["best"]: line for line in map(json.loads, said(state, "bests", "--json").splitlines())}
    pace = total["elapsed_ms"] / total["distance_m"]
    for best, metres in {"400m": 400, "1km": 1000, "1mile": 1609.344, "5km": 5000}.items():
        assert found[best]["elapsed_ms"] <= pace * metres
        assert found[best]["from_elapsed_ms"] + found[best]["elapsed_ms"] <= total["elapsed_ms"]
        assert found[best]["from_distance_m"] + metres <= total["distance_m"] + 0.1
    # 9 km end before 10 km.
    assert "10km" not in found and found["distance"]["distance_m"] == total["distance_m"]


def test_no_activity_has_no_badge(tmp_path):
    (tmp_path / "ride.gpx").write_text(gpx("2024-05-01T07:00:00", 4000))
    said(tmp_path / "state", "import", "--sport", "ride", tmp_path / "ride.gpx")
    assert said(tmp_path / "state", "badges", "--metric") == (
        "No badge yet.\nNext: Earth, for more than 0.00 km in one run, walk or hike.\n")


def test_times_name_their_zone(year):
    assert "2026-04-02 00:10 CEST" in said(year, "show", "5") and "2026-03-01 08:00 CET" in said(year, "activities")


def test_last_is_the_newest_activity(year):
    newest = ids(said(year, "activities", "--json", "--limit", "1"))[0]
    assert said(year, "show", "last") == said(year, "show", str(newest))
    assert said(year, "replay", "last", "--interval-ms", "60000") == said(year, "replay", str(newest), "--interval-ms", "60000")


def test_export_takes_the_format_from_the_name_and_replaces_only_by_force(year, tmp_path):
    path = tmp_path / "Run.CSV"
    said(year, "export", "last", "-o", path)
    rows = list(csv.reader(io.StringIO(path.read_text())))
    assert len(rows) > 10
    assert "exists already; name another file with -o, or replace it with --force" in failed(year, "export", "2", "-o", path)
    said(year, "export", "2", "--force", "-o", path)
    assert list(csv.reader(io.StringIO(path.read_text()))) != rows
    assert "--format" in failed(year, "export", "2", "-o", tmp_path / "run.doc", status=2)


def test_several_activities_are_exported_into_a_directory(year, tmp_path):
    two = tmp_path / "two"
    text = said(year, "export", "2", "4", "--format", "gpx", "-o", two)
    assert sorted(os.listdir(two)) == ["2026-03-01-0700-run.gpx", "2026-03-05-0700-ride.gpx"]
    assert text == f"Activity 2: {two}/2026-03-01-0700-run.gpx\nActivity 4: {two}/2026-03-05-0700-ride.gpx\n"
    other = tmp_path / "other.gpx"
    other.write_text((tmp_path / "2026-03-01.gpx").read_text().replace(":00Z", ":05Z"))
    said(year, "import", other)
    everything = tmp_path / "all"
    said(year, "export", "--all", "--format", "tcx", "-o", everything)
    assert len(os.listdir(everything)) == 6, "two of one minute have two files"
    before = {path.name: path.read_bytes() for path in everything.iterdir()}
    failed(year, "export", "--all", "--format", "tcx", "-o", everything)
    said(year, "export", "--all", "--force", "--format", "tcx", "-o", everything)
    assert {path.name for path in everything.iterdir()} == set(before)


# Changes


@pytest.fixture
def recorded(stage):
    daemon = stage.paced(*OFF)
    for _ in range(2):
        daemon.call("run.start")
        daemon.call("run.stop")
    wait_for(
        lambda: [one["open"] for one in daemon.call("activities.list")] == [False, False], 60, "two ended activities")
    return daemon


def commanded(daemon, *words):
    result = subprocess.run([PACECTL, "--runtime-dir", daemon.runtime, *words], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def test_activities_are_renamed_and_corrected(recorded):
    assert commanded(recorded, "rename", "1", "Morning", "\"run\"").startswith('Changed: activity 1, Morning "run", run, ')
    assert commanded(recorded, "edit", "1", "--sport", "hike").startswith('Changed: activity 1, Morning "run", hike, ')
    summary = recorded.call("activities.get", id=1)["summary"]
    assert (summary["name"], summary["sport"]) == ('Morning "run"', "hike")
    assert json.loads(commanded(recorded, "edit", "1", "--name", "x", "--json"))["name"] == "x"


@pytest.mark.parametrize("text, started", matrix([
    ("2026-11-22T10:00", "2026-11-22T09:00:00"), ("2026-11-22 10:00", "2026-11-22T09:00:00"),
    ("2026-07-01 10:00:07", "2026-07-01T08:00:07"), ("2026-11-22T10:00Z", "2026-11-22T10:00:00"),
    ("2026-11-22 10:00-03:30", "2026-11-22T13:30:00"), ("2026-11-22 10:00 CET", "2026-11-22T09:00:00"),
    # The night on which the clocks go back has this time twice.
    ("2026-10-25 02:30", "2026-10-25T00:30:00"), ("2026-10-25 02:30 CET", "2026-10-25T01:30:00"),
], "2026-11-22T10:00"))
def test_start_is_corrected(recorded, text, started):
    answer = said("/nonexistent", "edit", "1", "--start", text, "--json", "--runtime-dir", recorded.runtime)
    assert json.loads(answer)["started"].startswith(started)


@pytest.mark.parametrize("text", matrix([
    "noon", "2026-11-22", "10:00", "2026-11-31 10:00", "1999-11-22 10:00", "2026-11-22 10:00 CEST",
    # The clocks skip this time.
    "2026-03-29 02:30"], "noon"))
def test_wrong_start_is_a_usage_error(text):
    assert failed("/nonexistent", "edit", "1", "--start", text, status=2).startswith(
        "--start needs a time from 2000 to 2099, such as '2026-03-01 07:30'")


def test_delete_asks_on_a_terminal_only(recorded, stage):
    terminal = stage.terminal()
    terminal.run(PACECTL, "--runtime-dir", recorded.runtime, "delete", "--now", "2", "1")
    # The line is longer than the terminal is wide.
    terminal.wait_for("Erase activity 2, run", "[y/N]")
    terminal.type("n", "Enter")
    terminal.wait_for("Activity 2 is kept.", "Erase activity 1, run")
    terminal.type("y", "Enter")
    terminal.wait_for("Erased: activity 1.")
    assert [one["id"] for one in recorded.call("activities.list")] == [2]
    terminal.run("clear")
    terminal.run(PACECTL, "--runtime-dir", recorded.runtime, "delete", "--now", "2")
    terminal.wait_for("[y/N]")
    terminal.type("C-c")
    terminal.wait_for("ready>")
    assert [one["id"] for one in recorded.call("activities.list")] == [2]
    assert commanded(recorded, "delete", "--now", "last") == "Erased: activity 2.\n"
    assert recorded.call("activities.list") == []


def test_deleted_activity_is_in_the_trash_until_it_is_restored_or_erased(recorded):
    assert commanded(recorded, "delete", "1") == "In the trash: activity 1. 'pacectl restore 1' takes it out.\n"
    assert [one["id"] for one in recorded.call("activities.list")] == [2]
    [trashed] = recorded.call("activities.list", trash=True)
    assert trashed["id"] == 1
    for words in (["delete", "1"], ["edit", "1", "--sport", "hike"]):
        error = failed("/nonexistent", *words, "--runtime-dir", recorded.runtime)
        assert "the activity is in the trash: restore it first" in error
    assert "the trash has no activity of this number" in failed("/nonexistent", "restore", "2", "--runtime-dir", recorded.runtime)
    assert commanded(recorded, "restore", trashed["uuid"][:18]).startswith("Restored: activity 1, ")
    assert [one["id"] for one in recorded.call("activities.list")] == [2, 1]
    commanded(recorded, "delete", "1")
    assert commanded(recorded, "delete", "--now", "1") == "Erased: activity 1.\n"
    assert recorded.call("activities.list", trash=True) == []
    commanded(recorded, "delete", "2")
    assert commanded(recorded, "trash", "empty") == "Erased: 1 activity, 0 courses.\n"
    assert recorded.call("activities.list", trash=True) == []


def test_activities_are_found_by_place_and_distance(pacectl, tmp_path):
    for day in (1, 2):
        (tmp_path / f"{day}.gpx").write_text(gpx(f"2026-05-0{day}T07:00:00"))
        pacectl("import", tmp_path / f"{day}.gpx")
    first = json.loads(pacectl("--json", "show", "1"))["summary"]
    near = "--near=52.004,13"
    ids = lambda *words: [json.loads(line)["id"] for line in pacectl("--json", "activities", *words).splitlines()]
    assert ids(near) == [2, 1] and ids("--near=0,0") == []
    metres = round(first["distance_m"])
    assert ids(near, f"--longer={metres + 1}m") == [] and ids(f"--shorter={metres + 1}m") == [2, 1]
    assert "--radius needs --near" in pacectl("activities", "--radius", "100", status=2)


def test_trash_lists_activities_and_courses_and_their_files_are_refused(pacectl, tmp_path):
    file = tmp_path / "morning.gpx"
    file.write_text(gpx("2026-05-01T07:00:00"))
    pacectl("import", file)
    pacectl("course", "import", file)
    assert pacectl("trash") == "The trash is empty.\n"
    pacectl("delete", "1")
    assert pacectl("course", "delete", "1") == "In the trash: course 1. 'pacectl course restore 1' takes it out.\n"
    listed = pacectl("trash")
    assert "\nCourses:\n" in listed and "2026-05-01" in listed
    assert [json.loads(line)["id"] for line in pacectl("--json", "activities", "--trash").splitlines()] == [1]
    assert pacectl("activities") == "No activity yet: 'pacectl start' starts one, 'pacectl import FILE' imports one.\n"
    for words in (["import", file], ["import", "--again", file], ["show", "1"], ["export", "1", "--format", "gpx"]):
        assert "in the trash: 'pacectl restore 1' takes it out" in pacectl(*words, status=1)
    assert pacectl("course", "restore", "1").startswith("Restored: course 1, ")
    assert "the trash has no course of this number" in pacectl("course", "restore", "1", status=1)


# Import


def test_import_finds_an_activity_that_is_there(tmp_path):
    state = tmp_path / "state"
    said(state, "import", RUN)
    line = failed(state, "import", "--metric", RUN)
    assert line.startswith(f"{RUN} is activity 1 already: 2015-08-1") and " CEST, run, 9.01 km, in 47:14; " in line
    assert line.endswith("'import --again' reads it once more and replaces it")
    # The same activity in another format.
    said(state, "export", "1", "-o", tmp_path / "run.tcx")
    assert " is activity 1 already: " in failed(state, "import", tmp_path / "run.tcx")
    said(state, "import", "--again", tmp_path / "run.tcx")
    # It keeps its number.
    assert ids(said(state, "activities", "--json")) == [1]


@pytest.mark.thorough
@pytest.mark.parametrize("seconds, metres, is_known", [(0, 1000, True), (2, 1009, True), (3, 1000, False), (0, 1015, False)])
def test_import_compares_start_and_length(tmp_path, seconds, metres, is_known):
    state = tmp_path / "state"
    one, other = tmp_path / "one.gpx", tmp_path / "other.gpx"
    one.write_text(gpx("2026-03-01T07:00:00"))
    other.write_text(gpx("2026-03-01T07:00:00", metres).replace(":00Z", f":{seconds:02}Z"))
    said(state, "import", one)
    result = pacectl(state, "import", other)
    assert (result.returncode, "is activity 1 already" in result.stderr) == ((1, True) if is_known else (0, False)), result


def test_import_reads_packed_files(tmp_path):
    packed = tmp_path / "run.fit.gz"
    # Two members, as from "cat a.gz b.gz".
    content = RUN.read_bytes()
    packed.write_bytes(gzip.compress(content[:70_000]) + gzip.compress(content[70_000:]))
    said(tmp_path / "one", "import", RUN)
    said(tmp_path / "two", "import", packed)
    assert said(tmp_path / "one", "export", "1", "--format", "csv") == said(tmp_path / "two", "export", "1", "--format", "csv")


def test_import_takes_a_sport(tmp_path):
    assert ", hike, " in said(tmp_path / "state", "import", "--sport", "hike", RUN)


def records(state):
    """The rows of the activity, without the numbers of laps: a file has the message of a lap at its end."""
    lines = csv.reader(io.StringIO(said(state, "export", "1", "--format", "csv")))
    return [cells[:3] + cells[4:] for cells in lines]


@pytest.mark.thorough
def test_cut_fit_file_is_imported_up_to_the_cut(tmp_path):
    content = RUN.read_bytes()
    said(tmp_path / "whole", "import", RUN)
    whole = records(tmp_path / "whole")
    chance = random.Random(13)
    # The first records are within the first 2000 bytes.
    cuts = [chance.randrange(2000, len(content) - 2) for _ in range(CUTS)]
    for number, cut in enumerate(cuts):
        state, path = tmp_path / str(number), tmp_path / f"cut-{cut}.fit"
        path.write_bytes(content[:cut])
        result = pacectl(state, "import", path)
        assert result.returncode == 0, (cut, result)
        assert f"{path}: byte {cut}: the file ends before " in result.stderr and ": imported up to there" in result.stderr
        rows = records(state)
        assert rows == whole[:len(rows)], cut
        # Every record takes the same number of bytes, within some more at the end of the file.
        assert len(rows) >= (len(whole) - 1) * (cut - 2000) / len(content) * 0.97 - 3, (cut, len(rows), len(whole))


@pytest.mark.thorough
def test_fit_file_with_a_wrong_checksum_is_imported(tmp_path):
    content = RUN.read_bytes()
    path = tmp_path / "wrong.fit"
    path.write_bytes(content[:-2] + bytes([content[-2] ^ 1, content[-1]]))
    result = pacectl(tmp_path / "state", "import", path)
    assert result.returncode == 0 and "the checksum of the file is wrong: imported up to there" in result.stderr
    said(tmp_path / "whole", "import", RUN)
    assert records(tmp_path / "state") == records(tmp_path / "whole")


# Tried wrong


@pytest.mark.parametrize("words", matrix([
    ["status"], ["start"], ["stop"], ["lap"], ["scan"], ["sensors"], ["settings"], ["settings", "set", "metric", "yes"],
    ["delete", "1"], ["rename", "1", "x"], ["edit", "last", "--sport", "run"],
], ["status"]))
def test_command_without_a_daemon_says_what_to_do(tmp_path, words):
    assert "paced is not running at " in failed(tmp_path, *words, "--runtime-dir", tmp_path / "run", status=3)


@pytest.mark.parametrize("words", matrix([["delete", "99"], ["rename", "99", "x"], ["edit", "99", "--sport", "run"]], ["delete", "99"]))
def test_unknown_number_is_reported(recorded, words):
    assert "there is no activity of this number" in failed("/nonexistent", *words, "--runtime-dir", recorded.runtime)


def test_wrong_number_among_others_deletes_nothing(pacectl, tmp_path):
    for day in (1, 2):
        (tmp_path / f"{day}.gpx").write_text(gpx(f"2026-05-0{day}T07:00:00"))
        pacectl("import", tmp_path / f"{day}.gpx")
    error = pacectl("delete", "1", "99", "2", status=1)
    assert error == "pacectl: activity 99: there is no activity of this number; nothing is deleted\n"
    assert pacectl("delete", "--now", "1", "1", "2") == "Erased: activity 1.\nErased: activity 2.\n"


def test_several_files_end_with_their_counts(tmp_path):
    state = tmp_path / "state"
    for day in (1, 2, 3):
        (tmp_path / f"{day}.gpx").write_text(gpx(f"2026-05-0{day}T07:00:00"))
    (tmp_path / "bad.gpx").write_text("<gpx")
    assert said(state, "import", tmp_path / "1.gpx", tmp_path / "2.gpx").splitlines()[-1] == "2 imported"
    result = pacectl(state, "import", *(tmp_path / f"{name}.gpx" for name in ("1", "bad", "2", "3")))
    assert (result.returncode, result.stderr.splitlines()[-1]) == (1, "pacectl: 1 imported, 2 known, 1 refused")
    assert result.stderr.count("\n") == 4 and result.stdout.count("\n") == 1


def test_directory_is_no_file_to_import(tmp_path):
    assert failed(tmp_path / "state", "import", tmp_path) == (
        f"cannot read {tmp_path}: it is a directory; name a file in it, or its files as {tmp_path}/*")


def test_report_is_no_pdf(year):
    error = failed(year, "report", "last", "-o", year / "x.pdf", status=2)
    assert error.startswith("a report is HTML: ") and "browser" in error and not (year / "x.pdf").exists()


def test_hint_at_older_activities_keeps_what_was_selected(year):
    assert said(year, "activities", "--sport", "run", "--since", "2026-01-01", "--limit", "1").splitlines()[-1] == (
        "Older ones: 'pacectl activities --limit 1 --sport run --since 2026-01-01 --before 5'.")
    assert " 3 " in said(year, "activities", "--limit", "1", "--sport", "run", "--since", "2026-01-01", "--before", "5")


@pytest.mark.parametrize("pace", ["0:10/km", "0:29", "0:00/mi"])
def test_pace_that_nobody_keeps_is_refused(tmp_path, pace):
    assert f"{pace} is too fast" in failed(tmp_path, "course", "partner", pace, "--runtime-dir", tmp_path, status=2)


@pytest.mark.parametrize("words", matrix([["show", "last"], ["export", "last", "--format", "csv"], ["replay", "last"]], ["show", "last"]))
def test_last_of_no_activities_is_reported(stage, words):
    stage.paced(*OFF)
    state = stage.directory / "state"
    wait_for(lambda: pacectl(state, "activities").returncode == 0, 60, "a journal")
    assert failed(state, *words).startswith("there is no activity yet: ")


@pytest.mark.parametrize("words", matrix([["activities"], ["show", "1"], ["help"], ["settings", "--help"]], ["activities"]))
def test_closed_pipe_ends_a_command_quietly(year, words):
    reading, writing = os.pipe()
    os.close(reading)
    program = subprocess.Popen(
        [PACECTL, "--state-dir", year, *words], stdout=writing, stderr=subprocess.PIPE, text=True,
        restore_signals=True)
    os.close(writing)
    assert (program.communicate(timeout=60)[1], program.returncode) == ("", -signal.SIGPIPE)


@needs.ROOT
@pytest.mark.parametrize("words, status", matrix([(["activities"], 1), (["delete", "1"], 3)], ["activities"]))
def test_missing_permission_names_the_remedy(recorded, stage, words, status):
    # mkdtemp has made the directory for its owner only.
    result = subprocess.run(
        [reachable(PACECTL), "--runtime-dir", recorded.runtime, "--state-dir", stage.directory / "state", *words],
        capture_output=True, text=True, timeout=60, **acting_as(NOBODY))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (status, "", 1), result
    assert "not allowed to " in result.stderr and "sudo" in result.stderr


@pytest.mark.thorough
def test_completion_knows_the_numbers_of_activities(year):
    script = (f'. completion/pacectl.bash; COMP_WORDS=(pacectl --state-dir {year} export ""); COMP_CWORD=4; _pacectl; '
              'echo "${COMPREPLY[*]}"')
    shown = subprocess.check_output(
        ["bash", "-uc", script], cwd=ROOT, text=True, env={"PATH": f"{PROGRAMS}:/usr/bin:/bin"})
    assert {"last", "1", "2", "3", "4", "5"} <= set(shown.split())
