"""What the suite's own code makes of cases: the program of Tests/Verdicts, which answers one line for each."""

import pathlib
import struct
import subprocess

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = CHECKOUT / ".build" / "debug" / "verdicts"


class Answer:
    """`accepted`, then `words`: what was read or computed, or why it is refused; `microseconds` of processor time."""

    def __init__(self, line):
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 3 or "CaseProblem" in parts[1] and "unsendable" not in parts[1]:
            raise RuntimeError(f"the program answers: {line!r}")
        self.accepted, self.words, self.microseconds = parts[0] == "accept", parts[1], int(parts[2])

    @property
    def is_unsendable(self):
        """OpenSSL itself, as the other side of a handshake, doesn't read what it is to show."""
        return not self.accepted and self.words == "unsendable"


class Crash(Exception):
    """The program ended instead of answering."""


class Ours:
    def __init__(self, *options, program=PROGRAM):
        if not program.exists():
            raise SystemExit(f"{program} is missing: run swift build --build-tests first.")
        self.process = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, kind, *fields):
        body = b"".join(
            struct.pack(">I", len(field)) + field for field in map(coded, (kind, *fields)))
        try:
            self.process.stdin.write(struct.pack(">I", len(body)) + body)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Crash(f"the program ended before {kind}") from None

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise Crash(f"the program ended with status {self.process.wait()}")
        return Answer(line.decode(errors="replace"))

    def ask(self, kind, *fields):
        self.send(kind, *fields)
        return self.receive()

    def peak(self):
        """The most memory that it has had until now, in MiB."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the kernel doesn't say how much memory the program has")

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise Crash(f"the program ended with status {self.process.returncode}")


def coded(field):
    if isinstance(field, bytes):
        return field
    return str(field).encode()
