"""Requests by the grammar of RFC 9112, with mutations that know where parsers differ.

A number and a seed give the same input always. An input is one to three requests on a connection; a last, plain one asks to
close it.
"""

import random

LAST = b"GET /last HTTP/1.1\r\nHost: last.example\r\nConnection: close\r\n\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: hidden.example\r\n\r\n"

# What framing is made of.
WORDS = [
    b"\r", b"\n", b"\r\n", b"\r\n\r\n", b"\n\n", b"\r\r\n", b"\n\r", b"\r\n ", b"\r\n\t", b" ", b"\t", b":", b";",
    b",", b"0", b"8", b"f", b"\0", b"\x7f", b"\x80", b"\xff", b"\x0b", b"\x0c", b"\x1f", b"\x85", b"\xa0",
    b"\xc3\xbc", b"\xef\xbc\x90", b"chunked", b"close", b"#", b"%", b"%00", b"%0d%0a", b"\\", b'"',
    b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: h\r\n", b"0\r\n\r\n", b"HTTP/1.0",
    b"GET / HTTP/1.1\r\n", HIDDEN,
]  # fmt: skip
BLANKS = [b" ", b"\t", b"  ", b"\x0b", b"\x0c", b"\0", b"\r", b"\xa0", b"\x85", b"\x1f", b""]
ENDS = [
    b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r", b"\0\r\n", b" \r\n", b"\t\r\n", b"\r \n", b"\x0b\r\n", b"\x85", b"",
]  # fmt: skip

# What precedes a request.
LEADS = [b"\r\n", b"\n", b"\r", b" ", b"\r\n\r\n", b"\r\n" * 5, b"\0", b"\xef\xbb\xbf", b"\t", b"\r\n ", b"x"]
METHODS = [b"GET", b"POST", b"PUT", b"HEAD", b"DELETE", b"OPTIONS", b"PATCH"]
ODD_METHODS = [
    b"get", b"Get", b"TRACE", b"CONNECT", b"PRI", b"FOO", b"M-SEARCH", b"G@T", b"GE\tT", b"GET\0", b"", b" GET",
    b"\xc3\xbcET", b"GET:", b"PROPFIND", b"A" * 40, b"GET,", b"!#$%&'*+-.^_`|~", b"QUERY", b"SOURCE", b"LINK",
]  # fmt: skip
TARGETS = [b"/", b"/a", b"/a/b?c=d", b"/%41", b"/a%2Fb", b"/a//b", b"/.well-known/x", b"/?", b"/a;b=c", b"/a?b=%20&c"]
ODD_TARGETS = [
    b"*", b"a", b"", b"//a", b"//other.example/a", b"/../a", b"/a/./b", b"/%2e%2e/a", b"/a#b", b"#", b"/a\\b",
    b"/a b", b"/a\tb", b"/a\0b", b"/a%00b", b"/a\x7fb", b"/\xc3\xbc", b"/\xff", b"/a%0d%0ab", b"/a%", b"/a%zz",
    b'/a"b', b"/a<b>", b"/{a}", b"/a|b", b"/^`", b"/a?b?c", b"/a?b#c", b"?a", b"host.example:80", b"host.example",
    b"[::1]:80", b"/" + b"a" * 3000, b"/a\x0bb", b"/a\x85b", b"/a\rb", b"http://a.example", b"http://a.example/",
    b"http://a.example/b?c", b"http://a.example?b", b"http://a.example:81/b", b"HTTP://A.example/b",
    b"https://a.example/b", b"http:///b", b"http://", b"http:/b", b"http:b", b"http://u@a.example/b",
    b"http://u:p@a.example/b", b"http://a.example:/b", b"http://a.example:99999/b", b"http://a.example:x/b",
    b"http://a b/c", b"http://a.example#b", b"ftp://a.example/b", b"http://[::1]/b", b"http://[::1]:80/b",
    b"http://a.example\\b", b"http://a.example/b#c", b"ws://a.example/b", b"http://a_b.example/",
    b"http://a.example@b.example/", b"http://h.example/x",
]  # fmt: skip
VERSIONS = [
    b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1 ", b"HTTP/01.1",
    b"HTTP/1.01", b"HTTP/1", b"HTTP/1,1", b"HTTP/11", b"", b"HTTP/1.1\t", b"HTTP /1.1", b"HTTP/1.1x", b"HTTP/+1.1",
    b"HTTP/1.1\0", b"HTCPCP/1.0", b"HTTP/1.\xb1", b" HTTP/1.1", b"HTTP/3.0", b"HTTP/1.9", b"HTTP/1.10", b"Http/1.1",
    b"HTTP/9.9", b"RTSP/1.0",
]  # fmt: skip
HOSTS = [
    b"", b"h.example:80", b"h.example:", b"h.example:0", b"h.example:65536", b"h.example:x", b"h.example:+80",
    b"h.example:8 0", b"H.Example", b"h.example.", b"h_h.example", b"h h", b"h,h", b"h.example, i.example",
    b"u@h.example", b"u:p@h.example", b"h.example/a", b"h.example?a", b"h.example#a", b"http://h.example", b"[::1]",
    b"[::1]:80", b"[::1", b"::1", b"[::1%25eth0]", b"[v1.a]", b"[1.2.3.4]", b"127.0.0.1", b"0x7f.1", b"h\xc3\xbc",
    b"h\0i", b"h\\i", b"h%41", b"h%", b"h%00", b"*", b"-", b".", b"..", b"h..i", b'"h"', b"h\ti", b"(h)", b"h;i",
    b"h'i", b"h<i", b"a" * 300, b"\xff", b"h|i", b"h^i", b"h{i", b"h!i", b"h~i", b"h$i&j", b"h=i", b"h+i", b"h`i",
    b"h[i", b"h]", b"[]", b"[::ffff:1.2.3.4]", b"[::1]x", b"h:80:80", b":80", b"h.example:080", b"h.example:00080",
    b"h%2ei", b"/", b"@",
]  # fmt: skip
LENGTHS = [
    b"+%d", b"-%d", b"-0", b"0x%x", b"0%d", b"000000000000000000000%d", b"%d ", b" %d", b"\t%d", b"%d\t", b"%d,%d",
    b"%d, %d", b"%d,", b",%d", b"%d;", b"%d.0", b"%de0", b"%d_0", b"%d\x0b", b"\x0b%d", b"%d\0", b"\0%d", b"%d 0",
    b"0 %d", b"", b"18446744073709551616", b"18446744073709551621", b"4294967301", b"9223372036854775808",
    b"999999999999999999999999", b"\xef\xbc\x95", b"%d\r", b'"%d"', b"%d\xa0", b"NaN", b"%d#", b"0%o", b"9999999",
]  # fmt: skip
CODINGS = [
    b"Chunked", b"CHUNKED", b"chunked ", b" chunked", b"\tchunked", b"chunked\t", b"chunked\x0b", b"\x0bchunked",
    b"chunked\0", b"\0chunked", b"chunked, chunked", b"chunked,chunked", b"identity", b"identity, chunked",
    b"chunked, identity", b"gzip, chunked", b"chunked, gzip", b"gzip", b"xchunked", b"chunkedx", b"chunked;q=1",
    b"chunked;a=b", b'"chunked"', b"'chunked'", b",chunked", b"chunked,", b"chunked,,", b", chunked", b"",
    b"chun ked", b"chunked\r", b"ch\xc3\xbcnked", b"chunked\x85", b"\xa0chunked", b"x, chunked", b"chunked;",
    b"deflate, chunked", b"chunke", b"trailers", b"cHuNkEd", b"chunked, ", b"chunked\x0c", b"none", b"chun\xc5\xb7ed",
    b"\xe2\x84\xaa", b"chun\xe2\x84\xaaed",
]  # fmt: skip
EXTENSIONS = [
    b";a", b";a=b", b';a="b"', b";", b" ;a", b"\t;a=b", b"; a = b", b";a=b;c=d", b';a="b\\"c"', b';a="b', b";a\0",
    b";a\x7f", b";\xc3\xbc", b";a=b\n", b";\n", b";a\rb", b'";a', b";a=\"\r\n\"", b" ", b"\t", b"  ", b"a", b"x",
    b",", b";" + b"a" * 300, b";" + b"a" * 200, b"\x0b", b"\0", b";=b", b";a=", b";;", b";a b", b" a", b"\r", b";\r",
    b" 5", b"_",
]  # fmt: skip
SIZES = [
    b"0%x", b"00000000%x", b"0000000000000000%x", b"00000000000000000%x", b"0x%x", b"+%x", b"-%x", b" %x", b"\t%x",
    b"", b"1000000000000000%x", b"10000000%x", b"ffffffffffffffff", b"fffffffffffffffe", b"7fffffffffffffff",
    b"80000000", b"%xg", b"%x.0", b"%xh", b"\0%x", b"\r\n%x", b"\n%x", b"%x\r", b"g", b"-1", b"\xef\xbc\x95",
]  # fmt: skip
LAST_CHUNKS = [
    b"00\r\n", b"0;a\r\n", b"0 \r\n", b"0\n", b"0\r", b"", b"0000000000000000000\r\n", b"0;a=b\n\r\n", b"-0\r\n",
    b"0x0\r\n", b"0\r\r\n", b" 0\r\n", b"0\0\r\n", b"0" * 200 + b"\r\n",
]  # fmt: skip
FIELDS = [
    b"X-A: b", b"X-A:b", b"X-A:", b"X-A: ", b"X-A:\tb\t", b"Accept: */*", b"User-Agent: u", b"X_A: b", b"Cookie: a=b",
    b"Accept-Encoding: gzip", b"TE: trailers", b"X-A: \xc3\xbc", b"Via: 1.1 a", b"Range: bytes=0-1",
    b"Cache-Control: no-cache", b"X-A: a,b", b'X-A: "', b"Content-Type: text/plain", b"Date: x", b"From: a",
]  # fmt: skip
ODD_FIELDS = [
    b" X-A: b", b"\tX-A: b", b"X-A : b", b"X-A\t: b", b": b", b"X-A", b"", b"X A: b", b"X\0A: b", b"X-A: a\0b",
    b"X-A: a\rb", b"X-A: a\nb", b"X-A: a\x0bb", b"X-A: a\x7fb", b"\xc3\xbc: b", b"X(A): b", b"X/A: b", b"X-A;: b",
    b'"X": b', b"[X]: b", b"{X}: b", b"X@A: b", b"X-A: b\r\n c", b"X-A: b\r\n\tc", b"X-A:\r\n b", b"X-A: b\r\n ",
    b"X-A\r\n: b", b"Content_Length: 5", b"Transfer_Encoding: chunked", b"Content-Length : 5",
    b"Transfer-Encoding : chunked", b"Transfer-Encoding\t: chunked", b"Content-Length\0: 5",
    b" Transfer-Encoding: chunked", b" Content-Length: 5", b"X: y\nTransfer-Encoding: chunked",
    b"X: y\rTransfer-Encoding: chunked", b"X: y\r\rContent-Length: 5", b"X: y\nContent-Length: 5",
    b"Transfer-Encoding:\r\n chunked", b"Content-Length:\r\n 5", b"Content-Length: \r\n 5", b"Connection: close",
    b"Connection: keep-alive", b"Connection: Content-Length", b"Connection: Transfer-Encoding", b"Connection: Host",
    b"Connection: close, Host", b"Connection: X-A", b"Connection:", b"Connection: ,",
    b"Connection: close, keep-alive", b"Connection: keep-alive\r\nConnection: close", b"Connection: clos\xc3\xa9",
    b"Connection: CLOSE", b"Connection: upgrade\r\nUpgrade: websocket",
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__", b"Upgrade: websocket",
    b"Upgrade: h2c", b"Connection: upgrade",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
    b"Proxy-Connection: close", b"Proxy-Connection: keep-alive", b"Keep-Alive: timeout=5", b"Expect: 100-continue",
    b"Expect: 100-Continue", b"Expect: other", b"Expect:", b"Expect: 100-continue, x", b"Trailer: Content-Length",
    b"TE: chunked", b"X-HTTP-Method-Override: DELETE", b"Max-Forwards: 0", b"HTTP2-Settings: x",
    b"X-A: " + b"a" * 4000, b"X-A: b\r\n" * 90 + b"X-A: c", b"X" * 500 + b": a", b":authority: a", b":path: /x",
    b"Content-Length: 0", b"Content-Length:", b"Content-Encoding: chunked", b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: identity", b"Content-Length: 5", b"Host: i.example", b"Host: h.example", b"Host:",
    b"host: h.example",
]  # fmt: skip
TRAILERS = [
    b"X-T: a\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: i.example\r\n",
    b" X-T: a\r\n", b"X-T : a\r\n", b"X-T\r\n", b": a\r\n", b"X-T: a\n", b"X-T: a\r", b"X-T: a\r\n b\r\n",
    b"X-T: a\0\r\n", b"\0\r\n", b"\n", b"\r", b" \r\n", b"X-T: \xc3\xbc\r\n", b"X-T: " + b"a" * 3000 + b"\r\n",
    b"X-T: a\r\n" * 90, b"GET /hidden HTTP/1.1\r\n", b"X\xc3\xbc: a\r\n", b"Connection: close\r\n", b"X-T:\r\n",
]  # fmt: skip


class Message:
    """A request as pieces that mutations change."""

    def __init__(self, dice):
        pick = dice.choice
        self.lead, self.spaces = b"", [b" ", b" "]
        self.method, self.target, self.version = pick(METHODS), pick(TARGETS), b"HTTP/1.1"
        self.ends = {}
        self.fields = [b"Host: h.example"]
        if dice.random() < 0.4:
            self.fields += [pick(FIELDS) for _ in range(dice.randrange(1, 4))]
        self.chunks = None
        self.trailers = b""
        self.last = b"0\r\n"
        self.end = b"\r\n"
        self.body = b""
        kind = dice.random()
        if kind < 0.35:
            self.body = pick([b"12345", b"x", HIDDEN, b"0\r\n\r\n", b"5\r\n12345\r\n0\r\n\r\n", b"a" * 300])
            self.fields.insert(dice.randrange(len(self.fields) + 1), b"Content-Length: %d" % len(self.body))
        elif kind < 0.75:
            self.fields.insert(dice.randrange(len(self.fields) + 1), b"Transfer-Encoding: chunked")
            parts = [pick([b"12345", b"x", HIDDEN, b"a" * 300, b"0\r\n\r\n"]) for _ in range(dice.randrange(0, 3))]
            self.chunks = [[b"%x" % len(part), b"", b"\r\n", part, b"\r\n"] for part in parts]

    def index(self, name):
        """Of the first field with this name; None if there is none."""
        return next((i for i, field in enumerate(self.fields) if field.lower().startswith(name + b":")), None)

    def encoded(self):
        start = self.method + self.spaces[0] + self.target + self.spaces[1] + self.version
        return self.lead + self.encoded_from(start)

    def encoded_from(self, start):
        lines = [start, *self.fields, b""]
        head = b"".join(line + self.ends.get(place, b"\r\n") for place, line in enumerate(lines))
        body = self.body
        if self.chunks is not None:
            body = b"".join(map(b"".join, self.chunks)) + self.last + self.trailers + self.end
        return head + body


def _length(message, dice):
    index = message.index(b"content-length")
    size = len(message.body) if message.chunks is None else dice.choice([0, 5, 3])
    form = dice.choice(LENGTHS)
    value = form.replace(b"%d", b"%d" % size).replace(b"%x", b"%x" % size).replace(b"%o", b"%o" % size)
    kind = dice.random()
    if kind < 0.3 and index is not None:
        # Another number than it is.
        message.fields[index] = b"Content-Length: %d" % max(0, size + dice.choice([-1, 1, -5, 5, 40]))
    elif kind < 0.5 or index is None:
        # One more.
        other = dice.choice([b"%d" % size, value, b"0", b"3", b"5", b"50"])
        message.fields.insert(dice.randrange(len(message.fields) + 1), b"Content-Length: " + other)
    else:
        message.fields[index] = dice.choice([b"Content-Length: ", b"Content-Length:", b"content-length: "]) + value


def _coding(message, dice):
    index = message.index(b"transfer-encoding")
    line = dice.choice([b"Transfer-Encoding: ", b"Transfer-Encoding:", b"transfer-encoding: "]) + dice.choice(CODINGS)
    if index is None or dice.random() < 0.25:
        message.fields.insert(dice.randrange(len(message.fields) + 1), line)
    else:
        message.fields[index] = line


def _line_end(message, dice):
    message.ends[dice.randrange(len(message.fields) + 2)] = dice.choice(ENDS)


def _all_line_ends(message, dice):
    end = dice.choice([b"\n", b"\r", b"\n", b"\r\r\n"])
    message.ends = dict.fromkeys(range(len(message.fields) + 2), end)


def _fold(message, dice):
    if not message.fields:
        return
    index = dice.randrange(len(message.fields))
    field = message.fields[index]
    place = dice.randrange(len(field) + 1)
    fold = dice.choice([b"\r\n ", b"\r\n\t", b"\n ", b"\r\n \r\n ", b"\r "])
    message.fields[index] = field[:place] + fold + field[place:]


def _chunk(message, dice):
    if not message.chunks:
        message.chunks = [[b"5", b"", b"\r\n", b"12345", b"\r\n"]]
        if message.index(b"transfer-encoding") is None:
            message.fields.append(b"Transfer-Encoding: chunked")
    chunk = dice.choice(message.chunks)
    kind = dice.randrange(6)
    if kind == 0:
        chunk[1] = dice.choice(EXTENSIONS)
    elif kind == 1:
        chunk[0] = dice.choice(SIZES).replace(b"%x", b"%x" % len(chunk[3]))
    elif kind == 2:
        chunk[2] = dice.choice(ENDS)
    elif kind == 3:
        chunk[4] = dice.choice(ENDS)
    elif kind == 4:
        chunk[3] = dice.choice([chunk[3] + b"x", chunk[3][:-1], chunk[3] + b"\r\n", b""])
    else:
        message.last = dice.choice(LAST_CHUNKS)


def _trailer(message, dice):
    if message.chunks is None:
        message.chunks = []
        message.fields.append(b"Transfer-Encoding: chunked")
    message.trailers += dice.choice(TRAILERS)
    if dice.random() < 0.2:
        message.end = dice.choice(ENDS)


def _start(message, dice):
    kind = dice.randrange(4)
    if kind == 0:
        message.spaces[dice.randrange(2)] = dice.choice([b"  ", b"\t", b" \t", b"\x0b", b"\x0c", b"", b"\r", b"\xa0", b"\0"])
    elif kind == 1:
        message.lead = dice.choice(LEADS)
    elif kind == 2:
        message.version = dice.choice(VERSIONS)
    else:
        message.method = dice.choice(ODD_METHODS)


def _target(message, dice):
    message.target = dice.choice(ODD_TARGETS)


def _host(message, dice):
    kind = dice.random()
    index = message.index(b"host")
    if kind < 0.15 and index is not None:
        del message.fields[index]
    elif kind < 0.3 or index is None:
        host = dice.choice([b"h.example", b"i.example", dice.choice(HOSTS)])
        message.fields.insert(dice.randrange(len(message.fields) + 1), b"Host: " + host)
    else:
        message.fields[index] = dice.choice([b"Host: ", b"Host:", b"host: ", b"HOST:\t"]) + dice.choice(HOSTS)


def _field(message, dice):
    fields = ODD_FIELDS if dice.random() < 0.9 else FIELDS
    message.fields.insert(dice.randrange(len(message.fields) + 1), dice.choice(fields))


def _blank(message, dice):
    if not message.fields:
        return
    index = dice.randrange(len(message.fields))
    name, colon, value = message.fields[index].partition(b":")
    blank = dice.choice(BLANKS)
    kind = dice.randrange(4)
    message.fields[index] = [
        name + blank + colon + value,
        blank + name + colon + value,
        name + colon + blank + value.strip(),
        name + colon + value + blank,
    ][kind]


def _old(message, dice):
    message.version = b"HTTP/1.0"
    if dice.random() < 0.5:
        message.fields.append(b"Connection: keep-alive")


MUTATIONS = [
    *[_length, _coding, _chunk, _start, _target, _host] * 2, *[_field] * 3,
    _line_end, _all_line_ends, _fold, _trailer, _blank, _old,
]  # fmt: skip


def _bytes(data, dice):
    """Damages a few bytes anywhere."""
    for _ in range(dice.randrange(1, 3)):
        place = dice.randrange(len(data) + 1)
        length = dice.randrange(0, 4)
        kind = dice.randrange(4)
        if kind == 0:
            data = data[:place] + dice.choice(WORDS) + data[place + length :]
        elif kind == 1:
            data = data[:place] + bytes([dice.randrange(256)]) + data[place:]
        elif kind == 2:
            data = data[:place] + data[place + length :]
        elif place < len(data):
            data = data[:place] + bytes([data[place] ^ 1 << dice.randrange(8)]) + data[place + 1 :]
    return data


# MARK: Answers

STATUSES = [b"200"] * 4 + [b"201", b"204", b"206", b"302", b"304", b"400", b"404"]
REASONS = [b"OK", b"", b"Fine", b"Not Modified", b"a b", b"\xc3\xbc", b"\t", b" "]
ODD_STATUS_LINES = [
    b"HTTP/1.1 200", b"HTTP/1.1  200 OK", b"HTTP/1.1\t200 OK", b"HTTP/1.1 200\tOK", b"HTTP/1.1 2000 OK",
    b"HTTP/1.1 20 OK", b"HTTP/1.1 099 OK", b"HTTP/1.1 600 OK", b"HTTP/1.1 999 OK", b"HTTP/1.1 2x0 OK",
    b"HTTP/1.1 +200 OK", b"HTTP/1.1 -20 OK", b"HTTP/1.1 200OK", b"HTTP/1.2 200 OK", b"HTTP/2.0 200 OK", b"HTTP/2 200",
    b"HTTP/0.9 200 OK", b"http/1.1 200 OK", b"HTTP/1.1 200 O\0K", b"HTTP/1.1 200 O\rK", b"HTTP/1.1 200 O\x7fK",
    b" HTTP/1.1 200 OK", b"\r\nHTTP/1.1 200 OK", b"\nHTTP/1.1 200 OK", b"ICY 200 OK", b"HTTP/11 200 OK",
    b"HTTP/1.10 200 OK", b"HTTP/1.01 200 OK", b"XHTTP/1.1 200 OK", b"HTTP/1.1 101 Switching Protocols", b"hello",
    b"HTTP", b"HTTP/1.1 200 ", b"HTTP/1.1 \xb200 OK",
]  # fmt: skip
ANSWER_FIELDS = [
    b"Content-Type: text/plain", b"Server: s", b"Date: Thu, 01 Jan 1970 00:00:00 GMT", b"ETag: \"a\"",
    b"Cache-Control: no-store", b"X-A: b", b"X-A:", b"Set-Cookie: a=b", b"Vary: *", b"X_A: b", b"X-A: \xc3\xbc",
]  # fmt: skip
INTERIM = [
    b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
    b"HTTP/1.1 102 Processing\r\n\r\n", b"HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n",
    b"HTTP/1.1 199 A\r\n\r\n",
]  # fmt: skip


class Reply(Message):
    """An answer as pieces; what changes requests changes it too."""

    def __init__(self, dice):
        super().__init__(dice)
        version = b"HTTP/1.1" if dice.random() < 0.9 else b"HTTP/1.0"
        self.start = version + b" " + dice.choice(STATUSES) + b" " + dice.choice(REASONS)
        self.interim = dice.choice(INTERIM) * dice.choice([1, 1, 2, 10]) if dice.random() < 0.1 else b""
        framing = b"content-length", b"transfer-encoding"
        self.fields = [field for field in self.fields if field.lower().startswith(framing)]
        self.fields += [dice.choice(ANSWER_FIELDS) for _ in range(dice.randrange(3))]
        self.until_end = b""
        if self.chunks is None and self.index(b"content-length") is None:
            self.until_end = dice.choice([b"", b"12345", b"a" * 300])
        if dice.random() < 0.2:
            self.fields.append(dice.choice([b"Connection: close", b"Connection: keep-alive"]))

    def encoded(self):
        return self.interim + self.encoded_from(self.start) + self.until_end


def _status(reply, dice):
    reply.start = dice.choice(ODD_STATUS_LINES)


def _more(reply, dice):
    """Bytes behind the answer, or not all of it."""
    reply.until_end = dice.choice([b"x", b"\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"])


ANSWER_MUTATIONS = [
    *[_length, _coding, _chunk, _status, _field] * 2, _line_end, _all_line_ends, _fold, _trailer, _blank, _more,
]  # fmt: skip


def answer(seed, number):
    """The method of the request that the answer with this number is for, and the answer."""
    dice = random.Random(f"answer {seed} {number}")
    reply = Reply(dice)
    for _ in range(dice.choice([0, 1, 1, 1, 1, 2, 2, 3])):
        dice.choice(ANSWER_MUTATIONS)(reply, dice)
    data = reply.encoded()
    if dice.random() < 0.15:
        data = _bytes(data, dice)
    if dice.random() < 0.05:
        data = data[: dice.randrange(len(data) + 1)]
    return dice.choice(["GET", "GET", "GET", "HEAD"]), data


def request(seed, number):
    """The requests with this number."""
    dice = random.Random(f"request {seed} {number}")
    messages = [Message(dice) for _ in range(dice.choice([1, 1, 1, 1, 2, 3]))]
    for _ in range(dice.choice([0, 1, 1, 1, 1, 2, 2, 3])):
        dice.choice(MUTATIONS)(dice.choice(messages), dice)
    data = b"".join(message.encoded() for message in messages)
    if dice.random() < 0.15:
        data = _bytes(data, dice)
    return data + LAST
