"""Reads FIT, GeoJSON and KML files of courses with readers of others, and prints for each a line "file", "name" with the
course's name, "v" with latitude, longitude and altitude for each vertex, and "p" with kind, latitude, longitude and name for
each point; "-" for what is not there."""

import sys
import warnings

import fitdecode
import garmin_fit_sdk
import geojson

with warnings.catch_warnings():
    # fastkml misses lxml, which would only make its output pretty.
    warnings.simplefilter("ignore")
    import fastkml
    from fastkml import features
    from fastkml.utils import find_all

# It would cut positions to 6 decimals.
geojson.geometry.DEFAULT_PRECISION = 15


def show(word, *fields):
    print(word, *("-" if field in (None, "") else field for field in fields))


def vertex(longitude, latitude, altitude=None):
    show("v", latitude, longitude, altitude)


def read_fit(path):
    """Garmin's reader and fitdecode must read the same fields of the same messages, which are those of a course."""
    decoder = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path))
    assert decoder.check_integrity()
    messages = []
    names = {number: message["name"] for number, message in garmin_fit_sdk.Profile["messages"].items()}
    _, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read(
        mesg_listener=lambda number, fields: messages.append((names[number], fields)), convert_datetimes_to_dates=False)
    assert not errors, errors
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE) as file:
        others = [(frame.name, {field.name: field.value for field in frame.fields}) for frame in file
                  if isinstance(frame, fitdecode.FitDataMessage)]
    assert [name for name, _ in messages] == [name for name, _ in others]
    for (name, fields), (_, other) in zip(messages, others):
        for key in fields.keys() - {"timestamp", "start_time", "time_created", "event_group"}:
            assert fields[key] == other.get(key), (name, key, fields[key], other.get(key))
    kinds = [name for name, _ in messages if name not in ("record", "course_point")]
    assert kinds == ["file_id", "course", "lap", "event", "event"], kinds
    found = {name: fields for name, fields in messages}
    assert found["file_id"]["type"] == "course"
    records = [fields for name, fields in messages if name == "record"]
    for key in "timestamp", "distance":
        assert [fields[key] for fields in records] == sorted(fields[key] for fields in records), key
    assert found["lap"]["total_distance"] == records[-1]["distance"]
    assert found["lap"]["timestamp"] == records[-1]["timestamp"]
    show("name", found["course"]["name"])
    degrees = 180 / 2**31
    for fields in records:
        vertex(fields["position_long"] * degrees, fields["position_lat"] * degrees, fields.get("enhanced_altitude"))
    for name, fields in messages:
        if name == "course_point":
            assert any(fields["timestamp"] == record["timestamp"] for record in records)
            show("p", fields["type"].replace("_", "-"), fields["position_lat"] * degrees, fields["position_long"] * degrees,
                 fields.get("name"))


def read_geojson(path):
    with open(path) as file:
        collection = geojson.load(file)
    assert isinstance(collection, geojson.FeatureCollection) and collection.is_valid, collection.errors()
    line, *points = collection.features
    show("name", line.properties["name"])
    for position in line.geometry.coordinates:
        vertex(*position)
    for point in points:
        longitude, latitude, *_ = point.geometry.coordinates
        show("p", point.properties["kind"], latitude, longitude, point.properties.get("name"))


def read_kml(path):
    with open(path, "rb") as file:
        document = fastkml.KML.from_string(file.read())
    line, *points = find_all(document, of_type=features.Placemark)
    show("name", line.name)
    for position in line.geometry.coords:
        vertex(*position)
    for point in points:
        longitude, latitude, *_ = point.geometry.coords[0]
        kind, = (item.value for item in point.extended_data.elements if item.name == "kind")
        show("p", kind, latitude, longitude, point.name)


READERS = {"fit": read_fit, "geojson": read_geojson, "kml": read_kml}

for path in sys.argv[1:]:
    print("file")
    READERS[path.rsplit(".", 1)[1]](path)
