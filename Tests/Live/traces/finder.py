"""Searches files for what may only be known outside, in every form in which programs write things down."""

import base64
import dataclasses
import os
import pathlib
import secrets

# Read at once; what lies across a border is found, too.
PIECE = 8 << 20


@dataclasses.dataclass(frozen=True)
class Pattern:
    """One form of one secret. `folded` ignores the case of letters."""

    secret: str
    form: str
    content: bytes
    folded: bool


@dataclasses.dataclass
class Hit:
    """A pattern that was found in a file, with the different pairs of bytes that follow it there."""

    file: pathlib.Path
    pattern: Pattern
    count: int = 0
    followers: set = dataclasses.field(default_factory=set)


def patterns(secret, text, content):
    """Every form of a secret, which is a text (lower case, letters and digits and colons) and some bytes."""
    found = [
        Pattern(secret, "text", text.encode(), True),
        Pattern(secret, "hexadecimal", content.hex().encode(), True),
        Pattern(secret, "percent-encoded", "".join(f"%{byte:02x}" for byte in text.encode()).encode(), True),
        # As Swift, Python and many others print an array of bytes.
        Pattern(secret, "list of numbers", ", ".join(map(str, content)).encode(), False),
    ]
    found += [Pattern(secret, f"base64, place {place}", core, False) for place, core in base64_cores(content)]
    if content != text.encode():
        found.append(Pattern(secret, "binary", content, False))
        found.append(Pattern(secret, "hexadecimal text", text.encode().hex().encode(), True))
        found.append(Pattern(secret, "list of numbers of the text", ", ".join(map(str, text.encode())).encode(), False))
        found += [Pattern(secret, f"base64 of the text, place {place}", core, False)
                  for place, core in base64_cores(text.encode())]
        found.append(Pattern(secret, "colons percent-encoded", text.replace(":", "%3a").encode(), True))
        # As in ip6.arpa.
        found.append(Pattern(secret, "reversed digits", ".".join(reversed(content.hex())).encode(), True))
    return found


def base64_cores(content):
    """What doesn't depend on the neighbours, for each of the three places in a group; also of the URL alphabet."""
    for place in range(3):
        whole = base64.b64encode(bytes(place) + content + bytes(2))
        # Whole sextets of the content only.
        first, last = -(-place * 8 // 6), (place + len(content)) * 8 // 6
        core = whole[first:last]
        yield place, core
        if (other := core.translate(bytes.maketrans(b"+/", b"-_"))) != core:
            yield place, other


class Finder:
    """Looks for a set of patterns."""

    def __init__(self, all_patterns):
        self.patterns = list(all_patterns)
        self._overlap = max(len(pattern.content) for pattern in self.patterns) - 1
        self.bytes = 0
        self.files = 0

    def search(self, *roots):
        """Every hit in files, or in those below folders. What vanishes meanwhile, as a database's may, is left."""
        hits = []
        for root in map(pathlib.Path, roots):
            files = sorted(file for file in root.rglob("*") if file.is_file()) if root.is_dir() else [root]
            for file in files:
                try:
                    hits += self._in(file)
                except FileNotFoundError:
                    continue
        return hits

    def _in(self, file):
        found = {}
        self.files += 1
        with open(file, "rb") as content:
            kept = b""
            while piece := content.read(PIECE):
                self.bytes += len(piece)
                block = kept + piece
                folded = block.lower()
                for pattern in self.patterns:
                    self._count(found, file, pattern, folded if pattern.folded else block, block, len(kept))
                kept = block[-self._overlap:]
        return list(found.values())

    @staticmethod
    def _count(found, file, pattern, haystack, block, known):
        at = haystack.find(pattern.content)
        while at >= 0:
            # What ends within what was known already was counted then.
            if at + len(pattern.content) > known:
                hit = found.setdefault(pattern, Hit(file, pattern))
                hit.followers.add(block[at + len(pattern.content):at + len(pattern.content) + 2])
                hit.count += 1
            at = haystack.find(pattern.content, at + 1)


def self_test(folder, finder):
    """Plants each secret in each form amid noise, and returns the forms that the finder doesn't find there.

    The plants are encoded here by other means than the patterns.
    """
    import codecs
    import urllib.parse

    folder.mkdir()
    forms = {}
    for pattern in finder.patterns:
        forms.setdefault(pattern.secret, {})[pattern.form] = pattern
    missed = []

    def plant(secret, form, name, content, noise=1 << 16):
        file = folder / f"{secret}-{name}".replace(" ", "-").replace(",", "")
        file.write_bytes(secrets.token_bytes(noise) + content + secrets.token_bytes(999))
        if not any(hit.pattern.secret == secret and hit.pattern.form == form for hit in finder.search(file)):
            missed.append(f"{secret} as {name}")

    for secret, known in forms.items():
        text = known["text"].content
        binary = known["binary"].content if "binary" in known else text
        plant(secret, "text", "text", text)
        plant(secret, "text", "upper case", text.upper())
        plant(secret, "text", "text across a border", text, PIECE - len(text) // 2)
        plant(secret, "hexadecimal", "hexadecimal", codecs.encode(binary, "hex"))
        plant(secret, "hexadecimal", "upper hexadecimal", codecs.encode(binary, "hex").upper())
        plant(secret, "percent-encoded", "percent-encoded",
              "".join("%%%02X" % byte for byte in text).encode())
        plant(secret, "list of numbers", "list of numbers", str(list(binary)).encode())
        for place in range(3):
            neighbours = secrets.token_bytes(place), secrets.token_bytes(7)
            for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
                around = encode(neighbours[0] + binary + neighbours[1])
                plant(secret, f"base64, place {place}", f"{name}, place {place}", around)
                if binary != text:
                    around = encode(neighbours[0] + text + neighbours[1])
                    plant(secret, f"base64 of the text, place {place}", f"{name} of the text, place {place}", around)
        if binary != text:
            plant(secret, "binary", "binary", binary)
            plant(secret, "binary", "binary across a border", binary, PIECE - 1)
            plant(secret, "colons percent-encoded", "quoted", urllib.parse.quote(text).encode())
            plant(secret, "hexadecimal text", "hexadecimal text", codecs.encode(text, "hex"))
            plant(secret, "list of numbers of the text", "list of numbers of the text", str(list(text)).encode())
            reversed_digits = b".".join(bytes([digit]) for digit in codecs.encode(binary, "hex")[::-1])
            plant(secret, "reversed digits", "reversed digits", reversed_digits)
    noise = folder / "noise"
    noise.write_bytes(os.urandom(4 << 20))
    if finder.search(noise):
        missed.append("nothing in noise")
    return missed
