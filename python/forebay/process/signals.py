"""The signals that a supervisor waits for; they are blocked before other modules are imported."""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals that end a command."""


def awaited() -> set[signal.Signals]:
    """Return the signals that a supervisor waits for, without SIGHUP if `nohup` ignores it."""
    is_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    ending = {number for number in ENDING if number != signal.SIGHUP or not is_nohup}
    return {*ending, signal.SIGTSTP, signal.SIGCHLD}


def block() -> set[int]:
    """Block the supervisor's signals and return the previous signal mask."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, awaited()))
