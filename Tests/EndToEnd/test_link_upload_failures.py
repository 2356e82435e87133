"""Services that fail at each step of an upload: nothing is lost, nothing comes twice, and nothing else waits."""

import email.utils

import pytest

from harness.certificates import DAY, Identity
from harness.link_uploads import ALL
from harness.timing import wait_for
from harness.upload_server import FAILURES, Failure, UploadServer, answer
from harness.upload_services import KINDS

pytestmark = pytest.mark.thorough

REFUSALS = ("400", "413", "415", "422")
# After how many seconds the next attempt is, with the fifth more that it may have; a minute is that of the others.
MINUTE = (50, 73)
NEXT_TRY = {"429 with Retry-After": (110, 121), "503 with Retry-After": (110, 121), "429": (1, 906)}


def check_settled(upload, service, failure, settled):
    """What a failed request that carries the file does to the activity."""
    has_login = service.count("token") > 0
    if failure in REFUSALS:
        assert settled["state"] == "refused" and f"({failure})" in settled["reason"], settled
        assert "a made failure" in settled["reason"]
    elif failure in ("401", "403"):
        # A login is renewed once, and that helps here.
        if has_login:
            assert settled["state"] in ("processing", "done") and service.count("token") == 2
        else:
            assert settled["state"] == "waiting" and "next_try_ms" not in settled, settled
            assert upload.status(service.name)["state"] == "paused"
    elif failure == "409" and service.name == "webdav":
        # The folder is there, and is not made a second time.
        assert settled["state"] == "done" and service.count("make") == 1
    else:
        shortest, longest = NEXT_TRY.get(failure, MINUTE)
        assert settled["state"] == "waiting" and settled["reason"], settled
        assert shortest * 1000 <= settled["next_try_ms"] <= longest * 1000, settled
        if failure == "429":
            # Five seconds after the next quarter of an hour, at which the limits of Strava begin anew.
            assert abs((upload.services.now() + settled["next_try_ms"] / 1000) % 900 - 5) < 5, settled


@pytest.mark.parametrize("failure", FAILURES)
def test_failed_request_with_the_file_loses_and_doubles_nothing(upload, failure):
    services = upload.start(TimeoutSec=5, finds=False)
    for service in services.services:
        service.fail(failure, "send")
    watch = upload.watch()
    activity = upload.send()
    for service in services.services:
        settled = upload.wait_until_settled(activity, service.name)
        check_settled(upload, service, failure, settled)
        # No further request came by itself.
        assert service.count("send") <= 2
    for service in services.services:
        if upload.uploads(activity)[service.name]["state"] != "done":
            upload.ask(activity, to=service.name)
        upload.wait_through(activity, service.name, "done")
        assert service.uploaded() == [activity], service.name
        assert service.count("send") <= 3
    watch.check()
    if failure in ("401", "403"):
        # paced passes one notice of a program on in ten seconds.
        wait_for(lambda: len(upload.notices()) == 2, 60, "a notice for each service that pauses")
        assert {notice["key"] for notice in upload.notices()} == {"upload-intervals", "upload-webdav"}
    else:
        assert upload.notices() == []


@pytest.mark.parametrize("kind", ["look", "token", "sports", "poll"])
def test_failed_request_without_the_file_loses_and_doubles_nothing(upload, kind):
    services = upload.start(TimeoutSec=5, finds=False)
    concerned = [service for service in services.services if kind in service.kinds.values()]
    watch = upload.watch()
    activities = []
    for failure in FAILURES:
        for service in concerned:
            service.fail(failure, kind)
            if kind == "token":
                service.expire()
        activity = upload.send()
        activities.append(activity)
        for service in concerned:
            upload.wait_until_settled(activity, service.name)
            if kind == "token" and upload.status(service.name)["state"] == "paused":
                assert failure in ("400", "401", "403"), failure
                upload.log_in(service)
            elif kind != "poll":
                upload.ask(activity, to=service.name)
        for name in ALL:
            if upload.wait_through(activity, name, "done", "refused")["state"] == "refused":
                assert failure in REFUSALS, failure
                upload.ask(activity, to=name)
                upload.wait_through(activity, name, "done")
        for service in services.services:
            assert sorted(service.uploaded()) == sorted(activities), (failure, service.name)
            assert service.failures == [], (failure, service.name)
    watch.check()
    # Those of the activity that were refused are one each; nothing else has any.
    assert len(upload.notices()) <= 3 * len(concerned)


def test_missing_folder_is_made(upload):
    services = upload.start("webdav", finds=False)
    services.webdav.place.rmdir()
    activity = upload.send()
    upload.wait_until_done(activity, "webdav")
    assert services.webdav.uploaded() == [activity] and services.webdav.count("make") == 1


def test_failure_without_end_makes_it_unknown_and_others_go_on(upload):
    services = upload.start("intervals", "strava")
    for service in (services.intervals, services.strava):
        # The file of the first activity, which comes first at each turn, has never a clear end.
        service.fail("500", "send", times=16)
    _, first = upload.record()
    for name in ("intervals", "strava"):
        upload.wait_through(first, name, "unknown")
        assert getattr(services, name).count("send") == 16
        assert "500" in upload.uploads(first)[name]["reason"]
    upload.skip(3 * 86_400)
    _, second = upload.record()
    for name in ("intervals", "strava"):
        upload.wait_through(second, name, "done")
        assert getattr(services, name).uploaded() == [second]
        assert upload.uploads(first)[name]["state"] == "unknown"
        upload.ask(first, to=name)
        upload.wait_through(first, name, "done")
        assert getattr(services, name).uploaded() == [second, first]
    assert upload.notices() == []


def test_activity_that_fails_does_not_hold_up_the_others(upload):
    service = upload.start("intervals").intervals
    service.fail("500", "send")
    _, first = upload.record()
    upload.wait_for_upload(first, "intervals", "waiting", reason="500")
    _, second = upload.record()
    # A minute later the first one is due too: it is the older one.
    upload.wait_through(second, "intervals", "done")
    upload.wait_through(first, "intervals", "done")
    assert sorted(service.uploaded()) == [first, second]


def test_service_that_is_off_is_found_again_without_an_end(upload):
    services = upload.start()
    services.stop()
    _, activity = upload.record()
    pauses = {name: [] for name in ALL}
    for _ in range(12):
        for name in ALL:
            upload.wait_until_settled(activity, name)
            pauses[name].append(upload.uploads(activity)[name]["next_try_ms"] / 1000)
            assert upload.status(name)["state"] == "waiting" and "127.0.0.1" in upload.status(name)["reason"]
        upload.skip(max(pauses[name][-1] for name in ALL) + 1)
    for found in pauses.values():
        for number, pause in enumerate(found):
            assert min(60 * 2 ** number, 21_600) - 10 < pause <= 1.2 * min(60 * 2 ** number, 21_600), found
    services.start()
    for name in ALL:
        upload.wait_through(activity, name, "done")
        assert getattr(services, name).uploaded() == [activity]
    assert upload.notices() == []


def test_expired_certificate_gets_nothing_until_it_is_renewed(upload):
    authority = Identity(upload.stage.directory, "authority")
    old = Identity(upload.stage.directory, "expired", since=-2 * DAY, until=-DAY, issuer=authority)
    upload.start_daemon()
    services = upload.start_services(identity=old, authority=authority, logs_in=False)
    _, activity = upload.record()
    for name in ("intervals", "webdav"):
        assert "certificate" in upload.wait_for_service(name, "waiting", "127.0.0.1")["reason"]
    assert all(service.count() == 0 for service in services.services)
    services.stop()
    services.identity = Identity(upload.stage.directory, "renewed", issuer=authority)
    services.start()
    for service in services.services:
        if service.name in ("strava", "fittrackee"):
            upload.log_in(service)
        upload.wait_through(activity, service.name, "done")
        assert service.uploaded() == [activity]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(upload, status):
    other = upload.stage.keep(UploadServer(KINDS, upload.stage.directory).start())
    services = upload.start(finds=False)
    for service in services.services:
        service.fail(Failure(answer(status, b"", Location=f"{other.address}/login")))
    activity = upload.send()
    for service in services.services:
        upload.wait_for_service(service.name, "waiting", f"redirects to 127.0.0.1:{other.port}")
        assert service.count() == (2 if service.count("token") else 1), service.name
    for service in services.services:
        upload.wait_through(activity, service.name, "done")
        assert service.uploaded() == [activity]
    assert other.connections == 0 and other.complaints == []


def test_retry_after_is_kept_over_a_restart(upload):
    services = upload.start("intervals", "webdav")
    for service in (services.intervals, services.webdav):
        service.fail(Failure(answer(429, {}, Retry_After="3600")))
    _, activity = upload.record()
    for name in ("intervals", "webdav"):
        upload.wait_for_service(name, "waiting", "429")
    for end in (upload.link.kill, upload.link.stop):
        end()
        upload.link.start()
        # A user cannot shorten what the service asks for.
        upload.ask(activity)
        _, other = upload.record()
        wait_for(lambda: upload.uploads(other)["webdav"]["state"] == "waiting", 60, "the other activity")
        for name in ("intervals", "webdav"):
            assert 3_500_000 < upload.status(name)["next_try_ms"] <= 3_600_000
            assert getattr(services, name).count() == 1
    upload.skip(3601)
    for name in ("intervals", "webdav"):
        upload.wait_until_done(other, name)
        assert activity in getattr(services, name).uploaded()


@pytest.mark.parametrize("text, seconds", [
    ("31536000", 86_400), ("hour", 3600), ("0", None), ("-5", None), ("soon", None), ("9" * 40, None)])
def test_pause_has_the_time_that_the_service_asks_for_and_at_most_a_day(upload, text, seconds):
    service = upload.start("intervals", finds=False).intervals
    if text == "hour":
        text = email.utils.formatdate(upload.services.now() + 3600, usegmt=True)
    service.fail(Failure(answer(503, {}, Retry_After=text)))
    activity = upload.send()
    if seconds:
        waiting = upload.wait_for_service("intervals", "waiting", "503")
        assert (seconds - 60) * 1000 < waiting["next_try_ms"] <= seconds * 1000
    upload.wait_through(activity, "intervals", "done")
    assert service.count() <= 4


def test_strava_that_works_for_ever_is_unknown_and_is_not_sent_to_again(upload):
    service = upload.start("strava", finds=False).strava
    service.outcome = "processing"
    activity = upload.send()
    upload.wait_through(activity, "strava", "unknown", seconds=120)
    assert service.count("poll") == 36 and service.count("send") == 1
    assert service.requests[-1].at > 0 and upload.notices() == []
    service.outcome = "ready"
    upload.ask(activity)
    upload.wait_through(activity, "strava", "done")
    assert service.count("send") == 1 and service.uploaded() == [activity]


def test_strava_is_asked_again_after_a_kill(upload):
    service = upload.start("strava", finds=False).strava
    service.outcome = "processing"
    activity = upload.send()
    upload.wait_for_upload(activity, "strava", "processing")
    upload.link.kill()
    service.outcome = "ready"
    upload.link.start()
    upload.wait_through(activity, "strava", "done")
    assert service.count("send") == 1


def test_what_strava_says_of_a_file_is_the_reason(upload):
    service = upload.start("strava", finds=False).strava
    service.outcome = "The file is\x1b[2J malformed.\n"
    activity = upload.send()
    refused = upload.wait_through(activity, "strava", "refused")
    assert "malformed" in refused["reason"] and "\x1b" not in refused["reason"] and "\n" not in refused["reason"]
    # A duplicate of one that somebody else has uploaded is there.
    service.outcome = "019ca84e.fit DUPLICATE OF activity 17"
    upload.ask(activity)
    done = upload.wait_through(activity, "strava", "done")
    assert done["remote"] == "17" and done["url"].endswith("/activities/17")


def test_activity_that_its_user_deletes_at_strava_is_not_asked_for_a_day(upload):
    service = upload.start("strava", finds=False).strava
    service.outcome = "deleted"
    activity = upload.send()
    upload.wait_through(activity, "strava", "done", "refused", "unknown")
    assert service.count("send") == 1 and service.count("poll") <= 3


def test_hostile_answers_neither_end_nor_fill_the_program(upload):
    services = upload.start("intervals", "strava", "fittrackee", finds=False)
    bodies = [b"[" * 500_000, b"\xff\xfe", b"{}", b"null", b'"text"', b"[1]", b'{"id": {"id": 1}}', b"x" * 5_000_000,
              b'{"id": "../../../etc/passwd"}', b'{"data": {"workouts": [{"id": "a\\u0000b"}]}}',
              b'{"data": {"sports": 3}}', b'{"id": 1e400, "activity_id": -1}']
    activity = upload.send()
    for name in ("intervals", "strava", "fittrackee"):
        upload.wait_through(activity, name, "done")
    watch = upload.watch()
    for body in bodies:
        for service in services.services[:3]:
            service.fail(Failure(answer(200, body)), "look", "send", "sports", "poll")
        activity = upload.send()
        for name in ("intervals", "strava", "fittrackee"):
            upload.wait_until_settled(activity, name)
    watch.check()
    assert upload.link.process.poll() is None and upload.link.kernel_status("VmRSS") < 64 * 1024
