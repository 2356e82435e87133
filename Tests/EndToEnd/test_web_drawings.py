"""What the page shows of the weather, in node: drawings by day and by night, and the hours of a forecast."""

import csv
import json
import re

import pytest

from harness.browser import run_modules
from harness.process import ROOT

DESCRIPTORS = ["MI", "BC", "PR", "DR", "BL", "SH", "TS", "FZ"]

# Conditions by their drawing: groups of a report, with the cover of the sky after a slash, and ! by night.
DRAWN = {
    "clear-day": "/SKC /CLR /NSC /NCD", "clear-night": "!/SKC !/CLR", "few-clouds-day": "/FEW", "few-clouds-night": "!/FEW",
    "partly-cloudy-day": "/SCT /FEW,SCT", "partly-cloudy-night": "!/SCT", "cloudy": "/BKN !/BKN /FEW,BKN,SCT",
    "overcast": "/OVC /BKN,OVC", "drizzle": "DZ -DZ DZ/BKN", "drizzle-day": "DZ/SCT", "rain": "RA SH VCSH SHRA -SHRA/OVC UP",
    "rain-day": "RA/FEW SHRA/SCT", "rain-night": "!RA/FEW", "heavy-rain": "+RA +SHRA/OVC", "heavy-rain-night": "!+RA/SCT",
    "sleet": "RASN SNRA SHRASN PL SHPL RASN/FEW", "snow": "SN SG IC SHSN BLSN DRSN +SN/OVC", "snow-day": "SN/SCT",
    "hail": "GR GS SHGR SHGS", "ice": "FZDZ FZRA FZUP -FZRA/FEW", "thunder": "TS VCTS TSSN TSPL TSGS TSGR", "thunder-day": "VCTS/FEW",
    "thunder-rain": "TSRA +TSRAGR", "thunder-rain-night": "!TSRA/SCT", "fog": "BR FG FZFG FU VA MIFG /VV FG/FEW",
    "haze-day": "HZ HZ/OVC", "haze-night": "!HZ", "dust": "DU SA BLSA BLDU SS DS/FEW", "tornado": "PO FC +FC", "wind": "SQ"}


def phenomenon(code):
    sign, vicinity, letters = re.fullmatch(r"([+-]?)(VC|RE)?(\w+)", code).groups()
    pairs = re.findall("..", letters)
    made = {"code": code, "descriptors": [pair for pair in pairs if pair in DESCRIPTORS],
            "phenomena": [pair for pair in pairs if pair not in DESCRIPTORS]}
    return made | ({"intensity": {"+": "heavy", "-": "light"}[sign]} if sign else {}) | ({"vicinity": True} if vicinity == "VC" else {})


def conditions(text):
    codes, _, covers = text.removeprefix("!").partition("/")
    return {"weather": [phenomenon(code) for code in codes.split("_") if code],
            "clouds": [{"cover": cover} for cover in covers.split(",") if cover]}, text.startswith("!")


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

WORST = {"VCTS_RA_BR": "thunder", "-RA_GR": "hail", "BR_-SN/OVC": "snow", "BR_-RA": "rain", "RERA/SKC": "clear-day"}


@pytest.fixture(scope="module")
def drawn():
    texts = [text for group in DRAWN.values() for text in group.split()] + list(WORST) + ["", "XX"]
    sent = {"weather": [conditions(text) for text in texts], "sun": sun_vectors(), "hours": HOURS}
    answer = run_modules("weather_drawings.mjs", text=json.dumps(sent))
    return answer | {"drawn": dict(zip(texts, answer["drawn"], strict=True))}


def test_weather_has_its_drawing_by_day_and_by_night(drawn):
    wanted = {text: name for name, group in DRAWN.items() for text in group.split()}
    assert {text: drawn["drawn"][text] for text in wanted} == wanted
    used = {re.sub("-(day|night)$", "", name) for name in wanted.values()}
    assert used == set(drawn["drawings"]) and len(used) >= 12


def test_worst_weather_is_drawn_and_nothing_for_nothing(drawn):
    assert {text: drawn["drawn"][text] for text in WORST} == WORST
    assert drawn["drawn"][""] is None and drawn["drawn"]["XX"] is None


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
