"""The compiled functions' cache on disk: found again only for exactly the same program.

Numba looks at the file of the compiled function alone. Machine code has its callees and the
constants it read compiled into it, wherever they stand, so an edit there would leave a stale kernel
behind. The key here is the function's bytecode, the values of the globals it names and the same of
every function it can reach. It is taken from what is loaded, not from files: an edit while a
process runs cannot be booked under the wrong key, and what is not reached is not compiled again.
"""

from __future__ import annotations

import enum
import hashlib
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from numba.core import caching

# Numba's classes carry no types; as Any they may be derived from and called.
_IndexFile: Any = caching.IndexDataCacheFile
_FunctionCache: Any = caching.FunctionCache

_ADVICE = (
    "Compiled functions are not kept on disk, so each process compiles them again: {reason}. "
    "Set the environment variable NUMBA_CACHE_DIR to a folder that can be written."
)
_LIBRARIES = ("numba", "llvmlite")
"""Taken as they are: Numba's own key holds the version."""
_warned: list[str] = []
_local: dict[Any, tuple[str, tuple[Any, ...]]] = {}


class _UncacheableError(TypeError):
    """A compiled function reads a global whose value cannot be told from another one."""


def warn_uncached(reason: str) -> None:
    """Says once in a process that compiled code is not kept, and what to do about it."""
    if not _warned:
        _warned.append(reason)
        warnings.warn(_ADVICE.format(reason=reason), RuntimeWarning, stacklevel=3)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _codes(const)


def _constant(value: Any) -> str:
    # What a value is, in text that is the same in every process.
    kind = type(value).__qualname__
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex)):
        return f"{kind}:{value!r}"
    if isinstance(value, (enum.Enum, str, bytes)):
        return f"{kind}:{value!r}"
    if isinstance(value, (tuple, list)):
        return f"{kind}:({','.join(_constant(item) for item in value)})"
    if isinstance(value, (frozenset, set)):
        return f"{kind}:({','.join(sorted(_constant(item) for item in value))})"
    if isinstance(value, types.CodeType):
        return kind  # `_codes` walks into it
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        return f"array:{np.dtype(array.dtype)!r}{array.shape}{digest}"
    if isinstance(value, numba.types.Type):
        return f"{kind}:{value}"
    if isinstance(value, np.dtype):
        return f"dtype:{value!r}"
    if isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
        return f"{kind}:{getattr(value, '__module__', '')}.{value.__name__}"
    raise _UncacheableError(f"a value of type {kind}")


def _function(value: Any) -> Any:
    # The Python function behind a compiled one or an intrinsic, or None.
    for inner in (getattr(value, "py_func", None), getattr(value, "_defn", None), value):
        if isinstance(inner, types.FunctionType):
            return inner
    return None


def _read(function: Any) -> Iterator[tuple[str, Any]]:
    # The values a function reads from outside: globals, members of modules, cells, defaults.
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name not in function.__globals__:
                continue
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] != "numpy":
                for member in code.co_names:
                    if hasattr(value, member):
                        yield f"{name}.{member}", getattr(value, member)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents
    for number, value in enumerate(function.__defaults__ or ()):
        yield f"default {number}", value


def _own(function: Any) -> tuple[str, tuple[Any, ...]]:
    # A digest of one function, and the functions that it reads.
    if function in _local:
        return _local[function]
    digest = hashlib.sha256(f"{function.__module__}.{function.__qualname__}".encode())
    for code in _codes(function.__code__):
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        digest.update(code.co_code)
        digest.update(repr((code.co_flags, code.co_argcount, names)).encode())
        digest.update(_constant(code.co_consts).encode())
        digest.update(getattr(code, "co_exceptiontable", b""))
    called = []
    for name, value in _read(function):
        callee = _function(value)
        if callee is None:
            digest.update(f"{name}={_constant(value)}".encode())
        else:
            digest.update(f"{name}={callee.__module__}.{callee.__qualname__}".encode())
            if callee.__module__.partition(".")[0] not in _LIBRARIES:
                called.append(callee)
    _local[function] = (digest.hexdigest(), tuple(called))
    return _local[function]


def program_stamp(function: Callable[..., Any]) -> str:
    """Returns a digest of a function and of all that it can reach: callees, globals, constants.

    Raises:
        _UncacheableError: something it reads has no lasting description.
    """
    first = _function(function)
    reached = {first}
    waiting = [first]
    while waiting:
        for callee in _own(waiting.pop())[1]:
            if callee not in reached:
                reached.add(callee)
                waiting.append(callee)
    return hashlib.sha256("".join(sorted(_own(one)[0] for one in reached)).encode()).hexdigest()


class _CheckedFile(_IndexFile):
    # Each entry says which program and signature it is of: the index is a file of its own and may
    # have been written by another process, or just before this one was killed.

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._source_stamp, key, data))

    def load(self, key: Any) -> Any:
        entry = super().load(key)
        if entry is None or entry[:2] != (self._source_stamp, key):
            return None
        return entry[2]

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except OSError:  # saving finds the same, and says so
            return {}
        except Exception as error:  # a damaged pickle may raise anything
            warn_uncached(f"{self._index_path} is damaged ({error!r}) and is written anew")
            return {}


class ProgramCache(_FunctionCache):
    """Numba's cache of one function under the key `program_stamp`.

    A file that cannot be read or written never stops the program: it compiles and goes on.

    Raises:
        RuntimeError: no folder for the cache can be written.
    """

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file: Any = _CheckedFile(self._cache_path, self._impl.filename_base, None)
        self._stamped = False

    def _stamp(self) -> None:
        # Not at the decoration: what stands below in the file is not there yet.
        if not self._stamped:
            self._stamped = True
            try:
                self._cache_file._source_stamp = program_stamp(self._py_func)
            except _UncacheableError as error:
                self.disable()
                warn_uncached(f"{self._name} reads {error}")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Returns the compiled function for a signature, or None where there is none."""
        self._stamp()
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged pickle may raise anything
            warn_uncached(f"a file in {self._cache_path} is damaged ({error!r}) and written anew")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps a compiled function for the next process, where that can be done."""
        self._stamp()
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warn_uncached(f"{self._cache_path} cannot be written ({error})")
