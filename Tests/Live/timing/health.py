"""The classes of requests to further, and what the phones that send them know."""

import collections

from client import further

ROUTE = "health"
# Reports without a signature, those that a key decides, batches, and keys; all but the first have fewer answers in a block. What
# apps send as a dummy ("fake") is negative, under ids that nobody reported.
PLAIN = {"positive": 200, "repeated": 200, "taken back": 200, "malformed": 400, "fake": 200}
SIGNED = {
    "signed": 200, "repeated signed": 200, "owned id": 401, "another's id": 403, "used nonce": 401, "forged": 401, "unknown key": 401,
    "fake signed": 200}
BATCHES = {"batch": 200, "signed batch": 200, "batch of 13": 400, "fake batch": 200}
KEYS = {"key": 200, "repeated key": 200, "wrong proof": 401, "malformed key": 400}
CLASSES = PLAIN | SIGNED | BATCHES | KEYS
ADDRESSES = {(ROUTE, name): further.BATCHES for name in BATCHES} | {(ROUTE, name): further.KEYS for name in KEYS}
# What is sent as it was before.
AGAIN = {"repeated", "repeated signed"}
# From so many a request chooses one that refers to another. A signature is 300 seconds good.
REMEMBERED = 400
RECENT = 100
# Positive ones of a batch.
ILL = 5


class Phones:
    """Those of Further's app. Their requests are made in advance: signing takes longer than anything else here."""

    def __init__(self, random):
        self._random = random
        # Ids that a positive report came for, the oldest first, and the report.
        self._positive = collections.deque(maxlen=REMEMBERED)
        # Keys that were registered; ids with the keys that own them; and signed calls with their keys and nonces.
        self._keys, self._owned = (collections.deque(maxlen=REMEMBERED) for _ in range(2))
        self._calls = collections.deque(maxlen=RECENT)
        self._minted = {name: collections.deque() for name in CLASSES if name not in AGAIN}
        # Without which a class's requests can't be made.
        self._needed = {
            "taken back": self._positive, "owned id": self._owned, "another's id": self._owned, "used nonce": self._calls,
            **{name: self._keys for name in ("signed", "forged", "fake signed", "signed batch", "repeated key", "wrong proof")}}

    def stock(self, count):
        """Makes requests of each class until there are so many."""
        for name, minted in self._minted.items():
            while len(minted) < count and self._needed.get(name, True):
                minted.append(self._mint(name))

    def request(self, name):
        """Header fields and body, and what is to be known of the request when it is answered; None if it can't be made."""
        stock = {"repeated": self._positive, "repeated signed": self._calls}.get(name) or self._minted.get(name)
        if not stock:
            return None
        if name == "repeated":
            return ([further.JSON], self._random.choice(stock)[1]), None
        if name == "repeated signed":
            return self._random.choice(stock)[2], None
        return stock.popleft()

    def answered(self, name, kept):
        if name == "positive":
            self._positive.append(kept)
        elif name == "key":
            self._keys.append(kept)
        elif name == "signed":
            owned, call = kept
            self._owned.append(owned)
            self._calls.append(call)

    def _mint(self, name):
        if name in KEYS:
            return self._mint_key(name)
        if name in BATCHES:
            records = further.batch(0 if name == "fake batch" else ILL)
            content = further.body(records[1:] if name == "batch of 13" else records)
            fields = self._choice(self._keys).fields(further.BATCHES, content) if name == "signed batch" else []
            return ([further.JSON, *fields], content), None
        if name == "malformed":
            return ([further.JSON], further.malformed()), None
        identifier, key = further.fresh_id(), None
        if name == "taken back":
            identifier, _ = self._positive.popleft()
        elif name in ("owned id", "another's id"):
            identifier, key = self._choice(self._owned)
        content = further.body(further.record(identifier, positive=name not in ("taken back", "fake", "fake signed")))
        if name not in SIGNED or name == "owned id":
            return ([further.JSON], content), (identifier, content)
        nonce = None
        if name == "another's id":
            key = self._choice([other for other in self._keys if other is not key])
        elif name == "used nonce":
            key, nonce, _ = self._choice(self._calls)
        elif name == "unknown key":
            key = further.Key()
        else:
            key = self._choice(self._keys)
        fields = key.fields(further.REPORT, content, signer=further.Key() if name == "forged" else None, nonce=nonce)
        call = [further.JSON, *fields], content
        return call, ((identifier, key), (key, dict(fields)["x-further-nonce"], call))

    def _mint_key(self, name):
        if name == "malformed key":
            return ([further.JSON], further.malformed()), None
        key = self._choice(self._keys) if name == "repeated key" else further.Key()
        signer = self._choice(self._keys) if name == "wrong proof" else None
        return ([further.JSON], key.registration(signer)), key

    def _choice(self, known):
        return self._random.choice(known)
