"""The commands of shim.c, in the file that it shares with a program."""

import ctypes
import mmap


class _Layout(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_long)
        for name in ("pieces", "interruption", "library", "first", "count", "seen", "failed", "cuts", "clock", "hooked")
    ]


LIBRARIES = {"OpenSSL": 1, "nghttp2": 2, "libpq": 3}


class Faults:
    """Faults of one program, by the names that shim.c has for them; nothing fails until a command says so."""

    def __init__(self, scratch, shim, name):
        path = scratch / f"faults.{name}"
        path.write_bytes(bytes(ctypes.sizeof(_Layout)))
        with path.open("r+b") as file:
            self.layout = _Layout.from_buffer(mmap.mmap(file.fileno(), 0))
        self.environment = {"LD_PRELOAD": str(shim), "VIGIL_FAULTS": str(path)}

    def __getattr__(self, name):
        return getattr(self.layout, name)

    def fail(self, library, first, count):
        """Some allocations of a library from the first on, counted from 0 from now on."""
        self.end()
        self.layout.seen = self.layout.failed = 0
        self.layout.first, self.layout.count, self.layout.library = first, count, LIBRARIES[library]

    def watch(self, library):
        """Counts only."""
        self.fail(library, 0, 0)

    def cut(self, interruption):
        self.layout.cuts = 0
        self.layout.interruption, self.layout.pieces = interruption, 1

    def jump(self, seconds):
        self.layout.clock = seconds

    def end(self):
        self.layout.pieces = self.layout.library = self.layout.clock = 0
