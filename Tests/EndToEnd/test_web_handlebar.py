"""The live page on a handlebar: small screens, states that nobody may miss, and fields that keep their place.

The page reads lines that the test makes: `window.say(line)`.
"""

import json

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.fake_paced import IDLE, RUN
from harness.paced_web import PacedWeb
from harness.timing import wait_for

# The classic displays of bike computers.
SIZES = [(400, 240), (240, 320), (320, 240), (480, 320), (800, 480)]
THEMES = ["sunlight", "dark", "e-ink"]

# The stream of lines is the test's.
FEED = """const ask = window.fetch;
window.fetch = (address, options) => {
    if (!String(address).includes('/api/stream')) return ask(address, options);
    return Promise.resolve(new Response(new ReadableStream({ start(lines) {
        window.say = (line) => lines.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\\n`));
        window.say({ class: 'VERSION', instance: 'i', events: { last: 0 } });
    } })));
};"""

FIELDS = {
    "time": 4932.3, "distance": 25034.2, "pace": 0.3124, "heart_rate": 148, "zone": 2, "speed": 8.9, "lap_time": 192.3,
    "lap_distance": 603.1, "lap_pace": 0.31, "lap_speed": 8.1, "lap_heart_rate": 150, "laps": 3, "average_pace": 0.32,
    "average_speed": 8.4, "moving_time": 4800, "max_pace": 0.2, "max_speed": 14.2, "average_heart_rate": 141,
    "time_in_zone": 320, "max_heart_rate": 163, "altitude": 312, "power_3s": 212, "average_power": 190,
    "normalized_power": 205, "cadence": 88,
}
COURSE = {
    "length_m": 42000, "progress_m": 12000, "remaining_m": 30000, "status": "on",
    "cue": {"type": "left", "name": "Long Mill Lane", "distance_m": 120},
    "second_cue": {"type": "right", "name": "Church Street", "distance_m": 480},
}
WORKOUT = {
    "steps": 5, "step": 2, "text": "10 min zone 2 # Steady", "remaining_ms": 599400, "target_state": "high", "next": "1 km zone 4"}


def state(sport="run", blocks=None, fields=None, **members):
    """A STATE of a run of this moment."""
    values = FIELDS if fields is None else fields
    return RUN | {"sport": sport, "boot_ms": 123456700, "seq": 1, "blocks": {"fields": values} | (blocks or {})} | members


# Each kind of run: what its states have.
RUNS = {
    "run": {}, "ride": {"sport": "ride"}, "indoor": {"indoor": True}, "course": {"sport": "ride", "blocks": {"course": COURSE}},
    "workout": {"blocks": {"workout": WORKOUT}}, "both": {"sport": "ride", "blocks": {"course": COURSE, "workout": WORKOUT}},
}


@pytest.fixture(scope="module")
def idle(long_stage):
    daemon = long_stage.paced("--gpsd", "off", "--bluetooth", "off")
    daemon.call("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    return long_stage.start(PacedWeb(long_stage.directory, daemon))


@pytest.fixture
def fed(idle, pages):
    """Opens the live page with the lines of the test; `path` and the others as of `Pages.open`."""
    def fed(first=None, path="", **options):
        page = pages.open(idle, "icon.svg", **options)
        page.add_init_script(FEED)
        page.goto(f"{idle.url}/{path}")
        wait_for(lambda: page.evaluate("Boolean(window.say)"), 60, "a page that reads lines")
        say(page, first or state())
        expect(page.locator(".stage .cell")).not_to_have_count(0)
        return page

    return fed


def say(page, *lines):
    """Gives the page lines, and waits until it has drawn them."""
    page.evaluate("""(lines) => new Promise((done) => {
        for (const line of lines) window.say(line);
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)));
    })""", list(lines))


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
        if (box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5) problems.push(`${name} is out`);
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


def use(page, size, theme):
    """Another window and theme of the same page."""
    page.set_viewport_size(dict(zip(("width", "height"), size)))
    page.evaluate("""(theme) => {
        document.documentElement.dataset.theme = theme;
        dispatchEvent(new Event('paced-theme'));
    }""", theme)
    wait_for(lambda: page.evaluate("Boolean(window.say)"), 60, "a page that reads lines")


def check_figures(page, size, run, theme):
    """Checks all pages of fields of a run."""
    width, height = size
    line = state(**RUNS[run])
    use(page, size, theme)
    say(page, line, line)
    seen = []
    for _ in range(20):
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


def settled(page):
    """Waits until nothing on the page comes or goes by itself."""
    page.evaluate("document.body.classList.remove('awake')")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


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
    ("e-ink", [(240, 320), (800, 480)]), *(pytest.param(theme, [*SIZES, (360, 740), (1024, 768)], marks=pytest.mark.thorough) for theme in THEMES)])
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
        say(page, ride(), {"class": "EVENT", "event": "lap", "seq": page.evaluate("window.seq = (window.seq ?? 0) + 1"),
                           "boot_ms": 1, "lap": RUN["lap"] | {"average_pace_s_per_m": 0.3}})
        notice = page.locator(".line.notice")
        expect(notice).to_be_visible()
        settled(page)
        assert page.evaluate(PLACES) == before, size
        box, value = notice.bounding_box(), first.bounding_box()
        assert box["y"] >= value["y"] + value["height"] and box["y"] + box["height"] <= height + 1, (size, box, value)
        page.evaluate("document.querySelector('.line.notice').click()")
