"""Every class of requests that must look alike, and the phones' state that makes each real."""

import collections
import hashlib
import json
import random
import time
import uuid

import health
from client import apple, further, google, messages

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
# Of donations, requests for passwords and requests to further there are so many in advance for each class: more than a block sends.
MINTED = 30
# Answers of each class in a block: within one, which takes about three seconds, the order of all requests is random. Classes that differ
# from others by address or by what authorises them have fewer, to save time: what is found in them is 1.6 times as large.
OF_EACH, OF_FEWER = 20, 8

ROUTES = {
    "registration": "/version/v1/registrationToken",
    "testresult": "/version/v1/testresult",
    "tan": "/version/v1/tan",
    "upload": "/version/v1/diagnosis-keys",
    "venue": "/version/v1/venue-reports",
    "push": "/v3/register",
    "password": "/version/v1/android/otp",
    "donation": "/version/v1/android/dat",
    health.ROUTE: further.REPORT,
}
ANDROID, IOS = "/version/v1/android/", "/version/v1/ios/"
# Classes that are sent to another address than their route, and must look like all classes of it. iPhones' evidence is App Attest's:
# who brings DeviceCheck's waits for Apple, longer than this deadline, so the suite has none.
ADDRESSES = {
    ("password", "log"): ANDROID + "els", ("password", "log, weak device"): ANDROID + "els", ("password", "fake log"): ANDROID + "els",
    ("password", "report"): ANDROID + "srs", ("password", "second report"): ANDROID + "srs",
    ("password", "fake report"): ANDROID + "srs",
    ("password", "iPhone"): IOS + "otp", ("password", "iPhone, forged"): IOS + "otp", ("password", "fake iPhone"): IOS + "otp",
    ("password", "iPhone's log"): IOS + "els", ("password", "iPhone's log, used counter"): IOS + "els",
    ("password", "fake iPhone's log"): IOS + "els",
    ("password", "iPhone's report"): IOS + "srs", ("password", "iPhone's second report"): IOS + "srs",
    ("password", "fake iPhone's report"): IOS + "srs",
    ("donation", "iPhone"): IOS + "dat", ("donation", "iPhone's second"): IOS + "dat", ("donation", "fake iPhone"): IOS + "dat",
    **health.ADDRESSES,
}
# Uploads that a one-time password authorises, not a TAN.
SELF_REPORTS = {"self-report", "unknown password", "fake self-report"}
# What has fewer answers in a block, besides what has an address of its own.
FEWER = SELF_REPORTS | set(health.SIGNED)
# Whose bodies are padded by each route in its own way.
PADDED_INSIDE = {"upload", "venue", "push", "password", "donation", health.ROUTE}
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
        "fake": 200, "fake with keys": 200, "self-report": 200, "unknown password": 403, "fake self-report": 200},
    "venue": {
        "valid": 200, "repeated": 200, "used TAN": 403, "unknown TAN": 403, "malformed": 400, "fake": 200,
        "fake with reports": 200},
    "push": {
        "first": 200, "repeated": 200, "another token": 200, "token of another": 200, "Android": 200,
        "taken back": 200, "taken back in vain": 200, "malformed": 400},
    "password": {
        "valid": 200, "repeated": 200, "used salt": 403, "another payload": 403, "forged": 401, "no evidence": 400,
        "malformed": 400, "fake": 200, "log": 200, "log, weak device": 403, "fake log": 200, "report": 200,
        "second report": 403, "fake report": 200, "iPhone": 200, "iPhone, forged": 401, "fake iPhone": 200,
        "iPhone's log": 200, "iPhone's log, used counter": 403, "fake iPhone's log": 200, "iPhone's report": 200,
        "iPhone's second report": 429, "fake iPhone's report": 200},
    "donation": {
        "valid": 200, "repeated": 200, "used salt": 403, "against a rule": 400, "malformed": 400, "fake": 200,
        "fake with evidence": 200, "iPhone": 200, "iPhone's second": 429, "fake iPhone": 200},
    health.ROUTE: health.CLASSES,
}
# The controls: the same requests as this class of the route, but answered later.
TWINS = {
    "registration": "used GUID", "testresult": "negative", "tan": "not positive", "upload": "repeated", "venue": "repeated",
    "push": "repeated", "password": "repeated", "donation": "repeated", health.ROUTE: "repeated"}
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
        self.path = ADDRESSES.get((route, name), ROUTES[route])
        # Answers in a block.
        self.of_each = OF_FEWER if self.path != ROUTES[route] or name in FEWER else OF_EACH
        self.is_dummy, self.is_refused = name.startswith("fake"), status >= 400
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
        self._apple, self._other_apple = apple.AppAttest(suite), apple.AppAttest(suite, is_forger=True)
        # Passwords for self-reports, and keys that were attested, the oldest first. Who had its share: Android ids, and keys that
        # signed once. Keys that signed more often.
        self._passwords, self._keys = collections.deque(), collections.deque()
        self._reporters, self._reporting_keys, self._donating_keys, self._old_keys = (
            collections.deque(maxlen=REMEMBERED) for _ in range(4))
        # Salts that admitted a request; the requests themselves, of donations the hour's, because the fold takes them away.
        self._salts = collections.deque(maxlen=REMEMBERED)
        self._admitted = collections.deque(maxlen=REMEMBERED)
        self._donated, self._hour = collections.deque(maxlen=REMEMBERED), None
        self._minted = {
            (route, name): collections.deque()
            for route in ("password", "donation") for name in CLASSES[route] if name != "repeated"}
        # Without which a class's requests can't be made.
        self._needed = {
            "used salt": self._salts, "second report": self._reporters, "iPhone's log": self._keys,
            "iPhone's log, used counter": self._old_keys, "iPhone's second report": self._reporting_keys,
            "iPhone's second": self._donating_keys}
        self._further = health.Phones(self._random)

    # MARK: Requests

    def request(self, kind):
        """Header fields and body of the next request of a class, and what is to be kept of it.

        None if no phone has come so far, because requests before were refused that should not have been.
        """
        if kind.route == health.ROUTE:
            return self._further.request(kind.sends)
        stocks = {
            ("tan", "valid"): self._tokens, ("tan", "second"): self._half_spent_tokens,
            ("tan", "third"): self._nearly_spent_tokens, ("upload", "valid"): self._tans,
            ("upload", "only reports"): self._second_tans, ("upload", "self-report"): self._passwords,
            ("venue", "valid"): self._third_tans,
            ("password", "repeated"): self._admitted, ("donation", "repeated"): self._donations(), **self._minted}
        if not stocks.get((kind.route, kind.sends), True):
            return None
        if kind.route == "push" and kind.name != "first" and not self._pushed:
            return None
        (fields, body), kept = getattr(self, "_" + kind.route)(kind.sends)
        if kind.route not in PADDED_INSIDE:
            used = len(kind.path) + sum(len(name) + len(value) for name, value in fields)
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
        elif kind.route in ("password", "donation"):
            self._remember(kind.route, kind.name, *kept)
        elif kind.route == health.ROUTE:
            self._further.answered(kind.name, kept)

    def _remember(self, route, name, subject, body):
        """Takes what a donation, or a request for a password, that was answered means for later ones. subject: see `_mint`."""
        if name == "valid":
            self._salts.append(subject)
            (self._admitted if route == "password" else self._donations()).append((subject, body))
        elif name == "report":
            phone, password = subject
            self._reporters.append(phone)
            self._passwords.append(password)
        elif name == "iPhone":
            (self._keys if route == "password" else self._donating_keys).append(subject)
        elif name == "iPhone's log":
            self._old_keys.append(subject)
        elif name == "iPhone's report":
            self._reporting_keys.append(subject)

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
        if name in SELF_REPORTS:
            return self._self_report(name, tan)
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

    def _self_report(self, name, password):
        payload = self._payload(is_self_report=True)
        if name == "self-report":
            password = self._passwords.popleft()
        elif name == "fake self-report":
            payload = messages.empty_payload(PAYLOAD)
        return (self._authorised(password, name, "cwa-otp"), payload), None

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
    def _authorised(tan, name, field="cwa-authorization"):
        return [
            ("content-type", "application/x-protobuf"), (field, tan),
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
        subject, body = self._random.choice(sent) if name == "repeated" else self._minted[route, name].popleft()
        fields = [("content-type", "application/x-protobuf"), ("cwa-fake", "1" if name.startswith("fake") else "0")]
        return (fields, body), (subject, body)

    def _donations(self):
        """Those that wait for the fold: none when an hour has begun."""
        hour = int(time.time()) // 3600
        if hour != self._hour:
            self._donated.clear()
            self._hour = hour
        return self._donated

    def _mint(self, route, name):
        """The body of a request, and before it what is to be known of it when it is answered: its salt, its key, or a phone's id
        with the password that it asks for.
        """
        if name.startswith("fake") and name != "fake with evidence":
            return None, messages.donation_request(b"", self._content(route, is_ios="iPhone" in name))
        if "iPhone" in name:
            return self._mint_for_iphone(route, name)
        if "report" in name:
            phone = self._random.choice(self._reporters) if name == "second report" else self._random.randbytes(8)
            password = self._uuid()
            return (phone, password), self._google.request(messages.one_time_password(password, phone))
        salt = self._random.randbytes(google.SALT_LENGTH)
        content = self._content(route, risks=2 if name == "against a rule" else 1)
        if name == "malformed":
            return salt, messages.malformed(messages.DONATION_LENGTH)
        if name == "no evidence":
            return salt, messages.donation_request(b"", content)
        if name == "used salt":
            salt = self._random.choice(self._salts)
        covers = self._content(route) if name == "another payload" else None
        device = google.STRONG[:2] if name == "log, weak device" else google.STRONG
        return salt, (self._forger if name == "forged" else self._google).request(content, salt, covers, device=device)

    def _mint_for_iphone(self, route, name):
        content = self._content(route, is_ios=True)
        if name == "iPhone's log":
            key = self._keys.popleft()
            return key, self._apple.request(content, key)
        if name == "iPhone's log, used counter":
            key = self._random.choice(self._old_keys)
            return key, self._apple.request(content, key, counter=1)
        if "second" in name:
            # What is refused doesn't count.
            key = self._random.choice(self._reporting_keys if route == "password" else self._donating_keys)
            return key, self._apple.request(content, key, counter=2)
        key = apple.Key()
        return key, (self._other_apple if name == "iPhone, forged" else self._apple).first_request(content, key)

    def _content(self, route, risks=1, is_ios=False):
        if route == "password":
            return messages.one_time_password(self._uuid())
        return messages.analytics_data(risks, is_ios=is_ios)

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
            while len(minted) < MINTED and self._needed.get(name, True):
                minted.append(self._mint(route, name))
        self._further.stock(MINTED)

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
