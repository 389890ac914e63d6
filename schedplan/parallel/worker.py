"""The side that answers: reads (function, inputs) from standard input and writes their outcomes to standard output.

What the function prints goes to standard error: standard output is for answers.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys

from schedplan.parallel.outcome import attempt


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking side decides what an interrupt means
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            function, inputs = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        pickle.dump([attempt(function, each) for each in inputs], answers)
        answers.flush()


if __name__ == "__main__":
    main()
