#!/usr/bin/env python3
"""Kills paced-link at random while it uploads and renews its logins, and counts what the services have.

Before each kill the board records another activity. Most kills come while a request is being answered: a service then
may have done what it was asked for, and paced-link does not know. In the end each service has each activity once, and
all logins are valid.
"""

import argparse
import collections
import json
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.fixture import ProcessFixture  # noqa: E402
from harness.link_uploads import ALL, UploadFixture  # noqa: E402
from harness.timing import Failed, expect, real_seconds, wait_for  # noqa: E402
from harness.upload_services import OAuth  # noqa: E402

# The kinds of requests in which it is killed.
MOMENTS = ["send", "token", "look", "poll"]
TIMEOUT = 5


class Board(UploadFixture):
    """paced-link with all services, which are slow, and the activities that each of them must have once."""

    def __init__(self, stage, chance):
        super().__init__(stage)
        self.chance, self.activities, self.hits = chance, [], collections.Counter()
        self.start(TimeoutSec=TIMEOUT)
        self.logins = [service for service in self.services.services if isinstance(service, OAuth)]
        # A token is renewed that would not outlive a request: most of these are.
        for service in self.logins:
            service.lifetime = TIMEOUT + 1
            service.expire()
        self.services.strava.polls = 0
        self.services.delay = lambda: self.chance.uniform(0, 0.05)

    def add_activity(self):
        _, activity = self.record()
        self.activities.append(activity)
        # Others are found by paced-link itself.
        if self.chance.random() < 0.8:
            self.ask(activity)

    def kill(self):
        """Kills paced-link in a request of a random kind, or after a second in whatever it does."""
        self.add_activity()
        moment, end = self.chance.choice(MOMENTS), real_seconds() + 1
        while moment not in self.services.under_way and real_seconds() < end:
            time.sleep(0.001)
        time.sleep(self.chance.uniform(0, 0.05))
        hit = list(self.services.under_way)
        self.link.kill()
        self.hits.update(hit or ["no request"])
        self.check()
        self.link.start()

    def check(self):
        """What holds at each moment: nothing is twice at a service, and the stored login is one that it accepts."""
        for service in self.services.services:
            twice = [name for name, count in collections.Counter(service.uploaded()).items() if count > 1]
            expect(not twice, f"{service.name} has {twice} twice")
        for service in self.logins:
            tokens = json.loads((self.link.state / f"tokens-{service.name}.json").read_text())
            with self.services.lock:
                expect(service.accepts(tokens["refresh_token"]), f"the login of {service.name} is lost")

    def finish(self):
        """Waits until all is done, and uploads one more activity with renewed logins."""
        self.services.delay = lambda: 0
        for service in self.logins:
            service.expire()
        self.add_activity()
        for activity in self.activities:
            for name in ALL:
                self.wait_through(activity, name, "done", seconds=120)
        for service in self.services.services:
            expect(sorted(service.uploaded()) == sorted(self.activities), f"{service.name} has other activities")
        expect(not self.services.complaints, self.services.complaints)
        expect(not self.notices(), self.notices())
        left = [path.name for path in self.link.state.glob("*.fit*")]
        expect(not left, f"left on the board: {left}")

    def totals(self):
        """For the last line."""
        requests = collections.Counter(
            request.kind for service in self.services.services for request in service.requests)
        hits = ", ".join(f"{count} in {kind}" for kind, count in self.hits.most_common())
        return (f"{hits}; {len(self.activities)} activities are once in each service, "
                f"{requests['send']} were sent, {requests['token']} logins and renewals")


def run(kills, seed):
    begun, stage = real_seconds(), ProcessFixture()
    try:
        board = Board(stage, random.Random(seed))
        try:
            for _ in range(kills):
                board.kill()
            board.finish()
        except (Failed, OSError) as failure:
            ended = board.link.process.poll()
            raise Failed(f"{failure}\n{board.totals()}, status {ended}\n{board.link.log_text()[-3000:]}") from None
        print(f"{kills} kills: {board.totals()}, {real_seconds() - begun:.0f} s")
    finally:
        stage.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, help="repeats a run; default a random one")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    run(options.kills, seed)


if __name__ == "__main__":
    main()
