"""The course, its climbs and the workout on the live page, with made states: what a rider sees in motion."""

import json
import math

import pytest
from playwright.sync_api import expect

from harness.browser import button, run_modules, violations
from harness.fake_paced import RUN
from harness.paced_web import PacedWeb, themes
from harness.timing import wait_for
from matrix import matrix

SIZES = [(320, 240), (400, 240), (240, 320), (480, 320), (800, 480), (360, 740), (1024, 768)]
# STATE lines have what `made` says; the strips and the page of a climb need nothing else of paced.
MADE = """window.made = {};
    const parse = JSON.parse;
    JSON.parse = (text) => {
        const line = parse(text);
        if (line?.class !== 'STATE') return line;
        window.seen = window.made.name;
        return { ...line, ...window.made };
    };"""
DISTANCES = [10 * index for index in range(501)]
# Flat for 1 km, then 2 km of 2 to 14 % that end at 3 km, then down.
RISES = [0 if metres < 1000 else 2 + 12 * math.sin((metres - 1000) / 2000 * math.pi) if metres < 3000 else -4 for metres in DISTANCES]
ALTITUDES = [200 + sum(RISES[:index]) / 10 for index in range(501)]
PROFILE = {"length_m": 5000, "distance_m": DISTANCES, "altitude_m": ALTITUDES,
           "climbs": [{"start_m": 1000, "top_m": 3000, "ascent_m": ALTITUDES[300] - ALTITUDES[100]}]}
POSITION = {"latitude": 50, "longitude": 8, "speed_mps": 7, "track_deg": 0, "age_ms": 200, "stale": False}
TURN = {"type": "left", "name": "Mill Lane", "distance_m": 420}
THEN = {"type": "slight-right", "name": "Old Bridge", "distance_m": 900}
WORKOUT = {"steps": 5, "step": 2, "text": "5 min speed 25..30 km/h # Steady", "elapsed_ms": 60_000, "distance_m": 400,
           "remaining_ms": 240_000, "target": "speed", "target_state": "low", "next": "0.2 km speed ..20 km/h # Easy"}
FIELDS = {"time": 1632, "distance": 8034, "speed": 6.3, "heart_rate": 148, "power_3s": 210, "vertical_speed": 912, "lap_time": 60}


def course(progress=500, status="on", **members):
    return {"name": "Hill", "status": status, "length_m": 5000, "progress_m": progress, "remaining_m": 5000 - progress,
            "cross_track_m": 2, "grade_percent": RISES[int(progress / 10)], "remaining_ascent_m": 190} | members


def climb(progress):
    inside = 1000 <= progress < 3000
    return {"number": 1, "count": 1, "start_m": max(1000 - progress, 0), "top_m": 3000 - progress,
            "ascent_m": ALTITUDES[300] - ALTITUDES[max(int(progress / 10), 100)], "average_grade_percent": 9.6,
            "grade_ahead_percent": RISES[min(int(progress / 10) + 10, 290)] if inside else 2}


def riding(**blocks):
    return RUN | {"sport": "ride", "position": POSITION, "speed_mps": 6.3, "blocks": {"fields": FIELDS} | blocks}


@pytest.fixture(scope="module")
def server(long_stage):
    """The pages of a daemon whose states the tests replace."""
    return long_stage.start(PacedWeb(long_stage.directory, long_stage.paced("--gpsd", "off", "--bluetooth", "off")))


@pytest.fixture
def shown(server, pages):
    """Opens the live page with a made state."""
    def shown(state, **options):
        def answer(route):
            request = route.request.post_data_json
            if request["method"] != "course.profile":
                return route.fallback()
            return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], "result": PROFILE})

        page = pages.open(server, route=answer, **options)
        page.add_init_script(f"{MADE} window.made = {json.dumps(state)};")
        page.reload()
        expect(page.locator(".stage .cell")).not_to_have_count(0)
        return page

    return shown


def make(page, state):
    page.evaluate("state => { window.made = state; }", state)


def without_position(state):
    return {name: value for name, value in state.items() if name != "position"}


def started(metres, latitude=50.0, longitude=8.0, **state):
    """A state before the course is reached: paced says how far its start is."""
    block = {name: value for name, value in course(status="off", return_m=metres, return_bearing_deg=10).items() if name != "progress_m"}
    return RUN | {"run": "idle", "position": POSITION | {"latitude": latitude, "longitude": longitude}, "blocks": {"course": block}} | state


STRIPS = {
    "at the start": started(0), "near the start": started(50), "beside the course": started(600, 50.005),
    "before the start": started(120, 49.9989), "far": started(4000, 50, 8.1), "running to it": started(120, 49.9989, run="active"),
    "idle without a position": without_position(started(None)),
    "off": riding(course=course(status="off", return_m=85, return_bearing_deg=60, cue=TURN)),
    "rejoining": riding(course=course(status="rejoining", return_m=85, return_bearing_deg=60)),
    "lost while off": without_position(riding(course=course(status="off", cue=TURN))),
    "lost while on": without_position(riding(course=course(cue=TURN, second_cue=THEN))),
    "stale": riding(course=course(cue=TURN | {"distance_m": 20})) | {"position": POSITION | {"stale": True, "age_ms": 12_000}},
    "wrong way": riding(course=course(status="wrong-way", cue=TURN)),
    "on": riding(course=course(cue=TURN, second_cue=THEN)), "no cue": riding(course=course()),
    "ride 151": riding(course=course(cue=TURN | {"distance_m": 151})), "ride 150": riding(course=course(cue=TURN | {"distance_m": 150})),
    "run 41": riding(course=course(cue=TURN | {"distance_m": 41})) | {"sport": "run"},
    "run 40": riding(course=course(cue=TURN | {"distance_m": 40})) | {"sport": "run"},
    "water": riding(course=course(cue={"type": "water", "distance_m": 20})),
    "roundabout": riding(course=course(cue={"type": "generic", "name": "Roundabout, exit 2", "distance_m": 20})),
}


def at(progress, elapsed, status="on", **state):
    block = course(progress, status) | ({"climb": climb(progress)} if progress < 3000 else {})
    return riding(course=block) | {"elapsed_ms": elapsed * 1000} | state


CLIMBING = [
    at(990, 100), at(1000, 102), at(1500, 202), at(1500, 202, status="off"), at(1010, 300), at(2990, 698), at(3001, 700), at(3010, 702),
    at(1000, 800), at(1000, 801, run="idle")]
STALE = RUN | {"heart": RUN["heart"] | {"stale": True}}
GAUGES = [
    ("speed 25..30 km/h", riding()), ("speed ..20 km/h", riding()), ("power 200..", riding()),
    ("pace 4:00..5:00 /km", RUN | {"pace_s_per_m": 0.28}), ("heart_rate 140..150", RUN), ("zone 2..3", RUN),
    ("power_zone 4", riding()), ("heart_rate 140..150", STALE), ("cadence 80..90", RUN | {"blocks": {"fields": {"cadence": 300}}})]
RESTS = [*[({"remaining_ms": rest}, 7) for rest in (240_000, 58_200, 5001, 5000, 300, 0)],
         *[({"remaining_m": rest}, 7) for rest in (1204, 340.2, 14)], ({"remaining_m": 14}, 0), ({}, 7)]


@pytest.fixture(scope="module")
def modules():
    sent = {"strips": STRIPS, "climbing": CLIMBING, "profile": PROFILE, "gauges": GAUGES, "rests": RESTS}
    return run_modules("motion_modules.mjs", text=json.dumps(sent))


def words(modules, name):
    strip = modules["strips"][name]
    return [strip.get("place", ""), strip["words"], strip.get("second", "")]


def test_course_that_is_not_reached_is_not_called_left(modules):
    assert words(modules, "at the start") == words(modules, "near the start") == ["", "On the course", ""]
    assert words(modules, "beside the course") == ["", "On the course", "Start in 600 m"]
    assert words(modules, "before the start") == words(modules, "running to it") == ["", "Start in 120 m", "go N"]
    assert words(modules, "far") == ["", "Start in 4.0 km", "go N"]
    assert words(modules, "idle without a position") == ["", "No position", ""]
    assert modules["away"] == [0, 71, 1112, 11]


def test_lost_position_is_no_way_back_and_makes_cues_old(modules):
    assert words(modules, "off") == ["85 m", "Off course: go NE", ""]
    assert words(modules, "rejoining") == ["85 m", "Off course: go NE, rejoining", ""]
    assert words(modules, "lost while off") == ["", "No position", ""]
    assert words(modules, "lost while on") == ["420 m", "Left: Mill Lane", "no position"]
    assert words(modules, "stale") == ["20 m", "Left: Mill Lane", "position 12 s old"]
    assert words(modules, "wrong way") == ["", "Wrong way: turn around", ""]
    old = {name for name, strip in modules["strips"].items() if strip.get("isOld")}
    assert old == {"lost while on", "stale"}


def test_card_of_a_turn_is_for_150_m_of_a_ride_and_40_m_on_foot(modules):
    assert words(modules, "on") == ["420 m", "Left: Mill Lane", "then Slight right in 900 m: Old Bridge"]
    assert words(modules, "no cue") == ["4.5 km", "On the course", ""]
    assert {name for name, strip in modules["strips"].items() if strip.get("isNear")} == {"ride 150", "run 40", "roundabout"}


def test_climb_has_its_figures_and_those_of_its_top(modules):
    before, foot, inside, off, again, high, top, after, new, idle = modules["climbing"]
    assert before == off == after == idle == {}
    assert foot["inside"]["number"] == 1 and foot["inside"]["top"] == 2000 and foot["inside"]["rise"] == 912
    assert inside["inside"]["top"] == 1500 and inside["inside"]["grade"] == pytest.approx(10.5, abs=0.1)
    # Who was off the course is in the climb anew.
    assert again["inside"]["top"] == 1990 and "top" not in high
    figures = top["top"]
    assert figures["milliseconds"] == 400_000 and figures["length"] == 1990
    assert figures["rise"] == pytest.approx(figures["ascent"] * 9, abs=0.1) and new["inside"]["number"] == 1


def test_profile_of_a_climb_has_parts_with_grades(modules):
    [parts] = modules["parts"]
    assert [part["to"] - part["from"] for part in parts] == [200] * 10
    assert [part["band"] for part in parts] == [2, 3, 4, 5, 5, 5, 5, 4, 3, 2]
    assert parts[0]["from"] == 1000 and parts[-1]["to"] == 3000
    assert modules["bands"] == [0, 1, 1, 2, 3, 4, 5, 5] and modules["holes"] == []
    assert modules["altitudes"][:3] == [200, 200, 200] and modules["altitudes"][-1] == modules["altitudes"][-2]


def test_gauge_shows_the_value_in_its_target(modules):
    speed, least, power, pace, heart, zone, unknown, stale, fast = modules["gauges"]
    assert (speed["low"], speed["high"]) == (0.33, 0.67) and speed["at"] == 0.18 and speed["value"] == "22.7 km/h"
    assert (least["low"], least["high"]) == (0, 0.5) and least["at"] == pytest.approx(0.77, abs=0.01)
    assert (power["low"], power["high"], power["value"]) == (0.5, 1, "210 W")
    # The faster, the further on.
    assert pace["value"] == "4:40 /km" and 0.33 < pace["at"] < 0.67
    assert heart == {"low": 0.33, "high": 0.67, "at": 0.6, "value": "148 bpm"}
    assert zone == {"low": 0.2, "high": 0.6, "at": 0.3, "value": "2"}
    assert unknown["at"] is None and unknown["value"] == "--" and stale["at"] is None
    assert fast["at"] == 1


def test_rest_of_a_step_is_counted_down_in_its_last_5_seconds(modules):
    assert [rest and (rest["text"], rest["isLast"]) for rest in modules["rests"]] == [
        ("4:00", False), ("0:59", False), ("0:06", False), ("5", True), ("1", True), ("0:00", False), ("1.20 km", False), ("341 m", False),
        ("2", True), ("14 m", False), None]


def test_setting_of_a_workout_is_never_shown(modules):
    assert modules["words"] == ["0.2 km · Speed 25–30 km/h · Steady", "Later", "Step"]


# What of the strips and of the page of a climb leaves its place, or is covered by it.
SPILLED = """() => [
        ...document.querySelectorAll('.strip b, .arrow:not([style*=rotate]), .step-left, .gauge-bar, .gauge-value, .climb-values dd')
    ].filter((part) => part.checkVisibility()).filter((part) => {
        const box = part.getBoundingClientRect(), place = part.closest('.strip, .step, .climb-page').getBoundingClientRect();
        const isOut = box.left < place.left - 1 || box.right > place.right + 1 || box.top < place.top - 2 || box.bottom > place.bottom + 2;
        return isOut || part.scrollWidth > part.clientWidth + 1 && part.matches('dd');
    }).map((part) => `${part.className} ${part.textContent}`)"""
HEIGHTS = """() => {
    const [strips, stage] = ['.strips', '.stage'].map((one) => document.querySelector(one).getBoundingClientRect());
    return [strips.height, stage.top];
}"""


def test_page_of_a_climb_opens_at_its_foot_and_closes_at_its_top(shown):
    page = shown(at(900, 100), width=360, height=740)
    opened = page.locator(".climb-page")
    expect(page.locator(".strip")).to_contain_text("On the course")
    expect(opened).to_be_hidden()
    make(page, at(1000, 102))
    expect(opened).to_contain_text("Climb 1 of 1")
    expect(page.get_by_role("img", name="Profile of the climb")).to_be_visible()
    expect(page.locator(".stage")).to_be_hidden()
    make(page, at(1700, 300))
    expect(opened.locator("dd")).to_have_text(["13 %", "13 %", "1.3 km", "138 m", "912 m/h"])
    assert violations(page) == []
    page.evaluate("""() => {
        const later = window.setTimeout;
        window.setTimeout = (call, time) => later(call, time === 8000 ? 1000 : time);
    }""")
    make(page, at(3001, 502))
    expect(opened.locator("h2")).to_have_text("Climb 1 of 1: top")
    expect(opened.locator("dd").first).to_have_text("6:40")
    expect(opened).to_be_hidden()
    expect(page.locator(".stage")).to_be_visible()


def test_page_of_a_climb_that_was_left_stays_away(shown):
    page = shown(at(1000, 100))
    opened = page.locator(".climb-page")
    expect(opened).to_be_visible()
    figure = page.locator(".pager .figure").text_content()
    page.keyboard.press("ArrowRight")
    expect(opened).to_be_hidden()
    assert page.locator(".pager .figure").text_content() == figure
    make(page, at(1200, 160))
    expect(page.locator(".strip b")).to_have_text("3.8 km")
    expect(opened).to_be_hidden()
    # Another run climbs anew, unless the browser does not want it.
    make(page, at(1200, 160, activity=18))
    expect(opened).to_be_visible()
    page.locator("details.display summary").click()
    page.get_by_label("A page opens at climbs").uncheck()
    expect(opened).to_be_hidden()
    page.get_by_label("A page opens at climbs").check()
    expect(opened).to_be_visible()


def test_turn_has_a_card_in_the_place_of_the_strip(shown):
    page = shown(STRIPS["on"], width=360, height=740)
    strip = page.locator(".strip")
    expect(strip).to_contain_text("then Slight right in 900 m: Old Bridge")
    place = page.evaluate(HEIGHTS)
    make(page, STRIPS["ride 150"])
    expect(strip).to_have_class("strip is-moving is-near")
    expect(strip.locator("b")).to_have_text("150 m")
    assert strip.locator(".arrow").bounding_box()["height"] > 80
    # No field moves.
    assert page.evaluate(HEIGHTS) == place and place[0] <= 740 / 3
    make(page, STRIPS["stale"])
    expect(strip).to_have_class("strip is-moving is-old")
    make(page, STRIPS["lost while off"])
    expect(strip).to_have_text("No position")
    assert page.evaluate(HEIGHTS) == place


def test_step_of_a_workout_has_its_rest_and_a_gauge(shown):
    page = shown(riding(workout=WORKOUT), width=360, height=740)
    step = page.get_by_role("region", name="Workout")
    expect(step.locator(".step-left")).to_have_text("4:00")
    expect(step.locator(".step-name")).to_have_text("2/5 · 25–30 km/h · Steady")
    expect(step.locator(".step-next")).to_have_text("Next: 0.2 km · Speed at most 20 km/h · Easy")
    gauge = step.get_by_role("meter", name="Speed 25–30 km/h")
    expect(gauge).to_have_attribute("aria-valuetext", "22.7 km/h, below the target")
    expect(gauge).to_have_attribute("aria-valuenow", "18")
    assert violations(page) == []
    make(page, riding(workout=WORKOUT | {"text": "lap zone 2"}))
    expect(step.locator(".step-name")).to_have_text("2/5 · Heart-rate zone 2")
    make(page, riding(workout=WORKOUT | {"remaining_ms": 3400}))
    expect(step.locator(".step-left")).to_have_text("4")
    expect(step).to_have_class("step is-last")
    make(page, riding(workout={"steps": 5, "done": True}))
    expect(step).to_have_text("Workout done", use_inner_text=True)
    make(page, riding())
    expect(step).to_be_hidden()


def test_first_page_has_none_of_it(server, pages):
    page = pages.open(server)
    expect(page.locator(".stage .cell")).not_to_have_count(0)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)")
    assert not {"/climb.js", "/climb-figures.js", "/workout-step.js", "/workout-figures.js", "/motion.css"} & set(loaded)


@pytest.mark.parametrize("theme", themes())
@pytest.mark.parametrize(("width", "height"), matrix(SIZES, 480))
@pytest.mark.parametrize("language", matrix(["en-GB", "de-DE"], "de-DE"))
def test_strips_have_a_third_of_the_window_and_nothing_spills(shown, width, height, theme, language):
    states = {"on": STRIPS["on"], "near": STRIPS["ride 150"], "off": STRIPS["rejoining"], "step": riding(workout=WORKOUT),
              "last": riding(workout=WORKOUT | {"remaining_ms": 3400}),
              "both": riding(workout=WORKOUT, course=course(cue=TURN | {"distance_m": 120})), "climb": at(1700, 300), "top": at(3001, 1502)}
    page = shown(states["on"], width=width, height=height, theme=theme, locale=language)
    expect(page.locator(".strip")).to_contain_text("Old Bridge")
    # The commands give way on a low window.
    if height < 360:
        page.evaluate("for (const node of document.querySelectorAll('.controls, .pager, .links')) node.style.display = 'none'")
    for name, state in states.items():
        page.evaluate("window.seen = undefined")
        make(page, state | {"name": name})
        wait_for(lambda name=name: page.evaluate("window.seen") == name, 60, f"the state {name}")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate(HEIGHTS)[0] <= height / 3 + 1, name
        assert page.evaluate(SPILLED) == [], name
