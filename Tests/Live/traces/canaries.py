"""Whether anything that tells who called is found behind the metadata proxy, in a log, a metric or the database.

python canaries.py STATE FOLDER PROGRAMS NGINX REQUESTS

STATE is the state folder of a running suite, FOLDER an existing one for whatever is recorded, PROGRAMS where `vigil`
and `metadata-proxy` lie, NGINX its executable. Changes the network: run it in one of its own.

A proxy, beside the suite's own and with its settings, gets requests that are full of canaries: each comes from an
IPv6 address of its own, and every place that a caller can fill holds a text of its own. What the proxy tells the
services passes a hop that records it. All canaries hold one mark, drawn for this run, and all addresses begin with one
random prefix, so the search doesn't slow down with their number.

What the contract passes on is no canary: the body, Content-Type, cwa-fake, cwa-authorization, cwa-otp, Idempotency-Key. Bodies
hold a mark, too, which must be found behind the proxy, so that the search is known to look at the right place.

What stands in bodies and in cwa-otp and makes an app or a phone known again is a canary further behind: one-time passwords and month's
tokens, salts, Android ids, names of keys of App Attest, device tokens. It must be found in what the proxy passes on, and neither in the
services' logs and metrics, nor in the database, nor in what is published, not even of requests that were admitted.
"""

import base64
import collections
import concurrent.futures
import ipaddress
import itertools
import json
import os
import pathlib
import random
import re
import resource
import secrets
import socket
import ssl
import string
import subprocess
import sys
import threading
import urllib.request
import uuid

import finder
import neighbours
from client import apple, further, google, http1, http2
from client.http1 import Request
from client.messages import (
    analytics_data, donation_request, fresh_guid, ios_authentication, json_body, one_time_password, payload, push_registration)
from client.proxy import unprivileged
from client.suite import Suite, Unexpected
from client.tls import IP_FREEBIND, Connection, app_context

WORKERS = 16
# What the contract passes from a caller's header to a service (Shared/Contracts).
CONTRACT = {
    "cwa-fake", "cwa-authorization", "cwa-otp", "idempotency-key", "x-further-key", "x-further-timestamp", "x-further-nonce",
    "x-further-signature"}
# What the services are asked for through the proxy.
KINDS = (
    "registrationToken", "testresult", "tan", "diagnosis-keys", "self-report", "register", "android/otp", "android/srs",
    "android/dat", "ios/otp", "ios/els", "ios/srs", "ios/dat", "health")
PATHS = {"self-report": "/version/v1/diagnosis-keys", "register": "/v3/register", "health": further.REPORT}
# Keys and devices of iPhones whose names are looked for: each is a canary by itself.
IPHONES = 3
# The proxy's limit for registrations of a prefix that shall meet it.
REGISTRATIONS = 5


# MARK: Canaries

class Marks:
    """The marks of one run, and the canaries that hold them."""

    def __init__(self):
        alphabet = string.ascii_lowercase + string.digits
        self.caller, self.body = ("".join(secrets.choice(alphabet) for _ in range(12)) for _ in range(2))
        # Groups of four digits, none of which is zero at its beginning: then an address has one text.
        groups = [0xFD00 + secrets.randbelow(256)] + [0x1000 + secrets.randbelow(0xF000) for _ in range(3)]
        self.network = ipaddress.IPv6Network((sum(group << 112 - 16 * at for at, group in enumerate(groups)), 64))
        # The first half of the ids of people who aren't positive: nothing keeps those.
        self.negative = secrets.token_bytes(6)
        self._prefix_text = ":".join(f"{group:x}" for group in groups[:3])
        self._fields = {}
        self._lock = threading.Lock()

    def text(self, field):
        """A text of its own for a place that a caller can fill: mark, place, number, mark again."""
        with self._lock:
            number = self._fields.setdefault(field, len(self._fields))
        return f"{self.caller}{number:02x}{secrets.token_hex(4)}{self.caller}"

    def address(self):
        return str(self.network[secrets.randbits(64)])

    def finder(self):
        prefix = self.network.network_address.packed[:6]
        return finder.Finder(
            finder.patterns("caller's text", self.caller, self.caller.encode())
            + finder.patterns("caller's address", self._prefix_text, prefix))

    def body_finder(self):
        return finder.Finder(
            finder.patterns("body's text", self.body, self.body.encode())
            + finder.patterns("negative id", self._negative_text, self.negative))

    @property
    def _negative_text(self):
        return f"{self.negative[:4].hex()}-{self.negative[4:].hex()}"

    def negative_id(self):
        return f"{self._negative_text}-4{secrets.token_hex(2)[1:]}-8{secrets.token_hex(2)[1:]}-{secrets.token_hex(6)}".upper()

    def places(self, hits):
        """Which places of a request hits come from, as far as that can be read."""
        names = {f"{number:02x}".encode(): name for name, number in self._fields.items()}
        found = set()
        for hit in hits:
            read = {names[pair.lower()] for pair in hit.followers if pair.lower() in names}
            found |= read if hit.pattern.form == "text" and read else {hit.pattern.secret}
        return found


FIELDS = """user-agent accept accept-language accept-encoding accept-charset accept-datetime cookie referer origin from
x-forwarded-for x-real-ip forwarded via x-forwarded-host x-forwarded-proto x-forwarded-port x-client-ip true-client-ip
cf-connecting-ip fastly-client-ip x-cluster-client-ip x-original-url x-request-id x-correlation-id traceparent
tracestate baggage b3 x-b3-traceid x-amzn-trace-id uber-trace-id authorization proxy-authorization sec-ch-ua
sec-fetch-site if-none-match if-match if-modified-since range date warning cache-control pragma priority dnt save-data
x-device-id x-requested-with content-language content-location content-md5 digest early-data max-forwards
prefer""".split()


def caller_fields(marks, address):
    """A header full of canaries, in a random order."""
    fields = [(name, marks.text(name)) for name in FIELDS]
    fields += [
        ("x-forwarded-for", address), ("forwarded", f'for="[{address}]:4711";by={marks.text("forwarded by")}'),
        ("x-real-ip", address), ("true-client-ip", address),
        ("cookie", f"session={marks.text('second cookie')}; theme=dark"),
        ("accept-encoding", f"gzip, {marks.text('second accept-encoding')};q=0.1"),
        (f"x-{marks.text('name of a field')}", "1"), (marks.text("bare name of a field"), marks.text("unknown field")),
    ]
    random.shuffle(fields)
    return fields


class Phones:
    """Evidence and passwords, with a mark for each kind that a phone chooses; the others are few."""

    def __init__(self, suite):
        self._password, self._salt, self._android_id = map(secrets.token_bytes, (6, 12, 8))
        self.google, self.apple = google.PlayIntegrity(suite), apple.AppAttest(suite)
        self.keys = [apple.Key() for _ in range(IPHONES)]
        self._device_check = apple.DeviceCheck(suite)
        self._devices = [self.password() for _ in range(IPHONES)]
        self._tokens = [self._device_check.token(device) for device in self._devices]

    def password(self):
        """Also in place of a month's token."""
        return str(uuid.UUID(bytes=self._password + secrets.token_bytes(10), version=4))

    def android(self, content):
        return self.google.request(content, self._salt + secrets.token_bytes(4))

    def report(self, password):
        """Of an Android phone that reports itself."""
        return self.android(one_time_password(password, self._android_id + secrets.token_bytes(8)))

    def by_token(self, content, number):
        return donation_request(ios_authentication(self._tokens[number], self.password()), content)

    def by_both(self, content, number):
        return self.apple.request(content, self.keys[number], device_token=self._tokens[number])

    def finder(self):
        # Without the version that is in the middle of a UUID.
        text = str(uuid.UUID(bytes=self._password + bytes(10)))[:13]
        patterns = finder.patterns("password", text, self._password)
        patterns += finder.patterns("salt", self._salt.hex(), self._salt)
        patterns += finder.patterns("Android id", self._android_id.hex(), self._android_id)
        for number, (key, token) in enumerate(zip(self.keys, self._tokens)):
            start = base64.b64decode(token)[:12]
            patterns += finder.patterns(f"key {number}", key.id[:12].hex(), key.id[:12])
            patterns += finder.patterns(f"device token {number}", start.hex(), start)
        return finder.Finder(patterns)


# MARK: Requests that mean something

class Messages:
    """Well-formed requests of every route, whose bodies hold a mark of their own."""

    def __init__(self, suite, marks):
        self.marks, self.phones = marks, Phones(suite)
        self.tokens = [suite.tested(result) for result in (None, 1, 2, 2)]
        self.uploads = [(suite.entitled(), payload()) for _ in range(8)]
        self._kinds = itertools.cycle(KINDS)
        self._numbers = itertools.cycle(range(IPHONES))
        self._admit(suite)
        self.key = further.Key()
        suite.post(200, "metadata-proxy", suite.port("further", "app"), further.KEYS, self.key.registration(), "application/json")

    def _admit(self, suite):
        """Has evidence of each kind admitted, a password redeemed, and a self-report stored, whatever becomes of other requests."""
        def ask(operation, body):
            port = suite.port("data-donation", "app")
            suite.post(200, "metadata-proxy", port, f"/version/v1/{operation}", body, "application/x-protobuf")

        phones, survey = self.phones, self.phones.password()
        for number, key in enumerate(phones.keys):
            ask("ios/els", phones.apple.first_request(one_time_password(phones.password()), key))
            ask("ios/otp", phones.by_token(one_time_password(phones.password()), number))
        ask("android/otp", phones.android(one_time_password(survey)))
        ask("android/dat", phones.android(analytics_data()))
        redemption, content = suite.port("data-donation", "redemption"), json.dumps({"otp": survey}).encode()
        suite.post(200, "survey-server", redemption, "/version/v1/otp", content)
        self.reports = [(phones.password(), payload(is_self_report=True)) for _ in range(4)]
        for password, _ in self.reports:
            ask("android/srs", phones.report(password))
        suite.upload(*self.reports[0], field="cwa-otp")

    def any(self):
        """A request, with a canary for a parameter of its media type, and the mark and number that its body holds."""
        kind = next(self._kinds)
        fake, mark = random.choice("01"), self.marks.body + secrets.token_hex(4)
        if kind in ("registrationToken", "testresult", "tan"):
            members = {"registrationToken": random.choice(self.tokens)}
            if kind == "registrationToken":
                members = {"key": fresh_guid(), "keyType": "GUID"}
            media, headers, content = "application/json", [], json_body(members, mark)
            if kind == "registrationToken" and random.random() < 0.5:
                headers.append(("idempotency-key", str(uuid.uuid4())))
        elif kind == "health":
            # Unknown members are ignored. A dummy's id must be in no table, either.
            content = further.body(further.record(self.marks.negative_id(), positive=False, padding=mark))
            media, headers = "application/json", self.key.fields(further.REPORT, content) if random.random() < 0.5 else []
        else:
            media, (headers, content) = "application/x-protobuf", self._protobuf(kind)
            # In place of some of the padding, which is at the end, and which evidence doesn't cover.
            content = content[:-len(mark)] + mark.encode()
        headers += [("content-type", f"{media}; {random.choice(['charset', 'x'])}={self.marks.text('media type')}"),
                    ("cwa-fake", fake)]
        return Request(PATHS.get(kind, f"/version/v1/{kind}"), headers, content), mark

    def _protobuf(self, kind):
        """Header fields and body."""
        phones, is_known = self.phones, random.random() < 0.8
        if kind == "diagnosis-keys":
            tan, content = random.choice(self.uploads)
            return [("cwa-authorization", tan if is_known else str(uuid.uuid4()))], content
        if kind == "self-report":
            password, content = random.choice(self.reports)
            return [("cwa-otp", password if is_known else phones.password())], content
        if kind == "register":
            return [], push_registration(secrets.token_hex(32) if is_known else "", str(uuid.uuid4()))
        if kind == "android/srs":
            return [], phones.report(phones.password())
        content = analytics_data(is_ios=kind == "ios/dat") if kind.endswith("dat") else one_time_password(phones.password())
        if kind.startswith("android"):
            return [], phones.android(content)
        number = next(self._numbers)
        if kind == "ios/srs":
            return [], phones.by_both(content, number)
        if kind == "ios/otp":
            return [], phones.by_token(content, number)
        return [], phones.apple.first_request(content, phones.keys[number])


# MARK: Callers

class Caller:
    """Makes one request, in one of many manners, from an address of its own."""

    _turns = collections.defaultdict(itertools.count)

    def __init__(self, port, marks, messages):
        self.port, self.marks, self.messages = port, marks, messages
        self.address = marks.address()
        self.body_mark = None

    def _connect(self, protocols=("http/1.1",), version=ssl.TLSVersion.TLSv1_3, patience=15):
        context = app_context(protocols=protocols, version=version)
        name = f"{self.marks.text('SNI')}.example"
        return Connection(self.port, context, "::1", (self.address, 0), name, patience)

    def _request(self):
        """A request among canaries."""
        request, self.body_mark = self.messages.any()
        request.headers = caller_fields(self.marks, self.address) + request.headers
        random.shuffle(request.headers)
        return request

    def _in_turn(self, variants, manner):
        """So that no variant of a manner is left out."""
        return variants[next(self._turns[manner, self.port]) % len(variants)]

    def _host(self):
        return f"{self.marks.text('host')}.example:{self.port}"

    @staticmethod
    def _recased(request):
        recase = random.choice((str.upper, str.title, str.lower, str.swapcase))
        request.headers = [(recase(name), value) for name, value in request.headers]
        return request

    def _raw(self, content, version=ssl.TLSVersion.TLSv1_3):
        connection = self._connect(version=version)
        try:
            connection.write(content)
            answer = http1.Exchanges(connection).answer()
            connection.finish()
        finally:
            connection.close()
        return answer.status

    # Manners that a service must be told of. They return the answer's status.

    def plain(self):
        version = random.choice((ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3))
        return self._raw(http1.encode(self._recased(self._request()), self._host()), version)

    def plain2(self):
        connection = self._connect(("h2",), random.choice((ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)))
        try:
            answer = http2.Exchanges(connection, self._host()).exchange(self._request())
            connection.finish()
        finally:
            connection.close()
        return answer.status

    def frames(self):
        """HTTP/2 frames besides a request: PING, one of an unknown kind, and the last words of GOAWAY."""
        connection = self._connect(("h2",))
        try:
            speaker = http2.Exchanges(connection, self._host())
            speaker.open()
            speaker.streams.state.ping(self.marks.caller[:8].encode())
            content = self.marks.text("unknown frame").encode()
            unknown = len(content).to_bytes(3, "big") + b"\xbb\0\0\0\0\0" + content
            connection.write(speaker.streams.state.data_to_send() + unknown)
            answer = speaker.exchange(self._request())
            speaker.streams.state.close_connection(additional_data=self.marks.text("GOAWAY").encode())
            connection.write(speaker.streams.state.data_to_send())
            connection.finish()
        finally:
            connection.close()
        return answer.status

    # Manners of which a proxy may make what it likes, as long as it keeps them to itself.

    def query(self):
        request = self._request()
        request.path += f"?{self.marks.text('query name')}={self.marks.text('query')}&a={self.address}"
        self._any_version(request)

    def path(self):
        request, text = self._request(), self.marks.text("path")
        route = request.path
        request.path = self._in_turn((
            f"{route}/{text}", f"/{text}{route}", f"//{text}{route}", f"{route};{text}", f"/{text}",
            f"/version/{text}/..{route}", f"/version/v1/{text}/../{route.rsplit('/', 1)[1]}", f"{route}#{text}",
            f"{route}%00{text}", f"{route}/?{text}", f"{route}/.{text}/..", f"/%76ersion{route[8:]}?{text}"), "path")
        self._any_version(request)

    def _any_version(self, request):
        if random.random() < 0.5:
            self._raw(http1.encode(self._recased(request), self._host()))
            return
        connection = self._connect(("h2",))
        try:
            http2.Exchanges(connection, self._host()).exchange(request)
        finally:
            connection.close()

    def target(self):
        request, text = self._request(), self.marks.text("target")
        request.path = f"https://{text}:{text}@{text}.example{request.path}?{text}"
        self._raw(http1.encode(self._recased(request), self._host()))

    def chunks(self):
        """A chunked body, with chunk extensions and trailers."""
        request = self._recased(self._request())
        head = http1.encode(Request(request.path, request.headers + [("transfer-encoding", "chunked")]), self._host())
        head = head.replace(b"content-length: 0\r\n", b"")
        extension = f";{self.marks.text('chunk extension')}={self.marks.text('chunk extension value')}"
        trailer = f"{self.marks.text('name of a trailer')}: {self.marks.text('trailer')}"
        body = f"{len(request.body):x}{extension}\r\n".encode() + request.body + f"\r\n0\r\n{trailer}\r\n\r\n".encode()
        self._raw(head + body)

    def trailers2(self):
        connection = self._connect(("h2",))
        try:
            speaker = http2.Exchanges(connection, self._host())
            trailer = f"x-{self.marks.text('name of a trailer 2')}", self.marks.text("trailer 2")
            speaker.answers([speaker.send(self._request(), [trailer])])
        finally:
            connection.close()

    def odd_fields(self):
        """Fields that say how a message is to be read, and other uncommon values."""
        request = self._recased(self._request())
        name = self._in_turn((
            "connection", "upgrade", "expect", "transfer-encoding", "content-encoding", "te", "trailer",
            "http2-settings", "content-length", "host", "cwa-fake\t", "keep-alive", "proxy-connection"), "odd fields")
        request.headers.append((name, self.marks.text(f"odd {name.strip()}")))
        self._raw(http1.encode(request, self._host()))

    def malformed(self):
        request = self._recased(self._request())
        good, text = http1.encode(request, self._host()), self.marks.text("malformed").encode()
        self._raw(self._in_turn((
            text + b" / HTTP/1.1\r\nhost: x\r\n\r\n", b"GET /" + text + b" HTTP/9.9\r\n\r\n", text + b"\r\n\r\n",
            good.replace(b"\r\n", b"\r\n" + text + b"\r\n", 1), good.replace(b"\r\n", b"\r\nx: \0" + text + b"\r\n", 1),
            good.replace(b"\r\n", b"\r\n " + text + b"\r\n", 1), good.replace(b"\r\n", b"\r\nx :" + text + b"\r\n", 1),
            good.replace(b"\r\n", b"\r\nx: " + text * 4096 + b"\r\n", 1), b"GET /" + text * 2048 + b" HTTP/1.1\r\n\r\n",
            good.replace(b"\r\n", b"\r\nx: \xff\xfe" + text + b"\r\n", 1),
            good.replace(b" HTTP", text + b" \x7f HTTP", 1),
            b"PRI * HTTP/2.0\r\n\r\n" + text, b"CONNECT " + text + b".example:443 HTTP/1.1\r\n\r\n",
            b"POST /version/v1/tan HTTP/1.1\r\n" + (b"x-" + text + b": 1\r\n") * 300 + b"\r\n"), "malformed"))

    def malformed2(self):
        text, request = self.marks.text("malformed 2"), self._request()
        request.headers.append(self._in_turn((
            ("X-" + text.upper(), text), ("connection", text), ("x", f"{text}\0"), ("x", f"a\r\n{text}: b"),
            (":" + text, "1"), ("te", text), ("content-length", text), ("", text), ("host", text)), "malformed 2"))
        connection = self._connect(("h2",))
        try:
            speaker = http2.Exchanges(connection, self._host())
            if random.random() < 0.3:
                speaker.open()
                # DATA on the stream that is the connection, of a length that is text.
                connection.write(b"\0\0" + bytes([len(text)]) + b"\0\0\0\0\0\0" + text.encode())
            speaker.exchange(request)
        finally:
            connection.close()

    def interrupted(self):
        """Ends, by an abort or politely, amid its request."""
        content = http1.encode(self._recased(self._request()), self._host())
        connection = self._connect()
        try:
            connection.write(content[:random.randrange(20, len(content))])
            if random.random() < 0.5:
                connection.finish()
            else:
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        finally:
            connection.close()

    def slow(self):
        """A body that never comes to its end."""
        content = http1.encode(self._recased(self._request()), self._host())
        connection = self._connect(patience=30)
        try:
            connection.write(content[:-1])
            http1.Exchanges(connection).answer()
        finally:
            connection.close()

    def no_tls(self):
        """Other bytes where TLS should begin: plain HTTP, the PROXY protocol, a handshake that stops."""
        text = self.marks.text("no TLS").encode()
        hello, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        try:
            app_context(None, ("h2",), ssl.TLSVersion.TLSv1_3).wrap_bio(
                hello, outgoing, server_hostname=f"{self.marks.text('SNI')}.example").do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        first = self._in_turn((
            http1.encode(self._request(), self._host()), text * 20, hello[:-20], hello[:-20] + text + hello[-20:],
            f"PROXY TCP6 {self.address} ::1 4711 443\r\n".encode() + hello,
            b"\x16\x03\x01" + (len(text) + 4).to_bytes(2, "big") + b"\1\0\0" + bytes([len(text)]) + text), "no TLS")
        with socket.socket(socket.AF_INET6) as plain:
            plain.settimeout(15)
            plain.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
            plain.bind((self.address, 0))
            plain.connect(("::1", self.port))
            plain.sendall(first)
            plain.shutdown(socket.SHUT_WR)
            while plain.recv(1 << 16):
                pass

    def strange_tls(self):
        """Handshakes that may fail: other application protocols, an old version, an alert in the middle."""
        manner = self._in_turn(range(3), "strange TLS")
        protocols = (self.marks.text("ALPN"), "h2" if manner == 0 else "spdy/1")
        connection = self._connect(protocols, ssl.TLSVersion.TLSv1_1 if manner == 1 else ssl.TLSVersion.TLSv1_2)
        try:
            connection.write(self.marks.text("no HTTP").encode() + b"\r\n\r\n")
            connection.finish()
        finally:
            connection.close()

    MUST_PASS = (plain, plain2, frames)
    MAY_PASS = (
        query, path, target, chunks, trailers2, odd_fields, malformed, malformed2, interrupted, no_tls, strange_tls)


def traffic(port, marks, messages, count, slow=0):
    """Makes requests of all manners. Returns the marks in the bodies of those that must pass, and their failures."""
    plan = [Caller.MUST_PASS[number % 3] for number in range(count // 2)]
    plan += [Caller.MAY_PASS[number % len(Caller.MAY_PASS)] for number in range(count - len(plan))]
    random.shuffle(plan)
    plan = [Caller.slow] * slow + plan
    passed, failures = [], []

    def one(manner, tries=3):
        """One that must pass is tried again where a service was too slow, as on a machine that has much else to do."""
        caller = Caller(port, marks, messages)
        try:
            status = manner(caller)
            if manner in Caller.MUST_PASS:
                if status == 503 and tries > 1:
                    return one(manner, tries - 1)
                passed.append(caller.body_mark)
        except (OSError, ValueError, EOFError, ssl.SSLError) as error:
            if manner in Caller.MUST_PASS:
                failures.append(f"{manner.__name__}: {error}")
        except Exception as error:
            # What h2 makes of a server's objection.
            if manner in Caller.MUST_PASS or not type(error).__module__.startswith(("h2", "hpack", "hyperframe")):
                raise

    with concurrent.futures.ThreadPoolExecutor(WORKERS + slow) as pool:
        list(pool.map(one, plan))
    return passed, failures


# MARK: What is behind

def inner_requests(folder):
    """(request line, header fields as they were written, body) of each request that a hop recorded."""
    for file in sorted(folder.glob("*.bin")):
        rest = file.read_bytes()
        while rest:
            head, mark, rest = rest.partition(b"\r\n\r\n")
            if not mark:
                break
            line, *lines = head.split(b"\r\n")
            fields = [tuple(one.split(b":", 1)) for one in lines]
            named = {name.lower(): value.strip() for name, value in fields}
            if named.get(b"transfer-encoding", b"").lower() == b"chunked":
                body = b""
                while True:
                    size, _, rest = rest.partition(b"\r\n")
                    size = int(size.split(b";")[0], 16)
                    body, rest = body + rest[:size], rest[size + 2:]
                    if size == 0:
                        break
            else:
                size = int(named.get(b"content-length", 0))
                body, rest = rest[:size], rest[size:]
            yield line, fields, body


def shapes(folder):
    """For each request line and set of the contract's fields, how the header was written: names, order, case, values.

    Left out are the values of the contract's fields and of Content-Length, which is the body's.
    """
    found = collections.defaultdict(set)
    for line, fields, _ in inner_requests(folder):
        names = frozenset(name.lower().decode("latin-1") for name, _ in fields) & CONTRACT
        free = CONTRACT | {"content-length"}
        found[line, names].add(tuple(
            (name, None if name.lower().decode("latin-1") in free else value) for name, value in fields))
    return found


def connection_facts(folder):
    """What the TLS handshakes and sockets of the inner connections told."""
    return {file.read_text() for file in folder.glob("*.facts")}


def save_metrics(ports, folder):
    folder.mkdir()
    for port in ports:
        for path in ("metrics", "health", "ready", "openapi/listen.json", "openapi/app.json", "openapi/internal.json"):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
                    content = answer.read()
            except urllib.error.HTTPError as error:
                content = error.read()
            (folder / f"{port}-{path.replace('/', '-')}").write_bytes(content)
        if b"process_" not in (folder / f"{port}-metrics").read_bytes():
            raise Unexpected(f"The admin port {port} has no metrics.")


def database(suite, *statements, name="postgres"):
    """Runs statements as the cluster's superuser, and returns what they say, without headings."""
    connection = (f"host={suite.state}/postgres/socket port=5432 dbname={name} user=postgres "
                  f"passfile={suite.state}/secrets/pgpass-postgres")
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1", connection]
    for statement in statements:
        command += ["--command", statement]
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


# MARK: Core dumps

def is_dumpable(process):
    """Whether the kernel would write the process's memory to a core file, or let its own user read it.

    PR_GET_DUMPABLE can't be asked from outside, but the files in /proc/PID of a process that isn't dumpable belong to
    root, which is seen if the process belongs to another user (proc(5)). RLIMIT_CORE alone isn't enough: where
    core_pattern is a pipe, it is ignored (core(5)).
    """
    identity = re.search(r"^Uid:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    if identity[1] == "0":
        raise Unexpected("Of a process that belongs to root it can't be seen whether it may be dumped.")
    return os.stat(f"/proc/{process}/environ").st_uid == int(identity[1])


def core_limits(process):
    """The soft and the hard limit of a core file's size."""
    text = pathlib.Path(f"/proc/{process}/limits").read_text()
    return re.search(r"^Max core file size\s+(\S+)\s+(\S+)", text, re.MULTILINE).groups()


def memory_problems(proxies):
    """The control is a program that does nothing about it."""
    command = [*unprivileged(), "--pdeathsig", "TERM", "sleep", "600"]
    control = subprocess.Popen(command)
    try:
        while b"sleep" not in pathlib.Path(f"/proc/{control.pid}/cmdline").read_bytes()[:6]:
            pass
        if not is_dumpable(control.pid):
            raise Unexpected("The control failed: a program that doesn't care must be found to be dumpable.")
        if core_limits(control.pid) == ("0", "0"):
            print("Note: this machine lets no program dump core, so RLIMIT_CORE of the proxy shows nothing.")
    finally:
        control.terminate()
        control.wait()
    for name, process, has_own_user in proxies:
        if core_limits(process) != ("0", "0"):
            yield f"{name} may dump core: RLIMIT_CORE is {' and '.join(core_limits(process))}, not 0."
        if has_own_user and is_dumpable(process):
            yield f"{name} is dumpable: a core_pattern that is a pipe, or a debugger, gets its memory."


# MARK: The check

def describe(hits, marks, root):
    lines = []
    for hit in hits:
        name = hit.file.relative_to(root) if hit.file.is_relative_to(root) else hit.file
        lines.append(f"    {name}: {', '.join(sorted(marks.places([hit])))}, as {hit.pattern.form}, {hit.count} times")
    return "\n".join(lines[:40] + ([f"    and {len(lines) - 40} more"] if len(lines) > 40 else []))


class Check:
    """The whole check, step by step."""

    def __init__(self, state, folder, programs, nginx, requests):
        self.suite = Suite(state, programs)
        self.folder, self.nginx = pathlib.Path(folder), nginx
        self.requests = int(requests)
        self.marks = Marks()
        self.finder = self.marks.finder()
        self.messages = Messages(self.suite, self.marks)
        self.evidence_finder = self.messages.phones.finder()
        self.problems = []

    def run(self):
        missed = finder.self_test(self.folder / "planted", self.finder)
        missed += finder.self_test(self.folder / "planted-evidence", self.evidence_finder)
        if missed:
            raise Unexpected("The control failed: the finder doesn't find what was planted: " + "; ".join(missed))
        subprocess.run(["ip", "-6", "route", "add", "local", str(self.marks.network), "dev", "lo"], check=True)
        try:
            with neighbours.running(self._recorder(), self.folder / "recorder.log", neighbours.HOPS):
                self._proxy()
                self._nginx()
            self._edge()
        finally:
            subprocess.run(["ip", "-6", "route", "del", "local", str(self.marks.network), "dev", "lo"], check=True)
        self._database_control()
        if self.problems:
            sys.exit("\n".join(self.problems) + "\nThe proxy leaves traces of its callers: see above.")
        print(f"NO CANARY: {self.requests} requests, searched {self.finder.files} files, "
              f"{self.finder.bytes / 1e6:.0f} MB, for {len(self.finder.patterns)} patterns; and for "
              f"{len(self.evidence_finder.patterns)} of evidence.")

    def _recorder(self):
        targets = [("verification-server", self.suite.port("verification-server", "app")),
                   ("submission-server", self.suite.port("submission-server")),
                   ("push-dispatcher", self.suite.port("push-dispatcher")),
                   ("data-donation", self.suite.port("data-donation", "app")),
                   ("further", self.suite.port("further", "app"))]
        hops = []
        for whose in ("proxy", "nginx"):
            for service, target in targets:
                place = self.folder / f"behind-{whose}" / service
                place.mkdir(parents=True)
                hops.append(f"{neighbours.HOPS + len(hops)}:{service}:{target}:{place}")
        return [sys.executable, str(pathlib.Path(__file__).parent / "recorder.py"), str(self.suite.state), *hops]

    # The proxy.

    def _proxy(self):
        logs = self.folder / "proxy.log", self.folder / "limited-proxy.log"
        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        with (neighbours.proxy(self.suite, logs[0], neighbours.CANARY_PROXY, *(neighbours.HOPS + number for number in range(5)),
                               listen__host="::") as proxy,
              neighbours.proxy(self.suite, logs[1], neighbours.SECOND_PROXY, listen__host="::",
                               limits__registrations=REGISTRATIONS)):
            passed, failures = traffic(neighbours.CANARY_PROXY, self.marks, self.messages, self.requests, slow=2)
            if failures:
                raise Unexpected("Requests that the proxy must pass on failed:\n    " + "\n    ".join(failures[:10]))
            # One whose services are away, and which soon has enough of registrations.
            traffic(neighbours.SECOND_PROXY, self.marks, self.messages, max(60, self.requests // 10))
            self.problems += memory_problems([
                ("The proxy", proxy.pid, True),
                ("The suite's proxy", self.suite.process("metadata-proxy"), os.geteuid() != 0)])
            admin = [settings["admin"]["port"] for settings in self.suite.configuration.values() if "admin" in settings]
            others = [port + neighbours.ADMIN for port in (neighbours.CANARY_PROXY, neighbours.SECOND_PROXY)]
            save_metrics(admin + others, self.folder / "metrics")
        database(self.suite, "CHECKPOINT")

        behind = self.folder / "behind-proxy"
        places = [self.suite.state, self.suite.state.parent / "up.log", behind, self.folder / "metrics", *logs]
        if hits := self.finder.search(*places):
            self.problems.append("Found behind the proxy:\n" + describe(hits, self.marks, self.suite.state.parent))
        self._shapes(behind)
        self._arrivals(behind, passed)
        self._bodies(behind, [place for place in places if place != behind])
        self._evidence(behind, [place for place in places if place != behind])

    def _shapes(self, behind):
        for service in sorted(behind.iterdir()):
            if len(facts := connection_facts(service)) != 1:
                self.problems.append(f"{service.name}: inner connections differ: {sorted(facts)}")
            for (line, names), written in shapes(service).items():
                if line.split(b" ")[1].decode("latin-1") not in {PATHS.get(kind, f"/version/v1/{kind}") for kind in KINDS}:
                    self.problems.append(f"{service.name}: a service was asked for {line!r}.")
                if len(written) != 1:
                    examples = (b";".join(name + b":" + (b" (any)" if value is None else value) for name, value in one)
                                for one in sorted(written, key=str)[:3])
                    self.problems.append(
                        f"{service.name}: {line.decode('latin-1')} was written in {len(written)} ways, such as:\n"
                        + "\n".join(f"    {one.decode('latin-1')}" for one in examples))
                else:
                    names = " ".join(name.decode("latin-1") for name, _ in next(iter(written)))
                    print(f"Behind the proxy, always: {line.decode('latin-1')}: {names}")

    def _arrivals(self, behind, wanted):
        """The search means something only if what must come through came through."""
        bodies = [body for service in behind.iterdir() for _, _, body in inner_requests(service)]
        mark = re.compile(self.marks.body.encode() + rb"[0-9a-f]{8}")
        arrived = {match[0].decode() for body in bodies if (match := mark.search(body))}
        if missing := set(wanted) - arrived:
            raise Unexpected(f"Of {len(wanted)} requests that must pass the proxy, {len(missing)} did not.")
        print(f"Behind the proxy: {len(bodies)} requests, with all {len(wanted)} that must pass.")

    def _bodies(self, behind, elsewhere):
        wanted = self.marks.body_finder()
        if not wanted.search(behind):
            raise Unexpected("The control failed: bodies must be found behind the proxy.")
        if hits := wanted.search(*elsewhere):
            self.problems.append("Bodies were written down:\n" + describe(hits, self.marks, self.suite.state.parent))

    def _evidence(self, behind, elsewhere):
        rows = self._rows()
        if not all(rows.values()):
            raise Unexpected(f"The control failed: evidence must be admitted, and is not: {rows}.")
        passed = {hit.pattern.secret for hit in self.evidence_finder.search(behind)}
        if missing := {pattern.secret for pattern in self.evidence_finder.patterns} - passed:
            raise Unexpected(f"The control failed: behind the proxy the search misses {sorted(missing)}.")
        if hits := self.evidence_finder.search(*elsewhere):
            lines = (f"    {hit.file}: {hit.pattern.secret}, as {hit.pattern.form}, {hit.count} times" for hit in hits)
            self.problems.append("Evidence or passwords were written down:\n" + "\n".join(itertools.islice(lines, 40)))
        print(f"Behind the proxy: {len(passed)} kinds of evidence, in rows of {', '.join(rows)}, and in clear nowhere else.")

    def _rows(self):
        """How many rows there are of what was admitted, by table."""
        tables = (
            "donation.used_evidence", "donation.attested_key", "donation.month_token", "donation.quota", "donation.one_time_password",
            "verification.used_tan")
        return {table: int(database(self.suite, f"SELECT count(*) FROM {table}", name="vigil")) for table in tables}

    # The controls.

    def _nginx(self):
        folder = self.folder / "nginx"
        with neighbours.nginx(self.nginx, self.suite, folder, *(neighbours.HOPS + number for number in range(5, 10))):
            traffic(neighbours.NGINX, self.marks, self.messages, 100)
        log = self.finder.search(folder / "access.log", folder / "error.log")
        behind = self.finder.search(self.folder / "behind-nginx")
        logged, passed = self.marks.places(log), self.marks.places(behind)
        missing = {"caller's address", "user-agent", "referer"} - logged
        missing |= {"user-agent", "cookie", "forwarded"} - passed
        ways = max(len(written) for service in (self.folder / "behind-nginx").iterdir()
                   for written in shapes(service).values())
        if missing or ways < 2:
            raise Unexpected(f"The control failed: of nginx's traces the search misses {sorted(missing)}.")
        print(f"Control: nginx in the same place writes {len(logged)} kinds of canaries into its logs and passes "
              f"{len(passed)} on, in up to {ways} ways for one route.")

    def _edge(self):
        """The edge writes nothing of a caller, even when it fails with an error of its own: a file that is a link to itself.

        The control is the log that nginx would write of errors like this, and of no lesser ones.
        """
        written = {}
        for log in ("/dev/null emerg", "stderr crit"):
            folder = self.folder / f"edge-{len(written)}"
            context = self.suite.app_context()
            with neighbours.edge(self.nginx, self.suite, folder, log):
                (folder / "published/version").symlink_to("version")
                # Each of them asks from an address of its own.
                for _ in range(10):
                    with socket.socket(socket.AF_INET6) as caller:
                        caller.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
                        caller.bind((self.marks.address(), 0))
                        caller.connect(("::1", neighbours.EDGE))
                        with context.wrap_socket(caller, server_hostname="localhost") as secure:
                            secure.sendall(b"GET /version HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n")
                            if not (status := secure.recv(65536).split(b" ")[1:2]) or status[0] not in (b"404", b"500"):
                                raise Unexpected(f"The edge answers a file that can't be read with {status}.")
            written[log] = self.finder.search(folder)
        quiet, control = written.values()
        if "caller's address" not in self.marks.places(control):
            raise Unexpected("The control failed: with a log for critical errors, the edge must write addresses.")
        if quiet:
            self.problems.append("The edge wrote down callers:\n" + describe(quiet, self.marks, self.folder))
        print("The edge writes no address; with a log for critical errors alone it would.")

    def _database_control(self):
        """Plants a leak in the database: found in a table's file and in the write-ahead log."""
        address = self.marks.address()
        database(self.suite, "CREATE TABLE planted (address inet, text text, bytes bytea)",
                 f"INSERT INTO planted VALUES ('{address}', '{self.marks.text('planted')}', "
                 rf"'\x{ipaddress.IPv6Address(address).packed.hex()}')", "CHECKPOINT")
        hits = self.finder.search(self.suite.state / "postgres")
        found = {(place, hit.pattern.secret) for hit in hits for place in hit.file.parts}
        for place in ("base", "pg_wal"):
            for secret in ("caller's address", "caller's text"):
                if (place, secret) not in found:
                    raise Unexpected(f"The control failed: the {secret} in the database isn't found in {place}.")
        print("Control: what was planted in a table is found in its file and in the write-ahead log.")


if __name__ == "__main__":
    try:
        Check(*sys.argv[1:]).run()
    except Unexpected as problem:
        sys.exit(str(problem))
