"""Logins of paced-link at services with OAuth 2: by a pasted address, and how long they last."""

import json
import subprocess

import pytest

import needs
from harness.process import ENVIRONMENT, PACECTL
from harness.timing import GUARD, wait_for
from harness.upload_server import FAILURES
from harness.users import acting_as, reachable
from matrix import matrix

LOGINS = ["strava", "fittrackee"]


def log_in(upload, name, answer, status=0):
    """`pacectl upload login`, whose user pastes what `answer` makes of the address; returns its output."""
    command = [PACECTL, "upload", "login", name, "--link-dir", upload.link.runtime]
    process = subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, bufsize=1, env=ENVIRONMENT)
    said, address = "", None
    while address is None:
        line = process.stdout.readline()
        assert line, said
        said += line
        address = next((word for word in line.split() if word.startswith("http") and "client_id" in word), None)
    rest, _ = process.communicate(answer(address) + "\n", timeout=GUARD)
    assert process.returncode == status, said + rest
    return said + rest


def tokens(upload, name):
    return upload.link.state / f"tokens-{name}.json"


@pytest.mark.parametrize("name", matrix(LOGINS, "strava"))
def test_login_by_the_pasted_address_lets_the_uploads_go_on(upload, name):
    service = getattr(upload.start(name, logs_in=False, finds=False), name)
    activity = upload.send()
    paused = upload.wait_for_service(name, "paused", "nobody has logged in")
    assert f"sudo pacectl upload login {name}" in paused["reason"] and service.count() == 0
    log_in(upload, name, service.browse)
    upload.wait_through(activity, name, "done")
    assert service.uploaded() == [activity] and upload.status(name)["state"] == "connected"
    assert tokens(upload, name).stat().st_mode & 0o777 == 0o600
    assert len(wait_for(upload.notices, 60, "the notice of the pause")) == 1
    text = upload.link.log_text() + json.dumps([upload.link.call("link.status"), upload.link.call("link.uploads")])
    for secret in (service.secret, service.pairs[0].access, service.pairs[0].refresh):
        assert secret not in text


@pytest.mark.parametrize("name", matrix(LOGINS, "fittrackee"))
def test_wrong_answers_are_refused_and_the_right_one_is_taken_once(upload, name):
    service = getattr(upload.start(name, logs_in=False, finds=False), name)
    for wrong in (lambda address: service.browse(address, state="another"), lambda address: "http://localhost/",
                  lambda address: service.redirect + "?error=access_denied", lambda address: "nonsense/?&&=",
                  lambda address: service.browse(address).replace("state=", "status=")):
        said = log_in(upload, name, wrong, status=1)
        assert "answer" in said and "login" in said, said
    assert service.count() == 0 and not tokens(upload, name).exists()
    assert "login" in log_in(upload, name, lambda address: service.browse(address, code="wrong"), status=1)
    assert service.count("token") == 1 and not tokens(upload, name).exists()

    address = upload.request("link.login", to=name)["url"]
    first = service.browse(address)
    # Of two logins the newer one counts.
    address = upload.request("link.login", to=name)["url"]
    with pytest.raises(AssertionError, match="login"):
        upload.request("link.login", to=name, answer=first)
    answer = service.browse(address)
    assert upload.request("link.login", to=name, answer=answer) == {"done": True}
    with pytest.raises(AssertionError, match="login"):
        upload.request("link.login", to=name, answer=answer)
    assert service.count("token") == 2 and tokens(upload, name).exists()


@pytest.mark.thorough
def test_code_alone_is_an_answer_and_a_login_ends_after_a_while(upload):
    service = upload.start("strava", logs_in=False).strava
    log_in(upload, "strava", lambda address: service.browse(address).split("code=")[1].split("&")[0])
    address = upload.request("link.login", to="strava")["url"]
    upload.skip(3600)
    with pytest.raises(AssertionError, match="login"):
        upload.request("link.login", to="strava", answer=service.browse(address))


@pytest.mark.thorough
@pytest.mark.parametrize("failure", [name for name in FAILURES if name != "drip, stored"])
def test_login_that_fails_says_so_and_the_next_one_succeeds(upload, failure):
    services = upload.start(*LOGINS, logs_in=False, finds=False, TimeoutSec=5)
    for name in LOGINS:
        service = getattr(services, name)
        service.fail(failure, "token")
        assert "login has failed" in log_in(upload, name, service.browse, status=1)
        assert not tokens(upload, name).exists()
        log_in(upload, name, service.browse)
    activity = upload.send()
    for name in LOGINS:
        upload.wait_through(activity, name, "done")


@pytest.mark.thorough
def test_service_without_a_login_says_where_its_secret_is(upload):
    upload.start("intervals")
    assert "upload-intervals" in upload.pacectl("upload", "login", "intervals", status=1)
    assert "[Upload nowhere]" in upload.pacectl("upload", "login", "nowhere", status=1)


@pytest.mark.thorough
@needs.ROOT
def test_login_of_another_user_is_refused(upload):
    """Also of one who is in the group of the socket, and may see the status."""
    upload.start("strava", logs_in=False)
    upload.stage.directory.chmod(0o755)
    upload.link.runtime.chmod(0o755)
    (upload.link.runtime / "link.sock").chmod(0o666)
    member = acting_as(54301, 54311)

    def pacectl(*words):
        return subprocess.run(
            [reachable(PACECTL), *words, "--link-dir", upload.link.runtime], capture_output=True, text=True,
            timeout=GUARD, stdin=subprocess.DEVNULL, cwd="/", env=ENVIRONMENT, **member)

    refused = pacectl("upload", "login", "strava")
    assert refused.returncode == 1 and "only root may log in" in refused.stderr, refused
    assert "http" not in refused.stdout
    assert pacectl("link", "status").returncode == 0 and pacectl("upload", "status").returncode == 0


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOGINS)
def test_tokens_are_renewed_before_their_end_and_each_pair_is_used(upload, name):
    service = getattr(upload.start(name), name)
    for number in range(4):
        if number:
            upload.skip(service.lifetime)
        activity = upload.send()
        upload.wait_through(activity, name, "done")
    # One by the login, and one after each six hours.
    assert service.count("token") == 4 and len(service.pairs) == 1
    assert all(request.headers.get("authorization") is None for request in service.requests if request.kind == "token")
    saved = json.loads(tokens(upload, name).read_text())
    assert saved["refresh_token"] == service.pairs[0].refresh
    assert upload.notices() == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOGINS)
def test_login_that_its_user_has_ended_pauses_with_one_notice(upload, name):
    service = getattr(upload.start(name), name)
    service.revoke()
    activities = [upload.record()[1] for _ in range(3)]
    upload.wait_for_service(name, "paused", f"sudo pacectl upload login {name}")
    before = service.count()
    upload.skip(86_400)
    upload.skip(86_400)
    last = upload.record()[1]
    wait_for(lambda: upload.uploads(last)[name]["state"] == "waiting", 60, "another activity that waits")
    assert service.count() == before and len(upload.notices()) == 1
    log_in(upload, name, service.browse)
    for activity in [*activities, last]:
        upload.wait_through(activity, name, "done")
    assert service.uploaded() == [*activities, last]


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOGINS)
def test_login_lasts_over_a_winter_without_activities(upload, name):
    """The refresh token of FitTrackee ends when nobody uses it for twice the time of an access token."""
    service = getattr(upload.start(name, finds=False), name)
    service.lifetime = 2 * 86_400
    if name == "fittrackee":
        service.patience = 2 * service.lifetime
    service.expire()
    upload.wait_through(upload.send(), name, "done")
    for _ in range(6):
        before = tokens(upload, name).read_text()
        upload.skip(service.lifetime + 60)
        if name == "fittrackee":
            wait_for(lambda: tokens(upload, name).read_text() != before, 60, "a renewal")
    upload.wait_through(upload.send(), name, "done")
    assert len(service.uploaded()) == 2 and upload.notices() == []


@pytest.mark.thorough
def test_login_that_ends_meanwhile_is_told_before_the_next_activity(upload):
    service = upload.start("fittrackee", finds=False).fittrackee
    service.revoke()
    upload.skip(service.lifetime + 60)
    upload.wait_for_service("fittrackee", "paused", "upload login fittrackee")
    wait_for(upload.notices, 60, "a notice")
    before = service.count()
    for _ in range(3):
        upload.skip(86_400 + 60)
    assert service.count() == before and len(upload.notices()) == 1
    upload.log_in(service)
    assert upload.status("fittrackee")["state"] == "connected"


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOGINS)
def test_answer_to_a_renewal_that_is_lost_costs_no_login(upload, name):
    service = getattr(upload.start(name), name)
    service.expire()
    service.fail("hang, stored", "token")
    _, activity = upload.record()
    wait_for(lambda: service.count("token") == 2, 60, "a renewal")
    upload.link.kill()
    upload.link.start()
    upload.wait_through(activity, name, "done")
    assert service.uploaded() == [activity] and upload.notices() == []


@pytest.mark.thorough
def test_lost_renewal_at_a_strict_service_needs_a_login_and_loses_nothing(upload):
    """A service whose earlier refresh token ends at once, as that of FitTrackee does."""
    service = upload.start("fittrackee").fittrackee
    service.is_strict = True
    service.expire()
    service.fail("hang, stored", "token")
    _, activity = upload.record()
    wait_for(lambda: service.count("token") == 2, 60, "a renewal")
    upload.link.kill()
    upload.link.start()
    upload.wait_for_service("fittrackee", "paused", "upload login fittrackee")
    upload.log_in(service)
    upload.wait_through(activity, "fittrackee", "done")
    assert service.uploaded() == [activity]


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["", "{", "[]", '{"access_token": 1, "refresh_token": "x"}', "\0" * 4096])
def test_damaged_tokens_need_a_login(upload, text):
    service = upload.start("strava").strava
    upload.link.stop()
    tokens(upload, "strava").write_text(text)
    upload.link.start()
    _, activity = upload.record()
    upload.wait_for_service("strava", "paused", "nobody has logged in")
    upload.log_in(service)
    upload.wait_through(activity, "strava", "done")


@pytest.mark.thorough
def test_missing_credential_pauses_and_says_its_name(upload):
    services = upload.start("intervals", "strava")
    upload.link.stop()
    for name in ("intervals", "strava"):
        (upload.stage.directory / f"credentials/upload-{name}").unlink()
    upload.link.start()
    upload.record()
    for name in ("intervals", "strava"):
        upload.wait_for_service(name, "paused", f"upload-{name}")
    assert services.intervals.count() == 0 and services.strava.count() == 1
