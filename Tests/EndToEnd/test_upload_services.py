"""The services that the tests of uploads use: what they take, what they refuse, and that each failure is one."""

import datetime
import subprocess

import pytest
import requests

from harness.certificates import Identity
from harness.link import LinkFixture
from harness.process import PACECTL
from harness.timing import GUARD
from harness.upload_server import FAILURES, UploadServer
from harness.upload_services import KINDS

pytestmark = pytest.mark.thorough

NAME = "019b76da-a800-78c6-b742-cfa54d75ac25"


@pytest.fixture
def services(stage):
    services = stage.keep(UploadServer(KINDS, stage.directory).start())
    yield services
    assert services.complaints == []


@pytest.fixture
def fit(stage):
    """A FIT file that pacectl writes."""
    link = LinkFixture(stage, None)
    link.start_daemon()
    number, _ = link.upload(uuid=NAME)
    path = stage.directory / "one.fit"
    subprocess.run([PACECTL, "--state-dir", stage.directory / "state", "export", str(number), "-o", path],
                   check=True, capture_output=True, timeout=GUARD)
    return path.read_bytes()


def bearer(pair):
    return {"Authorization": f"Bearer {pair.access}"}


def send(service, fit, timeout=GUARD, **options):
    """The request of a service with a file. `options` are those of requests."""
    address, file = service.server.address, ("2026-01-01_x.fit", fit, "application/vnd.ant.fit")
    if service.name == "intervals":
        return requests.post(f"{address}/api/v1/athlete/0/activities", params={"external_id": NAME}, timeout=timeout,
                             files={"file": file}, auth=("API_KEY", service.secret), **options)
    if service.name == "strava":
        data = {"data_type": "fit", "external_id": NAME}
        return requests.post(f"{address}/api/v3/uploads", data=data, timeout=timeout, files={"file": file},
                             headers=bearer(service.sign_in()), **options)
    if service.name == "fittrackee":
        data = f'{{"sport_id": 5, "notes": "{NAME}"}}'
        return requests.post(f"{address}/api/workouts", data={"data": data}, timeout=timeout, files={"file": file},
                             headers=bearer(service.sign_in()), **options)
    return requests.put(f"{address}{service.folder}/2026-01-01_{NAME}.fit", data=fit, timeout=timeout,
                        headers={"If-None-Match": "*"}, auth=(service.user, service.secret), **options)


def test_intervals_takes_a_file_and_lists_it(services, fit):
    service = services.intervals
    assert send(service, fit).json()["id"] == "i101"
    days = {"oldest": "2025-12-31", "newest": "2026-01-02", "fields": "id,external_id"}
    address = f"{services.address}/api/v1/athlete/0/activities"
    found = requests.get(address, params=days, auth=("API_KEY", service.secret), timeout=GUARD)
    assert found.json() == [{"id": "i101", "external_id": NAME}]
    assert requests.get(address, params=days, auth=("API_KEY", "wrong"), timeout=GUARD).status_code == 403
    assert service.uploaded() == [NAME] and service.count("look") == 2
    assert service.files[0].messages["session"][0]["start_time"].date() == datetime.date(2026, 1, 1)


def test_strava_works_on_a_file_and_refuses_it_a_second_time(services, fit):
    service = services.strava
    for expected in ("101", None):
        number = send(service, fit).json()["id"]
        answers = [requests.get(f"{services.address}/api/v3/uploads/{number}", timeout=GUARD,
                                headers=bearer(service.pairs[0])).json() for _ in range(2)]
        assert answers[0]["status"] == service.WORKING and answers[0]["activity_id"] is None
        assert answers[1]["activity_id"] == (expected and int(expected))
    assert "duplicate of <a href='/activities/101'" in answers[1]["error"]
    assert service.uploaded() == [NAME]


def test_fittrackee_takes_a_file_twice_and_finds_it_by_its_notes(services, fit):
    service = services.fittrackee
    assert [send(service, fit).status_code for _ in range(2)] == [201, 201]
    found = requests.get(f"{services.address}/api/workouts", params={"notes": NAME}, timeout=GUARD,
                         headers=bearer(service.pairs[0])).json()
    assert [one["id"] for one in found["data"]["workouts"]] == ["w101", "w102"]


def test_webdav_wants_its_folder_and_overwrites_nothing(services, fit):
    service = services.webdav
    service.place.rmdir()
    assert send(service, fit).status_code == 409
    folder, user = services.address + service.folder, (service.user, service.secret)
    assert requests.request("MKCOL", folder, auth=user, timeout=GUARD).status_code == 201
    assert requests.request("MKCOL", folder, auth=user, timeout=GUARD).status_code == 405
    assert [send(service, fit).status_code for _ in range(2)] == [201, 412]
    assert requests.request("MKCOL", folder, auth=("anna", "wrong"), timeout=GUARD).status_code == 401
    assert service.uploaded() == [NAME]


def refresh(service, token):
    return requests.post(
        service.server.address + next(path for _, path in service.kinds if "token" in path), timeout=GUARD,
        data={"client_id": service.client, "client_secret": service.secret, "grant_type": "refresh_token",
              "refresh_token": token})


def test_refresh_token_ends_when_the_new_pair_is_used(services, fit):
    service = services.strava
    old = service.sign_in()
    lost, kept = refresh(service, old.refresh).json(), refresh(service, old.refresh).json()
    assert service.accepts(old.refresh) and service.accepts(lost["refresh_token"])
    requests.get(f"{services.address}/api/v3/uploads/1", timeout=GUARD,
                 headers={"Authorization": f"Bearer {kept['access_token']}"})
    assert not service.accepts(old.refresh) and not service.accepts(lost["refresh_token"])
    assert refresh(service, old.refresh).status_code == 400
    assert service.accepts(kept["refresh_token"])
    service.is_strict = True
    refresh(service, kept["refresh_token"])
    assert not service.accepts(kept["refresh_token"])


def test_login_needs_the_right_code_and_its_verifier(services):
    service = services.fittrackee
    challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"  # with its verifier: RFC 7636, appendix B
    address = (f"{services.address}/profile/apps/authorize?response_type=code&client_id=12345&state=0123456789abcdef"
               f"&redirect_uri=http%3A%2F%2Flocalhost%2F&scope=workouts%3Aread+workouts%3Awrite"
               f"&code_challenge={challenge}&code_challenge_method=S256")
    form = {"client_id": service.client, "client_secret": service.secret, "grant_type": "authorization_code",
            "redirect_uri": "http://localhost/"}
    for verifier, status in (("x" * 43, 400), ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", 200)):
        code = service.browse(address).split("code=")[1].split("&")[0]
        for expected in (status, 400):
            answered = requests.post(f"{services.address}/api/oauth/token", timeout=GUARD,
                                     data=form | {"code": code, "code_verifier": verifier})
            assert answered.status_code == expected
    assert answered.json() == {"error": "invalid_grant"} and len(service.pairs) == 1


@pytest.mark.parametrize("kind", ["intervals", "webdav"])
@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_is_one_and_the_next_request_is_answered(services, fit, name, kind):
    service, failure = getattr(services, kind), FAILURES[name]
    service.fail(name, "send")
    try:
        answered = send(service, fit, timeout=0.5, allow_redirects=False, stream=True)
        assert failure.drips or answered.content
        if failure.drips:
            assert answered.raw.read(3) == b"   "
            answered.close()
            raise requests.RequestException
    except requests.RequestException:
        assert failure.ends
    else:
        assert not failure.ends and answered.status_code == failure.answer.status
        assert answered.headers.get("Retry-After") == failure.answer.fields.get("Retry-After")
    assert service.uploaded() == ([NAME] if failure.stores else [])
    assert send(service, fit).status_code == (412 if failure.stores and kind == "webdav" else 201)
    assert service.count("send") == 2


def test_certificate_stopped_server_and_damaged_file(stage, fit):
    identity = Identity(stage.directory, "services")
    services = stage.keep(UploadServer(KINDS, stage.directory, identity).start())
    with pytest.raises(requests.exceptions.SSLError):
        send(services.intervals, fit)
    assert send(services.intervals, fit, verify=identity.path).status_code == 201
    services.stop()
    with pytest.raises(requests.exceptions.ConnectionError):
        send(services.intervals, fit, verify=identity.path)
    services.start()
    assert send(services.intervals, fit[:-1] + b"x", verify=identity.path).status_code == 400
    assert len(services.complaints) == 1 and "CRC" in services.complaints[0]
    services.complaints.clear()
