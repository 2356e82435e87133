"""A weather service on loopback, with the addresses and the JSON of aviationweather.gov's Data API, which can fail.

Source: https://aviationweather.gov/data/api.
"""

import datetime
import json
import socket
import threading
import urllib.parse

from harness.timing import boot_ms


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def station(name, latitude, longitude, kinds=("METAR",), **fields):
    """A station of `stationinfo`."""
    return {"icaoId": name, "site": f"Site of {name}", "lat": latitude, "lon": longitude, "elev": 50,
            "siteType": list(kinds)} | fields


def metar(name, groups, minutes=5):
    """The text of a report that is `minutes` old."""
    return f"METAR {name} {now() - datetime.timedelta(minutes=minutes):%d%H%MZ} {groups}"


def taf(name, groups, hours=9):
    """The text of a forecast from this hour on."""
    start = now().replace(minute=0, second=0)
    end = start + datetime.timedelta(hours=hours)
    return f"TAF {name} {start:%d%H%MZ} {start:%d%H}/{end:%d%H} {groups}"


def response(status, body=b"", **fields):
    """The bytes of a response. A field that is None is left out."""
    body = body.encode() if isinstance(body, str) else body
    fields = {"content_type": "application/json", "content_length": len(body)} | fields
    lines = [f"HTTP/1.1 {status} Some Reason"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value is not None]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Request:
    """A received request: its path, its parameters, its header fields in lower case, and when it came in ms."""

    def __init__(self, head):
        self.at = boot_ms()
        line, *fields = head.decode().split("\r\n")
        self.method, self.target, _ = line.split(" ")
        address = urllib.parse.urlsplit(self.target)
        self.path = address.path
        self.parameters = dict(urllib.parse.parse_qsl(address.query))
        self.headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}

    @property
    def name(self):
        return self.path.rsplit("/", 1)[-1]


class WeatherServer:
    """Answers any number of clients, and records their requests.

    A test plays a failure with a sin: a function of a connection and its request, which sends what it likes. The
    connection is closed after it. `sinful` are the names of the requests that it answers: stationinfo, metar.
    """

    def __init__(self, host="127.0.0.1", context=None):
        """`context`: an ssl.SSLContext of a server, for https."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.host, self.context = host, context
        self.listener = socket.create_server((host, 0), family=family)
        self.port = self.listener.getsockname()[1]
        self.stations = []
        # By name: the fields of a report.
        self.reports = {}
        # Further header fields of good responses.
        self.fields = {}
        self.requests = []
        # When the last client connected, and when the last sin was over, in ms.
        self.connected_at = self.sinned_at = None
        # The most requests that were under way at once.
        self.most_at_once = 0
        self.under_way = 0
        self.released = threading.Event()
        self.ended = threading.Event()
        self.clients = []
        self.heal()
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def name(self):
        """Host and port, as in an address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def address(self):
        return f"{'https' if self.context else 'http'}://{self.name}/api/data"

    def play(self, sin, *names):
        self.sinful = names or ("stationinfo", "metar")
        self.sin = sin

    def heal(self):
        self.sin, self.sinful = None, ()

    def add(self, one, groups=None, minutes=5, taf=None):
        """A station, and its report."""
        self.stations.append(one)
        if groups is not None:
            self.report(one["icaoId"], metar(one["icaoId"], groups, minutes), minutes, taf)

    def report(self, name, text, minutes=5, taf=None):
        observed = now() - datetime.timedelta(minutes=minutes)
        place = next(one for one in self.stations if one["icaoId"] == name)
        self.reports[name] = {
            "icaoId": name, "lat": place["lat"], "lon": place["lon"], "elev": place["elev"], "name": place["site"],
            "rawOb": text, "obsTime": int(observed.timestamp())} | ({"rawTaf": taf} if taf else {})

    def count(self, name=None):
        return sum(name in (None, request.name) for request in self.requests)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connected_at = boot_ms()
            self.clients.append(client)
            threading.Thread(target=self.run, args=[client], daemon=True).start()

    def run(self, client):
        try:
            if self.context:
                client = self.context.wrap_socket(client, server_side=True)
                self.clients.append(client)
            buffer = b""
            while True:
                while b"\r\n\r\n" not in buffer:
                    data = client.recv(65536)
                    if not data:
                        return
                    buffer += data
                    if not buffer.startswith((b"GET "[:len(buffer)], b"POST "[:len(buffer)])):
                        client.sendall(response(400))
                        return
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                request = Request(head)
                size = int(request.headers.get("content-length", 0))
                while len(buffer) < size:
                    buffer += client.recv(65536)
                request.body, buffer = buffer[:size], buffer[size:]
                self.requests.append(request)
                self.under_way += 1
                self.most_at_once = max(self.most_at_once, self.under_way)
                try:
                    if self.sin and request.name in self.sinful:
                        return self.fail(client, request)
                    data = self.answer(request)
                finally:
                    self.under_way -= 1
                client.sendall(data)
        except OSError:
            pass
        finally:
            client.close()

    def fail(self, client, request):
        try:
            self.sin(client, request)
        except OSError:
            pass
        self.sinned_at = boot_ms()

    def answer(self, request):
        """The bytes of a good response."""
        if request.name == "stationinfo":
            south, west, north, east = map(float, request.parameters["bbox"].split(","))
            found = [one for one in self.stations if south <= one["lat"] <= north and west <= one["lon"] <= east]
        else:
            found = [self.reports[name] for name in request.parameters["ids"].split(",") if name in self.reports]
        return response(200, json.dumps(found), **self.fields)

    def until_closed(self, client):
        """Waits until the client closes its side, or the test ends."""
        while client.recv(65536):
            pass

    def drip(self, client, request):
        """A sin: a good response, so slowly that it has no end. It is over when the client closes."""
        client.sendall(response(200, content_length=1_000_000))
        while not self.ended.wait(0.02):
            client.sendall(b" ")

    def hang(self, client, request):
        """A sin: no response. It is over when the client closes."""
        self.until_closed(client)

    def pause(self, client, request):
        """A good response after `release`."""
        self.released.wait(60)
        client.sendall(self.answer(request))

    def release(self):
        self.released.set()

    def flood(self, client, request):
        """A sin: a body of 100 MB."""
        client.sendall(response(200, content_length=100_000_000))
        for _ in range(1000):
            client.sendall(b" " * 100_000)

    def end(self):
        self.ended.set()
        self.released.set()
        for one in [self.listener, *self.clients]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.listener.close()


def sends(data):
    """A sin: these bytes, and the end of the stream."""
    def sin(client, request):
        client.sendall(data() if callable(data) else data)
        client.shutdown(socket.SHUT_WR)
    return sin
