"""A WebDAV folder with courses, and lists of it that nobody should send: nothing else is fetched and imported."""

import contextlib
import sqlite3
import urllib.parse

import pytest

from harness.link_plan import course
from harness.upload_server import HTML, Failure, answer
from harness.workouts import lasting

pytestmark = pytest.mark.thorough
FOLDER = "/remote.php/dav/files/anna/rides"


def listed(*entries):
    """An answer to PROPFIND with entries (address, ETag, length, whether it is a folder), under other prefixes."""
    text = "".join(
        f'<x:response><x:href>{href}</x:href><x:propstat><x:prop><x:getetag>{tag}</x:getetag><x:getcontentlength>{size}'
        f"</x:getcontentlength><x:resourcetype>{'<x:collection/>' if folder else ''}</x:resourcetype></x:prop>"
        "<x:status>HTTP/1.1 200 OK</x:status></x:propstat></x:response>" for href, tag, size, folder in entries)
    return f'<?xml version="1.0"?><x:multistatus xmlns:x="DAV:">{text}</x:multistatus>'.encode()


BOMB = (b'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    f'<!ENTITY {one} "{("&" + other + ";") * 10}">'.encode() for other, one in zip("abcdefgh", "bcdefghi"))
    + b']><d:multistatus xmlns:d="DAV:"><d:response><d:href>&i;</d:href></d:response></d:multistatus>')
OUTSIDE = (b'<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><d:multistatus xmlns:d="DAV:">'
           b"<d:response><d:href>&a;</d:href></d:response></d:multistatus>")
LISTS = {
    "no XML": b"{}", "empty": b"", "cut": listed((f"{FOLDER}/a.gpx", '"1"', 5, False))[:-20], "bomb": BOMB,
    "outside": OUTSIDE, "other root": b"<html xmlns='DAV:'/>", "deep": b"<a>" * 200_000, "html": HTML,
    "no text": b"\xff\xfe<\x00", "nothing": listed(),
    "other places": listed(*((href, '"1"', 500, False) for href in (
        "https://evil.example/a.gpx", f"{FOLDER}/../secret.gpx", f"{FOLDER}/%2e%2e/secret.gpx",
        f"{FOLDER}/%2E%2E%2Fsecret.gpx",
        "/secret.gpx", "//localhost/a.gpx", "secret.gpx", "../secret.gpx", f"{FOLDER}/sub/a.gpx", f"{FOLDER}/a.gpx%00",
        f"{FOLDER}/a%0d%0aHost:%20x.gpx", f"{FOLDER}/a.gpx?b", f"{FOLDER}/%zz.gpx", "x" * 100_000 + ".gpx"))),
    "wrong lengths": listed(*((f"{FOLDER}/a.gpx", '"1"', size, False) for size in ("-1", "x", 10**30, 9 << 20))),
    "folders": listed((FOLDER + "/", "", "", True), (f"{FOLDER}/a.gpx/", '"1"', "", True)),
}


@pytest.mark.parametrize("name", LISTS)
def test_other_list_than_of_the_folder_fetches_nothing_from_elsewhere(plan, name):
    webdav = plan.start("webdav").webdav
    (webdav.place / "sub").mkdir()
    (webdav.place / "sub/a.gpx").write_bytes(course("of another folder"))
    (webdav.place.parent / "secret.gpx").write_bytes(course("secret"))
    webdav.fail(Failure(answer(207, LISTS[name], Content_Type="application/xml")), "list")
    begun = plan.link.processor_seconds()
    plan.pacectl("plan", "fetch", status=None)
    assert plan.courses() == [] and plan.link.processor_seconds() - begun < 2
    assert all(request.path.startswith(f"{FOLDER}/") for request in webdav.requests if request.kind == "get")
    webdav.put("good.gpx", course("good"))
    plan.fetch()
    assert plan.courses() == ["good"]


def test_list_of_another_server_is_understood(plan):
    """Other prefixes, a whole address, a weak ETag, an escaped name, and no ETag at all."""
    services = plan.start("webdav")
    webdav = services.webdav
    names = ["a.gpx", "ä & b.gpx", "c.gpx"]
    for number, name in enumerate(names):
        webdav.put(name, course(name.replace("&", "und"), 50 + number))
    webdav.fail(Failure(answer(207, listed(
        (f"{FOLDER}/", "", "", True), (f"{services.address}{FOLDER}/a.gpx", 'W/"1"', 900, False),
        (f"{FOLDER}/%C3%A4%20&amp;%20b.gpx", "&quot;2&quot;", 900, False)), Content_Type="text/xml")), "list")
    plan.fetch()
    assert sorted(plan.courses()) == ["a.gpx", "ä und b.gpx"]


@pytest.mark.parametrize("wanted, told", [
    ("anna%40example.org/R%C3%A4der", "anna@example.org/R%c3%a4der"),
    ("anna@example.org/R%c3%a4der", "anna%40example.org/R%C3%A4der"),
    ("anna/my%20rides%20(new)", "anna/my%20rides%20%28new%29")])
def test_folder_is_found_however_its_name_is_escaped(plan, wanted, told):
    """Servers escape as they like: Nextcloud with small letters, and leaves @ as it is."""
    webdav = plan.start("webdav", folder="/remote.php/dav/files/" + wanted).webdav
    webdav.fail(Failure(answer(207, listed((f"/remote.php/dav/files/{told}/a.gpx", '"1"', 500, False)))), "list")
    webdav.fail(Failure(answer(200, course("a"))), "get")
    plan.fetch()
    assert plan.courses() == ["a"]
    assert urllib.parse.unquote(webdav.requests[-1].path) == urllib.parse.unquote(f"/remote.php/dav/files/{told}/a.gpx")


def test_list_of_a_large_folder_fits_into_an_answer(plan):
    services = plan.start("intervals", "webdav")
    services.webdav.put("a.gpx", course("a"))
    services.intervals.plan(0, "Of today", lasting(10))
    plan.fetch()
    plan.link.stop()
    with contextlib.closing(sqlite3.connect(plan.link.state / "link.sqlite")) as store, store:
        store.executemany("INSERT INTO planned SELECT source, kind, ?1, day, ?1, version, state, reason FROM planned"
                          " WHERE kind = 'course' LIMIT 1", [(f"{number:096}.gpx",) for number in range(511)])
    plan.link.start()
    assert "Of today" in plan.pacectl("plan") and len(plan.plans()) > 100
    plan.pacectl("plan", "load", 1)


def test_broken_course_is_named_and_the_others_are_imported(plan):
    webdav = plan.start("webdav").webdav
    broken = {"cut.gpx": course("cut")[:-30], "empty.gpx": b"", "html.gpx": HTML, "other.fit": b"10 min",
              "one.gpx": course("one").replace(b"trkpt", b"wpt"), "bomb.gpx": BOMB}
    for name, data in broken.items():
        webdav.put(name, data)
    webdav.put("good.gpx", course("good"))
    plan.fetch()
    assert plan.courses() == ["good"]
    states = {one["name"]: one for one in plan.plans()}
    assert states["good.gpx"]["state"] == "imported"
    for name in broken:
        assert states[name]["state"] == "failed" and states[name]["reason"], states[name]
    # They are tried again in the next fetch, and the good one is not.
    plan.fetch()
    assert webdav.fetched().count("good.gpx") == 1 and all(webdav.fetched().count(name) == 2 for name in broken)
