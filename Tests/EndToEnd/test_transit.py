"""`pacectl transit decode`: live feeds as the official bindings decode them."""

import gzip
import json
import os
import random
import subprocess

import pytest
from google.protobuf import json_format
from google.transit import gtfs_realtime_pb2

from harness.process import ENVIRONMENT, PACECTL, ROOT

FEEDS = sorted((ROOT / "Tests/Data/gtfs_rt").glob("*.pb"))


def decode(path):
    return subprocess.run([PACECTL, "transit", "decode", path], capture_output=True, text=True, timeout=60, env=ENVIRONMENT)


def decoded(path):
    done = decode(path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(data):
    """What the bindings read, with numbers in the place of protobuf's strings for those of 64 bits."""
    feed = gtfs_realtime_pb2.FeedMessage.FromString(data)
    return [{"header": tree(feed.header)}] + [tree(entity) for entity in feed.entity]


def tree(message):
    result = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return numbers(result, message.DESCRIPTOR)


def numbers(value, descriptor):
    for name, member in value.items():
        field = descriptor.fields_by_name[name]
        if field.message_type:
            for one in member if isinstance(member, list) else [member]:
                numbers(one, field.message_type)
        elif field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64):
            value[name] = int(member)
    return value


def fill(message, dice, all_fields=False):
    """Sets random fields, or all of them."""
    for field in message.DESCRIPTOR.fields:
        if not (field.is_required or all_fields or dice.random() < 0.5):
            continue
        for _ in range(dice.randint(1, 3) if field.is_repeated else 1):
            if field.message_type:
                part = getattr(message, field.name)
                part = part.add() if field.is_repeated else part
                part.SetInParent()
                fill(part, dice, all_fields)
            elif field.is_repeated:
                getattr(message, field.name).append(scalar(field, dice))
            else:
                setattr(message, field.name, scalar(field, dice))


def scalar(field, dice):
    if field.enum_type:
        return dice.choice(field.enum_type.values).number
    match field.cpp_type:
        case field.CPPTYPE_STRING: return "".join(dice.choice("aZ0 \"\\\n\u00e9\u20ac\U0001f68c\u2028") for _ in range(dice.randint(0, 9)))
        case field.CPPTYPE_BOOL: return dice.random() < 0.5
        case field.CPPTYPE_INT32: return dice.choice([0, -1, 60, -(1 << 31), (1 << 31) - 1])
        case field.CPPTYPE_UINT32: return dice.choice([0, 1, (1 << 32) - 1])
        case field.CPPTYPE_INT64: return dice.choice([0, -1, 1_700_000_000, -(1 << 63), (1 << 63) - 1])
        case field.CPPTYPE_UINT64: return dice.choice([0, 1_700_000_000, (1 << 64) - 1])
        case _: return dice.choice([0.0, -0.5, 47.0, 12.3456789, 1e-7, 3.4e38, -1e20, dice.uniform(-180, 180)])


@pytest.mark.parametrize("path", FEEDS, ids=lambda path: path.stem)
def test_real_feeds_are_decoded_as_the_bindings_do(path):
    assert decoded(path) == expected(path.read_bytes())


def test_every_field_is_decoded_as_the_bindings_do(tmp_path):
    dice = random.Random(19)
    feed = gtfs_realtime_pb2.FeedMessage()
    fill(feed, dice, all_fields=True)
    for _ in range(300):
        fill(feed.entity.add(), dice)
    path = tmp_path / "feed.pb"
    path.write_bytes(feed.SerializeToString())
    ours, theirs = decoded(path), expected(path.read_bytes())
    assert len(ours) == len(theirs) > 300
    for line, entity in zip(ours, theirs):
        assert line == entity


def test_cut_feed_prints_its_entities_before_the_cut(tmp_path):
    data = next(path for path in FEEDS if "metrotransit" in path.name).read_bytes()
    path = tmp_path / "cut.pb"
    path.write_bytes(data[:len(data) // 2])
    done = decode(path)
    assert done.returncode == 1 and done.stderr.startswith(f"pacectl: {path} is no GTFS-Realtime feed, or a cut one: expected ")
    assert done.stderr.count("\n") == 1


def test_wrong_files_are_named(tmp_path):
    for name, content in {"empty.pb": b"", "text.pb": b"<html>no feed</html>\n" * 100, "zip.pb": b"PK\x03\x04" * 99}.items():
        (tmp_path / name).write_bytes(content)
        done = decode(tmp_path / name)
        assert done.returncode == 1 and done.stdout == "" and f"{name} is no GTFS-Realtime feed" in done.stderr
    done = decode(tmp_path / "missing.pb")
    assert done.returncode == 1 and "missing.pb: " in done.stderr and "No such file" in done.stderr
    done = subprocess.run([PACECTL, "transit"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "'transit decode FILE.pb'" in done.stderr


def test_packed_feed_is_unpacked_and_a_fifo_is_refused(tmp_path):
    whole = next(path for path in FEEDS if "metrotransit" in path.name)
    packed = tmp_path / "feed.pb.gz"
    packed.write_bytes(gzip.compress(whole.read_bytes()))
    assert decoded(packed) == decoded(whole)
    os.mkfifo(tmp_path / "fifo")
    done = decode(tmp_path / "fifo")
    assert done.returncode == 1 and "it must be a regular file" in done.stderr
    packed.write_bytes(gzip.compress(bytes(65 << 20)))
    assert decode(packed).stderr == f"pacectl: {packed} has more than 64 MiB\n"
