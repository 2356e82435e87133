"""The live page in a kiosk with keys, its signals and notices, and its map while nothing is recorded."""

import functools

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.fake_paced import IDLE
from harness.live_page import commands, lap, live_page, say, settled, state
from harness.paced_web import PacedWeb
from harness.timing import wait_for


@pytest.fixture(scope="module")
def idle(long_stage):
    daemon = long_stage.paced("--gpsd", "off", "--bluetooth", "off")
    return long_stage.start(PacedWeb(long_stage.directory, daemon))


@pytest.fixture
def fed(idle, pages):
    """Opens the live page with the lines of the test."""
    return functools.partial(live_page, pages, idle)


def test_kiosk_is_commanded_by_keys(fed):
    asked = []
    page = fed(state() | {"run": "idle"}, path="?kiosk", route=commands(asked))
    dialog = page.get_by_role("dialog")

    def press(key, command, run):
        page.keyboard.press(key)
        wait_for(lambda: page.evaluate("true") and asked and asked[-1] == command, 60, command)
        say(page, state() | {"run": run})
        # While a command is on its way, there is no other.
        expect(page.locator(".controls .main:visible")).to_be_enabled()

    expect(button(page, "Start")).to_be_enabled()
    press("Enter", "run.start", "active")
    press("Enter", "run.lap", "active")
    press("Space", "run.pause", "paused")
    press("Space", "run.resume", "active")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-field="lap_time"]')).to_be_visible()
    for last in ("Escape", "Enter"):
        page.keyboard.down("Escape")
        expect(dialog).to_be_visible()
        # A board repeats the key while it is held.
        page.keyboard.down("Escape")
        expect(dialog).to_be_visible()
        page.keyboard.up("Escape")
        page.keyboard.press("ArrowRight")
        expect(button(page, "Discard")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press(last)
        expect(dialog).to_be_hidden()
    wait_for(lambda: page.evaluate("true") and asked[-1] == "run.stop", 60, "run.stop")
    assert asked == ["run.start", "run.lap", "run.pause", "run.resume", "run.stop"]
    # A button that has the focus keeps its keys.
    say(page, state() | {"run": "active"})
    expect(button(page, "Pause")).to_be_enabled()
    button(page, "Pause").focus()
    press("Enter", "run.pause", "paused")


def test_keys_command_nothing_outside_of_a_kiosk(fed):
    asked = []
    page = fed(route=commands(asked))
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
    page.keyboard.down("Escape")
    page.wait_for_timeout(1200)
    page.keyboard.up("Escape")
    assert asked == [] and page.get_by_role("dialog").count() == 0


def test_kiosk_is_turned_and_scaled_and_remembers_it(idle, pages):
    page = pages.open(idle, "?kiosk&rotate=90&size=50", width=320, height=240)
    turned = page.frame_locator("iframe.turned")
    for _ in range(2):
        expect(turned.locator(".stage .cell")).not_to_have_count(0)
        assert turned.locator("body").evaluate("() => [innerWidth, innerHeight]") == [480, 640]
        assert page.locator("iframe").bounding_box() == {"x": 0, "y": 0, "width": 320, "height": 240}
        page.goto(f"{idle.url}/?kiosk")
    page.goto(f"{idle.url}/?kiosk&rotate=0&size=100")
    expect(page.locator(".stage .cell")).not_to_have_count(0)
    page.goto(f"{idle.url}/?kiosk&rotate=5")
    expect(page.locator("iframe")).to_have_count(0)


LOADED = "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/signals.js'))"
# Counts the tones, and the times that the board vibrates.
HEARD = """window.tones = 0;
window.buzzes = 0;
const begin = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...words) {
    window.tones += 1;
    return begin.apply(this, words);
};
navigator.vibrate = () => { window.buzzes += 1; };"""


def test_signals_are_chosen_in_the_panel_of_the_display(fed):
    page = fed(script=HEARD)
    assert not page.evaluate(LOADED)
    page.locator("details.display summary").click()
    page.get_by_label("Sound").check()
    page.get_by_label("Vibration").check()
    wait_for(lambda: page.evaluate("window.tones > 1 && window.buzzes > 0"), 60, "the signal of a lap")
    page.get_by_label("Badges").uncheck()
    assert violations(page) == []
    assert page.evaluate("localStorage['paced.signals']") == "sound vibration no-badges"


def test_signals_are_silent_until_a_tap_and_say_so(fed):
    chosen = """Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: false } });
        localStorage['paced.signals'] = 'sound vibration no-badges';"""
    page = fed(script=chosen + HEARD)
    expect(page.locator(".line.notice")).to_contain_text("silent until the first tap")
    say(page, lap(1))
    expect(page.locator(".line.notice")).to_contain_text("Lap 3")
    assert page.evaluate("window.tones") == 0
    page.evaluate("navigator.userActivation.hasBeenActive = true")
    page.mouse.click(200, 300)
    say(page, {"class": "EVENT", "event": "badge", "badge": "The Moon", "seq": 2, "boot_ms": 1})
    wait_for(lambda: say(page, lap(page.evaluate("window.seq = (window.seq ?? 2) + 1"))) or page.evaluate("window.tones > 0"), 60, "tones")
    # A lap has two tones, a badge four and none of them.
    assert page.evaluate("window.tones") == 2


def test_notice_of_a_lap_is_large_and_others_leave_sooner(fed):
    page = fed()
    say(page, lap(1))
    expect(page.locator(".line.notice.large")).to_be_visible()
    say(page, {"class": "EVENT", "event": "badge", "badge": "The Moon", "seq": 2, "boot_ms": 1})
    expect(page.locator(".line.notice")).not_to_have_class("line notice large")
    begun = page.evaluate("performance.now()")
    expect(page.locator(".line.notice")).to_be_hidden()
    assert page.evaluate("performance.now()") - begun < 7000


def test_map_of_an_idle_board_follows_and_shows_the_surroundings(fed):
    here = IDLE | {"seq": 1, "blocks": {"fields": {}}}
    page = fed(here, width=1024, height=768)
    scale, mark = page.locator(".map-scale"), page.locator(".map-mark")
    expect(scale).to_have_text("200 m")
    page.get_by_role("button", name="Follow the position").click()
    page.get_by_role("button", name="Zoom in").click()
    box = mark.bounding_box()
    say(page, here)
    say(page, here | {"position": here["position"] | {"latitude": 52.51}})
    settled(page)
    moved = mark.bounding_box()
    assert abs(moved["x"] - box["x"]) < 3 and abs(moved["y"] - box["y"]) < 3


def test_sensors_say_that_the_strap_is_there_and_a_demo_searches_none(fed):
    page = fed(IDLE | {"seq": 1, "demo": True, "blocks": {"sensors": []}}, path="sensors.html",
               route=commands([], {"code": -32004, "message": "the demo has no Bluetooth"}))
    expect(page.get_by_text("Polar H10 00000001 is connected.")).to_be_visible()
    button(page, "Search for 10 s").click()
    status = page.locator("section[aria-labelledby=search] [role=status]")
    expect(status).to_have_text("These sensors are simulated.")
    expect(status).not_to_have_class("problem")
