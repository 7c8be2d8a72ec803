"""Links, decoded and made by another program than the page's."""

import base64
import json
import random

from venue.owner import HOST, PAGE

# The example in the README of corona-warn-app/cwa-event-qr-code.
CWA_EXAMPLE = (
    "https://e.coronawarn.app?v=1#CAESEwgBEgdGcmlzZXVyGgZCZXJsaW4adggBEmCDAszMTXne1DAA5_YxmhRdd_NZN2VKl9L32Jl9-ZybE4b2eNIrhFOKYU4XAOHq3RPLDx"
    "dHTW6ANiO24rCOO4rj06HzcVZy3pel58-L1KSPG-_PneL2BoyZQRz3qlu2hoAaEATXwzyyIshzBHREtsdmc6kiBggBEAUYeA")
CHARACTERS = "abcxyzABC 0123456789.,-&+#%/?éäöüßñŁžδ漢字한🎪🏟"


def decoded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def venue_link(link, host=HOST):
    """Seed and description of a link of version 1. Raises ValueError for anything else."""
    start = f"https://{host}/venue#v1."
    if not link.startswith(start):
        raise ValueError("another link")
    payload = decoded(link.removeprefix(start))
    if not 33 <= len(payload) <= 133 or payload[0] != 1 or "=" in link:
        raise ValueError("another payload")
    return payload[1:33], payload[33:].decode()


def message(data):
    """The fields of a protobuf message, numbers and bytes, each at most once."""
    fields, rest = {}, list(data)

    def varint():
        value = shift = 0
        while True:
            byte = rest.pop(0)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while rest:
        number, kind = divmod(varint(), 8)
        if number in fields or kind not in (0, 2):
            raise ValueError("not such a message")
        if kind == 0:
            fields[number] = varint()
        else:
            count = varint()
            fields[number], rest[:count] = bytes(rest[:count]), []
    return fields


def cwa_link(link):
    """A Corona-Warn-App's link: (location, crowd notifier, vendor), each by field number."""
    payload = message(decoded(link.removeprefix("https://e.coronawarn.app?v=1#")))
    if payload.pop(1) != 1 or payload.keys() != {2, 3, 4}:
        raise ValueError("another payload")
    return tuple(message(payload[number]) for number in (2, 3, 4))


def text(randomness, most=100):
    """A random text of at most so many bytes that the page takes as it is."""
    while True:
        result = " ".join("".join(randomness.choices(CHARACTERS, k=randomness.randint(1, most))).split())
        if 0 < len(result.encode()) <= most:
            return result


def run(venue, report):
    with venue.page(PAGE.as_uri()) as page:
        _, crowd_notifier, _ = cwa_link(CWA_EXAMPLE)
        example = page.evaluate("cwaLink", {"seed": list(crowd_notifier[3]), "description": "Friseur", "address": "Berlin", "start": None,
                                            "end": None, "kind": 5, "stay": 120})
        report.expect(example == CWA_EXAMPLE, f"the Corona-Warn-App's own example comes out: {example}")

        randomness = random.Random(7)
        ours = [(list(randomness.randbytes(32)), text(randomness)) for _ in range(500)]
        made = page.evaluate(f"list => list.map(([seed, name]) => venueLink('{HOST}', seed, plainText(name)))", ours)
        report.expect([venue_link(link) for link in made] == [(bytes(seed), name) for seed, name in ours], "500 links decode to seed and name")

        theirs = [{"seed": list(randomness.randbytes(16)), "description": text(randomness), "address": text(randomness),
                   "start": randomness.choice([None, 1_700_000_000]), "end": 1_700_007_200, "kind": randomness.randint(1, 12),
                   "stay": randomness.randint(15, 1440)} for _ in range(500)]
        wrong = []
        for each, link in zip(theirs, page.evaluate("list => list.map(cwaLink)", theirs)):
            location = {1: 1, 2: each["description"].encode(), 3: each["address"].encode()}
            if each["start"]:
                location |= {5: each["start"], 6: each["end"]}
            if cwa_link(link) != (location, crowd_notifier | {3: bytes(each["seed"])}, {1: 1, 2: each["kind"], 3: each["stay"]}):
                wrong.append(link)
        report.expect(not wrong, f"500 links of the Corona-Warn-App decode to what was entered: {wrong[:1]}")

        names = {"  a \n b\t": "a b", "a\u202eb\u00ad\ufeff": "ab", "Cafe\u0301": "Café", "\u0000": "", "\ud800x": "x",
                 "a\u2028b\ue000c": "a b c", "\u200fא\u2067": "א", "👩\u200d🍳": "👩\u200d🍳"}
        plain = [page.evaluate(f"plainText({json.dumps(name)})") for name in names]
        report.expect(plain == list(names.values()), f"names become one plain line: {plain}")
        hosts = {"warnung.example.de": HOST, " https://Warnung.Example.de/ ": HOST, "127.0.0.1:8040": "127.0.0.1:8040",
                 "müsli.de": "xn--msli-0ra.de"}
        hosts |= dict.fromkeys(("", "beispiel", "a.de/b", "x@a.de", "a b.de", "javascript:alert(1)", "a.de#b", "a" * 100 + ".de"))
        read = dict(zip(hosts, page.evaluate("list => list.map(hostOf)", list(hosts))))
        report.expect(read == hosts, f"what isn't a host is refused: {set(read.items()) - set(hosts.items())}")
