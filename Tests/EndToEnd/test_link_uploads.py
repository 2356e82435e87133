"""Uploads of finished activities by paced-link: which activities, to which services, each once."""

import os
import shutil
import subprocess
import sys
import uuid

import pytest

from harness.link_uploads import ALL
from harness.process import PACECTL, ROOT
from harness.timing import wait_for
from harness.upload_server import FAILURES, fit_messages
from matrix import matrix


def assert_once(upload, activity, *names):
    """Each of these services has the activity once, and nothing is left of the file on the board."""
    for name in names:
        assert getattr(upload.services, name).uploaded().count(activity) == 1, name
    assert list(upload.link.state.glob("*.fit")) == []


def test_activity_that_ends_is_uploaded_once_to_each_service(upload):
    services = upload.start("intervals", "fittrackee")
    number, activity = upload.record()
    upload.wait_until_done(activity, "intervals", "fittrackee")
    assert_once(upload, activity, "intervals", "fittrackee")
    for file in (services.intervals.files[0], services.fittrackee.files[0]):
        day = upload.summary(number)["started"][:10]
        assert file.name == f"{day}_{activity}.fit"
        session, = file.messages["session"]
        assert bytes(session["activity_uuid"]) == uuid.UUID(activity).bytes and session["sport"] == "running"
    assert services.fittrackee.files[0].fields["sport"] == 1 + services.fittrackee.SPORTS.index("Running")
    assert upload.uploads(activity)["intervals"]["url"] == f"{services.address}/activities/i101"
    assert upload.uploads(activity)["fittrackee"]["url"] == f"{services.address}/workouts/w101"
    status = upload.status("intervals")
    assert status["state"] == "connected" and status["activities"] == 0 and status["last_success_ms"] >= 0
    assert upload.notices() == []


def test_older_activities_are_uploaded_on_demand_only(upload):
    upload.start_daemon()
    old, old_name = upload.record()
    services = upload.start_services("intervals", "webdav")
    new, new_name = upload.record()
    upload.wait_until_done(new_name, "intervals", "webdav")
    assert upload.uploads(old_name)["intervals"] == {
        "activity": old_name, "to": "intervals", "service": "intervals", "state": "none"}
    assert services.intervals.uploaded() == services.webdav.uploaded() == [new_name]

    assert f"{services.address}/activities/i102" in upload.pacectl("upload", old, "--to", "intervals")
    assert services.intervals.uploaded() == [new_name, old_name] and services.webdav.uploaded() == [new_name]
    # What is there is not sent again.
    before = services.intervals.count()
    assert "done" in upload.pacectl("upload", old, new, "--to", "intervals")
    assert services.intervals.count() == before
    lines = [line.split()[:3] for line in upload.pacectl("upload", "status").splitlines()]
    assert lines == [["ACTIVITY", "TO", "STATE"], *(
        [str(number), name, "done"] for number, name in ((new, "intervals"), (new, "webdav"), (old, "intervals")))]


@pytest.mark.parametrize("service", matrix(ALL, "intervals"))
def test_activity_whose_fate_is_unclear_is_looked_up_and_not_sent_twice(upload, service):
    service = getattr(upload.start(service, finds=False), service)
    service.fail("closed after, stored", "send")
    activity = upload.send()
    unclear = upload.wait_for_upload(activity, service.name, "waiting", reason="127.0.0.1")
    assert 50_000 < unclear["next_try_ms"] < 75_000
    upload.wait_through(activity, service.name, "done")
    assert_once(upload, activity, service.name)
    # Strava and WebDAV say themselves that they have it.
    assert service.count("send") == (1 if service.count("look") else 2)
    assert upload.notices() == []


def test_refused_token_pauses_the_service_with_one_notice(upload):
    services = upload.start("intervals", "webdav")
    services.intervals.secret = "another"
    names = [upload.record()[1] for _ in range(3)]
    upload.wait_for_service("intervals", "paused", "refuses the credential (403)")
    upload.wait_until_done(names[-1], "webdav")
    notice = wait_for(upload.notices, 60, "a notice")[0]
    assert notice["key"] == "upload-intervals" and "uploads to intervals pause" in notice["text"]
    assert services.intervals.count() == 1 and services.webdav.uploaded() == sorted(names)
    # The clock changes nothing, a correct credential and a restart do.
    upload.skip(86_400)
    upload.link.stop()
    assert services.intervals.count() == 1 and len(upload.notices()) == 1
    (upload.stage.directory / "credentials/upload-intervals").write_text("another\n")
    upload.link.start()
    upload.wait_until_done(names[-1], "intervals")
    assert services.intervals.uploaded() == names


@pytest.mark.parametrize("service", matrix(ALL, "intervals"))
@pytest.mark.parametrize("is_stored", matrix([True, False], True))
def test_kill_between_request_and_answer_neither_loses_nor_doubles_an_activity(upload, service, is_stored):
    service = getattr(upload.start(service, finds=False), service)
    service.fail(FAILURES["hang, stored"]._replace(stores=is_stored), "send")
    activity = upload.send()
    wait_for(lambda: service.count("send"), 60, "a request")
    upload.link.kill()
    upload.link.start()
    upload.wait_through(activity, service.name, "done")
    assert_once(upload, activity, service.name)
    assert upload.notices() == []


@pytest.mark.thorough
def test_all_services_and_a_directory_get_the_activities_in_their_order(upload):
    services = upload.start()
    upload.link.stop()
    place = upload.stage.directory / "synced"
    place.mkdir()
    text = upload.link.configuration.read_text()
    upload.link.configuration.write_text(f"{text}[Upload copies]\nService=directory\nPath={place}\n")
    names = [upload.record()[1] for _ in range(4)]
    upload.link.start()
    upload.wait_until_found("copies")
    names += [upload.record()[1] for _ in range(4)]
    for name in names:
        for service in ALL:
            upload.wait_through(name, service, "done")
    for service in services.services:
        assert service.uploaded() == names, service.name
    # This section was new at the second start.
    upload.wait_until_done(names[-1], "copies")
    files = sorted(place.iterdir())
    assert [file.stem.partition("_")[2] for file in files] == names[4:]
    assert all(fit_messages(file.read_bytes())["session"] and file.stat().st_mode & 0o777 == 0o644 for file in files)


@pytest.mark.thorough
def test_file_that_is_in_the_directory_is_not_written_again(upload):
    upload.start_daemon()
    place = upload.stage.directory / "synced"
    place.mkdir()
    upload.start_uploads({"Upload copies": {"Service": "directory", "Path": place}}, {})
    upload.wait_until_found("copies")
    number, activity = upload.record()
    upload.wait_until_done(activity, "copies")
    file, = place.iterdir()
    file.write_text("changed by another program")
    upload.link.stop()
    shutil.rmtree(upload.link.state)
    upload.link.start()
    assert "done" in upload.pacectl("upload", number)
    assert [path.read_text() for path in place.iterdir()] == ["changed by another program"]


@pytest.mark.thorough
def test_imports_and_demos_are_not_uploaded_by_themselves(upload):
    upload.start_daemon().stop()
    demo = upload.stage.paced("--demo", "--config", upload.stage.directory / "paced.conf")
    upload.daemon = demo
    services = upload.start_services("intervals")
    upload.wait_for_service("intervals", "connected")
    ridden = demo.call("status")["activity"]
    wait_for(lambda: demo.call("status").get("elapsed_ms", 0) > 1000, 60, "a part of the demo")
    assert "in progress" in upload.pacectl("upload", ridden, status=1)
    demo.control.result("run.stop")
    wait_for(lambda: not upload.summary(ridden)["open"], 60, "the end of the demo's run")
    imported, imported_name = upload.upload()
    demo.stop()
    upload.start_daemon()
    _, recorded_name = upload.record()
    upload.wait_until_done(recorded_name, "intervals")
    assert services.intervals.uploaded() == [recorded_name]
    assert "demo" in upload.pacectl("upload", ridden, status=1)
    upload.pacectl("upload", imported)
    assert services.intervals.uploaded() == [recorded_name, imported_name]


@pytest.mark.thorough
def test_service_that_is_added_again_begins_anew(upload):
    services = upload.start("intervals")
    text = upload.link.configuration.read_text()
    first = upload.record()[1]
    upload.wait_until_done(first, "intervals")
    upload.link.stop()
    upload.link.configuration.write_text("")
    upload.link.start()
    assert upload.link.call("link.uploads") == {"uploads": []}
    away = upload.record()[1]
    upload.link.stop()
    upload.link.configuration.write_text(text)
    upload.link.start()
    upload.wait_until_found("intervals")
    last = upload.record()[1]
    upload.wait_until_done(last, "intervals")
    assert services.intervals.uploaded() == [first, last]
    assert upload.uploads(first)["intervals"]["state"] == "none"


@pytest.mark.thorough
def test_activity_in_the_trash_is_not_sent(upload):
    services = upload.start("intervals")
    services.stop()
    number, activity = upload.record()
    upload.wait_for_service("intervals", "waiting", "127.0.0.1")
    upload.daemon.control.result("activities.trash", id=number)
    assert "trash" in upload.pacectl("upload", number, status=1)
    services.start()
    other, other_name = upload.record()
    upload.wait_through(other_name, "intervals", "done")
    assert services.intervals.uploaded() == [other_name]
    upload.daemon.control.result("activities.restore", id=number)
    upload.pacectl("upload", number)
    assert services.intervals.uploaded() == [other_name, activity]


@pytest.mark.thorough
def test_activity_without_a_date_waits_for_one(upload):
    upload.start_daemon(TIME_OF_DAY="unset")
    old, old_name = upload.record()
    services = upload.start_services("intervals")
    assert "has no date" in upload.pacectl("upload", old, "--to", "intervals", status=1)
    assert upload.uploads(old_name)["intervals"]["state"] == "refused"
    new, new_name = upload.record()
    assert upload.uploads(new_name)["intervals"]["state"] == "none" and services.intervals.count() == 0
    upload.pacectl("edit", old, "--start", "2026-03-01T08:00")
    assert "done" in upload.pacectl("upload", old)
    # What was recorded since the service is there needs nobody to ask.
    upload.pacectl("edit", new, "--start", "2026-03-02T08:00")
    upload.wait_until_done(new_name, "intervals")
    assert services.intervals.uploaded() == [old_name, new_name]
    assert services.intervals.files[1].name == f"2026-03-02_{new_name}.fit"


@pytest.mark.thorough
def test_hidden_places_and_what_tells_them_are_not_in_the_file(upload):
    """The made activity goes 1.3 km to the north. A circle of 300 m reaches 108 to 492 m beyond what it hides."""
    services = upload.start("intervals", HideMetres=300)
    number, activity = upload.upload(600)
    upload.pacectl("upload", number)
    upload.pacectl("upload", number)
    file, = services.intervals.files
    assert file.external_id != activity and uuid.UUID(file.external_id).version == 8
    assert activity not in file.name and uuid.UUID(activity).bytes not in file.data
    assert "activity_uuid" not in file.messages["session"][0] and "device_uuid" not in file.messages["session"][0]
    sent = [row["position_lat"] * 180 / 2**31 for row in file.messages["record"] if row.get("position_lat")]
    metres = 111_195
    assert sent and min(sent) - 52.5 >= 107 / metres and 52.5 + 599 * 2e-5 - max(sent) >= 107 / metres
    # It is found again by that name.
    upload.link.stop()
    shutil.rmtree(upload.link.state)
    upload.link.start()
    upload.pacectl("upload", number)
    assert len(services.intervals.files) == 1


HOOK = """upload() {{
    "{pacectl}" --runtime-dir "{runtime}" --state-dir "{state}" --link-dir "{link}" upload last --to intervals
}}
"""


@pytest.mark.thorough
def test_hook_and_service_together_upload_once(upload):
    services = upload.start("intervals")
    state = upload.stage.directory / "state"
    text = (ROOT / "Examples/upload/paced-upload").read_text()
    begin, _, end = text.partition("upload() {\n")
    words = {"pacectl": PACECTL, "runtime": upload.daemon.runtime, "state": state, "link": upload.link.runtime}
    hook = upload.stage.directory / "paced-upload"
    hook.write_text(begin + HOOK.format(**words) + end.partition("}\n")[2])
    hook.chmod(0o755)

    def call():
        subprocess.run([hook, state / "exports"], check=True, timeout=60,
                       env=os.environ | {"STATE_DIRECTORY": str(upload.stage.directory / "noted")})

    call()
    for count in (1, 2, 3):
        _, activity = upload.record()
        wait_for(lambda: len(list((state / "exports").glob("[!.]*.fit"))) == count, 60, "an exported file")
        call()
        upload.wait_until_done(activity, "intervals")
        call()
        assert_once(upload, activity, "intervals")
    assert services.intervals.count("send") == 3


@pytest.mark.thorough
def test_name_of_the_activity_is_its_title(upload):
    services = upload.start("intervals", "fittrackee", "strava")
    number, activity = upload.upload()
    upload.daemon.control.result("activities.edit", id=number, name="Round & round the lake ✓")
    upload.pacectl("upload", number)
    for name in ("intervals", "fittrackee", "strava"):
        upload.wait_through(activity, name, "done")
        assert getattr(services, name).files[0].fields["title"] == "Round & round the lake ✓"


@pytest.mark.thorough
def test_each_activity_is_once_in_each_service_after_kills_in_uploads_and_renewals():
    program = [sys.executable, "-B", ROOT / "Tests/Link/upload_kills.py", "--kills", "40"]
    result = subprocess.run(program, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)
    assert "40 kills" in result.stdout and "41 activities are once in each service" in result.stdout
    assert " in send" in result.stdout and " in token" in result.stdout
