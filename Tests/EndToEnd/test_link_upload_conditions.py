"""Uploads while something else is wrong: the disk, the clock, the server's folder, a stop; and many or large ones."""

import contextlib
import os
import pathlib
import shutil
import socket
import threading

import pytest

from harness.certificates import DAY, Identity
from harness.faults import fault_library
from harness.link_uploads import ALL
from harness.process import PACECTL, ROOT
from harness.timing import real_seconds, wait_for
from harness.upload_server import FAILURES, Failure, answer

pytestmark = pytest.mark.thorough


def test_nothing_is_sent_while_its_state_cannot_be_stored(upload):
    """A kill would make a second copy."""
    fault = upload.stage.directory / "fault"
    fault.write_text("fine")
    libraries = ":".join(map(fault_library, ("clock", "disk")))
    # The disk of the state of paced-link is full, by its name, and that of the journal is not written to.
    services = upload.start(program={"state": "journal-of-link", "LD_PRELOAD": libraries, "DISK_FAULT": str(fault)})
    first = upload.send()
    for name in ALL:
        upload.wait_through(first, name, "done")
    before = [service.count("send") for service in services.services]
    fault.write_text("ENOSPC")
    with contextlib.suppress(AssertionError):
        upload.send()
    wait_for(lambda: "cannot store the state of uploads" in upload.link.log_text(), 60, "the error")
    for name in ALL:
        assert "store" in upload.status(name).get("reason", ""), upload.status(name)
    _, second = upload.record()
    for _ in range(3):
        upload.skip(61)
    assert [service.count("send") for service in services.services] == before
    fault.write_text("fine")
    upload.skip(61)
    for name in ALL:
        upload.wait_through(second, name, "done")
        assert len(set(getattr(services, name).uploaded())) == len(getattr(services, name).uploaded())


def test_certificate_waits_for_a_clock(upload):
    identity = Identity(upload.stage.directory, "services")
    upload.start_daemon()
    activity = upload.record()[1]
    upload.daemon.stop()
    unset = {"TIME_OF_DAY": "unset"}
    upload.start_daemon(**unset)
    services = upload.start_services("intervals", identity=identity, finds=False, program=unset)
    upload.ask(activity)
    upload.wait_for_service("intervals", "waiting", "clock-unset")
    assert services.connections == 0
    upload.link.stop()
    upload.link.environment["TIME_OF_DAY"] = "set"
    upload.link.start()
    upload.wait_until_done(activity, "intervals")


@pytest.mark.parametrize("stored", [True, False])
def test_stop_in_a_request_is_quick_and_like_a_kill(upload, stored):
    services = upload.start(finds=False)
    for service in services.services:
        service.fail(FAILURES["hang, stored"]._replace(stores=stored), "send")
    activity = upload.send()
    wait_for(lambda: all(service.count("send") for service in services.services), 60, "requests")
    begun = real_seconds()
    assert upload.link.end()[0] == 0
    assert real_seconds() - begun < 5
    upload.link.start()
    for name in ALL:
        upload.wait_through(activity, name, "done")
        assert getattr(services, name).uploaded() == [activity]


def test_missing_folder_above_and_a_full_server_have_their_reasons(upload):
    service = upload.start("webdav", finds=False).webdav
    shutil.rmtree(service.place)
    os.rename(service.place.parent, f"{service.place.parent}-away")
    service.fail(Failure(answer(409, b"")), "send", times=1)
    service.fail(Failure(answer(409, b"")), "make", times=1)
    activity = upload.send()
    assert "folder" in upload.wait_for_service("webdav", "waiting")["reason"]
    os.rename(f"{service.place.parent}-away", service.place.parent)
    service.fail(Failure(answer(507, b"")), "send")
    upload.skip(80)
    upload.wait_for_service("webdav", "waiting", "507")
    upload.wait_through(activity, "webdav", "done")
    assert service.uploaded() == [activity] and upload.notices() == []


def test_address_with_a_path_is_kept_and_another_one_is_another_service(upload):
    service = upload.start("webdav").webdav
    first = upload.record()[1]
    upload.wait_until_done(first, "webdav")
    upload.link.stop()
    text = upload.link.configuration.read_text()
    upload.link.configuration.write_text(text.replace("/rides", "/rides%20of%20Anna/2026%C3%A4/"))
    upload.link.start()
    second = upload.send()
    # The folder above is missing, and no folder is made beyond one.
    upload.wait_for_service("webdav", "waiting", "folder")
    (service.place.parent / "rides of Anna").mkdir()
    upload.wait_through(second, "webdav", "done")
    names = [path.name for path in (service.place.parent / "rides of Anna/2026ä").iterdir()]
    assert len(names) == 1 and second in names[0]
    assert upload.uploads(first)["webdav"]["state"] == "none"


def test_two_accounts_of_a_service_get_the_activity_each(upload):
    services = upload.start("intervals", finds=False)
    upload.link.stop()
    text = upload.link.configuration.read_text()
    upload.link.configuration.write_text(text + text.replace("[Upload intervals]", "[Upload coach]") + "User=0\n")
    (upload.stage.directory / "credentials/upload-coach").write_text(services.intervals.secret)
    upload.link.start()
    activity = upload.send()
    # Of these two one is found by the other's look: both names are the same athlete's.
    upload.wait_until_done(activity, "intervals", "coach")
    assert services.intervals.uploaded().count(activity) in (1, 2)


def test_hundred_activities_are_uploaded_one_after_the_other(upload):
    services = upload.start("intervals", "webdav", finds=False)
    activities = [upload.record()[1] for _ in range(100)]
    begun = real_seconds()
    upload.ask(*activities)
    watch = upload.watch()
    for name in ("intervals", "webdav"):
        upload.wait_until_done(activities[-1], name)
        wait_for(lambda: upload.status(name)["activities"] == 0, 60, "no activity that waits")
        assert sorted(getattr(services, name).uploaded()) == activities
    print(f"100 activities in {real_seconds() - begun:.0f} s")
    watch.check()
    # The list has the newest hundred.
    assert len(upload.request("link.uploads")["uploads"]) == 100
    assert "activities" in str(upload.link.call("link.upload", activities=[*activities, activities[0]]))


def test_since_uploads_the_days_from_one_on(upload):
    upload.start_daemon()
    numbers = [upload.upload(started_utc_ms=1_767_225_600_000 + day * 86_400_000) for day in range(4)]
    services = upload.start_services("intervals", finds=False)
    assert "2" in upload.pacectl("upload", "--since", "2026-01-03")
    assert services.intervals.uploaded() == [activity for _, activity in numbers[2:]]


def test_long_ride_takes_no_memory(upload):
    services = upload.start("intervals", "strava", "webdav", finds=False)
    _, activity = upload.upload(30_000)
    before = upload.link.kernel_status("VmHWM")
    upload.ask(activity)
    for name in ("intervals", "strava", "webdav"):
        upload.wait_through(activity, name, "done")
    size = len(services.intervals.files[0].data)
    assert size > 500_000 and upload.link.kernel_status("VmHWM") - before < 8 * 1024


def test_real_run_arrives_as_it_was_exported(upload):
    services = upload.start(finds=False)
    upload.pacectl("import", ROOT / "Tests/Data/fit/run-fenix2-9km.fit")
    number = upload.daemon.call("activities.list")[0]["id"]
    path = upload.stage.directory / "exported.fit"
    upload.pacectl("export", number, "-o", path)
    upload.pacectl("upload", number)
    activity = upload.summary(number)["uuid"]
    for service in services.services:
        upload.wait_through(activity, service.name, "done")
        assert service.files[0].data == path.read_bytes(), service.name


def test_lost_state_uploads_nothing_by_itself_and_nothing_twice(upload):
    services = upload.start()
    activity = upload.send()
    for name in ALL:
        upload.wait_through(activity, name, "done")
    upload.link.stop()
    for suffix in ("-wal", "-shm"):
        (upload.link.state / f"link.sqlite{suffix}").unlink(missing_ok=True)
    (upload.link.state / "link.sqlite").write_bytes(b"no database" * 1000)
    upload.link.start()
    upload.wait_until_found(*ALL)
    assert "set aside" in upload.link.log_text()
    new = upload.record()[1]
    for name in ALL:
        upload.wait_through(new, name, "done")
        assert upload.uploads(activity)[name]["state"] == "none"
    upload.ask(activity)
    for name in ALL:
        upload.wait_through(activity, name, "done")
        assert sorted(getattr(services, name).uploaded()) == [activity, new]


def other_pacectl(upload, text):
    """Puts paced-link beside another pacectl, at its next start; returns that one's path."""
    place = upload.stage.directory / "programs"
    place.mkdir(exist_ok=True)
    shutil.copy(upload.link.command[0], place / "paced-link")
    (place / "pacectl").write_text(f"#!/bin/sh\n{text}\n")
    (place / "pacectl").chmod(0o755)
    upload.link.stop()
    upload.link.command[0] = str(place / "paced-link")
    upload.link.start()
    return place / "pacectl"


def children(process):
    return pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()


@pytest.mark.parametrize("text, reason", [
    ("echo 'pacectl: the disk is full' >&2; exit 1", "the disk is full"),
    ("kill -9 $$", "pacectl"),
    ("exec sleep 1000", "took too long"),
])
def test_file_that_cannot_be_made_has_its_reason_and_is_tried_again(upload, text, reason):
    service = upload.start("intervals", finds=False).intervals
    pacectl = other_pacectl(upload, text)
    watch = upload.watch()
    activity = upload.send()
    if reason == "took too long":
        wait_for(lambda: service.count("look") and children(upload.link.pid), 60, "a pacectl")
        upload.skip(301)
    upload.wait_for_upload(activity, "intervals", "waiting", reason=reason)
    watch.check()
    assert sum(path.stat().st_size for path in upload.link.state.iterdir()) < 10_000_000
    assert children(upload.link.pid) == [] and service.count("send") == 0
    pacectl.unlink()
    pacectl.symlink_to(PACECTL)
    upload.wait_through(activity, "intervals", "done")
    assert service.uploaded() == [activity] and upload.notices() == []


def test_activity_of_which_nothing_may_be_shown_is_refused_and_others_go_on(upload):
    services = upload.start("intervals", HideMetres=5000)
    _, hidden = upload.upload(60)
    upload.ask(hidden)
    indoor = upload.record()[1]
    upload.wait_through(indoor, "intervals", "done")
    assert upload.wait_through(hidden, "intervals", "refused")["reason"]
    assert len(services.intervals.files) == 1


@pytest.mark.parametrize("sport, label", [
    ("run", "Running"), ("walk", "Walking"), ("hike", "Hiking"), ("ride", "Cycling (Sport)"), ("other", None)])
def test_sport_is_that_of_fittrackee(upload, sport, label):
    service = upload.start("fittrackee", finds=False).fittrackee
    _, activity = upload.upload(sport=sport)
    upload.ask(activity)
    if label is None:
        assert "other" in upload.wait_for_upload(activity, "fittrackee", "refused")["reason"]
    else:
        upload.wait_through(activity, "fittrackee", "done")
        assert service.SPORTS[service.files[0].fields["sport"] - 1] == label


class SilentServer:
    """Its kernel accepts connections, and nobody reads them."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port))

    def end(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class ClosingServer(SilentServer):
    """Closes each connection at once."""

    def __init__(self, port):
        super().__init__(port)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                self.listener.accept()[0].close()


@pytest.mark.parametrize("obstacle", ["no TLS", "closed in the handshake", "no authorities"])
def test_activity_that_was_never_sent_is_never_unknown(upload, obstacle):
    """Without a connection no request was sent: there is no end of the attempts, and no doubt."""
    identity = Identity(upload.stage.directory, "services", until=100 * DAY)
    upload.start_daemon()
    services = upload.start_services("intervals", "webdav", identity=identity, finds=False)
    services.stop()
    pem = identity.path.read_bytes()
    if obstacle == "no TLS":
        services.identity = None
        services.start()
    elif obstacle == "no authorities":
        services.start()
        identity.path.unlink()
    else:
        closing = upload.stage.keep(ClosingServer(services.port))
    activity = upload.send()
    for _ in range(18):
        for name in ("intervals", "webdav"):
            waiting = upload.wait_until_settled(activity, name)
            assert waiting["state"] == "waiting" and waiting["reason"], waiting
            assert upload.status(name)["reason"], upload.status(name)
        upload.skip(26_000)
    identity.path.write_bytes(pem)
    if obstacle == "closed in the handshake":
        closing.end()
    else:
        services.stop()
    services.identity = identity
    services.start()
    for name in ("intervals", "webdav"):
        upload.wait_through(activity, name, "done")
        assert getattr(services, name).uploaded() == [activity]
    services.complaints.clear()


def test_silence_before_the_request_is_no_doubt(upload):
    """A network that drops everything: the service waits, twice as long each time, as without any network."""
    identity = Identity(upload.stage.directory, "services")
    upload.start_daemon()
    services = upload.start_services("webdav", identity=identity, finds=False, TimeoutSec=5)
    services.stop()
    silent = upload.stage.keep(SilentServer(services.port))
    activity = upload.send()
    for pause in (60, 120):
        waiting = upload.wait_until_settled(activity, "webdav")
        assert "in time" in waiting["reason"] and "in time" in upload.status("webdav")["reason"]
        assert (pause - 10) * 1000 < waiting["next_try_ms"] <= 1.2 * pause * 1000
        # The service waits, and not this activity alone.
        assert upload.status("webdav")["next_try_ms"] > (pause - 10) * 1000
        upload.skip(pause * 1.2 + 1)
    silent.end()
    services.start()
    upload.wait_through(activity, "webdav", "done")
    assert services.webdav.uploaded() == [activity]
