"""What there is to object to in the readings of one input."""

import collections
import re

import known
from readers import complete, request

# With these a proxy says that it doesn't take a request as it is; with other statuses of its own it has read it.
REFUSALS = {400, 411, 413, 414, 417, 422, 431, 500, 501, 502, 505}

# `kind`: "passed on" or "accepted"; `rule`: the difference in a few words, the same for all findings of a kind.
Finding = collections.namedtuple("Finding", "kind rule peers")


CLOSES = re.compile(rb"(?i)\nconnection: *close")


def fate(outcome):
    """How many requests a proxy has answered, itself or by way of the recorder; and whether it has refused the next."""
    count, answers = 0, outcome.answers
    for status, recorded, text in answers:
        if not recorded and status in REFUSALS:
            return count, True
        count += 1
    # A close that was announced refuses nothing.
    return count, outcome.ended == "closed" and not (answers and CLOSES.search(answers[-1][2]))


def read_otherwise(ours, theirs):
    """In which parts another parser reads a request otherwise than we, of all that both accept; None if in none."""
    mine, other = complete(ours), complete(theirs)
    if theirs.said == "upgrade":
        other = other[:-1]
    for one, two in zip(mine, other):
        if not same(one, two):
            return ", ".join(differences(one, two))
    return None


def refusers(data, ours, fates):
    """The peers that refuse a request which we accept: pairs of a name and the rule that excuses it, or None.

    `fates`: how many requests each has accepted, and whether it refused the next.
    """
    messages, found = complete(ours), []
    for name, (count, refused) in sorted(fates.items()):
        if refused and count < len(messages):
            start = messages[count - 1].end if count else 0
            # Where we take no notice of empty lines, the request begins with them.
            found.append((name, known.excuse(name, messages[count], data[start : messages[count].end])))
    return found


def same(one, other):
    return (one.method, one.target, one.host, one.body) == (other.method, other.target, other.host, other.body)


def plain(message):
    """A request with its host as all proxies pass it on: without case, port, and a last dot."""
    host = re.sub(r":\d*$", "", message.host.lower())
    return message._replace(host=host.removesuffix("."))


def differences(one, other):
    """In which parts two readings of a request differ."""
    return [part for part in ("method", "target", "host", "body") if getattr(one, part) != getattr(other, part)]


def meant(data):
    """The target and host that a proxy says it has read, each None if it doesn't say."""
    place = data.lower().rfind(b"\nx-meant: ")
    if place < 0:
        return None, None
    line = data[place + 10 : data.find(b"\r\n", place + 10)].decode("latin-1")
    target, _, host = line.partition(" ")
    said = request("", target, host, b"")
    return said.target if target != "-" else None, said.host or None


def passed_on(data, ours, others):
    """Of the bytes of one connection, on which a proxy means to have passed on one request: the rule that our reading breaks.

    `others`: readings of llhttp and h11 by name. A request that we refuse does no harm.
    """
    messages = complete(ours)
    if not messages:
        if ours.end == "refused":
            return None
        read = [name for name, reading in others.items() if complete(reading)]
        return f"we wait for more, {' and '.join(read)} don't" if read else None
    if len(messages) > 1:
        return f"we read {len(messages)} requests"
    if messages[0].end != len(data):
        return "we leave bytes behind the request"
    target, host = meant(data)
    if target is not None and target != messages[0].target:
        return "we read another target than the proxy"
    if host is not None and host.lower() != messages[0].host.lower():
        return "we read another host than the proxy"
    for name, reading in others.items():
        read = complete(reading)
        # To llhttp everything behind a request that offers another protocol belongs to that, its body too.
        if reading.said == "upgrade":
            continue
        if read and not same(read[0], messages[0]):
            return f"{name} reads another {', '.join(differences(read[0], messages[0]))}"
        if len(read) > 1:
            return f"{name} reads {len(read)} requests"
    return None
