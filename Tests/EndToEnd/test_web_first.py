"""The list before the first run on the live page of a new device."""

import functools

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.fake_paced import IDLE
from harness.live_page import live_page, say
from harness.paced_web import PacedWeb
from harness.timing import wait_for
from test_report import gpx, way

LOADED = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/first-minute.js'))"
STYLED = "[...document.styleSheets].some(({ href }) => href?.endsWith('/first-minute.css'))"
NEW = {name: value for name, value in IDLE.items() if name != "position"} | {
    "seq": 1, "blocks": {"fields": {}}, "heart": {"link": "disconnected", "reason": "searching"}}


@pytest.fixture
def web(stage):
    return stage.start(PacedWeb(stage.directory, stage.paced("--gpsd", "off", "--bluetooth", "off")))


@pytest.fixture
def fed(web, pages):
    """Opens the live page of a new browser with the lines of the test."""
    return functools.partial(live_page, pages, web, first_run="")


def begin(page, line):
    """Gives a page that is loaded anew its first line."""
    wait_for(lambda: page.evaluate("Boolean(window.say)"), 60, "a page that reads lines")
    say(page, line)


def reload(page, line):
    page.reload()
    begin(page, line)


def rows(page):
    """The state and the reason of each row."""
    return {row.locator("b").inner_text(): (row.get_attribute("data-state"), row.locator(".reason").inner_text())
            for row in page.locator(".first li").all()}


def test_new_device_says_what_it_needs_until_all_is_done(web, fed):
    page = fed(NEW, width=360, height=740)
    first = page.locator(".first")
    expect(first).to_be_visible()
    assert rows(page) == {
        "Units": ("todo", "Not chosen: kilometres, as this browser says."),
        "Sport": ("todo", "Running, unless you choose another."),
        "Heart-rate zones": ("todo", "Off: the figures have no zones."),
        "Sensors": ("todo", "No strap and no other sensor yet."),
        "Position": ("waiting", "No fix yet. Under the open sky it takes a minute.")}
    assert violations(page) == []
    for key, value in [("metric", True), ("use_heart_rate_zones", True)]:
        web.daemon.call("settings.set", key=key, value=value)
    reload(page, NEW | {"heart": IDLE["heart"], "position": IDLE["position"] | {"stale": True, "age_ms": 9000}})
    expect(first).to_be_visible()
    assert rows(page) == {
        "Units": ("done", "Kilometres"), "Sport": ("todo", "Running, unless you choose another."),
        "Heart-rate zones": ("todo", "Zones are on, but not set."), "Sensors": ("done", "Polar H10 00000001"),
        "Position": ("waiting", "No fix now: 9 satellites, position 9 s old")}
    button(page, "Sport: fine as it is").press("Enter")
    button(page, "Heart-rate zones: fine as it is").press("Enter")
    expect(first.locator("li[data-state=todo]")).to_have_count(0)
    # The browser keeps what is fine.
    reload(page, NEW | {"heart": IDLE["heart"]})
    expect(first.locator("li[data-state=done]")).to_have_count(4)
    say(page, IDLE | {"seq": 2, "blocks": {"fields": {}}})
    expect(first).to_be_hidden()
    reload(page, NEW)
    assert not page.evaluate(LOADED)


def test_list_is_hidden_by_a_button_and_leads_to_the_settings(fed):
    page = fed(NEW)
    page.get_by_role("link", name="Heart-rate zones").click()
    expect(page.locator("#use_heart_rate_zones")).to_be_focused()
    page.go_back()
    begin(page, NEW)
    button(page, "Hide").click()
    expect(page.locator(".first")).to_be_hidden()
    expect(page.locator(".stage .cell").first).to_be_visible()
    assert page.evaluate("localStorage['paced.first']") == "hidden"


def test_device_with_activities_and_browsers_that_only_watch_have_no_list(web, fed):
    assert not fed(NEW, scope="watch").evaluate(LOADED)
    assert web.client().post("/api/activities?file=run.gpx&sport=run", gpx(way(60), "Before").encode()).status == 200
    page = fed(NEW)
    wait_for(lambda: page.evaluate("localStorage['paced.first'] === 'hidden'"), 60, "a list that is not wanted")
    assert not page.evaluate(LOADED)


def test_list_leaves_with_a_run_and_never_covers_a_low_screen(fed):
    page = fed(NEW, width=1024, height=768)
    expect(page.locator(".first")).to_be_visible()
    # Without a position the map beside it has no mark.
    expect(page.locator(".map-mark")).to_be_hidden()
    say(page, NEW | {"run": "active", "sport": "run", "activity": 1, "elapsed_ms": 1})
    expect(page.locator(".first")).to_be_hidden()
    say(page, {"class": "EVENT", "event": "stop", "seq": 1, "boot_ms": 1, "summary": {
        "id": 1, "sport": "run", "elapsed_ms": 60_000, "distance_m": 100}}, NEW)
    assert page.evaluate("localStorage['paced.first']") == "hidden"
    for path, width, height in [("?kiosk", 400, 240), ("", 240, 320)]:
        low = fed(NEW, path=path, width=width, height=height)
        wait_for(lambda: low.evaluate(STYLED), 60, "the style of the list")
        say(low, NEW)
        expect(low.locator(".stage .cell").first).to_be_visible()
        expect(low.locator(".first")).to_be_hidden()
