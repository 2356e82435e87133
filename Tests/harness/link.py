"""`paced-link`, the example collector, and a second MQTT client."""

import json
import socket
import subprocess
import sys
import threading
import typing

import psycopg
from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from harness import uploads
from harness.client import ControlClient
from harness.process import ENVIRONMENT, PACECTL, PROGRAMS, ROOT, ManagedProcess
from harness.servers import Mosquitto
from harness.timing import GUARD, Failed, boot_ms, real_seconds, wait_for

PACED_LINK = PROGRAMS / "paced-link"
COLLECTOR = ROOT / "Examples/collector/collector.py"
OFF = ["--gpsd", "off", "--sensors", "off"]


class Collector(ManagedProcess):
    """The example, which keeps what a broker hands it in a database. `start` returns when it has subscribed."""

    def __init__(self, directory, broker, database, *options, name="collector", log=None, prefix=()):
        self.database, self.directory = database, directory
        security = ["--ca", broker.identity.path] if broker.identity else ["--plain"]
        self.base = [sys.executable, "-B", COLLECTOR, "--broker", "127.0.0.1", "--port", broker.port, *security,
                     "--database", database, "--name", name, *options]
        self.waits, self.connection = True, None
        super().__init__([*prefix, *self.base, "run"], log=log or directory / f"{name}.log")

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
        """All rows of a query. The tests ask often, over a connection that stays."""
        if self.connection is None or self.connection.closed:
            self.connection = psycopg.connect(self.database, autocommit=True)
        return self.connection.execute(text, parameters).fetchall()

    def end(self, *arguments):
        if self.connection is not None:
            self.connection.close()
        return super().end(*arguments)

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

    def catch_up(self):
        """Waits for all messages that the broker has accepted until now, and returns itself.

        One to itself, of a topic of its own, comes after them.
        """
        topic = f"catch-up/{id(self)}/{len(self.messages)}"
        self.client.subscribe(topic, 1)
        self.publish(topic, b"")
        self.wait("its own message", lambda message: message.topic == topic)
        return self

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

    `sections` is its configuration: {"Mqtt": {"Host": "127.0.0.1"}}. `credentials` are those of the unit. `prefix` is a
    command that executes the arguments after its own.
    """

    def __init__(
            self, directory, paced, sections, *options, credentials=None, log="link.log", state="link-state",
            prefix=(), **environment):
        self.runtime, self.state = directory / "link", directory / state
        self.configuration, self.daemon = directory / "paced-link.conf", paced
        self.configure(sections)
        if credentials:
            place = directory / "credentials"
            place.mkdir(exist_ok=True)
            for name, text in credentials.items():
                (place / name).write_text(text)
            environment["CREDENTIALS_DIRECTORY"] = str(place)
        super().__init__(
            [*prefix, PACED_LINK, "--config", self.configuration, "--runtime-dir", self.runtime, "--state-dir", self.state,
             "--paced-dir", paced.runtime, "--journal-dir", paced.runtime.parent / "state", *options],
            environment, directory / log)

    def configure(self, sections):
        """Writes the configuration, which the next start reads."""
        lines = []
        for name, keys in sections.items():
            lines += [f"[{name}]"] + [f"{key}={value}" for key, value in keys.items()]
        self.configuration.write_text("\n".join(lines) + "\n")

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

    def wait_for_state(self, sink, state, reason="", seconds=60):
        """The status of a sink when it has a state, and a reason with this text."""
        def reached():
            status = self.sink(sink)
            return status if status["state"] == state and reason in status.get("reason", "") else None

        try:
            return wait_for(reached, seconds, "")
        except Failed:
            raise Failed(f"{sink} is not {state} with '{reason}': {self.sink(sink)}") from None


def journal_rows(state_directory, activity):
    """The rows of an activity in the journal by their places: what a collector must have."""
    command = [PACECTL, "--state-dir", state_directory, "rows", str(activity)]
    text = subprocess.run(command, capture_output=True, check=True, timeout=GUARD).stdout
    rows = [json.loads(line) for line in text.splitlines()]
    return dict(enumerate(row for row in rows[1:] if row["row"] not in ("lap-totals", "activity")))


class LinkFixture:
    """What a test of paced-link needs, each part when the test starts it.

    `within` are the words that, before a command, run it in the network of broker, collector and paced-link.
    """

    within = ()

    def __init__(self, stage, database):
        self.stage, self.database = stage, database
        self.broker = self.daemon = self.link = None

    def start_broker(self, **settings):
        self.broker = self.stage.start(Mosquitto(self.stage.directory, prefix=self.within, **settings))
        return self.broker

    def start_daemon(self, *options, sync_seconds=1, **environment):
        """A daemon that syncs its journal each second, as in a run, so that what is imported is sent soon."""
        configuration = self.stage.directory / "paced.conf"
        configuration.write_text(f"[Recording]\nSyncIntervalSec={sync_seconds}\n")
        self.daemon = self.stage.paced("--config", configuration, *options or OFF, **environment)
        wait_for(lambda: self.daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
        return self.daemon

    def start_demo(self):
        """A simulated run, in the journal of a board: a demo alone has no uuid."""
        self.start_daemon().stop()
        return self.start_daemon("--demo")

    def start_link(
            self, level="full", *options, mqtt=None, credentials=None, environment=None, paced=None, disk=None,
            **sections):
        """`mqtt` are keys of [Mqtt] beside those that reach the broker; the sections are those of the configuration.

        `paced` has the sockets, if those are not the daemon's own. `disk` is a Disk in the place of the state directory.
        """
        security = {"Authorities": self.broker.identity.path} if self.broker.identity else {"AllowPlain": "yes"}
        keys = {"Host": "127.0.0.1", "Port": self.broker.port, "Level": level} | security | (mqtt or {})
        self.link = self.stage.start(PacedLink(
            self.stage.directory, paced or self.daemon, {"Mqtt": keys} | sections, *options, credentials=credentials,
            prefix=[*self.within, *(disk.within if disk else ())], **environment or {}))
        return self.link

    def start_collector(self, *options, name="collector", database=None, **environment):
        address = database or self.database.database()
        collector = Collector(self.stage.directory, self.broker, address, *options, name=name, prefix=self.within)
        collector.environment = environment
        return self.stage.start(collector if database else collector.init())

    def start(self, level="full", sinks="collector", **options):
        """All of it; returns the collector."""
        self.start_broker()
        self.start_daemon()
        collector = self.start_collector()
        self.start_link(level, Collector={"Sinks": sinks, "AckTimeoutSec": 1}, **options)
        return collector

    def subscribe(self, *topics):
        """A second client of the broker."""
        return self.stage.keep(Subscriber(self.broker, *topics))

    def listen(self, *topics):
        """A second client, of topics below paced/v1/."""
        return self.subscribe(*(f"paced/v1/{topic}" for topic in topics))

    @property
    def device(self):
        return json.loads((self.stage.directory / "state/device.json").read_text())["uuid"]

    def upload(self, seconds=60, **fields):
        """Stores a made activity, and returns its number and its uuid."""
        client = uploads.Client(self.daemon)
        answer = client.upload(uploads.data(uploads.lines(seconds, **fields)))
        client.close()
        return answer["id"], self.summary(answer["id"])["uuid"]

    def summary(self, number):
        return self.daemon.control.result("activities.get", id=number)["summary"]

    def rows(self, number):
        return journal_rows(self.stage.directory / "state", number)

    def wait_for_rows(self, collector, number, uuid, seconds=60):
        """Waits until a collector has exactly the rows of the journal, and the head of the activity."""
        rows, summary = self.rows(number), self.summary(number)

        def is_there():
            state = collector.state(uuid)
            return state and state["next"] == len(rows) and state["summary"] == summary

        try:
            wait_for(is_there, seconds, "")
        except Failed:
            raise Failed(f"not there: {collector.state(uuid)}, {self.link.call('link.status')}") from None
        assert collector.rows(uuid) == rows
        return rows
