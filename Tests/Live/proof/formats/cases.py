"""A case for the suite's own code, and what its answer has to be."""

import dataclasses
import typing


@dataclasses.dataclass
class Case:
    kind: str
    fields: tuple
    # Called with the answer; returns what is wrong with it, or None.
    judge: typing.Callable


def expect(kind, fields, words):
    """The answer has to be these words; None if it has to be refused."""
    def judge(answer):
        got = answer.words if answer.accepted else None
        return None if got == words else f"{shown(got)} ({answer.words[:200]}), others: {shown(words)}"

    return Case(kind, fields, judge)


def shown(words):
    return "refused" if words is None else words[:200] or "accepted"


def accepts(kind, fields, is_right):
    """Whether the answer is accepted has to be this."""
    def judge(answer):
        if answer.accepted == is_right:
            return None
        return f"accepted: {answer.accepted} ({answer.words[:200]}), others: {is_right}"

    return Case(kind, fields, judge)


def strict(kind, fields, words, always=False):
    """If it is accepted, others accept it, too, and read the same; `words` is None if they don't.

    With `always` the suite has to accept it: it is what everybody writes.
    """
    def judge(answer):
        if answer.accepted and words is None:
            return f"accepted, and refused by others: {answer.words[:200]}"
        if answer.accepted and answer.words != words:
            return f"{answer.words[:200]}, others: {words[:200]}"
        if always and not answer.accepted:
            return f"refused: {answer.words}"
        return None

    return Case(kind, fields, judge)


def mutated(data, random):
    """Bytes with one to four small changes, as a fuzzer makes them."""
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data) + 1)
        kind = random.randrange(6)
        if kind == 0:
            data[place:place] = random.randbytes(random.choice([1, 1, 2, 8]))
        elif not data or place == len(data):
            data += random.choice([b"\0", b"\n", b" ", b"\x80"])
        elif kind == 1:
            data[place] ^= 1 << random.randrange(8)
        elif kind == 2:
            data[place] = random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)])
        elif kind == 3:
            del data[place : place + random.choice([1, 1, 2, 16])]
        elif kind == 4:
            end = random.randrange(place, min(len(data), place + 32) + 1)
            data[place:place] = data[place:end]
        else:
            del data[place:]
    return bytes(data)
