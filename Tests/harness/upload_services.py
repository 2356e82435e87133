"""The four services to which paced-link uploads, as far as it uses them.

Sources: intervals.icu's API page, developers.strava.com, FitTrackee's API documentation; the server of WebDAV is real.
Where a service takes the same activity twice, this one does so too: a test sees it in `files`.
"""

import base64
import datetime
import hashlib
import io
import json
import pathlib
import secrets
import urllib.parse
import uuid

from wsgidav.wsgidav_app import WsgiDAVApp

from harness.upload_server import Answer, Service, answer


def basic(request):
    """User and password of a request, or None."""
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    return tuple(base64.b64decode(text).decode().split(":", 1)) if kind == "Basic" else None



class Intervals(Service):
    name = "intervals"
    kinds = {("GET", "/api/v1/athlete/0/activities"): "look", ("POST", "/api/v1/athlete/0/activities"): "send"}

    def __init__(self, server):
        super().__init__(server)
        self.secret = "key-of-intervals"

    def authorised(self, request):
        if basic(request) != ("API_KEY", self.secret):
            return answer(403, {"status": 403, "error": "Access denied"})

    def look(self, request):
        """The activities of some days, with the fields that are asked for."""
        oldest, newest = (datetime.date.fromisoformat(request.parameters[name][:10]) for name in ("oldest", "newest"))
        assert (newest - oldest).days <= 3, "looks at more than the days of one activity"
        found = []
        for file in self.files:
            session, = file.messages["session"]
            if oldest <= session["start_time"].date() <= newest:
                found.append({"id": f"i{file.remote}", "external_id": file.external_id, "name": file.fields["title"]})
        wanted = request.parameters["fields"].split(",")
        return answer(200, [{name: one[name] for name in wanted} for one in found])

    def send(self, request):
        fields, data = request.parts()["file"]
        asked = request.parameters
        file = self.keep(asked["external_id"], fields["filename"], data, title=asked.get("name"))
        return answer(201, {"id": f"i{file.remote}", "icu_athlete_id": "i1", "activities": [{"id": f"i{file.remote}"}]})


class Login:
    """A pair of tokens. What is issued for its refresh token has it as `before`."""

    def __init__(self, service, before=None):
        self.access, self.refresh = secrets.token_hex(20), secrets.token_hex(20)
        self.ends, self.refresh_ends = (service.server.now() + each for each in (service.lifetime, service.patience))
        self.before = before


class OAuth(Service):
    """A service with OAuth 2, in which an application signs in for its user.

    A refresh token gives a new pair. The pair before it ends when the new one is first used, so an answer that is lost
    does no harm; with `is_strict` it ends at once.
    """

    authorise_path = scope = ""
    has_challenge = is_strict = False
    # How long a refresh token lasts that is not used, in seconds.
    patience = float("inf")
    redirect = "http://localhost/"

    def __init__(self, server):
        super().__init__(server)
        self.client, self.secret, self.lifetime = "12345", "client-secret", 21_600
        self.codes, self.pairs = {}, []

    def keys(self):
        return {"ClientId": self.client}

    def browse(self, address, **wrong):
        """Opens an address of `upload login` and agrees, as its user. Returns where the browser is sent."""
        parts = urllib.parse.urlsplit(address)
        asked = dict(urllib.parse.parse_qsl(parts.query))
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == self.server.address + self.authorise_path, address
        assert asked["response_type"] == "code" and asked["client_id"] == self.client, asked
        assert asked["redirect_uri"] == self.redirect and asked["scope"] == self.scope, asked
        assert len(asked["state"]) >= 16, asked
        if self.has_challenge:
            assert asked["code_challenge_method"] == "S256" and len(asked["code_challenge"]) == 43, asked
        code = secrets.token_hex(8)
        self.codes[code] = asked
        answered = {"state": asked["state"], "code": code, "scope": self.scope} | wrong
        return f"{self.redirect}?{urllib.parse.urlencode(answered)}"

    def sign_in(self):
        """A new pair, as after a login."""
        self.pairs = [Login(self)]
        return self.pairs[0]

    def expire(self):
        """Ends the time of all access tokens."""
        for pair in self.pairs:
            pair.ends = 0

    def revoke(self):
        """Ends the login, as its user can at the service."""
        self.pairs = []

    def use(self, pair):
        """A pair that is used is the only one, with those that were issued for it."""
        self.pairs = [one for one in self.pairs if one is pair or one.before is pair]

    def accepts(self, refresh):
        """The pair of a refresh token that would give a new one."""
        return next((pair for pair in self.pairs if pair.refresh == refresh
                     and pair.refresh_ends > self.server.now()), None)

    def authorised(self, request):
        if request.kind == "token":
            return None
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        pair = next((pair for pair in self.pairs if pair.access == token and pair.ends > self.server.now()), None)
        if kind != "Bearer" or pair is None:
            return answer(401, {"message": "Authorization Error", "errors": [
                {"resource": "Athlete", "field": "access_token", "code": "invalid"}]})
        self.use(pair)

    def token(self, request):
        form = request.form()
        if (form["client_id"], form["client_secret"]) != (self.client, self.secret):
            return answer(401, {"error": "invalid_client"})
        if form["grant_type"] == "authorization_code":
            asked = self.codes.pop(form["code"], None)
            if asked is None or form["redirect_uri"] != self.redirect:
                return answer(400, {"error": "invalid_grant"})
            if self.has_challenge and not self.proves(form["code_verifier"], asked["code_challenge"]):
                return answer(400, {"error": "invalid_grant"})
            return self.issue(self.sign_in())
        assert form["grant_type"] == "refresh_token", form
        before = self.accepts(form["refresh_token"])
        if before is None:
            return answer(400, {"error": "invalid_grant", "message": "Bad Request", "errors": [
                {"resource": "RefreshToken", "field": "refresh_token", "code": "invalid"}]})
        self.use(before)
        self.pairs.append(Login(self, before))
        if self.is_strict:
            self.pairs.remove(before)
        return self.issue(self.pairs[-1])

    def proves(self, verifier, challenge):
        assert 43 <= len(verifier) <= 128, "has a verifier of a wrong length"
        digest = hashlib.sha256(verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == challenge

    def issue(self, pair):
        return answer(200, {"token_type": "Bearer", "access_token": pair.access, "refresh_token": pair.refresh,
                            "expires_in": self.lifetime})


class Strava(OAuth):
    """`outcome`: what becomes of an upload after `polls` polls: ready, processing for ever, deleted, or an error."""

    name = "strava"
    kinds = {("POST", "/oauth/token"): "token", ("POST", "/api/v3/uploads"): "send",
             ("GET", "/api/v3/uploads/"): "poll"}
    authorise_path, scope = "/oauth/authorize", "activity:write"
    WORKING = "Your activity is still being processed."

    def __init__(self, server):
        super().__init__(server)
        self.polls, self.outcome, self.uploads = 1, "ready", []

    def issue(self, pair):
        issued = super().issue(pair)
        return issued._replace(body=json.dumps(json.loads(issued.body) | {
            "expires_at": int(pair.ends)}).encode())

    def send(self, request):
        parts = request.parts()
        assert parts["data_type"][1] == b"fit", "is no FIT file"
        external_id = parts["external_id"][1].decode()
        title = parts["name"][1].decode() if "name" in parts else None
        fields, data = parts["file"]
        held = next((file for file in self.files if file.external_id == external_id or file.data == data), None)
        if held:
            self.uploads.append([external_id, None, 0, (
                f"{external_id} duplicate of <a href='/activities/{held.remote}' target='_blank'>a run</a>")])
        elif self.outcome in ("ready", "processing", "deleted"):
            file = self.keep(external_id, fields["filename"], data, title=title)
            self.uploads.append([external_id, file.remote, 0, None])
        else:
            self.uploads.append([external_id, None, 0, self.outcome])
        return answer(201, self.described(len(self.uploads)))

    def described(self, number, activity=None, error=None, status=WORKING):
        return {"id": number, "id_str": str(number), "external_id": self.uploads[number - 1][0], "error": error,
                "status": status, "activity_id": activity and int(activity)}

    def poll(self, request):
        number = int(request.path.rsplit("/", 1)[1])
        if not 1 <= number <= len(self.uploads):
            return answer(404, {"message": "Record Not Found"})
        upload = self.uploads[number - 1]
        upload[2] += 1
        _, activity, polls, error = upload
        if polls <= self.polls or self.outcome == "processing":
            return answer(200, self.described(number))
        if error:
            return answer(200, self.described(number, None, error, "There was an error processing your activity."))
        if self.outcome == "deleted":
            return answer(200, self.described(number, None, None, "The created activity has been deleted."))
        return answer(200, self.described(number, activity, None, "Your activity is ready."))


class FitTrackee(OAuth):
    name = "fittrackee"
    kinds = {("POST", "/api/oauth/token"): "token", ("GET", "/api/sports"): "sports", ("GET", "/api/workouts"): "look",
             ("POST", "/api/workouts"): "send"}
    authorise_path, has_challenge, patience = "/profile/apps/authorize", True, 20 * 86_400
    scope = "workouts:read workouts:write"
    SPORTS = ["Cycling (Sport)", "Cycling (Transport)", "Hiking", "Mountain Biking", "Running", "Walking"]

    def sports(self, request):
        return answer(200, {"status": "success", "data": {"sports": [
            {"id": number, "label": label, "is_active": True, "is_active_for_user": True}
            for number, label in enumerate(self.SPORTS, 1)]}})

    def look(self, request):
        """The workouts whose notes have a text in them."""
        found = [file for file in self.files if request.parameters["notes"] in file.external_id]
        return answer(200, {"status": "success", "data": {"workouts": [self.described(file) for file in found]},
                            "pagination": {"page": 1, "pages": bool(found), "total": len(found)}})

    def described(self, file):
        return {"id": f"w{file.remote}", "sport_id": file.fields["sport"], "notes": file.external_id,
                "title": file.fields["title"]}

    def send(self, request):
        parts = request.parts()
        fields, data = parts["file"]
        wanted = json.loads(parts["data"][1])
        assert 1 <= wanted["sport_id"] <= len(self.SPORTS), wanted
        file = self.keep(wanted["notes"], fields["filename"], data, sport=wanted["sport_id"], title=wanted.get("title"))
        return answer(201, {"status": "created", "data": {"workouts": [self.described(file)]}})


class WebDAV(Service):
    """A real server, with its files in `place`, the folder of the configuration."""

    name = "webdav"
    kinds = {(method, "/remote.php/dav/"): kind
             for method, kind in (("PUT", "send"), ("MKCOL", "make"), ("HEAD", "other"), ("PROPFIND", "other"))}
    folder = "/remote.php/dav/files/anna/rides"

    def __init__(self, server):
        super().__init__(server)
        self.secret, self.user = "app-password", "anna"
        files = server.directory / f"webdav-{uuid.uuid4()}"
        self.place = files / "rides"
        self.place.mkdir(parents=True)
        self.app = WsgiDAVApp({
            "provider_mapping": {"/remote.php/dav/files/anna": str(files)}, "verbose": 0,
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "simple_dc": {"user_mapping": {"*": {self.user: {"password": self.secret}}}}})

    def keys(self):
        return {"Url": self.server.address + self.folder, "User": self.user}

    def answer(self, request):
        # PEP 3333 wants bytes as Latin 1.
        path = urllib.parse.unquote_to_bytes(request.path).decode("latin-1")
        environment = {
            "REQUEST_METHOD": request.method, "SCRIPT_NAME": "", "PATH_INFO": path,
            "QUERY_STRING": "", "SERVER_NAME": "127.0.0.1", "SERVER_PORT": str(self.server.port),
            "SERVER_PROTOCOL": "HTTP/1.1", "CONTENT_LENGTH": str(len(request.body)),
            "CONTENT_TYPE": request.headers.get("content-type", ""), "wsgi.input": io.BytesIO(request.body),
            "wsgi.errors": io.StringIO(), "wsgi.url_scheme": "http", "wsgi.version": (1, 0)}
        environment |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in request.headers.items()}
        said = {}

        def start(status, fields, _=None):
            said.update(status=int(status.split()[0]), fields=dict(fields))

        body = b"".join(self.app(environment, start))
        said["fields"] = {name: value for name, value in said["fields"].items() if name.lower() != "content-length"}
        if request.kind == "send" and said["status"] == 201:
            name = pathlib.PurePosixPath(request.path).name
            assert request.headers.get("if-none-match") == "*", "would overwrite a file"
            self.keep(name.removesuffix(".fit").partition("_")[2], name, request.body)
        return Answer(said["status"], body, said["fields"])

    def uploaded(self):
        """By the names of the files that are there."""
        names = sorted(path.name for path in self.place.iterdir()) if self.place.exists() else []
        return [name.removesuffix(".fit").partition("_")[2] for name in names]


KINDS = (Intervals, Strava, FitTrackee, WebDAV)
