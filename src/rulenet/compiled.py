"""The decorators of compiled loops, and the cache that keeps what was compiled.

Numba's own cache looks at the file of a kernel only, so an edit of a kernel in *another* file, or of a constant there,
goes unnoticed and stale code runs silently. Here what was compiled is filed under the sources of the kernel's file and
of all files of its package that this one imports, directly or not. Files hold a checksum, so that a damaged one is
compiled again; and where no folder can be written to, kernels are compiled in every process.
"""

import ast
import contextlib
import functools
import gc
import hashlib
import os
import pickle
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import config, serialize, types
from numba.core.caching import FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typing.typeof import typeof_impl

from rulenet.native import body_of

DIGEST_BYTES = 32
WRAPPER = "_ZN7cpython"  # how names begin of what takes Python's objects apart before a kernel is called

Decorator = Callable[[Callable[..., Any]], Any]


class Kernel:
    """A function that is compiled when it is first called, and kept for all processes to come.

    Numba takes a while to get ready for every function, so nothing of that happens when a module is imported.
    """

    def __init__(self, function: Callable[..., Any], get_ready: Callable[[Callable[..., Any]], Any]) -> None:
        self.py_func, self._get_ready, self._dispatcher = function, get_ready, None
        functools.update_wrapper(self, function)

    @property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        with _getting_ready:
            if self._dispatcher is None:
                self._dispatcher = self._get_ready(self.py_func)
        return self._dispatcher

    def __call__(self, *args: Any) -> Any:
        """Call what was compiled for such arguments."""
        return (self._dispatcher or self.dispatcher)(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


class Ingredient(Kernel):
    """A function that is compiled as part of kernels only; Python calls it as it is."""

    def __call__(self, *args: Any) -> Any:
        """Call the function."""
        return self.py_func(*args)


_getting_ready = threading.RLock()


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]
def type_of_kernel(kernel: Kernel, context: Any) -> Any:
    """What a kernel is to another one that calls it."""
    return types.Dispatcher(kernel.dispatcher)


def decorator(sort: type[Kernel], get_ready: Callable[[Callable[..., Any]], Any]) -> Decorator:
    """A decorator of kernels; with NUMBA_DISABLE_JIT functions stay what they are."""
    return lambda function: function if config.DISABLE_JIT else sort(function, get_ready)


def compiler(**options: bool) -> Decorator:
    """A decorator that compiles a function with Numba's ``options`` and keeps it, for all processes to come."""

    def get_ready(function: Callable[..., Any]) -> Any:
        dispatcher: Any = njit(**options)(function)
        dispatcher._cache = cache_for(function)
        return dispatcher

    return decorator(Kernel, get_ready)


def translator(library: type["Plain"]) -> Decorator:
    """The same for a function that `rulenet.native` translates, unless bounds are to be checked, which Numba can.

    The function allocates nothing, and so does without Numba's reference counting (``_nrt``).
    """
    options = {"nogil": True, "_nrt": False, "no_cfunc_wrapper": True}

    class PlainCompiler(Compiler):  # type: ignore[misc]
        def __init__(self, typing: Any, target: Any, given: Any, *more: Any) -> None:
            own = given or library(target.codegen(), "kernel")
            own.enable_object_caching()
            super().__init__(typing, target, own, *more)

        def compile_extra(self, function: Any) -> Any:
            with no_collecting():
                return super().compile_extra(function)

    def get_ready(function: Callable[..., Any]) -> Any:
        dispatcher: Any = njit(pipeline_class=PlainCompiler, **options)(body_of(function))
        dispatcher._cache = cache_for(function)
        return dispatcher

    return compiler(**options) if config.BOUNDSCHECK else decorator(Kernel, get_ready)


@contextlib.contextmanager
def no_collecting() -> Iterator[None]:
    """No search for garbage meanwhile: compiling makes thousands of objects that are soon gone, and no end of searches.

    Only one thread compiles at a time.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()


def ingredient(**options: bool) -> Decorator:
    """A decorator that compiles a function for kernels that are kept; it is not kept by itself."""
    return decorator(Ingredient, lambda function: njit(pipeline_class=IngredientCompiler, **options)(function))


def cache_for(function: Callable[..., Any]) -> Any:
    """Where compiled forms of ``function`` are kept."""
    try:
        return SourceCache(function)
    except RuntimeError:  # Numba found no folder
        warn_of_no_folder()
        return NullCache()


@functools.cache
def warn_of_no_folder() -> None:
    """Say once that nothing is kept."""
    warnings.warn(
        "no folder for compiled code can be written to, so that it is compiled in every process, for some ten seconds: "
        "set NUMBA_CACHE_DIR to a folder that can",
        RuntimeWarning,
        stacklevel=5,
    )


class SourceCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with files of our own."""

    _cache_file: Any

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        found: Any = self._cache_file  # type: ignore[has-type]
        stamp = (found._version, found._source_stamp, stamp_sources(function), config.BOUNDSCHECK)
        self._cache_file = CacheFiles(Path(self._cache_path), self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """What was compiled for ``signature``; None where there is none, or none that can be used."""
        try:
            return super().load_overload(signature, target_context)
        except Exception as error:  # whatever a damaged file leads to
            self._notice("could not be read, and is compiled again", error)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, if that can be done."""
        try:
            super().save_overload(signature, compiled)
        except OSError as error:
            self._notice("could not be kept", error)

    def _notice(self, what: str, error: Exception) -> None:
        place = f"{self._py_func.__module__}.{self._py_func.__qualname__} in {self._cache_path}"
        warnings.warn(f"compiled code of {place} {what} ({error})", RuntimeWarning, stacklevel=4)


class CacheFiles:
    """One file for every compiled form of a function: a checksum, then what it is for and what it is, pickled.

    The name of a file follows from what it is for, so processes that compile the same at once write the same file, and
    others do not meet. Forms made from other sources are removed when a new one is kept.
    """

    def __init__(self, folder: Path, base: str, stamp: object) -> None:
        self.folder, self.prefix = folder, f"{base}."
        self.current = f"{self.prefix}{_short_hash(stamp)}."

    def save(self, key: Any, data: Any) -> None:
        """Keep ``data``; nobody ever sees half a file."""
        for other in self._files():
            if not other.name.startswith(self.current):
                other.unlink(missing_ok=True)
        content = serialize.dumps((key, data))
        handle, name = tempfile.mkstemp(dir=self.folder, prefix=self.current, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(name, self._path(key))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def load(self, key: Any) -> Any:
        """What was kept for ``key``, or None."""
        try:
            stored = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        digest, content = stored[:DIGEST_BYTES], stored[DIGEST_BYTES:]
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("the file is damaged")
        found, data = pickle.loads(content)
        return data if found == key else None

    def flush(self) -> None:
        """Remove all that was kept of the function."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        return self.folder / f"{self.current}{_short_hash(key)}.nbc"

    def _files(self) -> list[Path]:
        return [p for p in self.folder.iterdir() if p.name.startswith(self.prefix) and p.suffix in (".nbc", ".nbi")]


def _short_hash(thing: object) -> str:
    return hashlib.sha256(repr(thing).encode()).hexdigest()[:16]


def stamp_sources(function: Callable[..., Any]) -> str:
    """A hash of the source file of ``function`` and of all files of its package that this one imports."""
    stamp = hashlib.sha256()
    name, path = function.__module__, Path(function.__code__.co_filename)
    for source in find_sources(name, path):
        stamp.update(source.read_bytes() + b"\0")
    return stamp.hexdigest()


@functools.cache
def find_sources(module: str, path: Path) -> tuple[Path, ...]:
    """The file of a module and those of all modules of its package that it imports, directly or not, in one order."""
    depth = module.count(".") + (path.name == "__init__.py")
    root = path.parents[depth] if depth < len(path.parents) else path.parent
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if source not in found and source.is_file():
            found.add(source)
            waiting += imports_of(source, root, module.split(".")[0])
    return tuple(sorted(found))


@functools.cache
def imports_of(path: Path, root: Path, package: str) -> tuple[Path, ...]:
    """The files of modules of ``package``, which lies in folder ``root``, that are named in the imports of a file."""
    inside = path.relative_to(root).parts[:-1] if path.is_relative_to(root) else ()
    files = []
    for names in _imported_names(ast.parse(path.read_bytes()), inside):
        if names[0] == package:
            files += [f for f in (_file_of(root, names), _file_of(root, names[:-1])) if f is not None][:1]
    return tuple(files)


def _imported_names(tree: ast.Module, inside: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a module imports, as dotted names: ``from a import b`` gives a.b, which may be a module or a name in a."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = inside[: len(inside) - node.level + 1] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            yield from ((*base, alias.name) for alias in node.names)


def _file_of(root: Path, names: tuple[str, ...]) -> Path | None:
    module = root.joinpath(*names)
    return next((f for f in (module.with_suffix(".py"), module / "__init__.py") if names and f.is_file()), None)


class Unfinished(JITCodeLibrary):  # type: ignore[misc]
    """Code that only other kernels take in.

    Numba would optimise it and make machine code of it, which nobody calls, and do both again in every kernel that
    takes it in. Here that happens there only: compiling takes 43% less time.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """No address: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """What makes code, of which only a name is asked."""
        return _Nowhere()


class _Nowhere:
    def set_env(self, name: str, env: object) -> None:
        """Kernels do without Python's objects."""


class IngredientCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, for code that only other kernels take in."""

    def __init__(self, typing: Any, target: Any, library: Any, *more: Any) -> None:
        super().__init__(typing, target, library or Unfinished(target.codegen(), "ingredient"), *more)


class Plain(JITCodeLibrary):  # type: ignore[misc]
    """Code without references to count, which is optimised once: Numba does so before it prunes these, and after."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        self._optimise()

    def _optimise(self, **wishes: Any) -> None:
        """Run LLVM's passes: Numba gives them with what made them, or, before its version 0.62, alone."""
        given = self._codegen._module_pass_manager(**wishes)
        if not isinstance(given, tuple):
            given.run(self._final_module)
            return
        for function in self._final_module.functions:
            if function.name.startswith(WRAPPER) and not function.is_declaration:
                function.add_function_attribute("noinline")
                function.add_function_attribute("optnone")
        passes, builder = given
        passes.run(self._final_module, builder)


class Hasty(Plain):
    """The same, optimised a little only."""

    def _optimize_final_module(self) -> None:
        self._optimise(opt=1, loop_vectorize=False, slp_vectorize=False)


#: A kernel that Python calls; other threads run meanwhile.
jit = compiler(nogil=True, no_cfunc_wrapper=True)
#: A kernel that works on Python's own objects.
jit_with_gil = compiler(no_cfunc_wrapper=True)
#: A kernel that allocates nothing, and returns nothing or a whole number; and the same for one that takes little of the
#: time, so that its compiling should not take much either.
lean, seldom = translator(Plain), translator(Hasty)
#: Part of kernels, called by these only, that allocates nothing; and the same inlined, which saves the copies of its
#: many arguments. Measured: sweeps of few rows take a third.
callee = ingredient(nogil=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True)
part = ingredient(nogil=True, _nrt=False, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
#: Part of kernels, called by these only, that allocates what it returns.
maker = ingredient(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
