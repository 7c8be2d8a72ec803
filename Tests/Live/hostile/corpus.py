"""The corpus: one hostile request to a file.

A file is a title (`# …`), fields, a line `---`, and the bytes. Of the bytes, ends of lines count only where they
are written: `\\r`, `\\n`, `\\t`, `\\0`, `\\xNN`, `\\\\`. `${case}` is `case-` and the file's number, eight bytes that
belong into the body; `${hidden}` the same with `hide-`, which belongs where only a deceived server would find a request;
`${A*100}` is A, a hundred times, where A may be several characters.

    why:      the section that says so
    answers:  what the request may be answered with: statuses; `forwarded`, an upstream's answer; `close`, none. The
              field again for each further request that is meant to be one.
    body:     what the upstream must see if it is forwarded (default `${case}`); again for each further one
    then:     `probe` (default): a well-formed request in the same write, which must be answered rightly, or not at all
              and the connection be closed;
              `close`: the same, but after a first answer the connection must be closed in any case;
              `silence`: nothing more, the proxy has to end it;
              `end`: TLS is closed properly; `cut`: TCP is closed without closing TLS
"""

import re

PLACES = re.compile(rb"\$\{([^}*]*)(?:\*(\d+))?\}")
ESCAPES = {b"r": b"\r", b"n": b"\n", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}


class Case:
    def __init__(self, file):
        self.name = file.stem
        number = self.name[:3]
        if not number.isdigit():
            raise SystemExit(f"{file}: its name must begin with three digits.")
        self.marker, self.hidden, self.probe = f"case-{number}", f"hide-{number}", f"prob-{number}"
        head, line, raw = file.read_text().partition("\n---\n")
        self.answers, self.bodies, self.then, self.why = [], [], "probe", ""
        for text in head.splitlines()[1:]:
            key, _, value = text.partition(": ")
            match key:
                case "answers":
                    self.answers.append(set(value.split()))
                case "body":
                    self.bodies.append(self.bytes(value))
                case "then":
                    self.then = value
                case "why":
                    self.why += value
                case _:
                    raise SystemExit(f"{file}: no field is called {key!r}.")
        if not line or not self.answers or not self.why or self.then not in ("probe", "close", "silence", "end", "cut"):
            raise SystemExit(f"{file}: something is missing.")
        self.bodies += [self.marker.encode()] * (len(self.answers) - len(self.bodies))
        self.raw = self.bytes(raw.replace("\n", ""))

    def bytes(self, text):
        def place(match):
            name, count = match[1], match[2]
            if count:
                return name * int(count)
            return {b"case": self.marker, b"hidden": self.hidden}[name].encode()

        raw = PLACES.sub(place, text.encode())
        # Multiplied text may be escaped, too: `${a: b\r\n*200}`.
        return re.sub(
            rb"\\(?:x([0-9A-Fa-f]{2})|(.))", lambda m: bytes([int(m[1], 16)]) if m[1] else ESCAPES[m[2]], raw
        )


def read(folder, only=""):
    """All cases, in order."""
    cases = [Case(file) for file in sorted(folder.glob("*.txt")) if only in file.stem]
    markers = [case.marker for case in cases]
    if len(markers) != len(set(markers)):
        raise SystemExit("Two files of the corpus have one number.")
    return cases
