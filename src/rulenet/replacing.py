"""Files that are replaced in one step: whoever reads one, at any moment, meets the old file or the new one."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside ``path`` to write to, which takes its place at the end; after an error it is gone.

    Its name ends as that of ``path``, which tells some writers the format. What is no plain file, such as a pipe, is
    written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    temporary = _new_beside(target, path)
    try:
        yield temporary
        _sync(temporary)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _new_beside(target: Path, path: str | os.PathLike[str]) -> Path:
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-", suffix=f"-{target.name[-100:]}")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from error
    os.close(handle)
    return Path(name)


def _sync(path: Path) -> None:
    """Have the disk hold what was written: a name must not outlive its content when the power fails."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _mode(target: Path) -> int:
    """The permissions of the file to replace, or what a new file would get."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
