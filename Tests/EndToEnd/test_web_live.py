"""The live page of paced-web in Debian's chromium: a run by clicking, its fields, and a lost server."""

import contextlib
import re

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.paced_net import StandingGpsd
from harness.paced_web import PacedWeb, themes
from harness.process import PACECTL, ManagedProcess
from harness.timing import wait_for
from matrix import matrix

SIZES = [(320, 640), (414, 896), (640, 320), (1024, 768), (1920, 1080)]
FIRST_LOAD = 150_000


@pytest.fixture
def web_of(stage):
    """A server of the pages of a daemon with some options."""
    def web_of(*options, **environment):
        daemon = stage.paced(*options, **environment)
        return stage.start(PacedWeb(stage.directory, daemon))
    return web_of


@pytest.fixture
def web(web_of):
    """The pages of a daemon without sensors and receiver."""
    return web_of("--gpsd", "off", "--bluetooth", "off")


@pytest.fixture(scope="module")
def idle(long_stage):
    """The same, for tests that start no run and change no setting."""
    return long_stage.start(PacedWeb(long_stage.directory, long_stage.paced("--gpsd", "off", "--bluetooth", "off")))


@pytest.fixture
def opened(pages):
    """Opens the live page."""
    def opened(web, path="", **options):
        page = pages.open(web, path, **options)
        expect(page.locator(".stage .cell")).not_to_have_count(0)
        return page

    return opened


def stop_button(page):
    return page.get_by_role("button", name=re.compile("^Stop"))


def hold(page):
    """Holds the button Stop until the page asks."""
    until_shown(page.get_by_role("dialog"), stop_button(page), lambda: (stop_button(page).hover(), page.mouse.down()),
                page.mouse.up)


def until_shown(wanted, control, press, release=lambda: None):
    """Presses a control until the page shows what is wanted. A press is lost while the control is off: no line comes."""
    for _ in range(5):
        expect(control).to_be_enabled()
        press()
        with contextlib.suppress(AssertionError):
            expect(wanted).to_be_visible(timeout=15_000)
        release()
        if wanted.is_visible():
            return
    expect(wanted).to_be_visible()


def lap_numbers(page):
    return page.locator(".laps tbody th").all_text_contents()


def field(page, name):
    return page.locator(f'.stage [data-field="{name}"]')


def test_first_load_is_small_and_takes_the_code_out_of_the_address(idle, browser):
    context = browser.new_context()
    context.set_default_timeout(60_000)
    page = context.new_page()
    loaded = []
    page.on("requestfinished", lambda request: loaded.append(request))
    page.goto(f"{idle.url}/#code={idle.code()}")
    expect(page.locator("main.live")).to_be_visible()
    assert page.url == f"{idle.url}/"
    files = {request.url: request.sizes()["responseBodySize"] for request in loaded if "/api" not in request.url.replace("/api.js", "")}
    assert sum(files.values()) < FIRST_LOAD, files
    assert [url for url in files if "texts/" in url] == [f"{idle.url}/texts/en.js"]


def test_whole_run_by_clicking(web, opened):
    page = opened(web)
    page.get_by_label("Sport").select_option("ride")
    button(page, "Start").click()
    expect(page.locator(".status")).to_contain_text("Riding")
    button(page, "Pause").click()
    expect(page.locator(".status")).to_contain_text("Paused")
    button(page, "Resume").click()
    expect(page.locator(".status")).to_contain_text("Riding")
    wait_for(lambda: web.daemon.call("status")["lap"]["elapsed_ms"] > 1000, 60, "a lap of a second")
    button(page, "Lap").click()
    expect(page.locator(".line.notice")).to_contain_text("Lap 1")
    hold(page)
    button(page, "Save").click()
    expect(page.locator(".summary")).to_contain_text("Saved: Ride")
    expect(button(page, "Start")).to_be_visible()
    [kept] = wait_for(
        lambda: [one for one in web.daemon.call("activities.list") if not one["open"]], 60, "an activity that has ended")
    assert (kept["sport"], kept["laps"]) == ("ride", 2)
    expect(page.get_by_role("link", name="Show the activity")).to_have_attribute("href", f"/activity.html#{kept['id']}")
    button(page, "Close").click()
    expect(page.locator(".summary")).to_have_count(0)


@pytest.mark.thorough
def test_discard_asks_twice_and_cancel_lets_the_run_go_on(web, opened):
    page = opened(web)
    button(page, "Start").click()
    expect(button(page, "Pause")).to_be_visible()
    hold(page)
    button(page, "Cancel").click()
    assert web.daemon.call("status")["run"] == "active"
    hold(page)
    button(page, "Discard").click()
    expect(page.get_by_role("dialog")).to_contain_text("Discard for good?")
    assert web.daemon.call("status")["run"] == "active"
    button(page, "Discard").click()
    expect(button(page, "Start")).to_be_visible()
    expect(page.locator(".line.notice")).to_have_text("Discarded.")
    wait_for(lambda: web.daemon.call("activities.list") == [], 60, "an empty list of activities")


@pytest.mark.thorough
def test_short_press_of_stop_does_nothing(web, opened):
    page = opened(web)
    # The clock of the page is slow, so that no press of this test is long.
    page.evaluate("""() => {
        const real = performance.now.bind(performance), begun = real();
        performance.now = () => begun + (real() - begun) / 50;
    }""")
    button(page, "Start").click()
    stop = stop_button(page)
    stop.click()
    expect(button(page, "Pause")).to_be_enabled()
    expect(page.get_by_role("dialog")).to_have_count(0)
    stop.hover()
    page.mouse.down()
    expect(stop.locator("circle:not(.way)")).not_to_have_attribute("stroke-dashoffset", re.compile(r"^125\.6"))
    page.mouse.up()
    expect(stop.locator("circle:not(.way)")).to_have_attribute("stroke-dashoffset", re.compile(r"^125\.6"))
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_screen_stays_on_during_a_run(web, opened):
    page = opened(web)
    page.add_init_script("""window.locks = [];
        Object.defineProperty(navigator, 'wakeLock', { value: { request: async (kind) => {
            const lock = { kind, released: false, release: async () => { lock.released = true; } };
            window.locks.push(lock);
            return lock;
        } } });""")
    page.reload()

    def locks():
        return page.evaluate("window.locks.map(({ kind, released }) => [kind, released])")

    button(page, "Start").click()
    wait_for(lambda: locks() == [["screen", False]], 60, "a lock of the screen")
    button(page, "Pause").click()
    wait_for(lambda: locks() == [["screen", True]], 60, "no lock in a pause")
    button(page, "Resume").click()
    wait_for(lambda: locks() == [["screen", True], ["screen", False]], 60, "a lock of the screen again")


def test_refused_command_is_shown_as_a_line(web, opened):
    def pause_first(route):
        """Another client pauses the run just before the lap of the page."""
        if "run.lap" in route.request.post_data:
            web.daemon.call("run.pause")
        route.continue_()

    page = opened(web, route=pause_first)
    button(page, "Start").click()
    button(page, "Lap").click()
    expect(page.locator(".line.fault")).to_contain_text("cannot lap while paused")


@pytest.mark.thorough
def test_stop_of_another_client_closes_the_question(web, opened):
    page = opened(web)
    button(page, "Start").click()
    hold(page)
    web.daemon.call("run.stop")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".summary")).to_contain_text("Saved: Run")


def test_run_by_keyboard_alone(web, opened):
    page = opened(web)
    expect(button(page, "Start")).to_be_enabled()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start":
            break

    def press(name, key, following):
        until_shown(button(page, following), button(page, name),
                    lambda: (button(page, name).focus(), page.keyboard.press(key)))
        expect(button(page, following)).to_be_focused()

    press("Start", "Enter", "Pause")
    press("Pause", "Space", "Resume")
    until_shown(page.get_by_role("dialog"), stop_button(page),
                lambda: (button(page, "Mark").focus(), page.keyboard.press("Tab"), page.keyboard.down("Enter")),
                lambda: page.keyboard.up("Enter"))
    expect(button(page, "Save")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert web.daemon.call("status")["run"] == "paused"
    page.keyboard.press("ArrowRight")
    expect(field(page, "lap_time")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(field(page, "time")).to_be_visible()


def test_zone_is_a_ring_if_the_screen_says_so(web_of, opened):
    web = web_of("--demo")
    web.daemon.call("settings.set", key="zones", value=[60, 120, 140, 160, 180])
    web.daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    web.daemon.call("settings.set", key="screens", value={"run": [{"fields": ["heart_rate", {"field": "zone", "size": 40}]}]})
    page = opened(web)
    meter = field(page, "zone").get_by_role("meter")
    expect(meter).to_have_class("zone-bar")
    web.daemon.call("settings.set", key="screens", value={
        "run": [{"fields": ["heart_rate", {"field": "zone", "size": 40, "style": "ring"}]}]})
    expect(meter).to_have_class("zone-ring")
    expect(field(page, "zone").locator(".title")).to_have_text(re.compile("^(Zone [1-5]|Warm Up)$"))
    part = float(meter.get_attribute("aria-valuenow")) / 100
    assert 0 <= part <= 1 and meter.locator(".ticks path").count() == 4
    wait_for(lambda: float(meter.get_attribute("aria-valuenow")) > 0, 60, "a heart rate in zone 1 or above")
    drawn, way = map(float, meter.locator(".fill").get_attribute("stroke-dasharray").split())
    assert 0 < drawn <= way
    assert violations(page) == []
    # Beside others, without a title.
    others = [{"field": "time", "size": 54}, "distance", "pace", "heart_rate"]
    web.daemon.call("settings.set", key="screens", value={
        "run": [{"fields": [*others, {"field": "zone", "title_visible": False, "style": "ring"}]}]})
    page.set_viewport_size({"width": 800, "height": 480})
    expect(field(page, "pace")).to_be_visible()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(CLIPPED) == []


# A board with Bluetooth that knows no strap, as the page sees it: `window.heart` and `window.run` replace what STATE has.
SEARCHING = """const parse = JSON.parse;
    window.heart = { link: 'disconnected', reason: 'searching' };
    JSON.parse = (text) => {
        const line = parse(text);
        return line?.class === 'STATE' ? { ...line, heart: window.heart, run: window.run ?? line.run } : line;
    };"""


@pytest.fixture
def searching(idle, opened):
    """Opens the live page of such a board. `scans` are the answers to sensor.scan, the last one again and again."""
    def searching(scans, **options):
        asked = []

        def answer(route):
            request = route.request.post_data_json
            if not request["method"].startswith("sensor."):
                return route.fallback()
            asked.append((request["method"], request["params"]))
            result = (scans.pop(0) if len(scans) > 1 else scans[0]) if request["method"] == "sensor.scan" else {"link": "connecting"}
            error = {"error": result} if "code" in result else {"result": result}
            return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], **error})

        page = opened(idle, route=answer, **options)
        page.add_init_script(SEARCHING)
        page.reload()
        page.asked = asked
        return page

    return searching


def strap(name, level, kinds=("heart-rate",)):
    return {"address": f"A0:9E:1A:00:00:{name}", "address_type": "public", "name": f"H10 {name}", "rssi_dbm": level, "kinds": kinds,
            "services": []}


def test_nearest_strap_is_connected_before_a_run(searching):
    far, near = strap("01", -70), strap("02", -48)
    page = searching([[], [strap("03", -30, ["power"]), far], [far, near]], width=320, height=480)
    offer = field(page, "heart_rate").get_by_role("button")
    expect(offer).to_have_text("Connect nearest strap")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(CLIPPED) == [] and violations(page) == []
    offer.press("Enter")
    expect(page.locator(".line.notice")).to_have_text("H10 02 is used from now on.")
    assert [method for method, _ in page.asked] == ["sensor.scan"] * 3 + ["sensor.use"]
    assert page.asked[-1][1] == {"sensor": near["address"], "address_type": "public"}
    # Where a strap is known or a run is in progress, nothing is there to be pressed.
    for change in ("window.heart = { link: 'connecting', address: '00' }", "window.heart = { link: 'disconnected', reason: 'off' }",
                   "window.heart = { link: 'disconnected', reason: 'out-of-range', address: '00' }"):
        page.evaluate(change)
        expect(offer).to_have_count(0)
        page.evaluate("window.heart = { link: 'disconnected', reason: 'ambiguous', name: 'A, B' }")
        expect(offer).to_be_visible()
    page.evaluate("window.run = 'active'")
    expect(offer).to_have_count(0)


@pytest.mark.parametrize(("scan", "said"), [
    ([], "No strap is heard. Wear it"), ([strap("01", -70)], "H10 01 is heard, but it is not near (-70 dBm)"),
    ({"code": -32002, "message": "busy", "data": {"message": "a scan is in progress"}}, "a scan is in progress")])
def test_search_without_a_near_strap_says_why(searching, scan, said):
    page = searching([scan])
    offer = field(page, "heart_rate").get_by_role("button")
    offer.click()
    expect(page.locator(".line.fault")).to_contain_text(said)
    expect(offer).to_have_text("Connect nearest strap")
    assert "sensor.use" not in [method for method, _ in page.asked]


@pytest.mark.thorough
def test_browser_that_may_only_watch_connects_no_strap(searching):
    page = searching([[]], scope="watch")
    expect(field(page, "heart_rate")).to_contain_text("No HR")
    expect(field(page, "heart_rate").get_by_role("button")).to_have_count(0)


def test_page_follows_the_setting_screens(web, opened):
    page = opened(web)
    expect(field(page, "time")).to_be_visible()
    title = "<img src=x onerror=a>"
    web.daemon.call("settings.set", key="screens", value={"run": [
        {"fields": [
            {"field": "laps", "title": title, "size": 30, "colour": "red"}, {"field": "battery", "title_visible": False},
            {"field": "pace", "visible": False}, "zone"]}]})
    expect(field(page, "laps").locator(".title")).to_have_text(title)
    expect(field(page, "time")).to_have_count(0)
    expect(field(page, "pace")).to_have_count(0)
    assert field(page, "battery").locator("dt").bounding_box()["height"] <= 1
    # Zones are off.
    expect(field(page, "zone")).to_have_count(0)
    web.daemon.call("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    web.daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    expect(field(page, "zone")).to_have_count(1)
    colour = field(page, "laps").locator(".value").evaluate("node => getComputedStyle(node).color")
    assert colour == "rgb(179, 0, 15)"
    web.daemon.call("settings.set", key="metric", value=False)
    web.daemon.call("settings.set", key="screens", value={"run": [{"fields": ["distance"]}]})
    expect(field(page, "distance")).to_contain_text("mi")


@pytest.mark.thorough
def test_indoor_run_leaves_out_what_needs_a_position(web, opened):
    page = opened(web)
    page.get_by_label("Indoor").check()
    button(page, "Start").click()
    expect(field(page, "time")).to_be_visible()
    expect(field(page, "distance")).to_have_count(0)
    expect(field(page, "pace")).to_have_count(0)
    assert web.daemon.call("status")["indoor"] is True


def test_page_survives_the_loss_of_the_server(web, opened):
    page = opened(web, allowed="Failed to load resource|ERR_")
    button(page, "Start").click()
    expect(button(page, "Pause")).to_be_visible()
    daemon = web.daemon
    lap_after_a_second(daemon)
    button(page, "Previous page").click()
    expect(page.locator(".laps tbody th")).to_have_text(["2", "1"])
    button(page, "Next page").click()
    web.stop()
    expect(page.locator(".line.connection")).to_contain_text("No connection")
    expect(page.locator(".old-note")).to_contain_text("old")
    expect(page.locator(".line.connection")).to_contain_text("old")
    expect(button(page, "Pause")).to_be_disabled()
    assert float(field(page, "time").locator(".value").evaluate("node => getComputedStyle(node).opacity")) < 1
    for _ in range(2):
        lap_after_a_second(daemon)
    web.restart()
    expect(page.locator(".old-note")).to_be_hidden()
    expect(page.locator(".line.connection")).to_be_hidden()
    expect(page.locator(".line.notice")).to_contain_text("Lap 3")
    expect(button(page, "Pause")).to_be_enabled()
    button(page, "Previous page").click()
    expect(page.locator(".laps tbody th")).to_have_text(["4", "3", "2", "1"])


def lap_after_a_second(daemon):
    """Closes the lap as soon as it is long enough."""
    wait_for(lambda: "run" in daemon.call("run.lap"), 60, "a lap that is closed")


def is_written(state):
    """Whether the start of the lap is in the journal, which is written each second."""
    return state["lap"]["elapsed_ms"] > state["recorder"].get("lag_ms", 60_000) + 2000


@pytest.mark.thorough
def test_page_survives_a_restart_of_paced(web, opened):
    page = opened(web, allowed="Failed to load resource|ERR_")
    button(page, "Start").click()
    expect(button(page, "Pause")).to_be_visible()
    lap_after_a_second(web.daemon)
    wait_for(lambda: is_written(web.daemon.call("status")), 60, "a lap that is on the disk")
    web.daemon.kill()
    expect(page.locator(".old-note")).to_contain_text("old")
    web.daemon.start()
    expect(page.locator(".old-note")).to_be_hidden()
    button(page, "Previous page").click()
    expect(page.locator(".laps tbody th")).to_have_text(["2", "1"])


# The greatest extent of the pixels of the trail on the map, in px.
EXTENT = """() => {
    const { width, height } = document.querySelector('.map canvas');
    const { data } = document.querySelector('.map canvas').getContext('2d').getImageData(0, 0, width, height);
    const [red, green, blue] = [0x00, 0x46, 0xb8];
    const box = [width, height, 0, 0];
    for (let index = 0; index < width * height; index += 1) {
        if (data[4 * index] !== red || data[4 * index + 1] !== green || data[4 * index + 2] !== blue) continue;
        const [x, y] = [index % width, Math.floor(index / width)];
        box[0] = Math.min(box[0], x);
        box[1] = Math.min(box[1], y);
        box[2] = Math.max(box[2], x);
        box[3] = Math.max(box[3], y);
    }
    return Math.max(box[2] - box[0], box[3] - box[1]);
}"""


@pytest.mark.thorough
def test_late_page_has_laps_and_trail_of_the_run(web_of, opened):
    web = web_of("--demo=run")
    wait_for(lambda: web.daemon.call("status").get("distance_m", 0) > 50, 60, "50 m of the demo")
    web.daemon.call("run.lap")
    # No position comes after this: the trail is that of the track.
    web.daemon.call("run.pause")
    page = opened(web, width=1024, height=768, allowed="^Canvas2D")
    expect(page.locator(".laps tbody th")).to_have_text(["2", "1"])
    button(page, "Show all").click()
    # Four pixels a metre.
    wait_for(lambda: page.evaluate(EXTENT) > 140, 60, "a trail of 35 m")


def test_watch_token_sees_values_and_no_buttons(web, opened):
    web.daemon.call("run.start", sport="run")
    page = opened(web, scope="watch")
    expect(field(page, "time")).to_be_visible()
    expect(page.locator(".controls button")).to_have_count(0)
    expect(page.locator(".controls")).to_contain_text("pacectl web code --control")
    expect(page.locator('nav [data-page="settings"]')).to_have_count(1)
    assert page.locator('nav [data-page="settings"]').get_attribute("hidden") is not None


def test_wrong_code_and_revoked_token_lead_to_the_form(idle, browser):
    page = browser.new_context(locale="en-GB").new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{idle.url}/#code=wrong")
    expect(page.get_by_role("alert")).to_contain_text("The code is wrong")
    assert violations(page) == []
    page.get_by_label("Code").fill(f"{idle.url}/#code={idle.code()}")
    page.keyboard.press("Enter")
    expect(page.locator("main.live")).to_be_visible()
    page.evaluate("localStorage.setItem('paced.token', 'revoked')")
    button(page, "Start").click()
    expect(page.get_by_label("Code")).to_be_visible()
    # The printed address in the tab that asks: only its fragment is new, so the browser loads nothing.
    page.evaluate("(code) => { location.hash = `code=${code}`; }", idle.code())
    expect(page.locator("main.live")).to_be_visible()
    assert "code" not in page.url


def test_link_that_may_only_watch_asks_before_it_replaces_a_control_token(idle, browser):
    page = browser.new_context(locale="en-GB").new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{idle.url}/#code={idle.code()}")
    expect(button(page, "Start")).to_be_visible()
    kept = page.evaluate("localStorage.getItem('paced.token')")
    others = len(idle.admin.result("web.tokens"))
    for choice, isKept in [("Keep commanding", True), ("Only watch", False)]:
        page.goto("about:blank")
        page.goto(f"{idle.url}/#code={idle.watch_code()}")
        button(page, choice).click()
        expect(page.locator("main.live")).to_be_visible()
        expect(button(page, "Start")).to_have_count(1 if isKept else 0)
        assert (page.evaluate("localStorage.getItem('paced.token')") == kept) == isKept
        # The token that is not used is signed out again.
        assert len(idle.admin.result("web.tokens")) == others + (0 if isKept else 1)


def test_faults_say_what_to_do(web_of, opened):
    web = web_of("--gpsd", "off", "--bluetooth", "off", TIME_OF_DAY="unset")
    web.daemon.call("run.start", sport="run")
    page = opened(web)
    [fault] = wait_for(lambda: web.daemon.call("status")["faults"], 60, "a fault")
    expect(page.locator(".banner")).to_contain_text(fault["message"])


@pytest.mark.parametrize("theme", themes())
def test_page_is_accessible_in_each_theme(web_of, opened, theme):
    web = web_of("--demo=ride")
    zones(web)
    page = opened(web, theme=theme)
    expect(field(page, "speed")).to_be_visible()
    assert violations(page) == []
    button(page, "Menu").click()
    assert violations(page) == []
    button(page, "Menu").click()
    for _ in range(2):
        button(page, "Previous page").click()
        expect(page.locator(".side")).to_be_visible()
        assert violations(page) == []
    hold(page)
    assert violations(page) == []
    button(page, "Cancel").click()
    page.set_viewport_size({"width": 1920, "height": 1080})
    expect(page.locator(".stage")).to_be_visible()
    page.locator("details.display summary").click()
    assert violations(page) == []


def zones(web):
    web.daemon.call("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    web.daemon.call("settings.set", key="use_heart_rate_zones", value=True)


# Elements of the stage and of the commands whose text is wider or higher than they are, or that leave the window.
CLIPPED = """() => {
    const parts = [...document.querySelectorAll('.stage .value, .stage .zone-name, .controls button, .stage, .band')];
    const limits = document.querySelector('.stage').getBoundingClientRect();
    return parts.filter((part) => part.checkVisibility()).filter((part) => {
        const box = part.getBoundingClientRect();
        const cell = part.closest('.cell')?.getBoundingClientRect();
        const isOut = box.left < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5;
        const isWide = cell && (box.left < cell.left - 1 || box.right > cell.right + 1);
        const isLow = cell && cell.bottom > limits.bottom + 1;
        return isOut || isWide || isLow || (part.clientWidth && part.scrollWidth > part.clientWidth + 1)
            || (part.matches('.stage') && part.scrollHeight > part.clientHeight + 1);
    }).map((part) => part.outerHTML.slice(0, 200));
}"""


@pytest.mark.parametrize("theme", themes())
@pytest.mark.parametrize(("width", "height"), matrix(SIZES, 320))
def test_nothing_is_clipped_or_scrolls_sideways(web_of, opened, width, height, theme):
    web = web_of("--demo=ride")
    zones(web)
    page = opened(web, width=width, height=height, theme=theme)
    expect(page.locator(".stage .cell").first).to_be_visible()
    pages = page.locator(".dots i").count()
    for _ in range(pages):
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CLIPPED) == []
        page.keyboard.press("ArrowRight")


def test_figures_are_those_of_printf_and_of_runfree(idle, opened):
    page = opened(idle)
    values = [value / 1024 for value in range(-3000, 9000, 7)] + [0.125, 2.5, 1.005, 42.195, 1e-9, 123456789.5]
    for decimals in range(3):
        said = page.evaluate("""async ([values, decimals]) => {
            const { plainDecimal } = await import('/format.js');
            return values.map((value) => plainDecimal(value, decimals));
        }""", [values, decimals])
        assert said == [f"{value:.{decimals}f}" for value in values]
    said = page.evaluate("""async () => {
        const f = await import('/format.js');
        const times = [0, 100, 9900, 59900, 60000, 599900, 3599900, 3600000, 36610000];
        return [times.map(f.elapsed), [20, 15, 12.5, 12, 10, 5, 0.1].map((metres) => f.paceFigures(5 / metres)),
            [f.paceFigures(undefined), f.speedFigures(undefined), f.heightFigures(undefined), f.difference(-61000)]];
    }""")
    assert said == [
        ["0.0", "0.1", "9.9", "59.9", "1:00", "9:59", "59:59", "1:00:00", "10:10:10"],
        ["4:10", "5:33", "6:40", "6:56", "8:20", "16:40", "833:20"], ["--:--", "--.-", "--", "-1:01"]]


def test_german_page_has_all_texts_and_a_comma(web_of, opened):
    web = web_of("--demo=run")
    page = opened(web, locale="de-DE")
    expect(field(page, "distance")).to_contain_text(re.compile(r"\d,\d\d"))
    expect(button(page, "Pause")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    keys = page.evaluate("""async () => {
        const keys = async (name) => Object.keys((await import(`/texts/${name}.js`)).default);
        return [await keys('en'), await keys('de')];
    }""")
    # The messages of faults and the sentences of errors come from paced in English.
    own = [{key for key in known if not key.startswith(("fault.", "= "))} for known in keys]
    assert own[0] == own[1]


@pytest.mark.thorough
def test_trail_and_laps_do_not_grow_without_end(idle, opened):
    page = opened(idle)
    assert page.evaluate("""async () => {
        const { Trail } = await import('/trail.js');
        const { Laps } = await import('/laps.js');
        const trail = new Trail();
        for (let index = 0; index < 60000; index += 1) trail.add(50 + index * 1e-4, 8);
        const laps = new Laps(document.createElement('div'));
        for (let number = 1; number <= 900; number += 1) {
            laps.add({ number, elapsed_ms: 1000, distance_m: 3 });
            if (number % 90 === 0) laps.render({ run: 'idle', sport: 'run' });
        }
        return [trail.points.length > 2000, trail.points.length <= 5000, laps.body.children.length];
    }""") == [True, True, 500]


GPX = """<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Hill</name><trkseg>{}</trkseg></trk></gpx>"""


@pytest.mark.thorough
def test_swipe_changes_the_page(idle, opened):
    page = opened(idle)
    expect(field(page, "time")).to_be_visible()
    box = page.locator(".stage").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 210, steps=5)
    page.mouse.up()
    expect(field(page, "lap_time")).to_be_visible()


def test_start_without_a_position_may_wait_for_one(stage, web_of, opened):
    gpsd = stage.keep(StandingGpsd(None))
    web = web_of("--gpsd", gpsd.option, "--bluetooth", "off")
    page = opened(web)
    page.get_by_label("Sport").select_option("ride")
    button(page, "Start").click()
    question = question_of(page)
    expect(question).to_contain_text("There is no position yet")
    question.get_by_role("button", name="Wait for a position").click()
    expect(page.locator(".status")).to_contain_text("Waiting for a position")
    button(page, "Do not wait").click()
    expect(button(page, "Start")).to_be_enabled()
    assert "waiting" not in web.daemon.call("status")
    button(page, "Start").click()
    question.get_by_role("button", name="Wait for a position").click()
    expect(button(page, "Start now")).to_be_visible()
    # The wait is in the daemon.
    page.close()
    gpsd.place = (52.5, 13.4)
    wait_for(lambda: web.daemon.call("status")["run"] == "active", 30, "the start")
    # The sport stays chosen.
    assert web.daemon.call("settings.get", key="sport") == "ride"
    page = opened(web)
    # A short tap says what to do, and the question whether the timer runs.
    stop_button(page).click()
    expect(page.locator(".line.notice")).to_contain_text("Hold Stop")
    hold(page)
    expect(question_of(page)).to_contain_text("The timer runs")
    question_of(page).get_by_role("button", name="Cancel").click()
    button(page, "Pause").click()
    hold(page)
    expect(question_of(page)).to_contain_text("The timer is paused")
    question_of(page).get_by_role("button", name="Save").click()
    expect(button(page, "Start")).to_be_visible()


def question_of(page):
    return page.get_by_role("dialog")


def test_theme_and_language_change_at_once_and_stay(web, opened):
    page = opened(web)
    button(page, "Start").click()
    page.locator("details.display summary").click()
    page.get_by_label("Theme").select_option("e-ink")
    expect(page.locator("html")).to_have_attribute("data-theme", "e-ink")
    expect(page.locator(".stage .value").first).to_have_css("color", "rgb(0, 0, 0)")
    expect(page.locator(".line.connection")).to_be_hidden()
    page.get_by_label("Language").select_option("de")
    expect(page.locator(".status")).to_contain_text("Laufen")


def test_theme_follows_sunrise_and_sunset(idle, opened):
    page = opened(idle)
    html = page.locator("html")
    page.locator("details.display summary").click()
    page.get_by_label("Theme").select_option("sun")
    for state, theme in [("night", "dark"), ("day", "sunlight"), ("twilight", "dark"), ("polar-day", "sunlight"), ("polar-night", "dark")]:
        page.evaluate("async (state) => (await import('/theme.js')).followSun(state)", state)
        expect(html).to_have_attribute("data-theme", theme)
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")


def test_lines_of_partner_wind_and_sun(idle, opened):
    page = opened(idle)
    assert page.evaluate("""async () => {
        const { infoLines } = await import('/info.js');
        const blocks = {
            partner: { ahead_s: -12, ahead_m: -41, name: 'Morning run' },
            wind: { headwind_mps: 4.2, crosswind_mps: -2.5, station: 'EDDB', distance_m: 12400, age_s: 840 },
            sun: { state: 'day', set: '2026-03-01T17:05:00.000Z', light_left_s: 7300 },
            badges: { next: 'The Moon', remaining_m: 320 },
        };
        return infoLines({ blocks }).map(([, text]) => text);
    }""") == [
        "12 s and 41 m behind Morning run", "headwind 15.1 km/h, crosswind 9.0 km/h from the left, EDDB 14 min old",
        "sunset 17:05, 2 h 1 min of light left", "0.32 km to the badge The Moon"]


def test_loaded_course_shows_its_profile_and_its_line(stage, web, opened):
    points = "".join(
        f'<trkpt lat="{50 + index * 1e-4:.6f}" lon="8.0"><ele>{100 + min(index, 300) / 2}</ele></trkpt>' for index in range(500))
    (stage.directory / "hill.gpx").write_text(GPX.format(points))
    pacectl(stage, web.daemon, "course", "import", stage.directory / "hill.gpx", "--load")
    page = opened(web, width=1024, height=768)
    expect(page.locator(".course-card")).to_contain_text("Hill")
    expect(page.locator(".profile .line")).to_have_count(1)
    expect(page.locator(".profile .climb")).to_have_count(1)
    expect(page.locator(".strip")).to_be_visible()
    expect(page.locator(".strip .arrow svg")).to_be_visible()
    assert violations(page) == []
    web.daemon.call("course.unload")
    expect(page.locator(".strip")).to_be_hidden()


def pacectl(stage, daemon, *words):
    process = ManagedProcess([PACECTL, "--runtime-dir", daemon.runtime, "--state-dir", stage.directory / "state", *words])
    process.start()
    assert process.process.wait(60) == 0


@pytest.mark.thorough
def test_kiosk_has_no_navigation(idle, opened):
    page = opened(idle, path="?kiosk", width=1920, height=1080)
    expect(page.get_by_role("navigation")).to_have_count(0)
    expect(field(page, "time")).to_be_visible()


