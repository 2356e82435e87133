"""`paced-web` beside a daemon, its page in web/, and browsers that are signed in."""

import contextlib
import http.client
import json
import os
import socket

from harness.client import ControlClient
from harness.process import PROGRAMS, ROOT, ManagedProcess, free_port
from harness.timing import wait_for

PACED_WEB = PROGRAMS / "paced-web"


def themes():
    """The themes in which each page is checked; all of them in `make endure`."""
    return ["sunlight", "dark", "e-ink"] if "PACED_ALL_THEMES" in os.environ else ["e-ink"]


class PacedWeb(ManagedProcess):
    """A process with directories in `directory`, at a port of 127.0.0.1 that stays after a restart.

    With a `network` it listens at the same port of that network's address too.
    """

    def __init__(self, directory, paced, *options, configuration=None, network=None, **environment):
        self.network = network
        self.runtime, self.state, self.port = directory / "web", directory / "web-state", free_port()
        command = [PACED_WEB, "--listen", f"127.0.0.1:{self.port}", "--runtime-dir", self.runtime,
                   "--state-dir", self.state, "--page-dir", ROOT / "web", "--paced-dir", paced.runtime,
                   "--journal-dir", directory / "state", "--maps-dir", directory / "maps", "--net-dir", directory / "net",
                   "--link-dir", directory / "link"]
        if network:
            command = [*network.within, *command, "--listen", f"{network.ADDRESS}:{self.port}"]
        if configuration is not None:
            path = directory / "paced-web.conf"
            path.write_text(configuration)
            command += ["--config", path]
        self.daemon = paced
        super().__init__([*command, *options], environment, directory / "web.log")

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a paced-web that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"paced-web ended with {self.process.poll()}: {self.log_text()}"
        with socket.socket(socket.AF_UNIX) as admin:
            if admin.connect_ex(str(self.runtime / "admin.sock")):
                return False
        with contextlib.suppress(ConnectionRefusedError), self.connect():
            return True

    def connect(self, host="127.0.0.1", timeout=60):
        if self.network:
            return self.network.connect(host, self.port, timeout)
        return socket.create_connection((host, self.port), timeout)

    def restart(self):
        self.stop()
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def codes(self):
        return ControlClient(self.runtime / "code.sock")

    @property
    def admin(self):
        return ControlClient(self.runtime / "admin.sock")

    def code(self):
        """A code of a browser that may command."""
        return self.admin.result("web.code", control=True)["code"]

    def watch_code(self):
        return self.codes.result("web.code")["code"]

    def client(self, scope="control", name="test"):
        """A client that is signed in."""
        client = WebClient(self)
        client.sign_in(self.code() if scope == "control" else self.watch_code(), name)
        return client


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def code(self):
        """The code of an error."""
        return self.json()["error"]["code"]


class WebClient:
    """A program that uses the API, with its token after `sign_in`."""

    def __init__(self, web, host="127.0.0.1"):
        self.web, self.host, self.token = web, host, None

    def sign_in(self, code, name="test"):
        self.token = self.post("/api/token", {"code": code, "name": name}).json()["token"]

    def connect(self, timeout):
        connection = http.client.HTTPConnection(self.host, self.web.port)
        connection.sock = self.web.connect(self.host, timeout)
        return connection

    def headers(self, more):
        own = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return own | more

    def request(self, method, path, body=None, timeout=60, **headers):
        """Header names have underscores in the place of hyphens; a body that is no bytes is sent as JSON."""
        connection = self.connect(timeout)
        body = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, self.headers(named))
            answer = connection.getresponse()
            return Response(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, **headers)

    def post(self, path, body=b"", **headers):
        return self.request("POST", path, body, **headers)

    def call(self, method, **parameters):
        """The response to a request of JSON-RPC: its result, or its error object."""
        answer = self.post("/api", {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
        answer = answer.json()
        return answer["result"] if "result" in answer else answer["error"]

    def stream(self, watch=None, timeout=30):
        return Stream(self, watch, timeout)


class Stream:
    """The lines of /api/stream, one by one."""

    def __init__(self, client, watch, timeout):
        self.connection = client.connect(timeout)
        body = b"" if watch is None else json.dumps({"class": "WATCH"} | watch).encode()
        self.connection.request("POST", "/api/stream", body, client.headers({}))
        self.answer = self.connection.getresponse()
        self.status = self.answer.status

    def __iter__(self):
        while line := self.answer.readline():
            yield json.loads(line)

    def first(self, name, **members):
        """The next line of a class with these members."""
        for line in self:
            if line["class"] == name and members.items() <= line.items():
                return line
        raise AssertionError(f"the stream ended before {name}")

    def end(self):
        self.connection.close()
