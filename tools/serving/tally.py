"""Counts of what was checked of a server, as a table, with what was wrong."""

import sys
import time
import traceback


def note(text):
    print(text, file=sys.stderr, flush=True)


class Checks(list):
    """Functions of one client or program, each with a check that its first line tells."""

    def __call__(self, function):
        self.append(function)
        return function


class Tally:
    def __init__(self):
        self.rows, self.wrong = {}, []

    def add(self, title, right, wrong=(), remark=""):
        """Counts checks of `title` that went right, and tells of those that went wrong."""
        counts = self.rows.setdefault(title, [0, 0, []])
        counts[0] += right
        counts[1] += len(wrong)
        if remark:
            counts[2].append(remark)
        for text in wrong:
            self.wrong.append(f"{title}: {text}")
            note(f"WRONG: {self.wrong[-1]}")

    def run(self, title, checks, served):
        """Does checks that raise where something is wrong."""
        begin = time.perf_counter()
        for check in checks:
            try:
                check(served)
                self.add(title, 1)
            except Exception:  # whatever it is, the others are checked, too
                self.add(title, 0, [f"{check.__name__}\n{traceback.format_exc(limit=-3)}"])
        self.add(title, 0, remark=f"{time.perf_counter() - begin:.0f} s")

    def table(self):
        lines = ["| What | Right | Wrong | |", "|---|---:|---:|---|"]
        lines += [f"| {title} | {right:,} | {wrong:,} | {', '.join(remarks)} |" for title, (right, wrong, remarks) in self.rows.items()]
        return "\n".join(lines)
