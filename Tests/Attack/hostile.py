"""A gpsd and a strap under the control of an attack."""

import datetime
import json
import pathlib
import socket
import threading
import time

from harness.fake_gpsd import FakeGpsd
from harness.timing import wait_for

VERSION = b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n'
DEVICES = (
    b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2026-01-01T00:00:00.000Z"}]}'
    b'\r\n{"class":"WATCH","enable":true,"json":true}\r\n'
)
# Metres of a degree of latitude.
DEGREE = 111_195.0


def utc(seconds):
    """A time in gpsd's format, from seconds since 1970."""
    moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def tpv(latitude, longitude, at=None, **fields):
    """A receiver's report as a line of gpsd; fields that are None are left out."""
    report = {
        "class": "TPV",
        "device": "/dev/ttyACM0",
        "mode": 3,
        "time": utc(time.time() if at is None else at),
        "lat": latitude,
        "lon": longitude,
        "eph": 5.0,
    } | fields
    # libgps looks for "class":"TPV" without a space.
    return (
        json.dumps({key: value for key, value in report.items() if value is not None}, separators=(",", ":")).encode()
        + b"\r\n"
    )


class HostileGpsd(FakeGpsd):
    """Greets and answers any number of clients as gpsd does; the attack provides the reports."""

    def __init__(self, greeting=VERSION):
        self.greeting = greeting
        self.watching, self.connections = set(), 0
        super().__init__()

    def run(self, client):
        # A daemon that does not read must not block the attack. It sends nothing for as long as it is content.
        client.settimeout(10)
        self.connections += 1
        self.clients.append(client)
        try:
            client.sendall(self.greeting)
            while self.answer(client):
                pass
        except OSError:
            pass
        self.drop(client)

    def answer(self, client):
        """Answers one request; False at the end of the connection."""
        try:
            request = client.recv(4096)
        except TimeoutError:
            return True
        client.sendall(DEVICES if request else b"")
        if b"?WATCH" in request:
            self.watching.add(client)
        return bool(request)

    def drop(self, client):
        self.watching.discard(client)
        if client in self.clients:
            self.clients.remove(client)
        client.close()

    def wait(self, count=1):
        wait_for(lambda: len(self.watching) >= count, 10, "a client of the pretended gpsd that watches")

    def send(self, data):
        """Sends to all watching clients, except those that are gone."""
        for client in list(self.watching):
            try:
                client.sendall(data)
            except OSError:
                self.drop(client)

    def hang_up(self):
        for client in list(self.clients):
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.drop(client)

    def end(self):
        self.listener.close()
        self.hang_up()


def text_of(text):
    return bytes([0x09, len(text) + 2, 0x10, 0x00]) + text


NAME, MAKER, BATTERY = b"Polar H10 9AD13824", b"Polar Electro Oy", 87
SUBSCRIPTION = bytes.fromhex("1216000100")
# 67 bpm, RR 882 and 906.
BEAT = bytes.fromhex("1b1500164372038a03")
# Responses by request, as an H10 sends them.
ANSWERS = {
    "020502": "030502",
    "060100ffff00280d18": "0713001a00",
    "0813001a000328": "09071400101500372a1700021800382a1900081a00392a",
    "0416001600": "050116000229",
    SUBSCRIPTION.hex(): "13",
    "080100ffff192a": "09031d0057",
    "080100ffff382a": "0903180001",
    "080100ffff292a": text_of(MAKER).hex(),
    "080100ffff242a": text_of(b"H10").hex(),
    "080100ffff002a": text_of(NAME).hex(),
}


def answer(request):
    """The response of a well-behaved strap: from the table, or Attribute Not Found."""
    known = ANSWERS.get(request.hex())
    return bytes.fromhex(known) if known else bytes([0x01, request[0], 0, 0, 0x0A])


class HostileStrap:
    """A strap on a Unix SEQPACKET socket, one datagram for each ATT PDU.

    `react` is called with each request and the function that sends, in the connection's thread.
    """

    def __init__(self, path, react=lambda request, send: send(answer(request)), greet=lambda send: None):
        self.path = pathlib.Path(path)
        self.react, self.greet = react, greet
        self.connections, self.client, self.subscribed = 0, None, threading.Event()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(path))
        self.listener.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.settimeout(10)
            self.connections += 1
            self.client = client
            self.serve(client)

    def serve(self, client):
        def send(pdu):
            client.send(pdu)

        try:
            self.greet(send)
            while True:
                try:
                    request = client.recv(1024)
                except TimeoutError:
                    continue
                if not request:
                    break
                self.react(request, send)
                if request == SUBSCRIPTION:
                    self.subscribed.set()
        except OSError:
            pass
        self.subscribed.clear()
        client.close()

    def send(self, pdu):
        """Sends a PDU without a request; False if it was not accepted."""
        client = self.client
        try:
            return client is not None and client.send(pdu) == len(pdu)
        except OSError:
            return False

    def hang_up(self):
        try:
            if self.client is not None:
                self.client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def end(self):
        self.listener.close()
        self.hang_up()
