#!/usr/bin/env python3
"""Reads a country's batch without Vigil's code, and without a library: Protocol Buffers, records and their order are written here after
the gateway's source (efgs-federation-gateway: Efgs.proto, BatchSignatureUtils, BatchSignatureVerifier).

    batch.py signed BATCH OUT        writes what the signature of a batch covers; fails unless BATCH is in the canonical form, and in the
                                     signature's order
    batch.py ber SIGNATURE OUT SEED  writes the same SignedData in BER: indefinite lengths, and octets in pieces
    batch.py strange                 prints strange.json: messages that no good program writes but every good one reads
"""
import base64
import hashlib
import json
import pathlib
import random
import struct
import sys

# A key: data, start, period, level, countries, origin, type, days since onset.
DEFAULTS = (b"", 0, 0, 0, (), b"", 0, 0)
UNSET = 2**31 - 1


def varint(number):
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def field(number, value):
    """A field in the canonical form."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value % 2**64)


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def fields(message):
    """The fields of a message: their numbers, and a number or bytes each."""
    place = 0

    def number():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value % 2**64

    while place < len(message):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
            continue
        length = {1: 8, 5: 4}.get(tag & 7) or number()
        if place + length > len(message):
            sys.exit("The message is cut off.")
        yield tag >> 3, message[place:place + length]
        place += length


def signed32(number):
    return (number % 2**32 ^ 2**31) - 2**31


def read_key(message):
    key = list(DEFAULTS)
    countries = []
    for number, value in fields(message):
        if number == 5:
            countries.append(value)
        elif number in (2, 3):
            key[number - 1] = value % 2**32
        elif number in (4, 7):
            key[number - 1] = signed32(value)
        elif number == 8:
            value %= 2**32
            key[7] = value >> 1 if value % 2 == 0 else -(value >> 1) - 1
        elif number in (1, 6):
            key[number - 1] = value
    key[4] = tuple(countries)
    return tuple(key)


def read_batch(message):
    return [read_key(value) for number, value in fields(message) if number == 1]


def write_key(data, start, period, level, countries, origin, kind, days):
    parts = [(1, data), (2, start), (3, period), (4, level), (6, origin), (7, kind), (8, zigzag(days))]
    encoded = [(number, field(number, value)) for number, value in parts if value]
    encoded += [(5, field(5, country)) for country in countries]
    return b"".join(text for _, text in sorted(encoded, key=lambda part: part[0]))


def write_batch(keys):
    return b"".join(field(1, write_key(*key)) for key in keys)


def record(data, start, period, level, countries, origin, kind, days):
    parts = [data, struct.pack(">I", start), struct.pack(">I", period), struct.pack(">i", level)]
    parts += [b",".join(countries), origin, struct.pack(">i", kind), struct.pack(">i", days)]
    return b"".join(base64.b64encode(part) + b"." for part in parts)


def signed_bytes(keys):
    return b"".join(sorted(map(record, *zip(*keys)), key=base64.b64encode)) if keys else b""


def check(path, out):
    message = path.read_bytes()
    keys = read_batch(message)
    if write_batch(keys) != message:
        sys.exit("The message isn't in the canonical form.")
    signed = signed_bytes(keys)
    if b"".join(map(record, *zip(*keys)) if keys else []) != signed:
        sys.exit("The keys aren't in the signature's order.")
    out.write_bytes(signed)


# BER.


def nodes(der):
    while der:
        length, start = der[1], 2
        if length > 127:
            start = 2 + (length & 127)
            length = int.from_bytes(der[2:start], "big")
        yield der[0], der[start:start + length]
        der = der[start + length:]


def definite(tag, content):
    if len(content) < 128:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes((len(content).bit_length() + 7) // 8, "big")
    return bytes([tag, 128 | len(length)]) + length + content


def as_ber(chance, der, depth=0):
    """What certificates and a SignerInfo's parts contain keeps its bytes: names are compared by them, and attributes are signed in DER."""
    encoded = b""
    for tag, content in nodes(der):
        if tag & 0x20:
            if depth < 5 and (depth, tag) != (3, 0xA0):
                content = as_ber(chance, content, depth + 1)
            encoded += bytes([tag, 128]) + content + b"\0\0" if chance.random() < 0.7 else definite(tag, content)
        elif tag == 4 and chance.random() < 0.7:
            middle = chance.randrange(1, len(content))
            encoded += bytes([0x24, 128]) + definite(4, content[:middle]) + definite(4, content[middle:]) + b"\0\0"
        else:
            encoded += definite(tag, content)
    return encoded


# Messages that the canonical form doesn't have.


def strange():
    key = (bytes(range(1, 17)), 2_960_000, 144, UNSET, (b"FR", b"PL"), b"DE", 1, -3)
    data, start, period, level, countries, origin, kind, days = key
    canonical = write_key(*key)
    pieces = [field(1, data), field(2, start), field(3, period), field(4, level), field(5, b"FR"), field(5, b"PL"),
              field(6, origin), field(7, kind), field(8, zigzag(days))]
    other = write_key(bytes(16), 5, 1, 3, (b"AT",), b"IE", 2, 4000)
    near = [(bytes(15) + bytes([last]), start + offset, period, level, (), origin, 1, offset)
            for last in (0, 62, 63, 64, 251, 255) for offset in (0, 1, 255, 256)]
    chance = random.Random(7)
    chance.shuffle(near)
    messages = {
        "fields in the opposite order": field(1, b"".join(reversed(pieces[:4] + pieces[6:])) + pieces[4] + pieces[5]),
        "of a field that is there twice, the last counts": field(1, other + canonical),
        "zeros that are written": field(1, b"".join(pieces[:3]) + field(4, 0) + pieces[6] + field(7, 0) + field(8, 0)),
        "unknown fields": field(9, 7) + field(1, canonical + field(20, b"more") + field(15, 2**64 - 1)) + field(2, b"x")
            + varint(3 << 3 | 5) + bytes(4) + varint(4 << 3 | 1) + bytes(8),
        "numbers in more bytes than they need": field(1, b"".join(pieces[:2]) + varint(3 << 3) + b"\x90\x81\x80\x80\x00"
                                                      + b"".join(pieces[3:])),
        "numbers of more than 32 bits": field(1, pieces[0] + field(2, 2**32 + start) + field(3, 2**40 + period)
                                              + field(4, 2**63 + 8) + b"".join(pieces[4:7]) + field(7, 2**35 + 1)
                                              + field(8, 2**33 + zigzag(days))),
        "negative numbers": field(1, b"".join(pieces[:3]) + field(4, -1) + b"".join(pieces[4:7]) + field(7, -2)
                                  + field(8, zigzag(-2**31))),
        "a key without values": field(1, b"") + field(1, canonical),
        "the same key twice": field(1, canonical) * 2,
        "an empty country among others": field(1, b"".join(pieces[:5]) + field(5, b"") + b"".join(pieces[5:])),
        "keys that begin alike": write_batch(near),
    }
    print(json.dumps([
        {"name": name, "batch": base64.b64encode(message).decode(), "keys": len(read_batch(message)),
         "digest": hashlib.sha256(signed_bytes(read_batch(message))).hexdigest()}
        for name, message in messages.items()], indent=1))


def main(command, *arguments):
    if command == "strange":
        strange()
        return
    path, out = map(pathlib.Path, arguments[:2])
    if command == "signed":
        check(path, out)
    elif command == "ber":
        out.write_bytes(as_ber(random.Random(int(arguments[2])), path.read_bytes()))
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
