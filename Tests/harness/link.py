"""`paced-link` and what is around it: a broker, a database, the example collector, and a second MQTT client."""

import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import typing

import psycopg
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from harness.client import ControlClient
from harness.faults import without_faults
from harness.process import ENVIRONMENT, PACECTL, PROGRAMS, ROOT, ManagedProcess, free_port
from harness.timing import GUARD, Failed, boot_ms, real_seconds, wait_for
from harness.users import NOBODY, acting_as

PACED_LINK = PROGRAMS / "paced-link"
COLLECTOR = ROOT / "Examples/collector/collector.py"


class Mosquitto(ManagedProcess):
    """The real broker, at a port of 127.0.0.1 that stays after a restart. It keeps nothing on the disk.

    `users` are names with their passwords, and without them everybody may connect. `rules` is the text of an ACL file,
    `identity` the certificate of a broker with TLS, `lines` are more lines of the configuration.
    """

    inherited = without_faults(ENVIRONMENT)

    def __init__(self, directory, users=None, rules=None, identity=None, lines=()):
        self.port = free_port()
        place = directory / f"broker-{self.port}"
        place.mkdir()
        self.identity = identity
        configuration = [
            "persistence false", "log_dest stderr", "log_type all", f"listener {self.port} 127.0.0.1", *lines]
        if os.getuid() == 0:
            configuration.append("user root")
        if identity:
            configuration += [f"certfile {identity.path}", f"keyfile {identity.path}"]
        if users is None:
            configuration.append("allow_anonymous true")
        else:
            for name, password in users.items():
                create = [] if (place / "passwords").exists() else ["-c"]
                subprocess.run(["mosquitto_passwd", "-b", *create, place / "passwords", name, password], check=True)
            configuration.append(f"password_file {place / 'passwords'}")
        if rules is not None:
            (place / "rules").write_text(rules)
            configuration.append(f"acl_file {place / 'rules'}")
        (place / "conf").write_text("\n".join(configuration) + "\n")
        super().__init__(["mosquitto", "-c", place / "conf"], log=place / "log")

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a broker that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"mosquitto ended with {self.process.poll()}: {self.log_text()}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def connections(self, client):
        """How often a client was accepted since the broker's first start."""
        return self.log_text().count(f" as {client} (")


class PostgreSQL(ManagedProcess):
    """A real server on a Unix socket, with as many databases as the tests need. root runs it as nobody."""

    inherited = without_faults(ENVIRONMENT)
    numbers = itertools.count(1)

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-database-", dir="/tmp"))
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        user = {}
        if os.getuid() == 0:
            os.chown(self.directory, NOBODY, NOBODY)
            user = acting_as(NOBODY)
        data = self.directory / "data"
        subprocess.run(
            [programs / "initdb", "--pgdata", data, "--username", "paced", "--auth", "trust", "--encoding", "UTF8"],
            check=True, capture_output=True, cwd="/", env=self.inherited, **user)
        super().__init__(
            [programs / "postgres", "-D", data, "-k", self.directory, "-c", "listen_addresses="],
            log=self.directory / "log", cwd="/", **user)

    def wait_until_ready(self):
        wait_for(self.is_ready, 60, "a database that answers")

    def is_ready(self):
        assert self.process.poll() is None, f"postgres ended with {self.process.poll()}: {self.log_text()}"
        try:
            psycopg.connect(self.address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def address(self, name):
        return f"host={self.directory} user=paced dbname={name}"

    def database(self, template="template1"):
        """The address of a new database: an empty one, or a copy."""
        name = f"test{next(self.numbers)}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.address(name)

    def end(self, number=None):
        """SIGINT, because with SIGTERM it waits for the end of all sessions."""
        return super().end(number or 2)

    def remove(self):
        self.end()
        shutil.rmtree(self.directory)


class Collector(ManagedProcess):
    """The example, which keeps what a broker hands it in a database. `start` returns when it has subscribed."""

    def __init__(self, directory, broker, database, *options, name="collector", log=None):
        self.database, self.directory = database, directory
        security = ["--ca", broker.identity.path] if broker.identity else ["--plain"]
        self.base = [sys.executable, "-B", COLLECTOR, "--broker", "127.0.0.1", "--port", broker.port, *security,
                     "--database", database, "--name", name, *options]
        self.waits = True
        super().__init__([*self.base, "run"], log=log or directory / f"{name}.log")

    def init(self):
        """Creates the tables, and returns itself."""
        self.run("init")
        return self

    def run(self, command):
        """Runs another command than that of the process."""
        subprocess.run([str(word) for word in [*self.base, command]], check=True, timeout=GUARD, env=ENVIRONMENT)

    def start(self, waits=True):
        self.waits = waits
        self.before = self.subscriptions()
        return super().start()

    def wait_until_ready(self):
        if self.waits:
            wait_for(lambda: self.subscriptions() > self.before, 60, "a collector that has subscribed")

    def subscriptions(self):
        return self.log_text().count("collecting as ") if self.log.exists() else 0

    def query(self, text, *parameters):
        """All rows of a query."""
        with psycopg.connect(self.database) as connection:
            return connection.execute(text, parameters).fetchall()

    def rows(self, activity):
        """The rows of an activity by their places, without the places in them."""
        found = self.query("SELECT n, body FROM sample WHERE activity = %s ORDER BY n", activity)
        assert all(body.pop("n") == n for n, body in found)
        return dict(found)

    def state(self, activity):
        """What it knows of an activity, as the columns of its table; None if it knows nothing."""
        columns = ["revision", "next", "deleted", "open", "places", "summary"]
        found = self.query(f"SELECT {', '.join(columns)} FROM activity WHERE activity = %s", activity)
        return dict(zip(columns, found[0])) if found else None


class Message(typing.NamedTuple):
    topic: str
    payload: bytes
    qos: int
    is_retained: bool
    properties: dict
    at: float

    @property
    def json(self):
        return json.loads(self.payload)


class Subscriber:
    """A client that keeps all messages of its topics, with their times of arrival in ms of the boot clock.

    It connects and subscribes again by itself, as an anonymous user or `user` with a password.
    """

    def __init__(self, broker, *topics, user=None, client="", will=None):
        self.topics, self.messages = topics, []
        self.arrived = threading.Condition()
        self.subscribed = threading.Event()
        self.client = Client(CallbackAPIVersion.VERSION2, client, protocol=MQTTv5)
        if user:
            self.client.username_pw_set(*user)
        if broker.identity:
            self.client.tls_set(broker.identity.path)
        self.client.on_connect, self.client.on_subscribe = self.connected, self.ready
        self.client.on_message, self.client.on_disconnect = self.receive, lambda *_: self.subscribed.clear()
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()
        assert self.subscribed.wait(GUARD), "the broker does not answer"

    def connected(self, client, _, flags, reason, properties):
        assert not reason.is_failure, reason
        if self.topics:
            client.subscribe([(topic, 1) for topic in self.topics])
        else:
            self.subscribed.set()

    def ready(self, *_):
        self.subscribed.set()

    def receive(self, client, _, message):
        with self.arrived:
            properties = message.properties.json() if message.properties else {}
            self.messages.append(
                Message(message.topic, message.payload, message.qos, message.retain, properties, boot_ms()))
            self.arrived.notify_all()

    def of(self, ending):
        """The messages whose topic ends so, such as `/rows`."""
        return [message for message in list(self.messages) if message.topic.endswith(ending)]

    def wait(self, what, condition, seconds=60, since=0):
        """The first message from number `since` that meets the condition. The seconds are real."""
        end = real_seconds() + seconds
        with self.arrived:
            while True:
                for message in self.messages[since:]:
                    if condition(message):
                        return message
                since = len(self.messages)
                if real_seconds() >= end:
                    raise Failed(f"within {seconds} s there was not: {what}")
                self.arrived.wait(0.1)

    def publish(self, topic, payload, qos=1, retain=False, **properties):
        """Publishes and waits until the broker has it; `properties` as paho names them, such as UserProperty."""
        chosen = Properties(PacketTypes.PUBLISH)
        for name, value in properties.items():
            setattr(chosen, name, value)
        sent = self.client.publish(topic, payload, qos, retain, chosen)
        sent.wait_for_publish(GUARD)
        assert sent.rc == MQTTErrorCode.MQTT_ERR_SUCCESS, sent.rc

    def end(self):
        self.client.disconnect()
        self.client.loop_stop()


class PacedLink(ManagedProcess):
    """A process with its directories in `directory`, beside a daemon whose directories are in `paced`.

    `sections` is its configuration: {"Mqtt": {"Host": "127.0.0.1"}}. `credentials` are those of the unit.
    """

    def __init__(self, directory, paced, sections, *options, credentials=None, log="link.log", **environment):
        self.runtime, self.state = directory / "link", directory / "link-state"
        self.configuration, self.daemon = directory / "paced-link.conf", paced
        self.configure(sections)
        if credentials:
            place = directory / "credentials"
            place.mkdir(exist_ok=True)
            for name, text in credentials.items():
                (place / name).write_text(text)
            environment["CREDENTIALS_DIRECTORY"] = str(place)
        super().__init__(
            [PACED_LINK, "--config", self.configuration, "--runtime-dir", self.runtime, "--state-dir", self.state,
             "--paced-dir", paced.runtime, "--journal-dir", paced.runtime.parent / "state", *options],
            environment, directory / log)

    def configure(self, sections):
        """Writes the configuration, which the next start reads."""
        self.configuration.write_text("".join(
            f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in keys.items()) for name, keys in sections.items()))

    def wait_until_ready(self):
        wait_for(self.is_listening, 60, "a paced-link that listens")

    def is_listening(self):
        assert self.process.poll() is None, f"paced-link ended with {self.process.poll()}: {self.log_text()}"
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(str(self.runtime / "link.sock")) == 0

    def call(self, method, **parameters):
        return ControlClient(self.runtime / "link.sock").call(method, **parameters)

    def sink(self, name):
        """The status of one sink."""
        return next(sink for sink in self.call("link.status")["sinks"] if sink["name"] == name)

    def wait_for_state(self, sink, *states, seconds=60):
        """The status of a sink when it has one of the states."""
        def reached():
            status = self.sink(sink)
            return status if status["state"] in states else None
        return wait_for(reached, seconds, f"{sink} in the state {' or '.join(states)}: {self.sink(sink)}")


def journal_rows(state_directory, activity):
    """The rows of an activity in the journal by their places: what a collector must have."""
    text = subprocess.run(
        [PACECTL, "--state-dir", state_directory, "rows", str(activity)], capture_output=True, check=True, timeout=GUARD).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    return dict(enumerate(row for row in rows[1:] if row["row"] not in ("lap-totals", "activity")))
