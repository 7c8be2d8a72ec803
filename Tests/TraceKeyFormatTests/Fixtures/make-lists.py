#!/usr/bin/env python3
"""Writes lists of trace keys a second time, without Vigil and without a library for Protocol Buffers: prints lists.json.

    python3 make-lists.py

Each has its keys, and the list in both forms as phones download it. The layout is that of CrowdNotifier's fourth version
(CrowdNotifier/techspec, swisscovid-cn-backend).
"""
import base64
import json
import random


def varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded) + bytes([number])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def protobuf(keys):
    events = b"".join(
        field(2, field(1, 4) + field(2, identity) + field(3, secret) + field(4, day * 86400) + field(5, data) + field(6, nonce))
        for identity, secret, day, data, nonce in keys)
    return field(1, 3) + events


def as_json(keys):
    def text(content):
        return base64.urlsafe_b64encode(content).decode()

    return json.dumps(
        [{"cipherTextNonce": text(nonce), "day": day * 86_400_000, "encryptedAssociatedData": text(data), "identity": text(identity),
          "secretKeyForIdentity": text(secret), "version": 4} for identity, secret, day, data, nonce in keys],
        separators=(",", ":"))


def main():
    chance = random.Random(4)
    lists = []
    for count in (0, 1, 2, 25):
        keys = [
            (chance.randbytes(32), chance.randbytes(48), chance.randrange(18_000, 21_000), chance.randbytes(chance.randrange(16, 200)),
             chance.randbytes(24)) for _ in range(count)]
        if count == 25:
            # One venue at one hour, for two people.
            keys[0] = keys[1][:3] + keys[0][3:]
        keys.sort(key=lambda key: (key[0], key[4]))
        lists.append({"json": as_json(keys), "protobuf": protobuf(keys).hex()})
    print(json.dumps(lists, indent=1))


main()
