"""Route engines on loopback, which give recorded answers of BRouter and Valhalla, and can fail."""

import functools
import gzip
import json
import math
import urllib.parse

from harness.process import ROOT
from harness.weather_server import WeatherServer, response

DATA = ROOT / "Tests" / "Data"


@functools.cache
def recorded():
    """The recorded requests and answers of BRouter."""
    return json.loads(gzip.decompress((DATA / "brouter" / "andorra-answers.json.gz").read_bytes()))


def valhalla(name):
    """A recorded request and response of Valhalla."""
    return json.loads(gzip.decompress((DATA / "valhalla" / f"andorra-{name}.json.gz").read_bytes()))


def brouter_answer(points, **properties):
    """The answer of BRouter with a route of `[longitude, latitude, altitude]`."""
    return json.dumps({"type": "FeatureCollection", "features": [{
        "type": "Feature", "properties": properties, "geometry": {"type": "LineString", "coordinates": points}}]})


def straight(start, end, count=50, altitudes=lambda part: 40.0):
    """The points of a straight line between two places of latitude and longitude."""
    parts = [index / (count - 1) for index in range(count)]
    return [[start[1] + (end[1] - start[1]) * part, start[0] + (end[0] - start[0]) * part, altitudes(part)]
            for part in parts]


def winding(start, end, climb, swing, count=120):
    """The points of a way that bulges to a side, with a hill."""
    points = []
    for index in range(count):
        part = index / (count - 1)
        bulge = swing * math.sin(part * math.pi)
        points.append([start[1] + (end[1] - start[1]) * part + bulge * (end[0] - start[0]) * 0.8,
                       start[0] + (end[0] - start[0]) * part - bulge * (end[1] - start[1]) * 0.5,
                       1020 + climb * math.sin(part * math.pi) ** 2 + 12 * part])
    return points


class RouteEngine(WeatherServer):
    """Answers `brouter` and `route` with `reply(request)`, a text of JSON or the bytes of a response. `answers` are all
    bodies that it has sent."""

    def __init__(self, reply=None):
        self.answers = []
        self.reply = reply or self.replay
        super().__init__()

    @property
    def address(self):
        return f"http://{self.name}"

    def answer(self, request):
        body = self.reply(request)
        if isinstance(body, bytes):
            return body
        self.answers.append(body)
        return response(200, body)

    def replay(self, request):
        """The recorded answer of BRouter: that of the alternative, and that of the highest cost of climbs for its own."""
        wanted = request.parameters
        climbs = "profile:uphillcost" in wanted
        for one in recorded():
            asked = dict(urllib.parse.parse_qsl(one["query"]))
            same = all(asked.get(name) == wanted.get(name) for name in ("profile", "alternativeidx", "format"))
            if same and one["status"] == 200 and self.places(asked) == self.places(wanted) \
                    and ("200" == asked.get("profile:uphillcost") if climbs else "profile:uphillcost" not in asked):
                return one["body"]
        return response(400, "no such alternative", content_type="text/plain")

    @staticmethod
    def places(parameters):
        return [[float(number) for number in place.split(",")] for place in parameters["lonlats"].split("|")]
