"""The signals that a supervisor waits for, blocked before anything else is imported."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Those that end a command."""


def awaited() -> set[signal.Signals]:
    """All that a supervisor waits for; no SIGHUP where `nohup` ignores it."""
    is_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    ending = {number for number in ENDING if number != signal.SIGHUP or not is_nohup}
    return {*ending, signal.SIGTSTP, signal.SIGCHLD}


def block() -> set[int]:
    """Keep them for the supervisor from now on; return the mask of before."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, awaited()))
