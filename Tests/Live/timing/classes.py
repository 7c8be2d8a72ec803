"""Every class of requests that must look alike, and the phones' state that makes each real."""

import collections
import hashlib
import json
import random
import time
import uuid

from client import google, messages

# As long as an app makes them: what is particular to a header to the verification server, and payloads of uploads, in bytes.
# What is not equally long is known by its length already.
HEADER = 120
PAYLOAD = 700
# How much later the answers of the controls come, in seconds.
CONTROL_DELAY = 200e-6
# Of the answers of the control for late answers, so many leave a deadline later than they would.
LATE_SHARE = 0.02
# From so many phones a request that repeats something chooses one.
REMEMBERED = 400
# Results are posted in batches of so many, and there are always as many in advance.
STOCK = 100
# Of donations and requests for passwords there are so many in advance for each class: more than a block sends.
MINTED = 30

ROUTES = {
    "registration": "/version/v1/registrationToken",
    "testresult": "/version/v1/testresult",
    "tan": "/version/v1/tan",
    "upload": "/version/v1/diagnosis-keys",
    "venue": "/version/v1/venue-reports",
    "push": "/v3/register",
    # Android's only: of an iPhone's requests those with evidence of DeviceCheck wait for Apple, longer than this deadline.
    "password": "/version/v1/android/otp",
    "donation": "/version/v1/android/dat",
}
# Whose bodies are protobuf, of which each route pads its own.
PADDED_INSIDE = {"upload", "venue", "push", "password", "donation"}
# Statuses are listed because a class whose answers are others isn't what it is called.
CLASSES = {
    "registration": {
        "fresh GUID": 201, "repeated": 201, "used GUID": 400, "unknown teleTAN": 400, "malformed": 400, "fake": 201},
    "testresult": {
        "positive": 200, "negative": 200, "pending": 200, "unknown token": 400, "malformed": 400, "fake": 200},
    "tan": {
        "valid": 201, "second": 201, "third": 201, "spent": 400, "not positive": 400, "unknown token": 400, "malformed": 400,
        "fake": 201},
    "upload": {
        "valid": 200, "only reports": 200, "repeated": 200, "used TAN": 403, "unknown TAN": 403, "malformed": 400,
        "fake": 200, "fake with keys": 200},
    "venue": {
        "valid": 200, "repeated": 200, "used TAN": 403, "unknown TAN": 403, "malformed": 400, "fake": 200,
        "fake with reports": 200},
    "push": {
        "first": 200, "repeated": 200, "another token": 200, "token of another": 200, "Android": 200,
        "taken back": 200, "taken back in vain": 200, "malformed": 400},
    "password": {
        "valid": 200, "repeated": 200, "used salt": 403, "another payload": 403, "forged": 401, "no evidence": 400,
        "malformed": 400, "fake": 200},
    "donation": {
        "valid": 200, "repeated": 200, "used salt": 403, "against a rule": 400, "malformed": 400, "fake": 200,
        "fake with evidence": 200},
}
# The controls: the same requests as this class of the route, but answered later.
TWINS = {
    "registration": "used GUID", "testresult": "negative", "tan": "not positive", "upload": "repeated", "venue": "repeated",
    "push": "repeated", "password": "repeated", "donation": "repeated"}
CONTROL = "control"
# The control for late answers. One is enough: what it must show is the same for each route.
LATE = "late control"
LATE_ROUTE = "tan"


class Kind:
    """A route, and a class of its requests."""

    def __init__(self, route, name, status):
        self.route, self.name, self.status = route, name, status
        self.is_control = name in (CONTROL, LATE)
        # Whose requests it sends.
        self.sends = TWINS[route] if self.is_control else name
        self.delay = CONTROL_DELAY if name == CONTROL else 0.0
        self.late_share = LATE_SHARE if name == LATE else 0.0


KINDS = [Kind(route, name, status) for route, names in CLASSES.items() for name, status in names.items()]
KINDS += [Kind(route, CONTROL, CLASSES[route][twin]) for route, twin in TWINS.items()]
KINDS.append(Kind(LATE_ROUTE, LATE, CLASSES[LATE_ROUTE][TWINS[LATE_ROUTE]]))


class Phones:
    """What phones know, and what they send next.

    A phone goes from class to class: its GUID is registered, its result asked for, its TAN issued, its keys uploaded,
    its second TAN issued, reports uploaded with that, its third TAN issued, venue reports uploaded with that, and later
    requests repeat each of these or try it once more. So every answer is one to real state.
    """

    def __init__(self, suite, seed):
        self._suite = suite
        self._random = random.Random(seed)
        # What is used once, the oldest first.
        self._positive_guids = collections.deque()
        self._tokens = collections.deque()
        self._tans = collections.deque()
        self._half_spent_tokens = collections.deque()
        self._second_tans = collections.deque()
        self._nearly_spent_tokens = collections.deque()
        self._third_tans = collections.deque()
        # What may be used repeatedly.
        self._registered = collections.deque(maxlen=REMEMBERED)
        self._uploaded = collections.deque(maxlen=REMEMBERED)
        self._told_of_venues = collections.deque(maxlen=REMEMBERED)
        self._spent_tokens = collections.deque(maxlen=REMEMBERED)
        # Push tokens and the phones that registered them, the oldest first; those that are taken back leave.
        self._pushed = collections.deque()
        self._others = {"negative": [], "pending": []}
        self._google, self._forger = google.PlayIntegrity(suite), google.PlayIntegrity(suite, is_forger=True)
        # Salts that admitted a request; the requests themselves, of donations the hour's, because the fold takes them away.
        self._salts = collections.deque(maxlen=REMEMBERED)
        self._admitted = collections.deque(maxlen=REMEMBERED)
        self._donated, self._hour = collections.deque(maxlen=REMEMBERED), None
        self._minted = {
            (route, name): collections.deque()
            for route in ("password", "donation") for name in CLASSES[route] if name != "repeated"}

    # MARK: Requests

    def request(self, kind):
        """Header fields and body of the next request of a class, and what is to be kept of it.

        None if no phone has come so far, because requests before were refused that should not have been.
        """
        stocks = {
            ("tan", "valid"): self._tokens, ("tan", "second"): self._half_spent_tokens,
            ("tan", "third"): self._nearly_spent_tokens, ("upload", "valid"): self._tans,
            ("upload", "only reports"): self._second_tans, ("venue", "valid"): self._third_tans,
            ("password", "repeated"): self._admitted, ("donation", "repeated"): self._donations(), **self._minted}
        if not stocks.get((kind.route, kind.sends), True):
            return None
        if kind.route == "push" and kind.name != "first" and not self._pushed:
            return None
        (fields, body), kept = getattr(self, "_" + kind.route)(kind.sends)
        if kind.route not in PADDED_INSIDE:
            used = len(ROUTES[kind.route]) + sum(len(name) + len(value) for name, value in fields)
            fields.append(("cwa-header-padding", "x" * (HEADER - used)))
        return (fields, body), kept

    def answered(self, kind, kept, body):
        """Takes what the answer to a request brings for later ones."""
        if kind.route == "registration" and kind.name == "fresh GUID":
            token = json.loads(body)["registrationToken"]
            self._registered.append((*kept, token))
            self._tokens.append(token)
        elif kind.route == "tan" and kind.name == "valid":
            self._tans.append((json.loads(body)["tan"], kept))
        elif kind.route == "tan" and kind.name == "second":
            self._second_tans.append((json.loads(body)["tan"], kept))
        elif kind.route == "tan" and kind.name == "third":
            self._third_tans.append((json.loads(body)["tan"], kept))
        elif kind.route == "upload" and kind.name == "valid":
            tan, payload, token = kept
            self._uploaded.append((tan, payload))
            self._half_spent_tokens.append(token)
        elif kind.route == "upload" and kind.name == "only reports":
            self._nearly_spent_tokens.append(kept[2])
        elif kind.route == "venue" and kind.name == "valid":
            tan, payload, token = kept
            self._told_of_venues.append((tan, payload))
            self._spent_tokens.append(token)
        elif kind.route == "push" and kind.name == "first":
            self._pushed.append(kept)
        elif kind.route == "password" and kind.name == "valid":
            self._salts.append(kept[0])
            self._admitted.append(kept)
        elif kind.route == "donation" and kind.name == "valid":
            self._salts.append(kept[0])
            self._donations().append(kept)

    def _registration(self, name):
        key, guid, attempt = "GUID", self._guid(), self._attempt()
        if name == "fresh GUID":
            guid = self._positive_guids.popleft()
        elif name in ("repeated", "used GUID"):
            guid, first, _ = self._random.choice(self._registered)
            attempt = first if name == "repeated" else attempt
        elif name == "unknown teleTAN":
            key, guid = "TELETAN", self._teletan()
        elif name == "malformed":
            guid = "z" * 64
        return self._registering(guid, attempt, key, name), (guid, attempt)

    def _registering(self, guid, attempt, key="GUID", name=None):
        return self._json({"key": guid, "keyType": key}, name, ("idempotency-key", f'"{attempt}"'))

    def _testresult(self, name):
        if name == "positive":
            token = self._random.choice(self._registered)[2]
        elif name in self._others:
            token = self._random.choice(self._others[name])
        else:
            token = self._uuid() if name != "malformed" else "z" * 36
        return self._json({"registrationToken": token}, name), None

    def _tan(self, name):
        if name == "valid":
            token = self._tokens.popleft()
        elif name == "second":
            token = self._half_spent_tokens.popleft()
        elif name == "third":
            token = self._nearly_spent_tokens.popleft()
        elif name == "spent":
            token = self._random.choice(self._spent_tokens)
        elif name == "not positive":
            token = self._random.choice(self._others["negative"])
        else:
            token = self._uuid() if name != "malformed" else "z" * 36
        return self._json({"registrationToken": token}, name), token

    def _upload(self, name):
        token, tan = None, self._uuid()
        payload = self._payload(keys=0, reports=4) if name == "only reports" else self._payload()
        if name == "valid":
            tan, token = self._tans.popleft()
        elif name == "only reports":
            tan, token = self._second_tans.popleft()
        elif name == "repeated":
            tan, payload = self._random.choice(self._uploaded)
        elif name == "used TAN":
            tan, _ = self._random.choice(self._uploaded)
        elif name == "malformed":
            payload = messages.malformed(PAYLOAD)
        elif name == "fake":
            payload = messages.empty_payload(PAYLOAD)
        return (self._authorised(tan, name), payload), (tan, payload, token)

    def _venue(self, name):
        token, tan = None, self._uuid()
        payload = messages.venue_payload(random_bytes=self._random.randbytes)
        if name == "valid":
            tan, token = self._third_tans.popleft()
        elif name == "repeated":
            tan, payload = self._random.choice(self._told_of_venues)
        elif name == "used TAN":
            tan, _ = self._random.choice(self._uploaded)
        elif name == "malformed":
            payload = messages.malformed(messages.VENUE_UPLOAD_LENGTH)
        elif name == "fake":
            payload = messages.venue_payload(reports=0)
        return (self._authorised(tan, name), payload), (tan, payload, token)

    @staticmethod
    def _authorised(tan, name):
        return [
            ("content-type", "application/x-protobuf"), ("cwa-authorization", tan),
            ("cwa-fake", "1" if name.startswith("fake") else "0")]

    def _push(self, name):
        token, device = self._push_token(), self._uuid()
        if name == "repeated":
            token, device = self._random.choice(self._pushed)
        elif name == "another token":
            _, device = self._random.choice(self._pushed)
        elif name == "token of another":
            token, _ = self._random.choice(self._pushed)
        elif name == "taken back":
            _, device = self._pushed.popleft()
        if name.startswith("taken back"):
            token = ""
        content = messages.push_registration(token, device, kind=1 if name == "Android" else 0)
        if name == "malformed":
            content = messages.malformed(len(content))
        return ([("content-type", "application/x-protobuf")], content), (token, device)

    def _push_token(self):
        return self._random.randbytes(32).hex()

    def _password(self, name):
        return self._donating("password", name, self._admitted)

    def _donation(self, name):
        return self._donating("donation", name, self._donated)

    def _donating(self, route, name, sent):
        salt, body = self._random.choice(sent) if name == "repeated" else self._minted[route, name].popleft()
        fields = [("content-type", "application/x-protobuf"), ("cwa-fake", "1" if name.startswith("fake") else "0")]
        return (fields, body), (salt, body)

    def _donations(self):
        """Those that wait for the fold: none when an hour has begun."""
        hour = int(time.time()) // 3600
        if hour != self._hour:
            self._donated.clear()
            self._hour = hour
        return self._donated

    def _mint(self, route, name):
        """A salt, and the body of a request with it."""
        salt = self._random.randbytes(google.SALT_LENGTH)
        content = self._content(route, risks=2 if name == "against a rule" else 1)
        if name == "malformed":
            return salt, messages.malformed(messages.DONATION_LENGTH)
        if name in ("no evidence", "fake"):
            return salt, messages.donation_request(b"", content)
        if name == "used salt":
            salt = self._random.choice(self._salts)
        covers = self._content(route) if name == "another payload" else None
        return salt, (self._forger if name == "forged" else self._google).request(content, salt, covers)

    def _content(self, route, risks=1):
        return messages.one_time_password(self._uuid()) if route == "password" else messages.analytics_data(risks)

    # MARK: Preparation

    def prepare(self, register):
        """Registers phones whose tests stay as they are.

        register: sends requests for registrations, each as header fields and body, and returns the answers' bodies.
        """
        for name in self._others:
            guids = [self._guid() for _ in range(REMEMBERED)]
            if name == "negative":
                self._suite.post_results(guids, 1)
            answers = register([self._registering(guid, self._attempt()) for guid in guids])
            self._others[name] = [json.loads(body)["registrationToken"] for body in answers]

    def stock(self):
        """Has results posted, and tokens made, for phones to come. Not when one comes: it would always arrive after a little rest."""
        if len(self._positive_guids) < STOCK:
            guids = [self._guid() for _ in range(STOCK)]
            self._suite.post_results(guids, 2, "lab-1")
            self._positive_guids.extend(guids)
        for (route, name), minted in self._minted.items():
            while len(minted) < MINTED and (name != "used salt" or self._salts):
                minted.append(self._mint(route, name))

    # MARK: Parts of requests

    def _json(self, content, name, *further):
        fields = [("content-type", "application/json"), ("cwa-fake", "1" if name == "fake" else "0"), *further]
        return fields, messages.json_body(content)

    def _payload(self, **content):
        return messages.payload(length=PAYLOAD, random_bytes=self._random.randbytes, **content)

    def _guid(self):
        return self._random.randbytes(32).hex()

    def _attempt(self):
        return self._random.randbytes(16).hex()

    def _uuid(self):
        return str(uuid.UUID(bytes=self._random.randbytes(16), version=4))

    def _teletan(self):
        """One that was never issued; its check character is right, so that it is looked up."""
        text = "".join(self._random.choices("23456789ABCDEFGHJKMNPQRSTUVWXYZ", k=9))
        digit = hashlib.sha256(text.encode()).hexdigest()[0].upper()
        return text + {"0": "G", "1": "H"}.get(digit, digit)
