"""What must hold for any input: only rulenet's own errors, within bounds; and a clock that says where it does not."""

import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable

from rulenet import RuleNetError

MAX_SECONDS = 2.0  # of CPU
MAX_SECONDS_WITH_COMPILING = 120.0
MAX_MEMORY = 500 << 20


class TookTooLongError(BaseException):
    """More than the seconds that an input may take."""


def _ring(number, frame):
    raise TookTooLongError


def broken_by(check: Callable[[], None]) -> str:
    """How a check of one input fails, "" where it holds.

    What takes too long is tried again, since the first time may have compiled kernels: the clock of the first try is a
    generous one, for a compiler that is interrupted does not recover.
    """
    began = time.process_time()
    failure = _failure_of(check, MAX_SECONDS_WITH_COMPILING)
    if not failure and time.process_time() - began > MAX_SECONDS:
        failure = _failure_of(check, MAX_SECONDS)
    return failure


def _failure_of(check: Callable[[], None], seconds: float) -> str:
    """How a check fails within so many seconds of CPU; an error of rulenet itself is no failure."""
    signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check()
    except RuleNetError:
        return ""
    except TookTooLongError:
        return f"took more than {seconds:g} s\n{traceback.format_exc(limit=-6)}"
    except MemoryError:
        return f"needs more than {MAX_MEMORY >> 20} MB\n{traceback.format_exc(limit=-6)}"
    except Exception:
        return traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def bound_memory() -> None:
    """Let this process take no more than `MAX_MEMORY` beside what it has."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MAX_MEMORY, resource.RLIM_INFINITY))
