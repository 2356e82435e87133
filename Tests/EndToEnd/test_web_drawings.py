"""What the page shows of the weather, in node: drawings by day and by night, and the hours of a forecast."""

import csv
import json
import re

import pytest

from harness.browser import run_modules
from harness.process import ROOT

# The names of the topic, by day and by night.
NAMES = ["tornado", "thunder-rain", "thunder", "hail", "ice", "sleet", "snow", "heavy-rain", "rain", "drizzle", "wind", "fog", "dust",
         "haze", "overcast", "cloudy", "partly-cloudy", "few-clouds", "clear"]


def sun_vectors():
    """Moments of sunrises: time, latitude and longitude."""
    with (ROOT / "Tests/PipelineTests/Sun/vectors.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["rise"] not in ("+", "-", "")]
    return [(int(row["time"]) + float(row["rise"]), float(row["latitude"]), float(row["longitude"])) for row in rows]


def overlay(begin, end, **members):
    return {"from": f"2026-03-01T{begin}Z", "to": f"2026-03-01T{end}Z", "kind": "temporary"} | members


# RunFree's example: TAF 1412/1512, TEMPO 1416/1418, FM141900, PROB30 1419/1421, BECMG 1420/1422, sunset 17:53.
HOURS = {"now": "2026-03-01T15:10:00Z", "after": "2026-03-02T12:00:00Z",
         "sun": {"rise": "2026-03-01T06:30:00Z", "set": "2026-03-01T17:53:00Z"},
         "periods": [
             overlay("12:00", "19:00", name="first", overlays=[overlay("16:00", "18:00", name="rain")]),
             overlay("19:00", "23:30", name="second", overlays=[
                 overlay("19:00", "21:00", name="showers", probability_percent=30),
                 overlay("20:30", "22:00", name="storm", probability_percent=40)])]}


@pytest.fixture(scope="module")
def drawn():
    names = [name + end for name in NAMES for end in ("", "-sky")] + [None]
    sent = {"weather": [[{"icon": name}, is_night] for name in names for is_night in (False, True)], "sun": sun_vectors(), "hours": HOURS}
    answer = run_modules("weather_drawings.mjs", text=json.dumps(sent))
    return answer | {"drawn": dict(zip([(name, is_night) for name in names for is_night in (False, True)], answer["drawn"], strict=True))}


def test_each_name_of_the_topic_has_its_drawing_by_day_and_by_night(drawn):
    assert set(drawn["drawings"]) == set(NAMES) and len(NAMES) >= 12
    for name in NAMES:
        assert drawn["drawn"][name, True] == drawn["drawn"][name, False] == name
        assert (drawn["drawn"][f"{name}-sky", False], drawn["drawn"][f"{name}-sky", True]) == (f"{name}-day", f"{name}-night")
    assert drawn["drawn"][None, False] is None
    schema = json.loads((ROOT / "Sources/Wire/schema.json").read_text())["$defs"]["weather"]["properties"]["icon"]["enum"]
    assert [name for name in schema if not name.endswith("-sky")] == NAMES


def test_each_drawing_has_a_text_in_both_languages(drawn):
    for language in ("en", "de"):
        known = set(re.findall(r"'weather\.drawing\.([\w-]+)'", (ROOT / f"web/texts/{language}.js").read_text()))
        assert known == {*drawn["drawings"], "night"}


def test_sun_is_at_the_horizon_at_sunrise(drawn):
    assert len(drawn["heights"]) > 3000
    assert max(abs(height + 0.8333) for height in drawn["heights"]) < 0.05
    assert drawn["nights"] == [True, False, False, False]


def test_hours_have_what_prevails_and_sunset_is_between_them(drawn):
    rows = [(row["at"], row.get("sun") or row["conditions"]["name"], [one["name"] for one in row.get("overlays", [])], row.get("chance"))
            for row in drawn["hours"]]
    assert rows == [
        ("15:00", "first", [], None), ("16:00", "first", ["rain"], None), ("17:00", "first", ["rain"], None),
        ("17:53", "set", [], None), ("18:00", "first", [], None), ("19:00", "second", ["showers"], 30),
        ("20:00", "second", ["showers", "storm"], 40)]


def test_forecast_that_is_over_has_no_hour(drawn):
    assert drawn["over"] == []
