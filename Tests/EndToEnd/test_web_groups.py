"""The editor of groups on the page of buses, in Debian's chromium, with the lines and groups of CATA."""

import json

import pytest
from playwright.sync_api import expect

from harness.browser import button, narrow_widths, violations
from harness.maps import MapsCommand
from harness.paced_web import PacedWeb, themes


@pytest.fixture
def groups(stage):
    """`pacectl transit` with the lines of CATA, and the pages."""
    command = MapsCommand("transit", stage.directory)
    command("groups", "preset", "cata")
    command.web = stage.start(PacedWeb(stage.directory, stage.paced("--gpsd", "off", "--sensors", "off")))
    return command


@pytest.fixture
def opened(pages, groups):
    def opened(scope="control", **options):
        page = pages.open(groups.web, "buses.html", scope=scope, allowed="Failed to load resource", **options)
        summary = page.locator("summary", has_text="Edit groups and order")
        # Lines come before it opens.
        expect(page.get_by_role("group", name="Groups of lines").get_by_role("button").first).to_be_visible()
        summary.click()
        return page

    return opened


def kept(groups):
    return json.loads(groups("--json", "groups"))


def names(groups):
    return [group["name"] for group in kept(groups)["groups"]]


def card(page):
    return page.locator("details.groups")


def row(page, name):
    return card(page).locator(f'[data-group="{name}"]')


def opened_row(page, name):
    button(page, f"Edit {name}").click()
    return row(page, name)


def test_groups_are_made_and_edited_and_deleted(groups, opened):
    page = opened()
    expect(row(page, "Campus")).to_contain_text("BL, WL, RL, GL")
    button(page, "New group").click()
    form = card(page).locator("form")
    name = form.get_by_label("Name of the group")
    expect(name).to_be_focused()
    button(form, "Save").click()
    expect(form.get_by_role("alert")).to_have_text("Enter a name.")
    expect(name).to_be_focused()
    name.fill("campus")
    name.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("Another group is named campus.")
    name.fill("Night")
    name.press("Enter")
    expect(form.get_by_role("alert")).to_have_text("Choose at least one line.")
    form.get_by_label("Find a line").fill("football")
    expect(form.get_by_role("checkbox")).to_have_count(2)
    form.get_by_role("checkbox", name="DT Downtown football shuttle").check()
    form.get_by_label("How to find it").select_option("match")
    form.get_by_label("Find a line").fill("bl")
    form.get_by_role("checkbox").check()
    expect(form).to_contain_text("2 lines are chosen.")
    button(form, "Save").click()
    expect(card(page).get_by_role("status").filter(has_text="Night is saved.")).to_be_visible()
    expect(button(page, "New group")).to_be_focused()
    assert kept(groups)["groups"][-1] == {"name": "Night", "lines": ["62", "55"]}
    # The chip of the group is there at once.
    page.get_by_role("group", name="Groups of lines").get_by_role("button", name="Night").click()

    form = opened_row(page, "Night")
    form.get_by_label("Name of the group").fill("Late")
    form.get_by_role("checkbox", name="BL Blue Loop").uncheck()
    button(form, "Save").click()
    expect(button(page, "Edit Late")).to_be_focused()
    assert kept(groups)["groups"][-1] == {"name": "Late", "lines": ["62"]}

    button(opened_row(page, "Late"), "Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete the group Late?")
    button(dialog, "Cancel").click()
    button(row(page, "Late"), "Delete").click()
    button(dialog, "Delete").click()
    expect(row(page, "Late")).to_have_count(0)
    expect(button(page, "New group")).to_be_focused()
    assert names(groups) == ["Campus", "Vairo Blvd", "Waupelani", "Martin St"]


def test_groups_and_lines_are_ordered(groups, opened):
    page = opened()
    grip = button(page, "Move Martin St")
    grip.press("Space")
    grip.press("Home")
    grip.press("Space")
    expect(card(page).get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    assert names(groups) == ["Martin St", "Campus", "Vairo Blvd", "Waupelani"]
    down = button(opened_row(page, "Campus"), "Down")
    down.press("Enter")
    expect(card(page).get_by_role("status").filter(has_text="Campus: place 3 of 4.")).to_be_visible()
    expect(down).to_be_focused()
    assert names(groups) == ["Martin St", "Vairo Blvd", "Campus", "Waupelani"]

    card(page).get_by_label("Show first").select_option(label="Group Waupelani")
    expect(row(page, "Waupelani")).to_contain_text("comes first")
    assert kept(groups)["default"] == {"group": "Waupelani"}
    card(page).get_by_label("Show first").select_option(label="The first group")
    expect(row(page, "Waupelani")).not_to_contain_text("comes first")
    assert kept(groups)["groups_first"] is True

    page.locator("summary", has_text="Order of the lines").click()
    expect(card(page).get_by_role("heading")).to_have_text(["Campus", "Community"])
    up = button(page, "V: up")
    up.press("Enter")
    listed = page.get_by_role("group", name="Lines", exact=True)
    expect(listed.get_by_role("heading")).to_have_text(["Campus", "Community"])
    lines = listed.get_by_role("button")
    expect(lines.nth(4)).to_have_text("V Vairo Blvd")
    expect(up).to_be_focused()
    assert [line["id"] for line in kept(groups)["lines"]][3:6] == ["53", "43", "42"]


def test_refused_change_is_said_where_it_was_made(groups, opened):
    page = opened()
    form = opened_row(page, "Campus")
    # Another browser removes the group meanwhile.
    groups("groups", "remove", "Campus")
    form.get_by_label("Name of the group").fill("Town")
    button(form, "Save").click()
    expect(form.get_by_role("alert").filter(has_text="no group is named Campus")).to_be_visible()
    row(page, "Campus").get_by_role("button", name="Down").click()
    expect(card(page).locator("> .stack > [role=alert]")).to_contain_text("no group is named Campus")


def test_lines_that_the_timetable_lacks_stay_in_a_group(groups, opened):
    file = groups.maps / "transit-lines.json"
    lists = json.loads(file.read_text())
    lists["groups"] = [{"name": "Old", "lines": ["55", "gone"]}]
    file.write_text(json.dumps(lists))
    page = opened()
    form = opened_row(page, "Old")
    expect(form).to_contain_text("1 of them is not in the timetable, and stays in the group.")
    form.get_by_label("Name of the group").fill("Older")
    button(form, "Save").click()
    expect(button(page, "Edit Older")).to_be_focused()
    assert kept(groups)["groups"] == [{"name": "Older", "lines": ["55", "gone"]}]
    form = opened_row(page, "Older")
    form.get_by_role("checkbox", name="GL Green Link").check()
    button(form, "Save").click()
    expect(button(page, "Edit Older")).to_be_focused()
    assert kept(groups)["groups"] == [{"name": "Older", "lines": ["55", "gone", "53"]}]


def test_browser_that_may_only_watch_sees_groups_and_why_it_cannot_edit(opened):
    page = opened(scope="watch")
    expect(card(page)).to_contain_text("pacectl web code --control")
    expect(card(page).get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("theme", themes())
def test_editor_is_accessible_and_as_wide_as_the_screen(opened, theme):
    page = opened(theme=theme)
    opened_row(page, "Campus")
    button(page, "New group").click()
    page.locator("summary", has_text="Order of the lines").click()
    assert violations(page) == []
    assert narrow_widths(page) == []
