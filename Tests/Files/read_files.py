"""Reads GeoJSON, KML and CSV files with readers of others, and prints for each a line "file" and one for each second:
the moment in ms since 1970, longitude, latitude, altitude, heart rate; "-" for what is not there. RR intervals follow as "rr"."""

import csv
import datetime
import sys
import warnings

import geojson

with warnings.catch_warnings():
    # fastkml misses lxml, which would only make its output pretty.
    warnings.simplefilter("ignore")
    import fastkml
    from fastkml import features, gx
    from fastkml.utils import find_all


# It would cut positions to 6 decimals.
geojson.geometry.DEFAULT_PRECISION = 15


def moment(text):
    return milliseconds(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")))


def milliseconds(time):
    return round((time - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(milliseconds=1))


def show(time, position, rate):
    fields = [time, *position, *[None] * (3 - len(position)), rate]
    print(" ".join("-" if field in (None, "") else str(field) for field in fields))


def read_geojson(path):
    with open(path) as file:
        feature = geojson.load(file)
    assert isinstance(feature, geojson.Feature), type(feature)
    assert feature.is_valid, feature.errors()
    line = feature.geometry
    if line is None:
        return
    assert line.is_valid, line.errors()
    more = feature.properties["coordinateProperties"]
    lines, times, rates = [line.coordinates], [more["times"]], [more.get("heartRates")]
    if line["type"] == "MultiLineString":
        lines, times, rates = line.coordinates, more["times"], more.get("heartRates") or [None] * len(line.coordinates)
    assert len(lines) == len(times) == len(rates)
    for line, times, rates in zip(lines, times, rates):
        assert len(line) == len(times) >= 2 and (rates is None or len(rates) == len(line))
        for index, position in enumerate(line):
            show(moment(times[index]), position, rates[index] if rates else None)


def read_kml(path):
    with open(path, "rb") as file:
        document = fastkml.KML.from_string(file.read())
    for placemark in find_all(document, of_type=features.Placemark):
        for track in find_all(placemark, of_type=gx.Track):
            # fastkml makes nothing of the arrays of a track.
            for item in track.track_items:
                show(milliseconds(item.when.dt), item.coord.coords[0], None)


def read_csv(path):
    with open(path, newline="") as file:
        for row in csv.DictReader(file, strict=True):
            position = [row["longitude_deg"], row["latitude_deg"], row["altitude_m"]]
            show(moment(row["time"]), position, row["heart_rate_bpm"])
            for interval in row["rr_ms"].split():
                print("rr", interval)


READERS = {"geojson": read_geojson, "kml": read_kml, "csv": read_csv}

for path in sys.argv[1:]:
    print("file")
    READERS[path.rsplit(".", 1)[1]](path)
