"""The map and the charts of one activity: cursor, stretches, laps, bests, and another activity beside it."""

import re

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.paced_web import themes
from harness.process import ROOT
from harness.timing import wait_for
from test_web_history import History, drawn, fold, heading

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"


@pytest.fixture(scope="module")
def runs(long_stage):
    """Activities: 1 a real run, 2 and 3 runs of the same way, the third one slower."""
    history = History(long_stage)
    history.add(RUN)
    for day, speed in (("2025-11-03", 4.0), ("2025-11-05", 3.6)):
        history.add("--sport", "run", history.track(f"{day}.gpx", 1500, day, f"Way {day}", speed=speed))
    return history


def chart(page, key):
    return page.locator(f"figure[data-chart={key}]")


def place(page):
    return page.get_by_role("slider", name="Place on the charts")


def values(page):
    return page.get_by_role("region", name="Selected stretch")


def drag(page, begin, end):
    """Moves a pressed pointer over the charts, between parts of their width."""
    place(page).scroll_into_view_if_needed()
    box = place(page).bounding_box()
    page.mouse.move(box["x"] + begin * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 60, steps=3)
    page.mouse.up()


def test_cursor_shows_all_values_and_the_place_by_pointer_and_keyboard(runs, pages):
    page = pages.open(runs.web, "activity.html#1", width=1024, height=1200)
    expect(chart(page, "speed")).to_contain_text("Pace")
    expect(page.locator(".map-mark")).to_be_hidden()
    place(page).hover(position={"x": 200, "y": 60})
    expect(chart(page, "heart").locator("b")).to_have_text(re.compile(r"^\d{3} bpm$"))
    expect(chart(page, "altitude").locator("b")).to_have_text(re.compile(r"m( · -?\d+ %)?$"))
    expect(page.locator(".where")).to_have_text(re.compile(r"^\d\.\d\d km · \d+:\d\d$"))
    expect(page.locator(".map-mark")).to_be_visible()
    place(page).focus()
    page.keyboard.press("Home")
    expect(place(page)).to_have_attribute("aria-valuetext", re.compile(r"^0\.0\d km, 0:0\d, Pace .* min/km, Heart Rate \d+ bpm"))
    page.keyboard.press("PageDown")
    page.keyboard.press("End")
    expect(place(page)).to_have_attribute("aria-valuetext", re.compile(r"^9\.01 km, 47:1\d"))
    button(page, "Time").click()
    expect(page.locator(".ticks span").nth(1)).to_have_text(re.compile(r"^\d+:00$"))


def test_dragged_stretch_has_figures_and_is_enlarged_and_taken_back(runs, pages):
    page = pages.open(runs.web, "activity.html#1", width=1024, height=1200)
    expect(chart(page, "speed")).to_be_visible()
    whole = page.locator(".ticks").text_content()
    drag(page, 0.25, 0.5)
    expect(values(page)).to_contain_text(re.compile(r"2\.2\d – 4\.5\d km"))
    for text in ("Distance2.2", "Time", "Pace", "Heart Rate", "Max Heart Rate", "Ascent", "Descent", "Grade"):
        expect(values(page)).to_contain_text(text)
    button(page, "Enlarge").click()
    expect(page.locator(".ticks")).not_to_have_text(whole)
    expect(place(page)).to_be_focused()
    button(page, "Whole activity").click()
    expect(page.locator(".ticks")).to_have_text(whole)
    button(page, "Clear the selection").click()
    expect(values(page)).to_have_count(0)
    place(page).focus()
    page.keyboard.press("Home")
    for _ in range(10):
        page.keyboard.press("Shift+ArrowRight")
    expect(values(page)).to_contain_text(re.compile(r"0\.00 – 0\.9\d km"))
    expect(place(page)).to_have_attribute("aria-valuetext", re.compile("selected: "))
    page.keyboard.press("Escape")
    expect(values(page)).to_have_count(0)


def test_laps_splits_and_bests_select_their_stretch(runs, pages):
    page = pages.open(runs.web, "activity.html#1", width=360, height=740)
    button(page, "Splits of 1 km").click()
    rows = page.locator(".laps tbody tr")
    expect(rows).to_have_count(9)
    # Nothing is cut on a small screen.
    assert page.locator(".laps").evaluate("node => node.scrollWidth <= node.clientWidth")
    expect(page.locator(".laps th")).to_have_text(["Number", "Distancekm", "Time", "Pacemin/km", "Heartbpm", "Ascentm"])
    button(page, "Split 3").click()
    expect(values(page)).to_contain_text("Split 3")
    expect(values(page)).to_contain_text("Distance1.0")
    expect(button(page, "Split 3")).to_have_attribute("aria-pressed", "true")
    button(page, "5 km").click()
    expect(values(page)).to_contain_text("5 km: ")
    expect(values(page)).to_contain_text("Distance5.0")
    page.locator(".marks span", has_text="★").first.click()
    expect(page.locator(".badge-note")).to_be_visible()


def test_map_has_the_colours_of_a_value(runs, pages):
    page = pages.open(runs.web, "activity.html#1")
    colour = page.get_by_label("Colour of the line")
    expect(colour.locator("option")).to_have_text(["Pace", "Heart Rate", "Grade", "Cadence"])
    colour.select_option("heart")
    expect(page.locator(".legend")).to_have_text(re.compile(r"^low \d+ bpmhigh \d+ bpmyellow is the median, \d+ bpm$"))
    page.evaluate("document.documentElement.dataset.theme = 'e-ink'; dispatchEvent(new Event('paced-theme'))")
    expect(page.locator(".legend")).to_contain_text("the thicker, the higher")


def test_two_activities_are_compared(runs, pages):
    page = pages.open(runs.web, "activity.html#2", width=1024, height=1200)
    button(page, "Compare").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Same start")).to_be_visible()
    assert violations(page) == []
    dialog.get_by_role("link", name="Way 2025-11-05").click()
    expect(page.get_by_role("heading", name="Comparison")).to_be_visible()
    assert page.url.endswith("/activity.html#2&with=3")
    expect(page.locator(".compared tbody tr").filter(has_text="Distance")).to_have_text(re.compile(r"Distance km6\.005\.40\+0\.60"))
    place(page).focus()
    for _ in range(50):
        page.keyboard.press("ArrowRight")
    expect(chart(page, "ahead").locator("b")).to_have_text(re.compile(r"^A ahead of B by 1:2\d$"))
    expect(chart(page, "speed").locator("b")).to_have_text(re.compile(r"^\d:\d\d / \d:\d\d min/km$"))
    expect(chart(page, "altitude").locator("path.line")).to_have_count(2)
    page.get_by_role("link", name="End the comparison").click()
    expect(page.get_by_role("heading", name="Comparison")).to_have_count(0)


@pytest.mark.thorough
def test_comparison_and_selection_are_accessible(runs, pages):
    for theme in themes():
        page = pages.open(runs.web, "activity.html#2&with=3", theme=theme, locale="de-DE")
        expect(page.get_by_role("heading", name="Vergleich")).to_be_visible()
        wait_for(lambda page=page: drawn(page), 60, "a map with two lines")
        button(page, "Teilstück 2").click()
        assert violations(page) == []


@pytest.mark.thorough
def test_losses_are_said_and_marked(runs, pages):
    csv = runs.pacectl("export", 1, "--format", "csv", "-o", "-").splitlines()
    heart = csv[0].split(",").index("heart_rate_bpm")

    def lost(row):
        cells = row.split(",")
        return ",".join([*cells[:heart], "", *cells[heart + 1:]])
    body = "\r\n".join([*csv[:500], *map(lost, csv[500:580]), *csv[580:]])
    page = pages.open(runs.web, "activities.html")
    page.route("**/file?format=csv", lambda route: route.fulfill(body=body, content_type="text/csv"))
    page.goto(f"{runs.web.url}/activity.html#1")
    expect(heading(page)).to_have_text("Run")
    expect(page.locator(".losses")).to_have_text(re.compile(r"^No heart rate for 1:2[01], in one place\. Without loss: position\.$"))
    expect(chart(page, "heart").locator(".lost")).to_have_count(1)
    fold(page, "Badges on the way: 11")
