"""Processes that begin where this one is: modules imported, kernels loaded, so that a fault meets work and no start."""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

forking = multiprocessing.get_context("fork")


def start(function: Callable[..., object], *arguments: object) -> multiprocessing.Process:
    """A child that calls a function."""
    process = forking.Process(target=function, args=arguments)
    process.start()
    return process


def run_command(arguments: Sequence[str], folder: Path, fault: Callable[[], None] | None = None) -> None:
    """Run the command in this process, a child; what it prints goes to ``.told`` in the folder."""
    from rulenet.cli import app

    os.chdir(folder)
    told = os.open(".told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.dup2(told, 1)
    os.dup2(told, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if fault is not None:
        fault()
    app(list(arguments))


def load_all(folder: Path, commands: Sequence[Sequence[str]]) -> None:
    """Run commands in this process, for the modules and kernels that they load."""
    from rulenet.cli import app

    before = Path.cwd()
    os.chdir(folder)
    for arguments in commands:
        try:
            app(list(arguments))
        except SystemExit as ended:
            if ended.code:
                raise RuntimeError(f"rulenet {' '.join(arguments)} ends with {ended.code}") from ended
    os.chdir(before)


def kill(process: multiprocessing.Process) -> bool:
    """Kill -9; whether there was something left to kill."""
    running = process.is_alive()
    if running:
        os.kill(process.pid, signal.SIGKILL)
    process.join()
    return running


def wait_for_writing(folder: Path, process: multiprocessing.Process, seconds: float) -> None:
    """Wait until a file is being written beside the one that it will replace."""
    before, end = parts(folder), time.monotonic() + seconds
    while process.is_alive() and time.monotonic() < end and parts(folder) <= before:
        time.sleep(0.0005)


def parts(folder: Path) -> set[str]:
    """Files that are half written; a kill leaves them."""
    return {path.name for path in folder.iterdir() if path.name.startswith(".part-")}


def moment(draws: random.Random, takes: float) -> float:
    """When to strike in a run that takes so many seconds."""
    return draws.uniform(0.0, 1.05) * takes
