"""What a judge found wrong, and how every judge ends: `N passed, N failed`, and exit status 1 on any problem."""

import argparse


class Problems:
    """All problems by count, the first ones by text."""

    def __init__(self, limit):
        self.limit = limit
        self.count = 0
        self.texts = []

    def add(self, text):
        self.count += 1
        if len(self.texts) < self.limit:
            self.texts.append(text)

    def expect_counts(self, expectations, counts):
        """Each expectation is `TOPIC=COUNT`."""
        for expectation in expectations:
            topic, _, count = expectation.rpartition("=")
            if counts.get(topic, 0) != int(count):
                self.add(f"{topic}: expected {count} messages, found {counts.get(topic, 0)}")

    def finish(self, message_count):
        """Prints the problems and the closing line; returns the exit status. No messages at all are a failure."""
        for text in self.texts:
            print("PROBLEM", text)
        if self.count > len(self.texts):
            print(f"... and {self.count - len(self.texts)} more problems")
        failures = self.count if message_count else max(1, self.count)
        print(f"{message_count} passed, {failures} failed")
        return 1 if failures else 0


def argument_parser(documentation):
    """A parser with the options that every judge has; the usage is the module's documentation."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--expect", action="append", default=[], metavar="TOPIC=COUNT")
    parser.add_argument("--max-problems", type=int, default=40, metavar="N")
    return parser
