"""The shared library: loading it, its errors, limits and options, and calls that Ctrl-C can end."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Iterable, Mapping, Optional

from ._declarations import ffi

#: The library of another place, for tests and for who has several.
lib = ffi.dlopen(os.environ.get("MAZURKA_LIBRARY", "libmazurka.so.0"))

NONE = lib.MZ_NONE
BOTTOM = lib.MZ_BOTTOM


def text(pointer: Any) -> Optional[str]:
    """A text of the library; None for NULL. What is not UTF-8 becomes a replacement character."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def taken(pointer: Any, size: Optional[int] = None) -> bytes:
    """The bytes of a text that was made for the caller, which is freed."""
    try:
        return ffi.string(pointer) if size is None else bytes(ffi.buffer(pointer, size))
    finally:
        lib.mz_free(pointer)


def visible(value: str) -> str:
    """Text of a file as it is shown to people: what a terminal would obey is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in value)


def encoded(value: str) -> bytes:
    """For the library: no zero inside, which would end the text there."""
    if "\0" in value:
        raise ValueError("a text for Mazurka has no zero character")
    return os.fsencode(value)


class Error(Exception):
    """What the library could not do, and where in a file or expression that is.

    ``str(error)`` is the whole message; ``text``, ``file``, ``line`` and ``column`` are its parts (None when not
    known).
    """

    text: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]


class InputError(Error):
    """A file or an expression is not what it should be."""


class UnsupportedError(Error):
    """A kind of net or property that is refused by name."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class UsageError(Error, ValueError):
    """What was asked for makes no sense: an unknown option, say."""


class LimitError(Error):
    """The limits ended a call before there was anything to return."""


_ERRORS = {
    lib.MZ_ERROR_INPUT: InputError,
    lib.MZ_ERROR_UNSUPPORTED: UnsupportedError,
    lib.MZ_ERROR_IO: FileError,
    lib.MZ_ERROR_USAGE: UsageError,
    lib.MZ_ERROR_SPENT: LimitError,
}


def raise_error(slot: Any) -> None:
    """Raises the error in a mz_error **."""
    error = slot[0]
    made = _ERRORS.get(lib.mz_error_code(error), Error)(text(lib.mz_error_message(error)))
    made.text = text(lib.mz_error_text(error)) or ""
    made.file = text(lib.mz_error_file(error))
    made.line = lib.mz_error_line(error) or None
    made.column = lib.mz_error_column(error) or None
    lib.mz_error_free(error)
    raise made


class Texts:
    """A NULL-terminated list of texts for the library; ``pointer`` lives as long as this."""

    def __init__(self, values: Iterable[str]):
        self.kept = [ffi.new("char[]", encoded(value)) for value in values]
        self.pointer = ffi.new("const char *[]", self.kept + [ffi.NULL])


#: Options that are there or not. The others have values, for which True and False are "on" and "off".
FLAGS = ("certificate",)


def options(given: Mapping[str, Any]) -> Texts:
    """Keyword arguments as the library's options: certificate_file="x" is "certificate-file=x", await_="on" is
    "await=on"; what is None is left out."""
    values = []
    for name, value in given.items():
        if name in FLAGS:
            values += [name] if value else []
        elif value is not None:
            word = ("on" if value else "off") if isinstance(value, bool) else value
            values.append("%s=%s" % (name.rstrip("_").replace("_", "-"), word))
    return Texts(values)


def drawn(write: Callable[[str], str]) -> Optional[str]:
    """For notebooks: the drawing, or None when it is too large to be read, so that the text is shown instead."""
    try:
        return write("svg")
    except Error:
        return None


def several(given: Any) -> Any:
    """A list of ids, for which one id may stand: it is no list of its letters."""
    return [given] if isinstance(given, str) else given


class Limits:
    """Of one call: seconds, MiB, events, threads, and who is told about progress."""

    def __init__(self, time: Optional[float] = None, memory: Optional[float] = None, events: Optional[int] = None,
                 threads: Optional[int] = None, progress: Optional[Callable[[str], None]] = None):
        for name, limit in (("time", time), ("memory", memory), ("events", events)):
            if limit is not None and not limit > 0:
                raise ValueError("%s is a limit above 0, not %r; None is none" % (name, limit))
        self.pointer = ffi.gc(lib.mz_limits_new(), lib.mz_limits_free)
        self.failure: Optional[BaseException] = None
        if time is not None:
            lib.mz_limits_set_time(self.pointer, time)
        if memory is not None:
            lib.mz_limits_set_memory(self.pointer, int(memory * 2**20))
        if events is not None:
            lib.mz_limits_set_events(self.pointer, events)
        if threads is not None:
            lib.mz_limits_set_threads(self.pointer, threads)
        if progress is not None:
            told = progress
            self._progress = ffi.callback("mz_line_function", lambda line, _: told(text(line) or ""), onerror=self.fail)
            lib.mz_limits_set_progress(self.pointer, self._progress, ffi.NULL)

    def fail(self, _kind: Any, exception: BaseException, _trace: Any) -> None:
        """An exception in a callback ends the call and is raised after it."""
        self.failure = self.failure or exception
        lib.mz_limits_cancel(self.pointer)


def call(function: Callable[..., Any], limits: Limits, *arguments: Any) -> Any:
    """Calls the library. In the main thread the call runs in another one, so that Ctrl-C comes through: it cancels the
    call, which ends soon, and is raised then."""
    if threading.current_thread() is not threading.main_thread():
        result = function(*arguments)
    else:
        box: list[Any] = []

        def run() -> None:
            try:
                box.append(function(*arguments))
            except BaseException as failure:  # told in the thread that called
                limits.failure = failure

        worker = threading.Thread(target=run, daemon=True)
        worker.start()
        while True:
            try:
                worker.join()
                break
            except BaseException as interrupt:
                lib.mz_limits_cancel(limits.pointer)
                limits.failure = interrupt
        result = box[0] if box else None
    if limits.failure is not None:
        failure, limits.failure = limits.failure, None
        raise failure
    return result


def made(function: Callable[..., Any], limits: Limits, free: Callable[[Any], None], *arguments: Any) -> Any:
    """Calls a function that makes a handle or sets an error, its last argument; the handle is freed with the object."""
    slot = ffi.new("mz_error **")
    box: list[Any] = []
    try:
        call(lambda: box.append(function(*arguments, slot)), limits)
    except BaseException:
        if box and box[0] != ffi.NULL:
            free(box[0])
        if slot[0] != ffi.NULL:
            lib.mz_error_free(slot[0])
        raise
    if box[0] == ffi.NULL:
        raise_error(slot)
    return ffi.gc(box[0], free)
