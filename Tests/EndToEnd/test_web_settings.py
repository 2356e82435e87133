"""The editor of the run screen, the settings and the sensors of paced-web, in Debian's chromium."""

import json
import re

import pytest
from playwright.sync_api import expect

from harness.browser import button, narrow_widths, violations
from harness.paced_web import themes
from harness.timing import wait_for
from matrix import matrix

PAGES = ["screens", "settings", "sensors"]
TITLE = "A title of 24 characters"


@pytest.fixture
def opened(pages):
    """Opens a page by its name."""
    def opened(web, name, **options):
        page = pages.open(web, f"{name}.html", **options)
        expect(page.locator("h1")).to_be_visible()
        return page

    return opened


def setting(web, key):
    return web.daemon.call("settings.get", key=key)


def wait_for_setting(web, key, value):
    wait_for(lambda: setting(web, key) == value, 60, f"{key} {value}")


def fields_of(web, sport="run", page=0):
    """The names of the data fields of a page."""
    return [field if isinstance(field, str) else field["field"]
            for field in setting(web, "screens")[sport][page]["fields"]]


def wait_for_fields(web, *names, sport="run", page=0):
    wait_for(lambda: fields_of(web, sport, page) == list(names), 60, f"the fields {names}")


def row(page, field):
    return page.locator(f'.rows [data-field="{field}"]')


def edit(page, title):
    button(page, f"Edit {title}").click()
    return page.locator(".sort-row.is-open")


def rows(page):
    return page.locator(".rows > li").evaluate_all("rows => rows.map((row) => row.dataset.field)")


def preview(page):
    return page.locator(".preview .cell").evaluate_all("cells => cells.map((cell) => cell.dataset.field)")


def show_everything(page):
    """Opens what a page hides at first: details of a row, limits of alerts, a step of a workout, the text of it."""
    for box in page.locator(".alert input[type=checkbox]").all():
        box.check()
    for name in ["Add a step", "Schritt hinzufügen", "As text", "Als Text"]:
        if button(page, name).count():
            button(page, name).click()
    closed = page.locator('.opener[aria-expanded="false"]')
    if closed.count():
        closed.first.click()


# All pages

@pytest.mark.parametrize("name", matrix(PAGES, "settings"))
def test_accessible_in_each_theme(web, opened, name):
    for theme in themes():
        page = opened(web, name, theme=theme)
        expect(page.locator("main")).to_be_visible()
        show_everything(page)
        assert violations(page) == [], theme


@pytest.mark.parametrize(("locale", "word"), [("en-GB", "Settings"), ("de-DE", "Einstellungen")])
@pytest.mark.parametrize("name", matrix(PAGES, "screens"))
def test_fits_each_size_in_both_languages(web, opened, name, locale, word):
    page = opened(web, name, locale=locale, width=320)
    expect(page.locator("main")).to_be_visible()
    expect(page.locator("nav [data-page=settings]")).to_have_text(word)
    show_everything(page)
    assert narrow_widths(page) == []
    missing = page.locator("main").inner_text()
    assert not re.search(r"\b(settings|screens|sensors|workout|target|sort|colour)\.[a-z_]+\b", missing)


@pytest.mark.parametrize("name", matrix(PAGES, "sensors"))
def test_buttons_are_large_enough(web, opened, name):
    page = opened(web, name, width=320)
    expect(page.locator("main")).to_be_visible()
    show_everything(page)
    small = page.evaluate("""[...document.querySelectorAll('main :is(button, a.button, select, input)')].filter((one) =>
        one.checkVisibility() && !['checkbox', 'range'].includes(one.type) && one.getBoundingClientRect().height < 48)
        .map((one) => one.outerHTML)""")
    assert small == []


def test_parts_of_a_long_page_are_a_touch_away(web, opened):
    page = opened(web, "settings", width=360, height=740)
    jump = page.get_by_role("navigation", name="Parts of this page")
    expect(jump.get_by_role("link")).to_have_count(page.locator(".columns section").count() - 1)
    jump.get_by_role("link", name="Workout").click()
    expect(page.get_by_role("heading", name="Workout")).to_be_in_viewport()
    expect(jump).to_be_in_viewport()
    page.set_viewport_size({"width": 1024, "height": 740})
    expect(jump).to_be_hidden()


@pytest.mark.parametrize("name", matrix(PAGES, "screens"))
def test_watch_token_is_told_why_it_sees_nothing(web, opened, name):
    page = opened(web, name, scope="watch")
    expect(page.locator(".card.lone")).to_contain_text("This browser may only watch.")
    expect(page.locator("#main")).to_be_hidden()


# The run screen

def test_added_field_is_on_every_client_at_once(web, opened):
    page, other = opened(web, "screens"), opened(web, "screens")
    button(page, "Add a field").click()
    page.get_by_role("searchbox").fill("lap pa")
    expect(page.locator(".picker li:visible")).to_have_text(["Lap Pace", "Lap GAP"])
    page.keyboard.press("Enter")
    expect(button(page, "Edit Lap Pace")).to_be_focused()
    wait_for_fields(web, "time", "distance", "pace", "heart_rate", "zone", "lap_pace")
    expect(page.locator(".undo-bar")).to_contain_text("Lap Pace added.")
    expect(row(other, "lap_pace")).to_be_visible()
    expect(other.locator('.preview [data-field="lap_pace"]')).to_be_visible()


@pytest.mark.thorough
def test_picker_has_the_free_fields_of_the_sport_by_group(web, opened):
    page = opened(web, "screens")
    button(page, "Add a field").click()
    names = page.locator(".picker li button").evaluate_all("buttons => buttons.map((one) => one.dataset.field)")
    discovered = web.daemon.call("rpc.discover")["x-data-fields"]
    of_run = {field["name"] for field in discovered if "run" in field["sports"]}
    assert set(names) == of_run - {"time", "distance", "pace", "heart_rate", "zone"}
    page.get_by_role("searchbox").fill("sun")
    expect(page.locator(".picker h3:visible")).to_have_text(["Sun and wind"])
    page.get_by_role("searchbox").fill("")
    page.keyboard.press("Escape")
    expect(button(page, "Add a field")).to_be_focused()
    assert fields_of(web) == ["time", "distance", "pace", "heart_rate", "zone"]


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_drag_by_mouse(web, opened):
    page = opened(web, "screens", height=1600)
    x, y = middle(row(page, "heart_rate").locator(".grip"))
    _, above = middle(row(page, "distance").locator(".grip"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, (y + above) / 2, steps=5)
    page.mouse.move(x, above - 5, steps=5)
    assert rows(page) == ["time", "heart_rate", "distance", "pace", "zone"]
    assert fields_of(web) == ["time", "distance", "pace", "heart_rate", "zone"]
    page.mouse.up()
    wait_for_fields(web, "time", "heart_rate", "distance", "pace", "zone")
    expect(page.locator(".preview .cell").nth(1)).to_have_attribute("data-field", "heart_rate")


@pytest.mark.thorough
def test_drag_by_touch(web, opened):
    page = opened(web, "screens", height=1600, has_touch=True, is_mobile=True)
    x, y = middle(row(page, "time").locator(".grip"))
    _, below = middle(row(page, "pace").locator(".grip"))
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    touch("touchStart", (x, y))
    for part in range(1, 11):
        touch("touchMove", (x, y + (below + 5 - y) * part / 10))
    touch("touchEnd")
    wait_for_fields(web, "distance", "pace", "time", "heart_rate", "zone")


@pytest.mark.thorough
def test_escape_cancels_a_drag(web, opened):
    page = opened(web, "screens", height=1600)
    page.mouse.move(*middle(row(page, "time").locator(".grip")))
    page.mouse.down()
    x, y = middle(row(page, "zone").locator(".grip"))
    page.mouse.move(x, y + 5, steps=5)
    assert rows(page)[-1] == "time"
    page.keyboard.press("Escape")
    assert rows(page)[0] == "time"
    page.mouse.up()
    assert fields_of(web) == ["time", "distance", "pace", "heart_rate", "zone"]


def test_move_by_keyboard_is_announced(web, opened):
    page = opened(web, "screens")
    said = page.locator('[aria-live="assertive"]')
    grip = button(page, "Move Pace")
    grip.focus()
    page.keyboard.press("Space")
    expect(said).to_contain_text("Pace grabbed, place 3 of 5.")
    expect(grip).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowUp")
    expect(said).to_have_text("Pace: place 2 of 5.")
    page.keyboard.press("ArrowUp")
    expect(said).to_have_text("Pace: place 1 of 5.")
    assert fields_of(web)[0] == "time"
    page.keyboard.press("Space")
    expect(said).to_have_text("Pace dropped at place 1 of 5.")
    wait_for_fields(web, "pace", "time", "distance", "heart_rate", "zone")
    expect(grip).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("End")
    expect(said).to_have_text("Pace: place 5 of 5.")
    page.keyboard.press("Escape")
    expect(said).to_have_text("Cancelled. Pace is at place 1 of 5 again.")
    assert rows(page)[0] == "pace"
    assert fields_of(web) == ["pace", "time", "distance", "heart_rate", "zone"]


def test_details_of_a_field_and_undo(web, opened):
    page = opened(web, "screens")
    details = edit(page, "Pace")
    details.get_by_label("Title", exact=True).fill("Tempo")
    page.keyboard.press("Enter")
    first = {"field": "pace", "title": "Tempo"}
    wait_for(lambda: setting(web, "screens")["run"][0]["fields"][2] == first, 60, "a title")
    expect(page.locator('.preview [data-field="pace"] .title')).to_have_text("Tempo")
    details.get_by_role("slider").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    details.get_by_label("Colour").select_option("red")
    details.get_by_label("Show the title").uncheck()
    button(page, "Hide Pace").click()
    changed = {**first, "visible": False, "title_visible": False, "size": 27, "colour": "red"}
    wait_for(lambda: setting(web, "screens")["run"][0]["fields"][2] == changed, 60, "a style")
    expect(page.locator('.preview [data-field="pace"]')).to_have_count(0)
    expect(row(page, "pace")).to_contain_text("hidden")
    button(page, "Undo").click()
    expect(page.locator(".undo-bar")).to_contain_text("Last change undone.")
    del changed["visible"]
    assert setting(web, "screens")["run"][0]["fields"][2] == changed


def test_zone_is_drawn_as_a_ring_if_the_user_wants_so(web, opened):
    web.daemon.call("settings.set", key="zones", value=[100, 120, 140, 160, 180])
    web.daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    page = opened(web, "screens")
    expect(edit(page, "Pace").get_by_label("Drawn as")).to_have_count(0)
    style = edit(page, "Zone").get_by_label("Drawn as")
    style.select_option("ring")
    ring = {"field": "zone", "title_visible": False, "style": "ring"}
    wait_for(lambda: setting(web, "screens")["run"][0]["fields"][4] == ring, 60, "a ring")
    expect(row(page, "zone")).to_contain_text("ring")
    style.select_option("bar")
    del ring["style"]
    wait_for(lambda: setting(web, "screens")["run"][0]["fields"][4] == ring, 60, "a bar")


@pytest.mark.thorough
def test_remove_and_replace_a_field(web, opened):
    page = opened(web, "screens")
    button(edit(page, "Distance"), "Remove").click()
    wait_for_fields(web, "time", "pace", "heart_rate", "zone")
    expect(button(page, "Edit Pace")).to_be_focused()
    button(page, "Undo").click()
    wait_for_fields(web, "time", "distance", "pace", "heart_rate", "zone")
    button(edit(page, "Distance"), "Other field").click()
    page.locator('.picker [data-field="ascent"]').click()
    wait_for_fields(web, "time", "ascent", "pace", "heart_rate", "zone")
    button(page.locator(".sort-row.is-open"), "Down").click()
    wait_for_fields(web, "time", "pace", "ascent", "heart_rate", "zone")


def test_pages_of_a_sport(web, opened):
    page = opened(web, "screens")
    button(page, "Hike").click()
    expect(page.get_by_role("button", name=re.compile("^Page "))).to_have_count(5)
    button(page, "Add a page").click()
    expect(page.locator("h2")).to_have_text("Page 6 of 6")
    expect(button(page, "Add a page")).to_be_hidden()
    expect(page.locator(".preview")).to_contain_text("Nothing is shown: this page is left out.")
    button(page, "Add a field").click()
    page.locator('.picker [data-field="grade"]').click()
    wait_for_fields(web, "grade", sport="hike", page=5)
    button(page, "Move the page to the front").click()
    wait_for_fields(web, "grade", sport="hike", page=4)
    expect(page.locator("h2")).to_have_text("Page 5 of 6")
    button(page, "Remove page").click()
    expect(page.get_by_role("dialog")).to_contain_text("Remove page 5?")
    button(page, "Cancel").click()
    assert len(setting(web, "screens")["hike"]) == 6
    button(page, "Remove page").click()
    button(page.get_by_role("dialog"), "Remove page").click()
    wait_for(lambda: len(setting(web, "screens")["hike"]) == 5, 60, "five pages")
    expect(page.locator(".undo-bar")).to_contain_text("Page 5 removed.")


@pytest.mark.thorough
def test_defaults_of_a_sport(web, opened):
    default = setting(web, "screens")
    changed = {"run": [{"fields": ["grade"]}], "ride": [{"fields": ["power"]}]}
    web.daemon.call("settings.set", key="screens", value=changed)
    page = opened(web, "screens")
    assert rows(page) == ["grade"]
    button(page, "Default pages: Run").click()
    button(page, "Use the defaults").click()
    wait_for(lambda: setting(web, "screens") == default | {"ride": changed["ride"]}, 60, "the default pages")
    expect(page.locator(".rows > li")).to_have_count(5)
    assert rows(page) == ["time", "distance", "pace", "heart_rate", "zone"]
    button(page, "Undo").click()
    wait_for(lambda: setting(web, "screens") == default | changed, 60, "the earlier pages")


def set_run(web, *fields):
    web.daemon.call("settings.set", key="screens", value={"run": [{"fields": list(fields)}]})


@pytest.mark.thorough
def test_change_of_another_client_leaves_a_draft_alone(web, opened):
    page = opened(web, "screens")
    details = edit(page, "Pace")
    details.get_by_label("Title", exact=True).press_sequentially("My")
    set_run(web, "grade", {"field": "pace", "size": 40, "title": "Other"}, "ascent")
    expect(row(page, "ascent")).to_be_visible()
    expect(details.get_by_role("slider")).to_have_value("40")
    expect(details.get_by_label("Title", exact=True)).to_have_value("My")
    expect(details.get_by_label("Title", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    wait_for(lambda: setting(web, "screens")["run"][0]["fields"][1] == {"field": "pace", "size": 40, "title": "My"}, 60,
             "both changes")


@pytest.mark.thorough
def test_change_of_another_client_during_a_drag_waits_for_the_drop(web, opened):
    page = opened(web, "screens")
    button(page, "Move Time").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    set_run(web, "grade", "time", "ascent")
    expect(page.locator('.preview [data-field="ascent"]')).to_be_visible()
    assert rows(page) == ["distance", "time", "pace", "heart_rate", "zone"]
    page.keyboard.press("Escape")
    expect(row(page, "ascent")).to_be_visible()
    assert rows(page) == ["grade", "time", "ascent"]


@pytest.mark.thorough
def test_change_of_another_client_ends_undo(web, opened):
    page = opened(web, "screens")
    button(page, "Hide Pace").click()
    expect(page.locator(".undo-bar")).to_contain_text("Saved.")
    expect(button(page, "Undo")).to_be_enabled()
    set_run(web, "grade")
    expect(button(page, "Undo")).to_be_disabled()


@pytest.mark.thorough
def test_error_of_the_daemon_brings_the_old_value_back(web, opened):
    names = [field["name"] for field in web.daemon.call("rpc.discover")["x-data-fields"] if "hike" in field["sports"]]
    fields = [{"field": name, "title": TITLE, "visible": False, "title_visible": False, "size": 100, "colour": "secondary"}
              for name in names[:12]]
    pages = {"hike": [{"fields": fields}] * 6, "walk": [{"fields": fields}] * 3 + [{"fields": list(fields)}]}
    while "code" in web.daemon.call("settings.set", key="screens", value=pages):
        pages["walk"][-1]["fields"].pop()
    page = opened(web, "screens")
    fault = page.locator(".line.fault")
    for title in ("Time", "Distance", "Pace", "Heart Rate", "Zone"):
        kept = setting(web, "screens")
        details = edit(page, title)
        details.get_by_label("Title", exact=True).fill(TITLE)
        page.keyboard.press("Enter")
        wait_for(lambda: fault.is_visible() or setting(web, "screens") != kept, 60, "an answer")
        if fault.is_visible():
            break
        button(page, f"Edit {title}").click()
    expect(fault).to_have_text("screens must be at most 16384 bytes of JSON; give fewer titles or fields")
    expect(details.get_by_label("Title", exact=True)).to_have_value("")
    assert setting(web, "screens") == kept


@pytest.mark.thorough
def test_editor_waits_for_the_settings(web, opened):
    page = opened(web, "screens", allowed="503|ERR_FAILED")
    error = {"error": {"code": "unreachable", "message": "paced does not run"}}
    page.route("**/api", lambda route: route.fulfill(status=503, json=error))
    page.route("**/api/stream", lambda route: route.fulfill(status=503, json=error))
    page.reload()
    expect(page.locator(".line.connection")).to_contain_text("paced does not run")
    expect(button(page, "Add a field")).to_be_hidden()
    page.unroute_all()
    expect(button(page, "Add a field")).to_be_visible()
    expect(row(page, "pace")).to_be_visible()


@pytest.mark.thorough
def test_preview_follows_the_run_and_leads_to_the_field(web, opened):
    page = opened(web, "screens")
    web.daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    expect(page.locator(".preview [data-field=zone]")).to_be_visible()
    time = page.locator('.preview [data-field="time"] .value')
    before = time.text_content()
    expect(time).not_to_have_text(before)
    page.locator('.preview [data-field="distance"]').click()
    expect(button(page, "Edit Distance")).to_have_attribute("aria-expanded", "true")
    live = opened(web, "index")
    expect(live.locator('.stage [data-field="distance"]')).to_be_visible()
    assert live.locator(".stage .cell").evaluate_all("cells => cells.map((cell) => cell.dataset.field)") == preview(page)


# Settings

def row_of(page, name):
    return page.locator(f'.setting[data-setting="{name}"]')


def test_choices_are_saved_and_reset(web, opened):
    page = opened(web, "settings")
    for name, value, default in [
            ("metric", False, None), ("twelve_hour_clock", True, False), ("sport", "ride", "run"), ("sex", "female", None)]:
        row_of(page, name).get_by_role("combobox").select_option(value if isinstance(value, str) else json.dumps(value))
        wait_for_setting(web, name, value)
        expect(row_of(page, name)).to_contain_text("Saved")
        row_of(page, name).get_by_role("button", name=re.compile("restore the default")).click()
        wait_for_setting(web, name, default)


def test_numbers_are_saved_and_reset(web, opened):
    page = opened(web, "settings")
    for name, typed, value, default in [
            ("auto_stop_minutes", "20", 20, 0), ("max_heart_rate", "190", 190, 0), ("resting_heart_rate", "50", 50, 0),
            ("age", "44", 44, 0), ("weight_kg", "70", 70, 0), ("ftp", "250", 250, 0), ("wheel_mm", "2096", 2096, 0),
            ("stride_permille", "98.5", 985, 0), ("climb_score", "1500", 1500, 3500)]:
        row_of(page, name).get_by_role("spinbutton").fill(typed)
        page.keyboard.press("Enter")
        wait_for_setting(web, name, value)
        expect(row_of(page, name)).to_contain_text("Saved")
        row_of(page, name).get_by_role("button", name=re.compile("restore the default")).click()
        wait_for_setting(web, name, default)
        expect(row_of(page, name).get_by_role("spinbutton")).to_have_value(str(default or ""))


def test_flags_and_sports_are_saved(web, opened):
    page = opened(web, "settings")
    page.get_by_role("checkbox", name="Use heart-rate zones").check()
    wait_for_setting(web, "use_heart_rate_zones", True)
    page.get_by_role("checkbox", name="A lap at the foot and the top of each climb").check()
    wait_for_setting(web, "climb_laps", True)
    page.get_by_role("checkbox", name="Record second sensors").check()
    wait_for_setting(web, "record_all_sensors", True)
    row_of(page, "auto_pause").get_by_label("Run").check()
    wait_for_setting(web, "auto_pause", ["run", "ride"])
    row_of(page, "auto_pause").get_by_label("Ride").uncheck()
    wait_for_setting(web, "auto_pause", ["run"])


def test_errors_are_at_the_field(web, opened):
    page = opened(web, "settings")
    wheel = row_of(page, "wheel_mm")
    wheel.get_by_role("spinbutton").fill("100")
    page.keyboard.press("Enter")
    said = web.daemon.call("settings.set", key="wheel_mm", value=100)["data"]["message"]
    expect(wheel.get_by_role("alert")).to_have_text(said)
    expect(wheel.get_by_role("spinbutton")).to_have_attribute("aria-invalid", "true")
    wheel.get_by_role("spinbutton").fill("5000")
    page.keyboard.press("Enter")
    expect(wheel.get_by_role("alert")).to_have_text("Enter a whole number from 0 to 4000.")
    wheel.get_by_role("spinbutton").fill("2100")
    page.keyboard.press("Enter")
    wait_for_setting(web, "wheel_mm", 2100)
    expect(wheel.get_by_role("alert")).to_be_hidden()


def test_heart_rate_zones(web, opened):
    page = opened(web, "settings")
    zones = row_of(page, "zones")
    button(page, "From the maximum heart rate").click()
    expect(zones.get_by_role("alert")).to_have_text("Enter the maximum heart rate first.")
    for index, value in enumerate((100, 120, 110, 160)):
        zones.get_by_role("spinbutton").nth(index).fill(str(value))
    page.keyboard.press("Enter")
    expect(zones.get_by_role("alert")).to_have_text("One number is missing.")
    zones.get_by_role("spinbutton").nth(4).fill("180")
    page.keyboard.press("Enter")
    expect(zones.get_by_role("alert")).to_have_text("Zone 3 must begin above zone 2.")
    assert setting(web, "zones") is None
    zones.get_by_role("spinbutton").nth(2).fill("140")
    page.keyboard.press("Enter")
    wait_for_setting(web, "zones", [100, 120, 140, 160, 180])
    web.daemon.call("settings.set", key="max_heart_rate", value=190)
    expect(row_of(page, "max_heart_rate").get_by_role("spinbutton")).to_have_value("190")
    button(page, "From the maximum heart rate").click()
    wait_for_setting(web, "zones", [95, 114, 133, 152, 171])
    for field in zones.get_by_role("spinbutton").all():
        field.fill("")
    page.keyboard.press("Enter")
    wait_for_setting(web, "zones", None)


def test_what_is_typed_while_a_setting_is_saved_stays(web, opened):
    held = []

    def hold(route):
        if "settings.set" in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    page = opened(web, "settings", route=hold)
    web.daemon.call("settings.set", key="max_heart_rate", value=190)
    expect(row_of(page, "max_heart_rate").get_by_role("spinbutton")).to_have_value("190")
    zones = row_of(page, "zones")
    button(page, "From the maximum heart rate").click()
    for index, value in enumerate((100, 120, 140, 160, 180)):
        zones.get_by_role("spinbutton").nth(index).fill(str(value))
    held[0].continue_()
    expect(page.get_by_role("status").get_by_text("Zones begin at (bpm): saved.")).to_be_attached()
    assert [one.input_value() for one in zones.get_by_role("spinbutton").all()] == ["100", "120", "140", "160", "180"]
    # Playwright lets an intercepted request pass while it waits for something in the page.
    with page.expect_response(lambda response: "settings.set" in (response.request.post_data or "")):
        page.keyboard.press("Enter")
    wait_for_setting(web, "zones", [100, 120, 140, 160, 180])


@pytest.mark.thorough
def test_power_zones_show_those_of_the_threshold(web, opened):
    web.daemon.call("settings.set", key="ftp", value=200)
    page = opened(web, "settings")
    inputs = row_of(page, "power_zones").get_by_role("spinbutton").all()
    assert [one.get_attribute("placeholder") for one in inputs] == ["110", "150", "180", "210", "240", "300"]
    for one, value in zip(inputs, (100, 150, 180, 210, 240, 300)):
        one.fill(str(value))
    page.keyboard.press("Enter")
    wait_for_setting(web, "power_zones", [100, 150, 180, 210, 240, 300])


@pytest.mark.thorough
def test_automatic_laps_by_distance_or_time(web, opened):
    web.daemon.call("settings.set", key="metric", value=True)
    page = opened(web, "settings")
    laps = row_of(page, "auto_lap")
    laps.get_by_role("combobox").select_option("distance")
    wait_for_setting(web, "auto_lap_m", 1000)
    laps.get_by_role("spinbutton").fill("2.5")
    page.keyboard.press("Enter")
    wait_for_setting(web, "auto_lap_m", 2500)
    web.daemon.call("settings.set", key="metric", value=False)
    expect(laps).to_contain_text("mi")
    laps.get_by_role("spinbutton").fill("1")
    page.keyboard.press("Enter")
    wait_for_setting(web, "auto_lap_m", 1609)
    expect(laps.get_by_role("spinbutton")).to_have_value("1")
    laps.get_by_role("combobox").select_option("time")
    wait_for_setting(web, "auto_lap_s", 300)
    assert setting(web, "auto_lap_m") == 0
    laps.get_by_role("combobox").select_option("off")
    wait_for_setting(web, "auto_lap_s", 0)


def alert(page, kind):
    return page.locator(f'.alert[data-kind="{kind}"]')


def test_alerts_of_each_kind(web, opened):
    web.daemon.call("settings.set", key="metric", value=True)
    page = opened(web, "settings")
    expected = []
    for kind, limits, text in [
            ("heart_rate", ["120", "165"], "heart_rate 120..165"), ("zone", ["2", "3"], "zone 2..3"),
            ("power", ["", "280"], "power ..280"), ("power_zone", ["3", "3"], "power_zone 3"),
            ("cadence", ["80", ""], "cadence 80.."), ("speed", ["25", "35.5"], "speed 25..35.5 km/h"),
            ("pace", ["4:30", "5:00"], "pace 4:30..5:00 /km"), ("distance", ["1"], "distance 1 km"),
            ("time", ["10"], "time 10 min"), ("sensor_lost", [], "sensor_lost"), ("position_lost", [], "position_lost")]:
        alert(page, kind).get_by_role("checkbox").check()
        for index, limit in enumerate(limits):
            alert(page, kind).locator("input:not([type=checkbox])").nth(index).fill(limit)
        if limits:
            page.keyboard.press("Tab")
        expected.append(text)
        wait_for_setting(web, "alerts", expected)
    alert(page, "pace").get_by_role("combobox").select_option("/mi")
    expected[6] = "pace 4:30..5:00 /mi"
    wait_for_setting(web, "alerts", expected)
    alert(page, "power").get_by_role("checkbox").uncheck()
    wait_for_setting(web, "alerts", [text for text in expected if "power .." not in text])
    row_of(page, "alerts").get_by_role("button", name=re.compile("restore the default")).click()
    wait_for_setting(web, "alerts", [])
    expect(alert(page, "pace").get_by_role("checkbox")).not_to_be_checked()


@pytest.mark.thorough
def test_alerts_are_shown_and_their_errors(web, opened):
    web.daemon.call("settings.set", key="alerts", value=["speed 5..10 m/s", "pace ..6:00 /km"])
    page = opened(web, "settings")
    expect(alert(page, "speed").get_by_role("combobox")).to_have_value("m/s")
    expect(alert(page, "pace").get_by_label("Pace: slowest")).to_have_value("6:00")
    alert(page, "speed").get_by_label("Speed: to").fill("4")
    page.keyboard.press("Enter")
    expect(alert(page, "speed").get_by_role("alert")).to_contain_text("alerts[0] 'speed 5..4 m/s' must be")
    alert(page, "pace").get_by_label("Pace: slowest").fill("six")
    page.keyboard.press("Enter")
    expect(alert(page, "pace").get_by_role("alert")).to_have_text("Enter minutes and seconds, such as 4:30.")
    alert(page, "zone").get_by_role("checkbox").check()
    expect(alert(page, "zone")).to_contain_text("Enter at least one limit.")
    assert setting(web, "alerts") == ["speed 5..10 m/s", "pace ..6:00 /km"]
    alert(page, "speed").get_by_label("Speed: to").fill("8")
    page.keyboard.press("Enter")
    wait_for_setting(web, "alerts", ["speed 5..8 m/s", "pace ..6:00 /km"])
    expect(alert(page, "speed").get_by_role("alert")).to_be_hidden()


def test_workout_by_steps(web, opened):
    web.daemon.call("settings.set", key="metric", value=True)
    page = opened(web, "settings")
    workout = row_of(page, "workout")
    button(page, "Add a step").click()
    wait_for_setting(web, "workout", ["10 min"])
    step = workout.locator(".sort-row.is-open")
    step.get_by_label("Name").fill("Warm-up")
    page.keyboard.press("Enter")
    wait_for_setting(web, "workout", ["10 min # Warm-up"])
    step.get_by_role("combobox", name="Target", exact=True).select_option("zone")
    step.get_by_label("Heart-rate zone: from").fill("2")
    step.get_by_label("Heart-rate zone: to").fill("2")
    page.keyboard.press("Enter")
    wait_for_setting(web, "workout", ["10 min zone 2 # Warm-up"])
    expect(workout.locator(".row-name")).to_have_text("10 min · Heart-rate zone 2 · Warm-up")
    button(page, "Edit step 1").click()
    button(page, "Add a step").click()
    step.get_by_role("combobox", name="Length").select_option("distance")
    wait_for_setting(web, "workout", ["10 min zone 2 # Warm-up", "10 km zone 2 # Warm-up"])
    step.get_by_role("combobox", name="Target", exact=True).select_option("")
    step.get_by_label("Name").fill("")
    step.get_by_role("combobox", name="Length").select_option("lap")
    wait_for_setting(web, "workout", ["10 min zone 2 # Warm-up", "lap"])
    workout.get_by_role("button", name=re.compile("^Move 2: ")).focus()
    for key in ("Space", "ArrowUp", "Space"):
        page.keyboard.press(key)
    wait_for_setting(web, "workout", ["lap", "10 min zone 2 # Warm-up"])
    button(step, "Remove").click()
    wait_for_setting(web, "workout", ["10 min zone 2 # Warm-up"])
    expect(step).to_have_count(0)
    button(page, "Remove all").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 step will be removed.")
    button(page.get_by_role("dialog"), "Remove all").click()
    wait_for_setting(web, "workout", [])


@pytest.mark.thorough
def test_workout_as_text(web, opened):
    web.daemon.call("settings.set", key="workout", value=["10 min"])
    page = opened(web, "settings")
    button(page, "As text").click()
    text = page.get_by_label("One step a line")
    expect(text).to_have_value("10 min")
    text.fill("10 min zone 2 # Warm-up\n\nnonsense\nlap")
    button(page, "Save").click()
    expect(row_of(page, "workout").get_by_role("alert").last).to_contain_text("workout[1] 'nonsense' must be a length")
    assert setting(web, "workout") == ["10 min"]
    text.fill("10 min zone 2 # Warm-up\n1 km pace 4:00..4:15 /km\nlap")
    button(page, "Save").click()
    wait_for_setting(web, "workout", ["10 min zone 2 # Warm-up", "1 km pace 4:00..4:15 /km", "lap"])
    expect(page.locator(".row-name")).to_have_text(
        ["10 min · Heart-rate zone 2 · Warm-up", "1 km · Pace 4:00–4:15 /km", "Until the next lap"])
    expect(text).to_be_hidden()


@pytest.mark.thorough
def test_changes_of_another_client_are_shown_and_a_draft_stays(web, opened):
    page = opened(web, "settings")
    ftp = row_of(page, "ftp").get_by_role("spinbutton")
    ftp.press_sequentially("25")
    for key, value in (("ftp", 300), ("age", 50), ("alerts", ["zone 3"]), ("workout", ["5 min"])):
        web.daemon.call("settings.set", key=key, value=value)
    expect(row_of(page, "age").get_by_role("spinbutton")).to_have_value("50")
    expect(alert(page, "zone").get_by_label("Heart-rate zone: from")).to_have_value("3")
    expect(page.locator(".row-name")).to_have_text(["5 min"])
    expect(ftp).to_have_value("25")
    ftp.press_sequentially("5")
    page.keyboard.press("Enter")
    wait_for_setting(web, "ftp", 255)


def test_lost_daemon_is_said_and_the_change_is_not_lost(web, opened):
    page = opened(web, "settings", allowed="503|ERR_INCOMPLETE_CHUNKED_ENCODING")
    web.daemon.stop()
    row_of(page, "ftp").get_by_role("spinbutton").fill("250")
    page.keyboard.press("Enter")
    expect(row_of(page, "ftp").get_by_role("alert")).to_contain_text("paced")
    expect(row_of(page, "ftp").get_by_role("spinbutton")).to_have_value("250")


# Sensors

def answers(**results):
    """Answers some methods in the place of the daemon, which has no Bluetooth; the list of the requests."""
    asked = []

    def route(route):
        request = json.loads(route.request.post_data)
        answer = results.get(request["method"].replace(".", "_"))
        if answer is None:
            return route.continue_()
        asked.append((request["method"], request["params"]))
        answer = answer.pop(0) if isinstance(answer, list) and answer and isinstance(answer[0], list) else answer
        member = "error" if isinstance(answer, dict) and "code" in answer else "result"
        return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], member: answer})

    route.asked = asked
    return route


def refused(message, code=-32001):
    return {"code": code, "message": "not in this state", "data": {"message": message}}


def test_sensors_are_listed_with_their_values(web, opened):
    page = opened(web, "sensors")
    sensor = page.locator(".sensor")
    expect(sensor).to_contain_text("Simulated strap")
    expect(sensor).to_contain_text("connected")
    expect(sensor).to_contain_text("Battery 80 %")
    expect(sensor.locator(".sensor-values")).to_have_text(re.compile(r"^\d+ bpm$"))
    expect(page.locator("main")).to_contain_text("These sensors are simulated.")


POWER = {"id": "C0:00:00:00:00:02/random", "kinds": ["power"], "name": "Crank", "address": "C0:00:00:00:00:02",
         "link": "connected", "battery_percent": 60, "power_w": 210, "cadence_rpm": 88.2, "age_ms": 400, "stale": False}
RADAR = {"id": "C0:00:00:00:00:03/public", "kinds": ["radar"], "name": "Radar", "address": "C0:00:00:00:00:03",
         "link": "disconnected", "reason": "needs-pairing"}
BOARD = {"id": "board", "kinds": ["environment"], "link": "connected", "pressure_pa": 101325, "temperature_c": 21.4,
         "age_ms": 95_000, "stale": True}


def with_sensors(page, *sensors, **state):
    """Puts sensors that the demo lacks into the stream."""
    page.add_init_script("""{
      const original = window.fetch;
      window.fetch = async (...given) => {
        const response = await original(...given);
        if (!String(given[0]).startsWith('/api/stream')) return response;
        let rest = '';
        const changed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new TransformStream({
          transform(text, controller) {
            const lines = (rest + text).split('\\n');
            rest = lines.pop();
            for (const text of lines) {
              const line = JSON.parse(text);
              if (line.class === 'STATE') Object.assign(line, { blocks: { sensors: SENSORS } }, STATE);
              controller.enqueue(JSON.stringify(line) + '\\n');
            }
          } })).pipeThrough(new TextEncoderStream());
        return new Response(changed, { status: response.status });
      };
    }""".replace("SENSORS", json.dumps(sensors)).replace("STATE)", json.dumps(state) + ")"))
    page.reload()
    expect(page.locator("main")).to_be_visible()


def test_each_sensor_has_what_it_can_do(web, opened):
    route = answers(sensor_zero={"offset": 12.5, "unit": "N"}, sensor_pair=[], sensor_forget=refused("not known", -32003))
    page = opened(web, "sensors", route=route)
    with_sensors(page, POWER, RADAR, BOARD)
    crank, radar, board = (page.locator(".sensor").filter(has_text=name) for name in ("Crank", "Radar", "board"))
    expect(crank.locator(".sensor-values")).to_have_text("210 W, 88 /min")
    expect(radar).to_contain_text("needs pairing")
    expect(board).to_contain_text("1013.2 hPa, 21 °C")
    expect(board).to_contain_text("newest value 95 s old")
    expect(board.get_by_role("button")).to_have_count(0)
    crank.get_by_role("button", name="Set the zero offset").click()
    expect(page.get_by_role("dialog")).to_contain_text("Keep the crank still")
    button(page.get_by_role("dialog"), "Set the zero offset").click()
    expect(page.locator(".line.notice")).to_have_text("The zero offset is set. It was 12.50 N.")
    radar.get_by_role("button", name="Pair").click()
    expect(page.locator(".line.notice")).to_have_text("Radar is paired.")
    crank.get_by_role("button", name="Forget").click()
    button(page.get_by_role("dialog"), "Cancel").click()
    crank.get_by_role("button", name="Forget").click()
    button(page.get_by_role("dialog"), "Forget").click()
    expect(page.locator(".line.fault")).to_have_text("not known")
    assert route.asked == [("sensor.zero", {"sensor": POWER["id"]}), ("sensor.pair", {"sensor": RADAR["id"]}),
                           ("sensor.forget", {"sensor": POWER["id"]})]
    assert violations(page) == []


FOUND = [[{"address": "A0:00:00:00:00:01", "address_type": "public", "name": "Strap 9AD1", "rssi_dbm": -60,
           "kinds": ["heart-rate"], "services": ["180d"]}],
         [{"address": "A0:00:00:00:00:01", "address_type": "public", "rssi_dbm": -70, "kinds": [], "services": []},
          {"address": "A0:00:00:00:00:02", "address_type": "random", "rssi_dbm": -90, "kinds": ["power"], "services": []}],
         [], [], []]


def test_scan_lists_sensors_to_add_or_to_use_alone(web, opened):
    page = opened(web, "sensors", route=answers(sensor_scan=[list(one) for one in FOUND]))
    button(page, "Search for 10 s").click()
    expect(page.locator(".card [role=status]")).to_have_text("2 sensors found.")
    found = page.locator(".found li")
    expect(found.first).to_contain_text("heart rate · A0:00:00:00:00:01 · in reach (-70 dBm)")
    expect(found.last).to_contain_text("power · far away (-90 dBm)")
    # Playwright lets a request of the page pass only while it waits for something in the page.
    found.first.get_by_role("button", name="Add").click()
    expect(page.locator(".line.notice")).to_have_text("Strap 9AD1 is added.")
    wait_for_setting(web, "sensors", ["A0:00:00:00:00:01/public"])
    found.last.get_by_role("button", name="Add").click()
    expect(page.locator(".line.notice")).to_have_text("A0:00:00:00:00:02 is added.")
    wait_for_setting(web, "sensors", ["A0:00:00:00:00:01/public", "A0:00:00:00:00:02/random"])
    expect(page.locator(".chosen li")).to_have_count(2)
    page.get_by_role("button", name="Remove from the choice: A0:00:00:00:00:01/public").click()
    expect(page.locator(".chosen li")).to_contain_text(["A0:00:00:00:00:02/random"])
    expect(page.locator(".line.notice")).to_have_text("A0:00:00:00:00:01/public is not chosen any more.")
    wait_for_setting(web, "sensors", ["A0:00:00:00:00:02/random"])
    found.first.get_by_role("button", name="Use only this").click()
    expect(page.locator(".line.notice")).to_have_text("Strap 9AD1 is the only one now.")
    expect(page.locator(".chosen li")).to_contain_text(["A0:00:00:00:00:01/public"])
    wait_for_setting(web, "sensors", ["A0:00:00:00:00:01/public"])
    button(page, "Automatic").click()
    expect(page.locator("main")).to_contain_text("Automatic: paced uses the known strap")
    wait_for_setting(web, "sensors", [])
    assert violations(page) == []


@pytest.mark.thorough
def test_scan_can_be_stopped_and_says_what_is_wrong(web, opened):
    pending = []

    def hold(route):
        if json.loads(route.request.post_data)["method"] == "sensor.scan" and not pending:
            pending.append(route)
        else:
            route.continue_()

    # A page of a demo says so instead.
    page = opened(web, "sensors", route=hold)
    with_sensors(page, demo=False)
    button(page, "Search for 10 s").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("progressbar")).not_to_have_js_property("value", 0)
    button(page, "Stop the search").click()
    expect(page.get_by_role("progressbar")).to_be_hidden()
    expect(page.locator(".card [role=status]")).to_have_text("0 sensors found.")
    button(page, "Search for 10 s").click()
    expect(page.locator(".card [role=status]")).to_have_text("Bluetooth is not used")


@pytest.mark.thorough
def test_switched_off_sensors(web, opened):
    # The daemon is a demo, which does not switch its sensors off.
    page = opened(web, "sensors", route=answers(sensor_use={"link": "disconnected", "reason": "off"}))
    with_sensors(page, heart={"link": "disconnected", "reason": "off"}, demo=False)
    expect(page.locator("main")).to_contain_text("Sensors are switched off.")
    expect(page.locator("main")).to_contain_text("Off: paced uses no sensor.")
    button(page, "Off").click()
    expect(page.locator(".line.notice")).to_have_text("Sensors are switched off.")
