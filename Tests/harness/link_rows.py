"""The rows of a journal beside those of a database, after the processes between them have been killed."""

import contextlib
import re

import psycopg

from harness.link import LinkFixture
from harness.timing import Failed

# Counts the rows that come, and those of them that the keys do not absorb.
COUNTERS = """
    CREATE SEQUENCE sent;
    CREATE SEQUENCE stored;
    CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM nextval(TG_ARGV[0]); RETURN NEW; END';
    CREATE TRIGGER counted BEFORE INSERT ON sample FOR EACH ROW EXECUTE FUNCTION count_row('sent');
    CREATE TRIGGER kept AFTER INSERT ON sample FOR EACH ROW EXECUTE FUNCTION count_row('stored');
"""


class RowFixture(LinkFixture):
    """A board, and a database that counts what comes.

    `present` and `trashed` have the numbers and the uuids of the activities that must be in the database, or must not.
    """

    def __init__(self, stage, database):
        super().__init__(stage, database)
        self.present, self.trashed = [], []

    def start_counting_collector(self):
        self.collector = self.start_collector()
        with psycopg.connect(self.collector.database) as connection:
            connection.execute(COUNTERS)

    def transactions(self):
        """What changes with each message that comes to the database."""
        return self.collector.query(
            "SELECT count(*), coalesce(sum(revision + next), 0), (SELECT last_value FROM sent) FROM activity")

    def link_status(self):
        with contextlib.suppress(OSError, Failed):
            return self.link.call("link.status")["sinks"]

    def is_complete(self):
        """Whether all rows have come and the trash is empty, by the numbers that the collector has."""
        found = {str(activity): (next == places, deleted) for activity, next, places, deleted in
                 self.collector.query("SELECT activity, next, places, deleted FROM activity")}
        return (all(found.get(name) == (True, False) for _, name in self.present)
                and all(found.get(name, (False, True))[1] for _, name in self.trashed))

    def difference(self):
        """The first difference between the journal and the database; None if they are equal."""
        known = 0
        for number, name in self.present:
            rows = self.rows(number)
            known += len(rows)
            if self.collector.rows(name) != rows:
                return f"the rows of {name} are not those of the journal"
            if self.collector.state(name)["summary"] != self.summary(number):
                return f"the summary of {name} is not that of the journal"
        total, = self.collector.query("SELECT count(*) FROM sample")[0]
        return None if total == known else f"there are {total} rows, and {known} in the journal"

    @contextlib.contextmanager
    def explained(self):
        """Adds to a failure what the board and the collector say."""
        try:
            yield
        except Failed as failure:
            logs = self.link.log_text()[-3000:] + self.collector.log_text()[-1000:]
            difference = self.difference() if self.present else "the run has not ended"
            raise Failed(f"{failure}: {difference}; {self.link_status()}\n{logs}") from None

    def counts(self):
        """The rows that have come, those that the keys did not absorb, and those that are there."""
        return self.collector.query(
            "SELECT sent.last_value, stored.last_value, (SELECT count(*) FROM sample) FROM sent, stored")[0]

    def totals(self):
        """For the last line: messages, rows, and rows that came twice."""
        messages = len(re.findall("Received PUBLISH from [^\n]*/rows'", self.broker.log_text()))
        sent, stored, total = self.counts()
        return f"{messages} messages, {total} rows are equal, {sent - stored} duplicates were absorbed"
