"""Commands from the broker: which ones paced-link carries out, what it answers, and what it takes for none."""

import itertools
import json
import os
import subprocess

import pytest

import needs
from harness.certificates import Identity
from harness.faults import fault_library
from harness.link import PACED_LINK, Subscriber
from harness.link_uploads import UploadFixture
from harness.process import ENVIRONMENT
from harness.timing import GUARD, expect_within, real_seconds, wait_for
from harness.users import NOBODY, acting_as, reachable
from matrix import matrix

# The board may not write its own commands, and the rider alone may.
RULES = """user board
topic write paced/v1/+/status
topic write paced/v1/+/state
topic write paced/v1/+/event
topic write paced/v1/+/reply
topic read paced/v1/+/cmd
user rider
topic write paced/v1/+/cmd
topic read paced/v1/+/reply
"""
USERS = {"board": "of-the-board", "rider": "of-the-rider"}
ALL = "run.start run.toggle run.pause run.resume run.lap run.mark run.stop"
NO_RIGHT = "paced-link may not command: see paced-link-control.conf"
BUSY, NOT_ALLOWED, WRONG_PARAMETERS = -32002, -32601, -32602


class CommandFixture(UploadFixture):
    """A broker with TLS and passwords, a run and paced-link with clocks of the test, and the rider's client."""

    def start(self, allow, level="health", **options):
        self.start_broker(users=USERS, rules=RULES, identity=Identity(self.stage.directory, "broker"))
        self.start_daemon()
        self.daemon.control.result("run.start", sport="run", indoor=True)
        self.reader = self.stage.reader(self.daemon, classes=["EVENT"])
        self.rider = self.stage.keep(Subscriber(
            self.broker, f"paced/v1/{self.device}/reply", user=("rider", USERS["rider"])))
        commands = {"Commands": {"Allow": allow}} if allow else {}
        self.start_link(
            level, mqtt={"User": "board"}, credentials={"mqtt-password": USERS["board"]},
            environment={"LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(self.clock)}, **commands, **options)
        self.wait_until_connected(1 if allow else 0)

    def wait_until_connected(self, subscriptions=1):
        self.link.wait_for_state("mqtt", "connected")
        wait_for(lambda: self.subscriptions() >= subscriptions, 60, "a subscription to the commands")

    def start_again(self):
        before = self.subscriptions()
        self.link.start()
        self.wait_until_connected(before + 1)

    def subscriptions(self):
        return self.broker.log_text().count("/cmd (QoS 1)")

    def publish(self, payload, **options):
        if isinstance(payload, dict):
            payload = json.dumps(payload)
        self.rider.publish(f"paced/v1/{self.device}/cmd", payload, **options)

    def send(self, method, id=None, **params):
        """Sends a command; returns its id."""
        id = id or f"{method} {len(self.rider.messages)}"
        self.publish({"id": id, "method": method} | ({"params": params} if params else {}))
        return id

    def reply(self, id):
        return self.rider.wait(f"a reply to {id}", lambda message: message.json["id"] == id).json

    def command(self, method, id=None, **params):
        """Sends a command, and returns the reply without the id, which is not that of an earlier one."""
        reply = self.reply(self.send(method, id, **params))
        del reply["id"]
        return reply

    def replied(self):
        return [message.json["id"] for message in list(self.rider.messages)]

    def events(self, name):
        return [line for line in self.reader.of("EVENT") if line["event"] == name]

    def mark(self, text):
        """Sets a mark by a command, which is carried out after all before it."""
        assert self.command("run.mark", text=text) == {"result": True}
        self.reader.first("EVENT", event="mark", text=text)

    def ask_for_status(self):
        """The status of the commands, and the seconds until the answer."""
        begun = real_seconds()
        return self.link.sink("commands"), real_seconds() - begun

    def told(self):
        """The topics of the notices of commands."""
        return [line["topic"] for line in self.events("notice") if line["key"] == "command"]


@pytest.fixture
def commands(stage):
    return CommandFixture(stage)


def test_allowed_command_is_carried_out_answered_and_told(commands):
    commands.start("run.lap")
    assert commands.command("run.lap", "first") == {"result": True}
    reply = commands.rider.messages[0]
    assert reply.json == {"id": "first", "result": True} and reply.qos == 1 and not reply.is_retained
    commands.reader.first("EVENT", event="lap")
    notice = commands.reader.first("EVENT", event="notice", key="command")
    assert notice["topic"] == "x-link-run-lap" and notice["text"].startswith("paced-link: run.lap by 127.0.0.1")
    wait_for(lambda: "run.lap" in commands.link.log_text(), 60, "a line of the log")
    status = commands.link.sink("commands")
    assert status["state"] == "connected" and status["rejected"] == 0

    # The same message again, and what nobody has allowed.
    commands.send("run.lap", "first")
    refused = commands.command("run.stop")["error"]
    assert refused["code"] == NOT_ALLOWED and "Allow=" in refused["message"]
    assert commands.daemon.call("status")["run"] == "active"
    assert commands.replied().count("first") == 1 and len(commands.events("lap")) == 1


def test_without_allow_no_command_is_subscribed_to(commands):
    commands.start(None)
    commands.send("run.stop")
    commands.link.call("link.flush")
    assert commands.subscriptions() == 0 and commands.rider.messages == []
    assert commands.daemon.call("status")["run"] == "active"
    assert "commands" not in [sink["name"] for sink in commands.link.call("link.status")["sinks"]]


METHODS = ["5: Allow must be methods with blanks between", *ALL.split()]
MQTT = {"Host": "127.0.0.1", "User": "board"}
WRONG = {
    "nobody is named": ({"Host": "127.0.0.1"}, "run.lap", ["Allow=", "User=", "Certificate="]),
    "no broker": ({"User": "board"}, "run.lap", ["Allow=", "Host="]),
    "without TLS": (MQTT | {"AllowPlain": "yes"}, "run.lap", ["Allow=", "AllowPlain="]),
    "unknown method": (MQTT, "run.lap run.discard", METHODS),
    "of another kind": (MQTT, "settings.set", METHODS),
    "commas": (MQTT, "run.lap,run.stop", METHODS),
}


@pytest.mark.parametrize("name, keys, allow, words", matrix(
    [(name, *case) for name, case in WRONG.items()], "nobody is named", "without TLS"))
def test_commands_without_an_origin_are_a_wrong_configuration(tmp_path, name, keys, allow, words):
    path = tmp_path / "paced-link.conf"
    lines = ["[Mqtt]", *(f"{key}={value}" for key, value in keys.items()), "[Commands]", f"Allow={allow}"]
    path.write_text("\n".join(lines) + "\n")
    options = [f"--{kind}-dir={tmp_path / kind}" for kind in ("runtime", "state", "paced", "journal")]
    refused = subprocess.run(
        [PACED_LINK, "--config", path, *options], capture_output=True, text=True, timeout=GUARD, env=ENVIRONMENT)
    assert refused.returncode == 2, refused.stderr
    assert refused.stderr.count("\n") == 1, refused.stderr
    assert all(word in refused.stderr for word in [str(path), *words]), refused.stderr


@pytest.mark.thorough
def test_whole_run_by_commands_of_a_board_that_tells_nothing_else(commands):
    commands.start(ALL, level="none")
    commands.daemon.control.result("run.discard")
    for method, params in [
            ("run.start", {"sport": "ride", "indoor": True}), ("run.pause", {}), ("run.resume", {}), ("run.lap", {}),
            ("run.mark", {"text": "Café ✓"}), ("run.toggle", {})]:
        assert commands.command(method, **params) == {"result": True}, method
    assert commands.daemon.call("status")["run"] == "paused" and commands.daemon.call("status")["sport"] == "ride"
    # What paced answers is not told to the broker.
    assert commands.command("run.stop") == {"result": True}
    assert commands.daemon.call("status")["run"] == "idle"
    wait_for(lambda: len(commands.told()) == 7, 60, "seven notices")
    assert sorted(commands.told()) == sorted(f"x-link-{method.replace('.', '-')}" for method in ALL.split())
    assert commands.reader.first("EVENT", event="mark")["text"] == "Café ✓"


@pytest.mark.thorough
def test_refusal_of_paced_is_answered_and_told_to_nobody(commands):
    commands.start(ALL)
    expected = commands.daemon.call("run.resume")
    error = commands.command("run.resume")["error"]
    assert error == {"code": expected["code"], "message": expected["data"]["message"]}
    wrong = commands.command("run.mark", text=5)["error"]
    assert wrong["code"] in (-32602, -32004)
    assert commands.told() == []
    # Nothing was carried out, so nobody has to wait.
    assert commands.command("run.mark", text="here") == {"result": True}


@pytest.mark.thorough
def test_retained_command_is_never_carried_out_by_a_connection(commands):
    commands.start("run.lap run.mark")
    commands.link.stop()
    commands.publish({"id": "kept", "method": "run.lap"}, retain=True)
    for start in range(2):
        commands.start_again()
        # The broker sends what it has retained before what comes later.
        commands.mark(f"start {start}")
        assert "kept" not in commands.replied() and commands.events("lap") == []
        commands.link.kill()


@pytest.mark.thorough
def test_command_of_an_absent_board_is_forgotten(commands):
    commands.start("run.lap run.mark")
    commands.link.kill()
    commands.send("run.lap", "away")
    commands.start_again()
    commands.mark("back")
    assert "away" not in commands.replied() and commands.events("lap") == []


def of_length(length, id):
    """A command of so many bytes."""
    return json.dumps({"id": id, "method": "run.lap"}).ljust(length)


FORMS = {
    "empty": b"", "no text": b"\xff\xfe", "cut": b'{"id":"x","method":"run.lap"', "list": b"[]", "null": b"null",
    "word": b'"run.lap"', "deep": b"[" * 1000, "no id": b'{"method":"run.lap"}',
    "empty id": b'{"id":"","method":"run.lap"}', "number": b'{"id":5,"method":"run.lap"}',
    "null id": b'{"id":null,"method":"run.lap"}', "umlaut": '{"id":"ä","method":"run.lap"}'.encode(),
    "line": b'{"id":"a\\nb","method":"run.lap"}', "nul": b'{"id":"a\\u0000","method":"run.lap"}',
    "long id": json.dumps({"id": "x" * 65, "method": "run.lap"}).encode(),
    "two": b'{"id":"x","method":"run.lap"}\n{"id":"y","method":"run.lap"}',
    "too long": of_length(1025, "x"), "huge": of_length(3_000_000, "x"),
}
# Those with an ID are answered.
ANSWERED = {
    "no method": ({}, NOT_ALLOWED), "list of methods": ({"method": ["run.lap"]}, NOT_ALLOWED),
    "text": ({"method": "run.lap", "params": "text"}, WRONG_PARAMETERS),
    "list": ({"method": "run.lap", "params": [1]}, WRONG_PARAMETERS),
}


@pytest.mark.thorough
def test_message_of_another_form_is_no_command(commands):
    commands.start("run.lap")
    for form in FORMS.values():
        commands.publish(form)
    for id, (form, code) in ANSWERED.items():
        commands.publish(form | {"id": id})
        assert commands.reply(id)["error"]["code"] == code
    assert commands.command("run.mark", "x" * 64)["error"]["code"] == NOT_ALLOWED
    assert commands.replied() == [*ANSWERED, "x" * 64] and commands.events("lap") == []
    commands.publish(of_length(1024, "~ !"))
    assert commands.reply("~ !") == {"id": "~ !", "result": True}
    assert commands.link.sink("mqtt")["state"] == "connected" and commands.broker.connections(commands.device) == 1


@pytest.mark.thorough
def test_method_is_carried_out_once_in_ten_seconds(commands):
    commands.start("run.lap run.mark")
    assert commands.command("run.lap") == {"result": True}
    error = commands.command("run.lap")["error"]
    assert error["code"] == BUSY and "run.lap was carried out less than 10 s ago" in error["message"]
    # Another method has its own time.
    assert commands.command("run.mark", text="here") == {"result": True}
    commands.skip(11)
    assert commands.command("run.lap") == {"result": True}
    wait_for(lambda: len(commands.events("lap")) == 2, 60, "two laps")
    assert commands.link.sink("commands")["rejected"] == 1
    wait_for(lambda: len(commands.told()) == 3, 60, "three notices")


@pytest.mark.thorough
def test_command_without_paced_is_answered_and_later_ones_work(commands):
    commands.start("run.lap")
    commands.daemon.stop()
    error = commands.command("run.lap")["error"]
    assert "paced" in error["message"] and NO_RIGHT not in error["message"], error
    commands.daemon.start()
    wait_for(lambda: commands.daemon.call("status")["run"] == "active", 60, "the run")
    assert commands.command("run.lap") == {"result": True}


@pytest.mark.thorough
def test_each_method_waits_once_for_a_paced_that_hangs(commands):
    commands.start(ALL)
    commands.daemon.freeze()
    waiting = [commands.send(method, method) for method in ALL.split()]
    error = commands.command("run.lap", "second")["error"]
    assert error["code"] == BUSY and "run.lap waits for paced" in error["message"]
    expect_within(1, commands.ask_for_status, "an answer of paced-link")
    assert commands.replied() == ["second"]
    commands.daemon.thaw()
    for id in waiting:
        commands.reply(id)
    assert len(commands.replied()) == 8
    commands.skip(11)
    commands.mark("here")


@pytest.mark.thorough
@needs.ROOT
def test_link_without_the_right_says_so_and_has_it_when_it_gets_it(commands):
    """As under systemd: the link is another user, whose groups let it read. Here one group has all sockets."""
    commands.start("run.lap")
    commands.link.stop()
    commands.stage.directory.chmod(0o755)
    for directory in (commands.link.runtime, commands.link.state):
        for path in (directory, *directory.iterdir()):
            os.chown(path, NOBODY, 0)
    control = commands.daemon.runtime / "control.sock"
    control.chmod(0o600)
    commands.link.command[0] = str(reachable(PACED_LINK))
    commands.link.options = acting_as(NOBODY, 0)
    commands.start_again()
    assert commands.command("run.lap")["error"]["message"].startswith(NO_RIGHT)
    commands.link.wait_for_state("commands", "paused", NO_RIGHT)
    assert commands.events("lap") == []
    # The drop-in comes with a restart.
    control.chmod(0o660)
    commands.link.stop()
    commands.start_again()
    assert commands.command("run.lap", "allowed") == {"result": True}
    commands.link.wait_for_state("commands", "connected")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["new {}", "the same", ""])
def test_flood_of_commands_neither_blocks_nor_grows(commands, name):
    commands.start("run.lap")
    assert commands.command("run.lap") == {"result": True}
    before, used = commands.link.kernel_status("VmRSS"), commands.link.processor_seconds()
    numbers = itertools.count()

    def flood():
        watch = commands.watch()
        for number in itertools.islice(numbers, 1000):
            text = json.dumps({"id": name.format(number), "method": "run.lap"})
            last = commands.rider.client.publish(f"paced/v1/{commands.device}/cmd", text, 1)
        last.wait_for_publish(GUARD)
        assert commands.command("run.stop")["error"]["code"] == NOT_ALLOWED
        watch.end()
        return None, watch.longest

    expect_within(1, flood, "an answer of paced-link")
    assert commands.link.kernel_status("VmRSS") - before < 8192
    assert commands.link.processor_seconds() - used < 5
    assert len(commands.events("lap")) == 1
    commands.skip(11)
    assert commands.command("run.lap", "later") == {"result": True}
