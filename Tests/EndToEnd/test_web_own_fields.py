"""Fields of other programs' sensors: their names, on the run screens and in their editor, among the sensors, and of an activity."""

import functools
import itertools
import re

import pytest
from playwright.sync_api import expect

from harness.browser import run_modules, violations
from harness.live_page import FIELDS, live_page, say, state
from harness.paced_web import themes
from harness.timing import wait_for
from test_report import tcx
from test_sensor_door import Door
from test_web_history import History
from test_web_marks import open_with


def test_titles_are_those_of_the_language_or_of_the_program():
    german, english = run_modules("own_modules.mjs", "de"), run_modules("own_modules.mjs", "en")
    assert german["unknown"]["titles"] == [
        "saddle angle", "SmO2", "Kerntemp.", "Leistung 2", "SmO2 3", "load 2", "Herzfrequenz 2"]
    assert german["titles"] == [
        "Saddle Angle", "SmO2", "Kerntemp.", "Leistung 2 (Rear (new))", "SmO2 3", "Load 2", "Wrist"]
    assert english["titles"][2:4] == ["Core Temp.", "Power 2 (Rear (new))"]
    assert german["news"] == [True, False, False]


def test_values_have_the_unit_and_the_decimals_of_the_program():
    found = run_modules("own_modules.mjs", "en")
    assert found["unknown"]["value"] == {"text": "--", "unit": "", "widest": "000"}
    assert found["values"] == [{"text": "-12.5", "unit": "°", "widest": "000.0"}, {"text": "--", "unit": "°", "widest": "000.0"},
                               {"text": "100000000000", "unit": "W", "widest": "000000000000"}]
    # As of other sensors, a page of nothing but unknown values is left out, and a name that is none.
    assert found["pages"] == [["time", "own:smo2"], ["own:saddle_angle"]]


@pytest.fixture(scope="module")
def runs(long_stage):
    """1: a run of 25 min in two laps."""
    history = History(long_stage)
    history.add(history.write("run.tcx", tcx(1500)))
    return history


DECLARED = [{"name": "saddle_angle", "title": "Saddle Angle", "unit": "°", "decimals": 1, "icon": "angle", "value": 12.54},
            {"name": "smo2", "title": "SmO2", "unit": "%", "decimals": 1, "icon": "muscle"}]
SHOWN = ["time", "own:saddle_angle", {"field": "own:smo2", "title": "Left Leg"}]

# Keeps the lines that the page asks for, and ends a stream that it has left.
WATCHED = """const feed = window.fetch;
window.watched = [];
window.fetch = async (address, options) => {
    const answer = await feed(address, options);
    if (!String(address).includes('/api/stream')) return answer;
    window.watched.push(JSON.parse(options.body));
    return new Response(answer.body.pipeThrough(new TransformStream(), { signal: options.signal }));
};"""


def screens(**sports):
    """Answers with these pages of some sports in the settings."""
    def answer(route):
        if route.request.post_data_json["method"] != "settings.get":
            return route.fallback()
        settings = route.fetch().json()
        settings["result"]["screens"] |= {sport: [{"fields": fields}] for sport, fields in sports.items()}
        return route.fulfill(json=settings)
    return answer


@pytest.fixture
def fed(runs, pages):
    return functools.partial(live_page, pages, runs.web, script=WATCHED)


def cell(page, name):
    return page.locator(f'.stage [data-field="own:{name}"]')


def ridden(**values):
    return state(blocks={"own_fields": DECLARED}, fields=FIELDS | values)


def test_run_screen_shows_a_field_of_another_program(fed):
    page = fed(route=screens(run=SHOWN))
    assert "own_fields" in page.evaluate("window.watched[0].blocks")
    say(page, ridden(saddle_angle=12.54))
    angle, oxygen = cell(page, "saddle_angle"), cell(page, "smo2")
    expect(angle.locator("dt")).to_have_text("Saddle Angle°")
    expect(angle.locator("dd")).to_have_text("12.5")
    expect(oxygen.locator("dt")).to_have_text("Left Leg%")
    expect(oxygen.locator("dd")).to_have_text("--")
    expect(angle.locator("dt svg")).to_have_count(1)
    assert violations(page) == []
    # Its sensor is missed as another one is.
    say(page, ridden())
    expect(page.locator(".banner")).to_contain_text("Saddle Angle: sensor lost")


def test_their_block_is_asked_for_only_if_the_sport_has_one(fed):
    page = fed(route=screens(ride=SHOWN), allowed="enqueue|closed|cancel")
    assert "own_fields" not in page.evaluate("window.watched[0].blocks")
    say(page, ridden() | {"sport": "ride"})
    wait_for(lambda: page.evaluate("window.watched.length === 2 && window.watched[1].blocks.includes('own_fields')"), 60, "the block")


def test_editor_offers_the_fields_of_other_programs(fed):
    page = fed(path="screens.html", route=screens(run=["time", "own:load"], ride=["own:smo2"]))
    say(page, ridden(saddle_angle=12.54))
    expect(page.locator('.sort-row[data-field="own:load"]')).to_contain_text("load")
    page.get_by_role("button", name="Add a field").click()
    group = page.locator(".picker section", has_text="From other programs")
    expect(group.get_by_role("button")).to_have_text(["Saddle Angle", "SmO2"])
    assert violations(page) == []
    page.get_by_role("searchbox").fill("oxygen")
    expect(group).to_be_hidden()
    page.get_by_role("searchbox").fill("saddle")
    expect(group.get_by_role("button", name="Saddle Angle")).to_be_visible()


SENSORS = [{"id": "ext:moxy", "kinds": ["muscle-oxygen", "fields"], "name": "Moxy 12", "link": "connected", "age_ms": 10, "stale": False,
            "values": {"smo2": 62.34, "saddle_angle": -3.25, "load": 7}},
           {"id": "ext:shifter", "kinds": ["gears"], "link": "connected", "age_ms": 10, "stale": False, "values": {}}]


@pytest.mark.parametrize(("locale", "kinds", "values"), [
    ("en-GB", "muscle oxygen, other values", ["SmO262.3 %", "Saddle Angle-3.2 °", "load7"]),
    ("de-DE", "Muskelsauerstoff, weitere Werte", ["SmO262,3 %", "Saddle Angle-3,2 °", "load7"])])
def test_sensors_of_programs_name_their_id_and_show_their_values(fed, locale, kinds, values):
    page = fed(state(blocks={"sensors": SENSORS, "own_fields": DECLARED}), path="sensors.html", locale=locale)
    moxy, shifter = page.locator(".sensor").all()
    expect(moxy.locator("h3")).to_have_text("Moxy 12")
    expect(moxy).to_contain_text(kinds)
    expect(moxy.locator(".own-values dl > div")).to_have_text(values)
    expect(moxy).to_contain_text("ext:moxy")
    expect(shifter.locator("h3")).to_have_text("ext:shifter")
    assert shifter.inner_text().count("ext:shifter") == 1
    expect(shifter.locator("dl")).to_have_count(0)
    assert violations(page) == []


# The page of an activity

MEASURED = [{"name": "smo2", "title": "SmO2", "unit": "%", "decimals": 1, "average": 67.51, "minimum": 60, "maximum": 75.2,
             "lap_averages": [63.75, 71.25]},
            {"name": "saddle_angle", "title": "Saddle Angle", "unit": "°", "decimals": 1, "average": -3, "minimum": -3, "maximum": -3,
             "lap_averages": [-3, None]},
            {"name": "load", "title": "Load", "lap_averages": [None, None]}]


def with_columns(csv):
    head, *rows = csv.rstrip().split("\r\n")
    return "\r\n".join([f"{head},smo2,saddle_angle,load", *(f"{row},{60 + at / 100},-3," for at, row in enumerate(rows))]) + "\r\n"


@pytest.mark.parametrize("theme", themes())
def test_fields_of_an_activity_are_charts_columns_of_laps_and_a_table(runs, pages, theme):
    page = open_with(pages, runs, {"fields": MEASURED}, with_columns, theme=theme, width=320)
    charts = page.locator("figure[data-chart^='own:']")
    # The angle is always the same.
    expect(charts.locator("figcaption")).to_have_text(re.compile(r"^SmO2 ?6\d\.\d – 7\d\.\d$"))
    page.get_by_role("slider", name="Place on the charts").focus()
    page.keyboard.press("Home")
    expect(charts.locator("b")).to_have_text("60.0 %")
    laps = page.locator(".laps table")
    expect(laps.locator("th.own")).to_have_text(["SmO2%", "Saddle Angle°"])
    expect(laps.locator("td.own")).to_have_text(["63.8", "-3.0", "71.2", ""])
    table = page.locator(".card", has=page.get_by_role("heading", name="Values of other sensors"))
    expect(table.locator("tbody tr")).to_have_text(["SmO267.5 %60.0 %75.2 %", "Saddle Angle-3.0 °-3.0 °-3.0 °", "Load–––"])
    laps.get_by_role("button", name="Lap 2").click()
    expect(page.get_by_role("region", name="Selected stretch")).to_contain_text(re.compile(r"SmO27[01]\.\d %"))
    assert page.evaluate("document.documentElement.scrollWidth") == 320 and violations(page) == []


def test_program_is_seen_on_the_run_screen_in_the_sensors_and_in_the_activity(runs, pages):
    door = Door(runs.daemon)
    fields = [{"name": "saddle_angle", "title": "Saddle Angle", "unit": "°", "decimals": 1, "icon": "angle"}]
    assert door.announce("moxy", "muscle-oxygen", "fields", name="Moxy", fields=fields) is None
    screens = {"run": [{"fields": ["time", "own:smo2", "own:saddle_angle"]}]}
    runs.daemon.call("settings.set", key="screens", value=screens)
    page, others = pages.open(runs.web), pages.open(runs.web, "sensors.html")
    expect(cell(page, "smo2").locator("dd")).to_have_text("--")
    runs.daemon.call("run.start", sport="run")

    def measure(value):
        assert door.measure("moxy", "muscle-oxygen", smo2=value) is None
        assert door.measure("moxy", "fields", values={"saddle_angle": -value / 10}) is None
        # A sensor has 20 measurements a second.
        page.wait_for_timeout(250)
        return True

    values = itertools.count(60)
    wait_for(lambda: measure(next(values)) and runs.daemon.call("status")["elapsed_ms"] > 4000, 60, "a run of 4 s")
    measure(64)
    expect(cell(page, "smo2")).to_contain_text("64.0")
    expect(cell(page, "saddle_angle").locator("dt")).to_have_text("Saddle Angle°")
    expect(others.locator(".sensor")).to_contain_text("SmO264.0 %Saddle Angle-6.4 °")
    expect(others.locator(".sensor")).to_contain_text("ext:moxy")
    page.get_by_role("button", name="Mark", exact=True).click()
    expect(page.locator(".line.notice")).to_have_text("Mark 1")
    number = runs.daemon.call("run.stop")["id"]
    door.end()
    runs.wait_for_runs(False, False)
    page.goto(f"{runs.web.url}/activity.html#{number}")
    expect(page.locator(".run-marks li")).to_contain_text("Mark 1")
    expect(page.locator("figure[data-chart='own:smo2']")).to_be_visible()
    expect(page.locator("tr", has_text="Saddle Angle")).to_contain_text(re.compile(r"-\d\.\d °"))
