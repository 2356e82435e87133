#!/usr/bin/env python3
"""Takes the heart rate and the position from an app of a phone by HTTP, and hands them to paced.

Usage: phone.py [--listen ADDRESS:PORT]
The app posts JSON to http://ADDRESS:PORT/TOKEN: `{"bpm": 128}`, with `rr_ms`, `contact`, `age_s` if it knows them,
`{"battery_percent": 71}`, or `{"latitude": 52.5, "longitude": 13.4, "accuracy_m": 4}`, with `altitude_m`, `speed_mps`,
`track_deg`, `time`. Positions need Gpsd=sensor-socket in paced.conf.

The token is $PHONE_TOKEN, else a new one; it is printed with the address. By default only this machine is served: a
phone needs an address of the board that it reaches, such as --listen 192.168.1.20:8710. HTTP is not encrypted: use it
in a network that you trust.
"""
import argparse
import hmac
import http.server
import json
import os
import secrets

from sensor_door import Door, end_at_signals

MEASURED = {"bpm", "rr_ms", "contact", "age_s"}
LOCATED = {
    "latitude", "longitude", "altitude_m", "accuracy_m", "vertical_accuracy_m", "speed_mps", "track_deg", "time",
    "age_s"}
LONGEST = 4096  # Bytes of a body.


class Request(http.server.BaseHTTPRequestHandler):
    timeout = 5  # Seconds without a byte, so that one that stops in the middle does not keep the others waiting.

    def do_POST(self):
        status, text = self.result()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def result(self):
        if not hmac.compare_digest(self.path.encode(), f"/{self.server.token}".encode()):
            return 404, b"the address has another token\n"
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LONGEST:
            return 413, b"a body has a Content-Length, which is at most 4096\n"
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict) or not body.keys() & {"bpm", "battery_percent", "latitude"}:
            return 400, b'the body is JSON such as {"bpm": 128} or {"latitude": 52.5, "longitude": 13.4}\n'
        failure = None
        if "battery_percent" in body:
            if type(body["battery_percent"]) is not int or body["battery_percent"] not in range(101):
                return 400, b"battery_percent is a whole number from 0 to 100\n"
            failure = self.server.door.announce("phone", battery_percent=body["battery_percent"])
        if "bpm" in body and not failure:
            values = {key: body[key] for key in MEASURED & body.keys()}
            failure = self.server.door.measure("phone", "heart-rate", **values)
        if "latitude" in body and not failure:
            failure = self.server.door.locate(**{key: body[key] for key in LOCATED & body.keys()})
        return (502, f"{failure}\n".encode()) if failure else (200, b"")

    def log_message(self, *_):
        """Nothing: its lines have the token."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listen", default="127.0.0.1:8710", metavar="ADDRESS:PORT")
    address, _, port = parser.parse_args().listen.rpartition(":")
    end_at_signals()
    with http.server.HTTPServer((address, int(port)), Request) as server:
        server.token = os.getenv("PHONE_TOKEN") or secrets.token_urlsafe(16)
        server.door = Door()
        server.door.announce("phone", kinds=["heart-rate"], name="Phone")
        print(f"http://{address}:{server.server_port}/{server.token}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
