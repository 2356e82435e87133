"""Which drawing the page shows for a report of the weather, by day and by night, in node."""

import csv
import json
import re
import subprocess

import pytest

from harness.process import ROOT
from test_map_tiles import NODE

pytestmark = NODE
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


WORST = {"VCTS_RA_BR": "thunder", "-RA_GR": "hail", "BR_-SN/OVC": "snow", "BR_-RA": "rain", "RERA/SKC": "clear-day"}


@pytest.fixture(scope="module")
def drawn():
    texts = [text for group in DRAWN.values() for text in group.split()] + list(WORST) + ["", "XX"]
    sent = {"weather": [conditions(text) for text in texts], "sun": sun_vectors()}
    result = subprocess.run(["node", ROOT / "Tests/EndToEnd/weather_drawings.mjs", ROOT / "web"], input=json.dumps(sent),
                            capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
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
