"""A reader of vector tiles (MVT 2.1) in a file of MBTiles."""

import collections
import gzip
import math
import sqlite3
import struct

# Longitude and latitude of each point, by part: a line, a ring or a point.
Feature = collections.namedtuple("Feature", "zoom layer attributes parts")


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _fields(data):
    """The fields of a message of Protocol Buffers: number and value."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value, at = _varint(data, at)
        else:
            size, at = _varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def _numbers(data):
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _signed(value):
    return (value >> 1) ^ -(value & 1)


def _value(message):
    number, value = next(_fields(message))
    kind = ["string", "float", "double", "int", "uint", "sint", "bool"][number - 1]
    if kind == "string":
        return value.decode()
    if kind in ("float", "double"):
        return struct.unpack("<f" if kind == "float" else "<d", value)[0]
    return {"sint": _signed, "bool": bool}.get(kind, int)(value)


def _parts(geometry):
    """The points of each part, in units of the tile. A command is 1 (begin a part), 2 (go on) or 7 (close the ring)."""
    numbers, parts, x, y = _numbers(geometry), [], 0, 0
    for command in numbers:
        for _ in range(command >> 3 if command & 7 != 7 else 0):
            x, y = x + _signed(next(numbers)), y + _signed(next(numbers))
            if command & 7 == 1:
                parts.append([])
            parts[-1].append((x, y))
    return parts


def _layer(message):
    """Name, extent, and the attributes and parts of each feature of a layer."""
    fields = collections.defaultdict(list)
    for number, value in _fields(message):
        fields[number].append(value)
    keys, values = [key.decode() for key in fields[3]], [_value(value) for value in fields[4]]
    features = []
    for feature in map(dict, map(_fields, fields[2])):
        tags = list(_numbers(feature.get(2, b"")))
        attributes = {keys[key]: values[value] for key, value in zip(tags[::2], tags[1::2])}
        features.append((attributes, _parts(feature[4])))
    return fields[1][0].decode(), fields[5][0] if fields[5] else 4096, features


def features(path):
    """All features of all tiles: one that is in several tiles comes several times."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles").fetchall()
    for zoom, column, row, data in rows:
        top = 2 ** zoom - 1 - row
        for _, message in _fields(gzip.decompress(data)):
            name, extent, found = _layer(message)

            def degrees(point):
                x, y = (column + point[0] / extent) / 2 ** zoom, (top + point[1] / extent) / 2 ** zoom
                return x * 360 - 180, math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y))))

            for attributes, parts in found:
                yield Feature(zoom, name, attributes, [[degrees(point) for point in part] for part in parts])


def metadata(path):
    with sqlite3.connect(path) as database:
        return dict(database.execute("SELECT name, value FROM metadata"))
