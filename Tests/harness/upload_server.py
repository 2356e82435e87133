"""An HTTP server on loopback for services that take uploads, which can fail at each step of a request.

A service is a subclass of `Service`. It says which requests it knows, and answers them; what it has stored is in
`files`. A test lets its next requests fail: `service.fail("500", "send")`. `FAILURES` has the names of all failures.
"""

import http.server
import io
import json
import socket
import ssl
import threading
import time
import typing
import urllib.parse

import fitdecode

from harness.timing import boot_ms

HTML = b"<!DOCTYPE html><html><title>Sign in</title><body>Please sign in.</body></html>"


class Answer(typing.NamedTuple):
    status: int
    body: bytes = b""
    fields: dict = {}


def answer(status, content=None, **fields):
    """An answer with a body of JSON, or one of bytes. Further header fields have `_` in place of `-`."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Answer(status, body, {"Content-Type": "application/json"} | {
        name.replace("_", "-"): value for name, value in fields.items()})


class Failure(typing.NamedTuple):
    """What goes wrong with a request.

    `at`: the connection is closed before the body of the request, in it, or after it; None: there is an answer.
    `stores`: before that the service does what it was asked for. `answer`: what it says then; None: what is right.
    `cuts`: only half of the answer is sent. `drips`: it comes so slowly that it has no end. `hangs`: none comes.
    """

    answer: Answer | None = None
    at: str | None = None
    stores: bool = False
    cuts: bool = False
    drips: bool = False
    hangs: bool = False

    @property
    def ends(self):
        """Whether the connection does not outlive it."""
        return bool(self.at or self.cuts or self.drips or self.hangs)


def refuses(status, **fields):
    return Failure(answer(status, {"message": f"a made failure {status}"}, **fields))


def html(**keys):
    return Failure(answer(200, HTML, Content_Type="text/html; charset=utf-8"), **keys)


FAILURES = {
    **{str(code): refuses(code) for code in (400, 401, 403, 404, 408, 409, 413, 415, 422, 423, 425, 429, 500, 503)},
    "429 with Retry-After": refuses(429, Retry_After="120"),
    "503 with Retry-After": refuses(503, Retry_After="120"),
    "500, stored": refuses(500)._replace(stores=True),
    "html": html(),
    "html, stored": html(stores=True),
    "cut, stored": Failure(stores=True, cuts=True),
    "closed before": Failure(at="before"),
    "closed in": Failure(at="in"),
    "closed after": Failure(at="after"),
    "closed after, stored": Failure(at="after", stores=True),
    "drip, stored": Failure(stores=True, drips=True),
    "hang, stored": Failure(stores=True, hangs=True),
    "redirect": Failure(answer(302, HTML, Location="http://127.0.0.1:9/login")),
}


class Request(typing.NamedTuple):
    """A request as it came. `kind` is what its service calls it; the names of its header fields are in lower case."""

    kind: str
    method: str
    path: str
    parameters: dict
    headers: dict
    body: bytes
    at: float

    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    def parts(self):
        """The parts of a multipart body by name: (their header fields, their bytes)."""
        media, _, boundary = self.headers.get("content-type", "").partition("; boundary=")
        assert media == "multipart/form-data" and boundary, f"is no form: {self.headers}"
        first, *parts, last = (b"\r\n" + self.body).split(b"\r\n--" + boundary.strip('"').encode())
        assert first == b"" and last == b"--\r\n", "is no whole form"
        found = {}
        for part in parts:
            head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            fields = {name.lower(): value for name, value in fields.items()}
            kind, *words = fields["content-disposition"].split("; ")
            values = {name: value.strip('"') for name, value in (word.split("=", 1) for word in words)}
            assert kind == "form-data" and values["name"] not in found, f"has a wrong or a second part: {fields}"
            found[values["name"]] = (fields | values, data)
        return found


class Stored(typing.NamedTuple):
    """A file that a service has taken: under which external ID and name, and the further fields of its request."""

    remote: str
    external_id: str
    name: str
    data: bytes
    fields: dict
    # Of the FIT file.
    messages: dict


def fit_messages(data):
    """The messages of a FIT file by name, read by an independent reader, which complains of a damaged one."""
    found = {}
    with fitdecode.FitReader(io.BytesIO(data), check_crc=fitdecode.CrcCheck.RAISE,
                             error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        for frame in reader:
            if isinstance(frame, fitdecode.FitDataMessage):
                found.setdefault(frame.name, []).append(
                    {field.name: field.value for field in frame.fields if field.name})
    return found


class Service:
    """A service of an UploadServer. `kinds`: method and beginning of the path of each request, and its name."""

    kinds = {}
    name = secret = ""

    def __init__(self, server):
        self.server = server
        self.files, self.requests, self.failures = [], [], []

    def kind(self, method, path):
        """How a request is called; None if it is of another service. The longest beginning counts."""
        found = [(len(begin), kind) for (verb, begin), kind in self.kinds.items()
                 if verb == method and path.startswith(begin)]
        return max(found)[1] if found else None

    def section(self):
        """The keys of its section of paced-link.conf."""
        return {"Service": self.name, "Url": self.server.address} | self.keys() | self.server.security()

    def keys(self):
        """The keys beside those that every service has."""
        return {}

    def fail(self, failure, *kinds, times=1):
        """The next requests, or those of some kinds, fail so many times: with a name of FAILURES, or a Failure."""
        failure = FAILURES[failure] if isinstance(failure, str) else failure
        self.failures += [(kinds, failure)] * times

    def next_failure(self, kind):
        for number, (kinds, failure) in enumerate(self.failures):
            if not kinds or kind in kinds:
                del self.failures[number]
                return failure
        return None

    def count(self, *kinds):
        """How many requests came, or how many of some kinds."""
        return sum(not kinds or request.kind in kinds for request in self.requests)

    def uploaded(self):
        """The external IDs of the files in the order of their arrival."""
        return [file.external_id for file in self.files]

    def answer(self, request):
        """The answer to a request: that of the method of its kind."""
        return self.authorised(request) or getattr(self, request.kind)(request)

    def authorised(self, request):
        """None, or the answer to a request without credentials."""

    def keep(self, external_id, name, data, **fields):
        """Stores a FIT file as a new one, and returns it."""
        messages, number = fit_messages(data), 101 + len(self.files)
        self.files.append(Stored(str(number), external_id, name, data, fields, messages))
        return self.files[-1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A client that is killed leaves its connection.
    timeout = 60

    def setup(self):
        if self.server.context:
            self.request.do_handshake()
        super().setup()

    def run(self):
        server, address = self.server.owner, urllib.parse.urlsplit(self.path)
        service, kind = server.find(self.command, address.path)
        if service is None:
            server.complaints.append(f"{self.command} {self.path} is of no service")
            return self.send(answer(404, {"message": "there is no such page"}))
        with server.lock:
            failure = service.next_failure(kind) or Failure(stores=True)
        size = int(self.headers.get("Content-Length", 0))
        wanted = {"before": 0, "in": size // 2}.get(failure.at, size)
        body = self.rfile.read(wanted)
        if len(body) < wanted:  # The client was killed.
            return self.wfile.close()
        request = Request(
            kind, self.command, address.path, dict(urllib.parse.parse_qsl(address.query)),
            {name.lower(): value for name, value in self.headers.items()}, body, boot_ms())
        with server.lock:
            service.requests.append(request)
            server.under_way.append(kind)
        try:
            time.sleep(server.delay())
            with server.lock:
                right = server.judge(service, request) if failure.stores else None
            time.sleep(server.delay())
        finally:
            server.under_way.remove(kind)
        self.close_connection = self.close_connection or failure.ends
        if failure.hangs:
            self.until_closed()
        elif failure.drips:
            self.drip(failure.answer or right)
        elif not failure.at:
            self.send(failure.answer or right, failure.cuts)

    do_GET = do_POST = do_PUT = do_MKCOL = do_PROPFIND = do_HEAD = run

    def send(self, answer, cut=False):
        self.send_response(answer.status)
        for name, value in ({"Content-Length": len(answer.body)} | answer.fields).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(answer.body[:len(answer.body) // 2] if cut else answer.body)

    def until_closed(self):
        while self.connection.recv(65536):
            pass

    def drip(self, answer):
        self.send(answer._replace(body=b"", fields=answer.fields | {"Content-Length": 1_000_000}))
        while not self.server.owner.ended.wait(0.1):
            self.wfile.write(b" ")

    def log_message(self, *_):
        pass


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False

    def __init__(self, owner, context):
        self.owner, self.context, self.kept = owner, context, []
        super().__init__(("127.0.0.1", owner.port), Handler)

    def get_request(self):
        client, address = super().get_request()
        self.owner.connections += 1
        if self.context:
            client = self.context.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
        self.kept.append(client)
        return client, address

    def handle_error(self, *_):
        """A connection that ended is no fault of the server."""


class UploadServer:
    """Serves `kinds` of services at one address, which stays after `stop` and `start`. `complaints` must stay empty.

    `identity` is the certificate of a server with TLS, and `authority` the one that the client trusts.
    """

    def __init__(self, kinds, directory, identity=None, authority=None):
        self.directory, self.identity, self.authority = directory, identity, authority
        self.port = self.connections = 0
        # How far the clock of the services is ahead, and how long a request takes before and after its effect: seconds.
        self.ahead, self.delay = 0, lambda: 0
        # The kinds of the requests that are being answered.
        self.under_way = []
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.complaints, self.listener = [], None
        self.services = [kind(self) for kind in kinds]
        for service in self.services:
            setattr(self, service.name, service)

    @property
    def address(self):
        return f"{'https' if self.identity else 'http'}://127.0.0.1:{self.port}"

    def security(self):
        return {"Authorities": (self.authority or self.identity).path} if self.identity else {"AllowPlain": "yes"}

    def start(self):
        context = None
        if self.identity:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.identity.path)
        self.ended.clear()
        self.listener = Listener(self, context)
        self.port = self.listener.server_address[1]
        threading.Thread(target=self.listener.serve_forever, args=[0.05], daemon=True).start()
        return self

    def stop(self):
        """Ends it as when its machine is off: nobody listens at its port, and all connections are closed."""
        self.ended.set()
        self.listener.shutdown()
        self.listener.server_close()
        for client in self.listener.kept:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    end = stop

    def now(self):
        return time.time() + self.ahead

    def find(self, method, path):
        for service in self.services:
            if kind := service.kind(method, path):
                return service, kind
        return None, None

    def judge(self, service, request):
        """The right answer. A request that no service should get is a complaint."""
        try:
            # Some proxies wait for a second before they pass a request on that asks first.
            assert "expect" not in request.headers, "asks before it sends"
            return service.answer(request)
        except Exception as problem:
            self.complaints.append(f"{service.name} {request.kind} {request.path}: {problem!r}")
            return answer(400, {"message": "this request is wrong"})
