#!/usr/bin/env python3
"""Keeps the activities that paced-link sends in PostgreSQL, and acknowledges what is there.

It needs paho-mqtt 2 and psycopg 3; README.md tells how to start it. Each message is one transaction, and its
acknowledgement follows the commit. So a kill at any moment loses no row: paced-link sends again what nobody has
acknowledged, and the primary keys absorb what comes twice. The messages and the rules are in docs/link.md.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import time
import uuid
import zlib

import psycopg
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5, error_string
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

LIMIT = 1 << 20  # Bytes of a message, unpacked: paced-link sends at most 64 KiB.
PAUSE_S = 2  # Between two attempts to connect.
LARGEST = (1 << 31) - 1  # PostgreSQL's integer.
said = None


# What is wrong with a message, as opposed to a database that fails.
WRONG = (ValueError, TypeError, RecursionError, zlib.error, psycopg.DataError, psycopg.errors.ProgramLimitExceeded,
         psycopg.errors.StatementTooComplex)


class Lost(Exception):
    """The broker has gone, or refuses us."""


def unpack(data):
    """The JSON object of a message."""
    if data[:2] == b"\x1f\x8b":
        stream = zlib.decompressobj(wbits=31)
        data = stream.decompress(data, LIMIT + 1)
        if len(data) <= LIMIT and not stream.eof:
            raise ValueError("it is cut off")
    if len(data) > LIMIT:
        raise ValueError("it is larger than 1 MiB")
    message = json.loads(data)
    if not isinstance(message, dict):
        raise ValueError("it is no object")
    return message


def integer(message, name, low=0, high=LARGEST):
    value = message.get(name)
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} is no whole number from {low} to {high}")
    return value


def boolean(message, name):
    if not isinstance(message.get(name), bool):
        raise ValueError(f"{name} is neither true nor false")
    return message[name]


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) if isinstance(text, str) else None


def keep_event(database, device, message):
    database.execute(
        "INSERT INTO event VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (device, integer(message, "seq", high=(1 << 63) - 1), json.dumps(message)))


def keep_head(database, key, known, message):
    """Keeps what an activity is now, or that it was deleted, unless something newer is known."""
    revision = integer(message, "revision", 1)
    if boolean(message, "deleted"):
        if revision > known["revision"]:
            database.execute("DELETE FROM sample WHERE device = %s AND activity = %s", key)
            database.execute(
                "UPDATE activity SET revision = %s, deleted_revision = %s, next = 0, places = NULL, open = false,"
                " deleted = true, started = NULL, summary = NULL WHERE device = %s AND activity = %s",
                (revision, revision, *key))
        return
    is_open, summary = boolean(message, "open"), message.get("summary")
    if not isinstance(summary, dict):
        raise ValueError("summary is no object")
    places = integer(message, "next") if "next" in message else None
    values = revision, places, is_open, time_of(summary.get("started")), json.dumps(summary)
    if revision > known["revision"]:
        database.execute(
            "UPDATE activity SET revision = %s, places = %s, open = %s, deleted = false, started = %s, summary = %s"
            " WHERE device = %s AND activity = %s", (*values, *key))


def keep_rows(database, key, known, message):
    """Keeps rows with the places `from` to `next` - 1, of which some may be missing."""
    revision, first = integer(message, "revision", 1), integer(message, "from")
    following, rows = integer(message, "next", first), message.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("rows is no list of objects")
    for row in rows:
        if not first <= integer(row, "n") < following:
            raise ValueError("a row is not of the places of its message")
    text = json.dumps(rows)
    if revision <= known["deleted_revision"]:
        return
    database.execute(
        "INSERT INTO sample SELECT %s, %s, (body ->> 'n')::integer, body FROM jsonb_array_elements(%s) AS body"
        " ON CONFLICT DO NOTHING", (*key, text))
    # After a hole nothing moves: paced-link sends the rows of the hole again, and what follows them.
    if first <= known["next"]:
        database.execute(
            "UPDATE activity SET next = greatest(next, %s) WHERE device = %s AND activity = %s", (following, *key))


KINDS = {"activity": keep_head, "rows": keep_rows}
KNOWN = "SELECT revision, deleted_revision, next FROM activity WHERE device = %s AND activity = %s"


def keep(database, device, message):
    """Keeps a message of an activity in one transaction, and returns the acknowledgement."""
    if message.get("device") != device:
        raise ValueError("device is not that of the topic")
    if message.get("kind") not in ("activity", "rows"):
        raise ValueError("kind is unknown")
    key = device, str(uuid.UUID(str(message.get("activity"))))
    with database.transaction():
        database.execute("INSERT INTO activity (device, activity) VALUES (%s, %s) ON CONFLICT DO NOTHING", key)
        known = database.execute(KNOWN + " FOR UPDATE", key).fetchone()
        KINDS[message["kind"]](database, key, known, message)
        known = database.execute(KNOWN, key).fetchone()
        return acknowledgement(database, key[1], known["revision"], known["next"])


def acknowledgement(database, activity, revision, following):
    epoch = database.execute("SELECT epoch FROM epoch").fetchone()["epoch"]
    return {"epoch": str(epoch), "activity": activity, "revision": revision, "next": following}


def greeting(database, device):
    """An acknowledgement that tells a board our epoch, at our start or its own, when no message asks for one."""
    found = database.execute(
        "SELECT activity, revision, next FROM activity WHERE device = %s ORDER BY started DESC NULLS LAST LIMIT 1",
        [device]).fetchone()
    known = found or {"activity": uuid.UUID(int=0), "revision": 0, "next": 0}
    return acknowledgement(database, str(known["activity"]), known["revision"], known["next"])


class Session:
    """A connection to the broker beside one to the database. Both end when one of them fails, and are opened anew."""

    def __init__(self, options, database):
        self.options, self.database, self.complaints = options, database, set()
        self.client = Client(
            CallbackAPIVersion.VERSION2, f"{options.name}-{uuid.uuid4().hex[:12]}", protocol=MQTTv5, manual_ack=True)
        self.client.on_connect, self.client.on_subscribe = self.connected, self.subscribed
        self.client.on_message = self.receive
        if options.user:
            self.client.username_pw_set(options.user, os.environ.get("COLLECTOR_PASSWORD"))
        if not options.plain:
            self.client.tls_set(options.ca, options.cert, options.key)

    def run(self):
        properties = Properties(PacketTypes.CONNECT)
        properties.MaximumPacketSize = LIMIT + 1024
        port = self.options.port or (1883 if self.options.plain else 8883)
        # A clean session: what waits for an absent member of a group would come to no other member.
        self.client.connect(self.options.broker, port, clean_start=True, properties=properties)
        while (status := self.client.loop()) == 0:
            pass
        raise Lost(error_string(status))

    def connected(self, client, _, flags, reason, properties):
        if reason.is_failure:
            raise Lost(f"the broker refuses the connection: {reason}")
        share = f"$share/{self.options.shared}/" if self.options.shared else ""
        client.subscribe([(f"{share}paced/v1/+/{topic}", 1) for topic in ("rows", "event", "status")])

    def subscribed(self, client, _, message, reasons, properties):
        if any(reason.is_failure for reason in reasons):
            raise Lost(f"the broker refuses a subscription: {reasons}")
        say(f"collecting as {self.options.name}")

    def receive(self, client, _, message):
        try:
            self.take(message.topic, message.payload)
        except WRONG as error:
            self.complain(message, error)
        # A message that is wrong is acknowledged to the broker too, or it would stay in the way of the others.
        client.ack(message.mid, message.qos)

    def take(self, topic, payload):
        device, subject = topic.split("/")[2:4]
        if device != str(uuid.UUID(device)):
            raise ValueError("the device of the topic is no uuid in lower case")
        if subject == "event":
            keep_event(self.database, device, unpack(payload))
        elif subject == "rows":
            self.acknowledge(device, keep(self.database, device, unpack(payload)))
        elif payload == b"online":
            self.acknowledge(device, greeting(self.database, device))

    def acknowledge(self, device, answer):
        self.client.publish(f"paced/v1/{device}/ack/{self.options.name}", json.dumps(answer), qos=1, retain=True)

    def complain(self, message, error):
        """Logs what is wrong with a message once, and not more than a hundred things."""
        text = f"skipped a message of {message.topic!a}: {str(error)!a:.200}"
        if text not in self.complaints and len(self.complaints) < 100:
            self.complaints.add(text)
            say(text)


def say(text):
    """Logs a line, unless it is the one before again."""
    global said
    if text != said:
        print(f"collector: {text}", file=sys.stderr, flush=True)
    said = text


def connect(options):
    return psycopg.connect(options.database, autocommit=True, row_factory=psycopg.rows.dict_row)


def run(options):
    while True:
        try:
            with connect(options) as database:
                database.execute("SELECT epoch FROM epoch")
                Session(options, database).run()
        except psycopg.errors.UndefinedTable:
            sys.exit("collector: the database has no tables; run: collector.py init")
        except (psycopg.Error, OSError, Lost) as error:
            # The message that was not committed has no acknowledgement: paced-link sends it again.
            say(str(error).strip())
        time.sleep(PAUSE_S)


def initialise(options):
    with connect(options) as database, database.transaction():
        database.execute((pathlib.Path(__file__).parent / "schema.sql").read_text())


def new_epoch(options):
    with connect(options) as database:
        database.execute("UPDATE epoch SET epoch = gen_random_uuid()")


def main():
    parser = argparse.ArgumentParser(description="Keeps the activities that paced-link sends in PostgreSQL.")
    parser.add_argument("command", choices=["run", "init", "new-epoch"],
                        help="init creates the tables; new-epoch is for a database that was restored from a backup")
    parser.add_argument("--broker", metavar="HOST", default="localhost", help="the MQTT broker; default localhost")
    parser.add_argument("--port", type=int, help="default 8883, or 1883 with --plain")
    parser.add_argument("--ca", metavar="FILE", help="the authority of the broker's certificate; default the system's")
    parser.add_argument("--cert", metavar="FILE", help="our certificate, if the broker wants one")
    parser.add_argument("--key", metavar="FILE", help="its key")
    parser.add_argument("--user", help="the user at the broker; the password is $COLLECTOR_PASSWORD")
    parser.add_argument("--plain", action="store_true", help="without TLS")
    parser.add_argument("--database", metavar="DSN", default="", help="of PostgreSQL; default $PGHOST, $PGDATABASE …")
    parser.add_argument("--name", default="collector", help="our name in Sinks= of paced-link.conf; default collector")
    parser.add_argument("--shared", metavar="GROUP", help="share the messages with the other collectors of this group")
    options = parser.parse_args()
    if not re.fullmatch("[a-z0-9-]{1,32}", options.name):
        parser.error("--name has 1 to 32 of a-z, 0-9 and -")
    try:
        {"run": run, "init": initialise, "new-epoch": new_epoch}[options.command](options)
    except psycopg.Error as error:
        sys.exit(f"collector: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
