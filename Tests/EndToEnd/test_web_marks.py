"""Marks: on the live page by a tap, a long press and a key; on the page of an activity on its map, in its charts and as a list."""

import re

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.live_page import commands, live_page, say, state
from harness.paced_web import themes
from harness.timing import wait_for
from test_web_history import History


@pytest.fixture(scope="module")
def runs(long_stage):
    """1: a run of 25 min at 4 m/s."""
    history = History(long_stage)
    history.add("--sport", "run", history.track("run.gpx", 1500, "2025-11-03", speed=4.0))
    return history


@pytest.fixture
def marks():
    """The parameters of each mark that the page has asked for."""
    return []


@pytest.fixture
def fed(runs, pages, marks):
    """Opens the live page with the lines of the test, and answers its marks."""
    def answer(route):
        request = route.request.post_data_json
        if request["method"] != "run.mark":
            return route.fallback()
        marks.append(request["params"])
        return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], "result": {"run": "active", "elapsed_ms": 1}})

    def fed(**options):
        return live_page(pages, runs.web, **{"route": answer} | options)

    return fed


def wait_for_marks(page, marks, *wanted):
    # A request passes only while the test waits for something in the page.
    wait_for(lambda: page.evaluate("true") and marks == list(wanted), 60, "marks")


def mark(seq, **members):
    return {"class": "EVENT", "event": "mark", "seq": seq, "boot_ms": 1, "mark": seq, "kind": "generic", "elapsed_ms": 5000,
            "distance_m": 30.5} | members


def test_tap_marks_at_once_and_a_notice_says_so(fed, marks):
    page = fed()
    button(page, "Mark").click()
    wait_for_marks(page, marks, {})
    notice = page.locator(".line.notice")
    said = [({}, "Mark 1"), ({"text": "Bench"}, "Mark 2: Bench"), ({"kind": "first-aid"}, "Mark 3: First aid"),
            ({"kind": "water", "text": "Spring"}, "Mark 4: Water, Spring")]
    for number, (members, words) in enumerate(said, 1):
        say(page, mark(number, **members))
        expect(notice).to_have_text(words)
    # The next Enter marks again, and one that is held marks once.
    expect(button(page, "Mark")).to_be_focused()
    for _ in range(3):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    wait_for_marks(page, marks, {}, {})
    say(page, state() | {"run": "paused"})
    button(page, "Mark").click()
    wait_for_marks(page, marks, {}, {}, {})
    say(page, state() | {"run": "idle"})
    expect(button(page, "Mark")).to_be_hidden()


def test_long_press_asks_for_a_kind_and_a_text(fed, marks):
    page = fed(has_touch=True)
    dialog = page.get_by_role("dialog", name="Mark this place")
    button(page, "Mark").hover()
    page.mouse.down()
    expect(dialog).to_be_visible()
    page.mouse.up()
    assert violations(page) == []
    dialog.get_by_label("Kind").select_option("Water")
    dialog.get_by_label("Text").fill("  Spring ")
    button(dialog, "Mark").click()
    wait_for_marks(page, marks, {"kind": "water", "text": "Spring"})
    button(page, "Mark").click(button="right")
    button(dialog, "Cancel").click()
    expect(dialog).to_have_count(0)
    # A tap after a long press is a tap again.
    button(page, "Mark").click()
    wait_for_marks(page, marks, {"kind": "water", "text": "Spring"}, {})


def test_refused_mark_is_said(fed):
    full = {"code": -32001, "message": "not in this state", "data": {
        "message": "cannot mark: the activity has 100 marks, the most"}}
    page = fed(route=commands([], full), locale="de-DE")
    button(page, "Marke").click()
    expect(page.locator(".line.fault")).to_have_text("Mehr als 100 Marken hat eine Aktivität nicht.")


def test_key_marks_in_a_kiosk(fed, marks):
    page = fed(path="?kiosk")
    expect(button(page, "Mark")).to_be_enabled()
    page.keyboard.press("m")
    wait_for_marks(page, marks, {})


# The page of an activity

MARKS = [{"mark": 1, "kind": "water", "text": "Spring", "at_ms": 300_000, "elapsed_ms": 300_000, "distance_m": 1200.4},
         {"mark": 2, "kind": "generic", "at_ms": 600_000, "elapsed_ms": 600_000, "distance_m": 2400},
         {"mark": 3, "kind": "generic", "text": "x" * 64, "at_ms": 99_900_000, "elapsed_ms": 1_500_000, "distance_m": 6000}]


def open_with(pages, runs, members, seconds=None, **options):
    """The page of activity 1 with further members in what is read of it; `seconds` changes its file."""
    page = pages.open(runs.web, "icon.svg", **options)

    def answer(route):
        activity = route.fetch().json()
        return route.fulfill(json=activity | members)

    page.route("**/api/activities/1", answer)
    if seconds:
        page.route("**/api/activities/1/file?*", lambda route: route.fulfill(body=seconds(route.fetch().text())))
    page.goto(f"{runs.web.url}/activity.html#1")
    expect(page.locator(".charts")).to_be_visible()
    return page


@pytest.mark.parametrize("theme", themes())
def test_marks_of_an_activity_are_flags_lines_and_a_list(runs, pages, theme):
    page = open_with(pages, runs, {"marks": MARKS}, theme=theme, width=320)
    rows = page.locator(".run-marks li")
    expect(page.locator(".run-marks summary")).to_have_text("Marks: 3")
    expect(rows).to_have_text(["1Water, Spring5:00 · 1.20 km", "2Mark 210:00 · 2.40 km", f"3{'x' * 64}25:00 · 6.00 km"])
    expect(page.locator(".marks span", has_text="⚑")).to_have_count(3)
    expect(page.locator(".flags i")).to_have_count(3)
    rows.first.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".where")).to_have_text(re.compile(r"^1\.1\d km · 5:00$"))
    page.locator(".marks span", has_text="⚑").nth(1).evaluate("(flag) => flag.click()")
    expect(page.locator(".where")).to_have_text(re.compile(r"^2\.3\d km · 10:00$"))
    assert page.evaluate("document.documentElement.scrollWidth") == 320 and violations(page) == []


def test_flag_is_where_the_mark_is_else_where_the_run_was(runs, pages):
    page = open_with(pages, runs, {})
    flags = page.evaluate("""(marks) => import('/activity-marks.js').then(({ runMarks }) =>
        runMarks(marks, { since: [0, 300, 600] }, () => {}).map(({ row, point }) => [row, point.label, point.latitude ?? null,
            'latitude' in point]))""", [MARKS[0] | {"latitude": 57.1, "longitude": 9.9}, *MARKS[1:]])
    assert flags == [[1, "Spring", 57.1, True], [2, "", None, False], [2, "x" * 15 + "…", None, False]]


def test_activity_without_marks_has_no_list(runs, pages):
    page = open_with(pages, runs, {})
    expect(page.locator(".run-marks")).to_have_count(0)
