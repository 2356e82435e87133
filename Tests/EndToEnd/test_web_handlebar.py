"""The live page on a handlebar: figures on small screens, states that nobody may miss, and fields that keep their place."""

import functools

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.fake_paced import RUN
from harness.live_page import COURSE, FIELDS, RUNS, lap, live_page, say, settled, state, use
from harness.paced_web import PacedWeb

# The classic displays of bike computers.
SIZES = [(400, 240), (240, 320), (320, 240), (480, 320), (800, 480)]
THEMES = ["sunlight", "dark", "e-ink"]


@pytest.fixture(scope="module")
def idle(long_stage):
    daemon = long_stage.paced("--gpsd", "off", "--bluetooth", "off")
    daemon.call("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    return long_stage.start(PacedWeb(long_stage.directory, daemon))


@pytest.fixture
def fed(idle, pages):
    """Opens the live page with the lines of the test."""
    return functools.partial(live_page, pages, idle)


# What is on a page of fields: { fields: [{ name, size, part, isFirst }], strips, problems } with sizes in pixels, and the part of
# the width that figures have.
MEASURE = """() => {
    const boxOf = (node) => node.getBoundingClientRect();
    const shown = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
    const cells = shown('.stage .cell');
    const stage = boxOf(document.querySelector('.stage'));
    const fields = cells.filter((cell) => !cell.matches('.zone')).map((cell) => {
        const value = cell.querySelector('.value');
        // A time has room for hours, a pace and a distance for tens.
        const { field } = cell.dataset, { length } = value.textContent;
        const growth = Math.max(/time/.test(field) ? 7 / length : /pace|distance|speed|altitude/.test(field) ? 5 / length : 1, 1);
        return { name: cell.dataset.field, size: parseFloat(getComputedStyle(value.parentNode).fontSize),
            part: growth * boxOf(value).width / stage.width };
    });
    const parts = [...cells.map((cell) => [cell.dataset.field, boxOf(cell)]),
        ...shown('.strip, .step, .banner, .bar').map((node) => [node.className, boxOf(node)])];
    const overlaps = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    const problems = [];
    parts.forEach(([name, box], index) => {
        const isOut = box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
        if (isOut) problems.push(`${name} is out`);
        for (const [other, its] of parts.slice(index + 1)) {
            const isBanner = [name, other].includes('banner') && [name, other].includes('bar');
            if (!isBanner && overlaps(box, its)) problems.push(`${name} and ${other}`);
        }
    });
    for (const value of shown('.stage .value')) {
        const [own, cell] = [boxOf(value), boxOf(value.closest('.cell'))];
        if (own.left < cell.left - 1 || own.right > cell.right + 1) problems.push(`${value.textContent} is wide`);
    }
    const strips = shown('.strips').reduce((sum, node) => sum + boxOf(node).height, 0);
    return { fields, strips, problems, isSideways: document.documentElement.scrollWidth > innerWidth,
        opacity: getComputedStyle(document.querySelector('.deck')).opacity };
}"""


def check_figures(page, size, run, theme):
    """Checks all pages of fields of a run."""
    width, height = size
    line = state(**RUNS[run])
    use(page, size, theme)
    say(page, line, line)
    # What only such a run has is loaded when it begins.
    for block, part in [("course", ".strip"), ("workout", ".step")]:
        if block in line["blocks"]:
            expect(page.locator(part)).to_have_css("container-type", "size")
    settled(page)
    seen = []
    for _ in range(40):
        said = page.evaluate(MEASURE)
        first, *others = said["fields"]
        case = (size, run, theme, said)
        assert said["problems"] == [] and not said["isSideways"], case
        assert said["strips"] <= height / 3 + 1, case
        # Figures that fill the width cannot be larger.
        assert first["size"] >= min(height, 480) / 4 - 1 or first["part"] > 0.8, case
        assert all(other["size"] >= 35.5 for other in others), case
        assert (said["opacity"] == "0") == (height < 360), case
        seen += [field["name"] for field in said["fields"]]
        page.evaluate("document.body.classList.remove('awake')")
        page.keyboard.press("ArrowRight")
        page.evaluate("document.body.classList.remove('awake')")
        say(page, line)
        if page.locator("main").get_attribute("data-view") != "fields":
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.evaluate("document.body.classList.remove('awake')")
    # Those of the default pages, without bars.
    assert len(seen) == (12 if run == "indoor" else 26 if line["sport"] == "ride" else 18), (size, run, theme, seen)


@pytest.mark.parametrize(("size", "run", "theme"), [((400, 240), "both", "sunlight"), ((240, 320), "run", "e-ink")])
def test_figures_are_readable_on_small_screens(fed, size, run, theme):
    check_figures(fed(), size, run, theme)


@pytest.mark.thorough
@pytest.mark.parametrize("theme", THEMES)
def test_figures_are_readable_in_every_size_and_run(fed, theme):
    page = fed()
    for size in SIZES:
        for run in RUNS:
            check_figures(page, size, run, theme)


FAULT = {"fault": "under-voltage", "since_boot_ms": 123456000, "message": "the supply voltage is too low"}
# States of a run, the most important first: how the banner names them.
STATES = [
    ({"recorder": {"state": "stalled"}}, "Not recording"),
    ({"run": "paused"}, "Paused"),
    ({"position": None, "boot_ms": 123456700 + 72_000}, "No position"),
    ({"course": COURSE | {"status": "off", "return_m": 84, "return_bearing_deg": 90}}, "Off course: 84 m, go E"),
    ({"auto_paused": True}, "Paused automatically"),
    ({"heart": RUN["heart"] | {"link": "disconnected", "reason": "out-of-range", "bpm": None}}, "No heart rate: strap lost"),
    ({"fields": {name: value for name, value in FIELDS.items() if name != "power_3s"}}, "Power 3 s: sensor lost"),
    ({"power": {"battery_percent": 9, "charging": False}}, "Battery 9 %: charge it"),
    ({"faults": [FAULT]}, "The supply voltage is too low"),
]


def ride(*changes):
    """A ride on a course with some of the states. None leaves a member out."""
    members = {"course": COURSE}
    for change in changes:
        members |= change
    made = state("ride", {"course": members.pop("course")}, members.pop("fields", None), **members)
    made["heart"] = {name: value for name, value in made["heart"].items() if value is not None}
    return {name: value for name, value in made.items() if value is not None}


PLACES = """() => [...document.querySelectorAll('.stage .cell')].map((cell) =>
    [cell.dataset.field, ...Object.values(cell.getBoundingClientRect().toJSON()).map(Math.round)])"""


def test_states_are_in_a_banner_the_most_important_first(fed):
    page = fed(ride())
    banner = page.locator(".banner")
    expect(banner).to_be_hidden()
    for index in reversed(range(len(STATES))):
        say(page, ride(*(change for change, _ in STATES[index:])))
        expect(banner.locator(".words")).to_contain_text(STATES[index][1], ignore_case=True)
    say(page, ride(STATES[2][0]))
    expect(banner.locator(".since")).to_have_text("72 s")
    assert violations(page) == []
    say(page, ride())
    expect(banner).to_be_hidden()


@pytest.mark.parametrize(("theme", "sizes"), [
    ("e-ink", [(240, 320), (800, 480)]),
    *(pytest.param(theme, [*SIZES, (360, 740), (1024, 768)], marks=pytest.mark.thorough) for theme in THEMES)])
def test_no_line_that_comes_or_goes_moves_a_field(fed, theme, sizes):
    page = fed(ride(), scope="control")
    for size in sizes:
        use(page, size, theme)
        say(page, ride(), ride())
        settled(page)
        before = page.evaluate(PLACES)
        first = page.locator(".stage .value").first
        top, height = first.bounding_box()["y"], size[1]
        for change, words in STATES:
            if "run" in change or "fields" in change:
                continue
            say(page, ride(change))
            assert page.evaluate(PLACES) == before, (size, words)
            box = page.locator(".banner").bounding_box()
            assert box["height"] >= height / 10 - 2 and box["y"] + box["height"] <= top, (size, words, box)
        course = COURSE | {"cue": COURSE["cue"] | {"name": "A very long name of a street that has no end"}}
        del course["second_cue"]
        say(page, ride({"course": course}))
        assert page.evaluate(PLACES) == before, size
        say(page, ride(), lap(sizes.index(size) + 1))
        notice = page.locator(".line.notice")
        expect(notice).to_be_visible()
        settled(page)
        assert page.evaluate(PLACES) == before, size
        box, value = notice.bounding_box(), first.bounding_box()
        assert box["y"] >= value["y"] + value["height"] and box["y"] + box["height"] <= height + 1, (size, box, value)
        page.evaluate("document.querySelector('.line.notice').click()")


def test_stop_is_reached_by_a_tap_and_the_button(fed):
    page = fed(state(), width=320, height=240)
    use(page, (320, 240), "sunlight")
    say(page, state())
    deck = page.locator(".deck")
    expect(deck).to_have_css("opacity", "0")
    places = page.evaluate(PLACES)
    page.mouse.click(160, 200)
    expect(deck).to_have_css("opacity", "1")
    assert page.evaluate(PLACES) == places and violations(page) == []
    page.get_by_role("button", name="Stop").hover()
    page.mouse.down()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.mouse.up()
    button(page, "Cancel").click()
    expect(deck).to_have_css("opacity", "0")
    # With the keyboard, they are there as long as one of them has the focus.
    button(page, "Mark").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    settled(page)
    expect(deck).to_have_css("opacity", "1")


def test_values_by_a_lost_position_are_marked(fed):
    page = fed(ride(), theme="e-ink")
    marked = page.locator(".cell.stale")
    expect(marked).to_have_count(0)
    say(page, ride({"position": RUN["position"] | {"stale": True, "age_ms": 6000}}))
    expect(page.locator('[data-field="distance"].stale .value')).to_have_css("text-decoration-line", "line-through")
    expect(page.locator('[data-field="time"].stale')).to_have_count(0)
    expect(page.locator(".strip b")).to_have_css("text-decoration-line", "line-through")
    # A sensor measures the distance.
    say(page, ride({"position": None, "source": "wheel"}))
    expect(marked).to_have_count(0)
