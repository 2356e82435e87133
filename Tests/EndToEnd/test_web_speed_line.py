"""The route of the page of an activity, in node: colours by speed as the report has them, and places of badges."""

import json
import re
import subprocess

import pytest

from harness.browser import run_modules
from harness.process import PACECTL, ROOT

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
HEAD = "time,since_start_s,elapsed_s,lap,distance_m,latitude_deg,longitude_deg,altitude_m"


def drawn(csv, badges=()):
    return run_modules("speed_line.mjs", text=json.dumps({"csv": csv, "badges": badges}))


def made(*rows):
    """A file with these rows: since the start, active time, distance and latitude."""
    return "\r\n".join([HEAD, *(f",{since},{elapsed},1,{metres},{north},{'' if north == '' else 9.9},"
                                for since, elapsed, metres, north in rows)]) + "\r\n"


@pytest.fixture(scope="module")
def pacectl(tmp_path_factory):
    """pacectl of a directory with one real run."""
    directory = tmp_path_factory.mktemp("state")

    def pacectl(*words):
        return subprocess.run([PACECTL, "--state-dir", directory, *map(str, words)], capture_output=True, text=True, check=True).stdout

    pacectl("import", RUN)
    return pacectl


def test_speeds_of_the_colours_are_those_of_the_report(pacectl):
    def shown(speed):
        seconds = int(1000 / speed)
        return f"{seconds // 60}:{seconds % 60:02}"

    found = drawn(pacectl("export", 1, "--format", "csv", "-o", "-"))
    report = pacectl("report", 1, "--hide", 0, "--metric", "-o", "-")
    legend = re.search(r"slow (\S+) .*fast (\S+) .*the median, (\S+) ", report).groups()
    assert tuple(shown(found["scale"][name]) for name in ("slow", "fast", "median")) == legend
    parts = [len(re.findall(rf'class="c{number}"', report)) for number in range(17)]
    assert [stretch.count(None) + 1 for stretch in found["stretches"]] == parts


def test_colours_are_those_of_moonrunner():
    found = drawn(HEAD + "\r\n")
    assert found["colours"] == ["rgb(255,20,44)", "rgb(255,20,44)", "rgb(255,69,33)", "rgb(255,118,22)", "rgb(255,215,0)",
                                "rgb(128,181,39)", "rgb(0,146,78)", "rgb(0,146,78)"]
    assert found["equal"] == 8
    assert found["lines"] == [] and found["places"] == []


def test_pause_gap_and_lost_position_break_the_line_or_shorten_it():
    found = drawn(made((0, 0, 0, 57.0), (1, 1, 3, 57.0001), (2, 2, 6, ""), (3, 3, "", 57.0003), (63, 4, 12, 57.0004), (64, 5, 15, 57.0005),
                       (1064, 1005, 18, 57.0006), (1065, 1006, 21, 57.0007), *((1066 + at, 1007 + at, 24, 57.0008) for at in range(100))))
    assert found["lines"] == [3, 2, 102]
    assert all(value >= 0 for value in found["scale"].values())


def test_badges_have_the_place_where_their_distance_is_exceeded():
    badges = [{"badge": "Earth", "distance_m": 0}, {"badge": "A", "distance_m": 3}, {"badge": "B", "distance_m": 7},
              {"badge": "C", "distance_m": 99}]
    found = drawn(made((0, 0, 0, 57.0), (1, 1, 3, 57.0001), (2, 2, 6, 57.0002), (3, 3, 9, "")), badges)
    # The second that earns B has no position.
    assert found["places"] == [["A", 6, 57.0002]]
