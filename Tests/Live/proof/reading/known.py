"""What we accept and peers refuse, or read otherwise, each with its reason: the rule of each difference that was found.

A rule excuses its peers only, and only for the message that they refuse. What it says is what we hold to; the section is that of the
RFC that allows us to.
"""

import collections
import re

# `excuses`: the peers; `has`: tells by the message as we read it and by its bytes.
Rule = collections.namedtuple("Rule", "name section why excuses has")

METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"}


def head(data):
    """The request line and the field lines."""
    return data[: data.find(b"\r\n\r\n") + 2]


def target(data):
    """The target as it came."""
    return data.lstrip(b"\r\n").split(b" ", 2)[1]


def is_absolute(data):
    return target(data).lower().startswith((b"http://", b"https://"))


def fields(data, name):
    return re.findall(rb"(?i)\r\n" + name + rb":([^\r]*)", head(data))


def framing_in_trailer(data):
    return re.search(rb"(?i)\r\n(connection|content-length|transfer-encoding):", data[len(head(data)) :])


def other_host(message, data):
    return is_absolute(data) and [value.strip(b" \t").decode("latin-1") for value in fields(data, b"host")] != [message.host]


# Of requests and answers.
MESSAGE_RULES = [
    Rule(
        "tab around a value", "RFC 9110, 5.6.3",
        "tabs are optional whitespace as spaces are; nginx then reads an answer as one without length",
        {"nginx", "HAProxy", "lighttpd", "llhttp"},
        lambda message, data: re.search(rb": *\t|:[^\r]*\t *\r\n", head(data)),
    ),
    Rule(
        "blank before a chunk's extension", "RFC 9112, 7.1.1",
        "a recipient must parse and remove it",
        {"lighttpd", "llhttp", "h11"},
        lambda message, data: re.search(rb"\r\n[0-9A-Fa-f]+[ \t]+;", data),
    ),
    Rule(
        "chunk extension without grammar", "RFC 9112, 7.1.1",
        "extensions are ignored; nothing in them can end a line",
        {"HAProxy", "lighttpd", "llhttp", "h11"},
        lambda message, data: re.search(rb"\r\n[0-9A-Fa-f]+[ \t]*;", data),
    ),
    Rule(
        "trailer that looks like a header", "RFC 9110, 6.5.1",
        "trailers are dropped, whatever their names; llhttp lets one close the connection",
        {"HAProxy", "lighttpd", "llhttp", "h11"},
        lambda message, data: framing_in_trailer(data),
    ),
    Rule(
        "many or long fields", "RFC 9110, 5.4",
        "limits differ: ours are 16 KiB and 100 fields in a head, and as much again in trailers",
        {"HAProxy", "Envoy", "Apache", "lighttpd", "llhttp", "h11"},
        lambda message, data: len(data) > 2000 or re.search(rb"\n[^:\r]{256}", head(data)),
    ),
]  # fmt: skip

# Of requests.
RULES = [
    *MESSAGE_RULES,
    Rule(
        "method unknown", "RFC 9110, 16.1.1",
        "any token is a method; routes name those that they take, and the others get a 405",
        {"nginx", "HAProxy", "Envoy", "lighttpd", "llhttp"},
        lambda message, data: message.method not in METHODS,
    ),
    Rule(
        "server as a whole", "RFC 9112, 3.2.4",
        "OPTIONS may ask for *; no route has it",
        {"nginx", "Envoy", "lighttpd"},
        lambda message, data: message.target == "*",
    ),
    Rule(
        "absolute target, another Host", "RFC 9112, 3.2.2",
        "the target's host counts and Host is ignored, as servers must; HAProxy and lighttpd want them to be the same",
        {"HAProxy", "lighttpd"},
        other_host,
    ),
    Rule(
        "absolute target, unusual authority or no path", "RFC 9110, 4.2.3",
        "an underscore, an address in brackets, an empty port and an empty path before a query are read as by RFC 3986",
        {"nginx", "Envoy", "Apache", "lighttpd"},
        lambda message, data: is_absolute(data)
        and re.match(rb"(?i)https?://([^/?]*[_\[]|[^/?]*:[/?]|[^/?]*:$|[^/?]*\?)", target(data)),
    ),
    Rule(
        "path that normalises", "RFC 3986, 6.2.2",
        "dot segments and percent-encoding, right or wrong, are compared as bytes with routes and files, and match none",
        {"nginx", "Apache", "lighttpd"},
        lambda message, data: re.search(r"%(?![0-9A-Fa-f]{2})|%00|/(\.|%2e){1,2}(/|$)", message.target, re.I),
    ),
    Rule(
        "empty line before a request", "RFC 9112, 2.2",
        "one should be ignored, and we ignore two",
        {"lighttpd", "h11"},
        lambda message, data: data.startswith(b"\r\n"),
    ),
    Rule(
        "expectation unknown", "RFC 9110, 10.1.1",
        "a server may answer 417, and need not",
        {"Apache", "lighttpd"},
        lambda message, data: any(value.strip(b" \t").lower() != b"100-continue" for value in fields(data, b"expect")),
    ),
    Rule(
        "body where none is usual", "RFC 9110, 9.3.1",
        "a body ends where its length says, whatever the method",
        {"HAProxy", "lighttpd"},
        lambda message, data: message.method in ("GET", "HEAD", "DELETE", "OPTIONS")
        and re.search(rb"(?i)\r\n(content-length|transfer-encoding):", head(data)),
    ),
    Rule(
        "POST without length", "RFC 9110, 8.6",
        "without length and coding there is no body; a 411 is an option",
        {"lighttpd"},
        lambda message, data: message.method in ("POST", "PUT", "PATCH") and not fields(data, b"content-length"),
    ),
    Rule(
        "port that is empty, 0, or begins with 0", "RFC 3986, 3.2.3",
        "a port is any number of digits, up to 65535",
        {"Apache", "lighttpd"},
        lambda message, data: re.search(r":(0\d*)?$", message.host),
    ),
    Rule(
        "host that ends like an address", "RFC 3986, 7.4",
        "what isn't four decimal numbers is a name",
        {"Apache", "lighttpd"},
        lambda message, data: re.search(r"(^|\.)\d[^.:]*\.?(:\d*)?$", message.host),
    ),
    Rule(
        "underscore in a host, or a hyphen at a label's end", "RFC 3986, 3.2.2",
        "local names have them, those of containers for instance",
        {"lighttpd"},
        lambda message, data: re.search(r"_|(^|\.)-|-($|[.:])", message.host),
    ),
    Rule(
        "Content-Type twice", "RFC 9110, 5.3",
        "what isn't about framing is left to the route, which refuses it",
        {"lighttpd"},
        lambda message, data: len(fields(data, b"content-type")) > 1,
    ),
    Rule(
        "path of two slashes", "RFC 3986, 3.3",
        "a path is bytes; Apache passes on one slash",
        {"Apache"},
        lambda message, data: message.target.startswith("//"),
    ),
    Rule(
        "forwarded no further", "RFC 9110, 7.6.2",
        "Max-Forwards concerns proxies that pass on OPTIONS and TRACE, and none of ours does",
        {"Apache"},
        lambda message, data: fields(data, b"max-forwards"),
    ),
    Rule(
        "HTTP/1.0 keeps the connection", "RFC 9112, 9.3",
        "it is asked to; Envoy and llhttp close nevertheless",
        {"Envoy", "llhttp"},
        lambda message, data: b" HTTP/1.0\r\n" in head(data),
    ),
]  # fmt: skip


def excuse(name, message, data):
    """The rule by which a peer may refuse a request; None if there is none."""
    for rule in RULES:
        if name in rule.excuses and rule.has(message, data):
            return rule
    return None


def excuse_answer(name, answer, data):
    """The rule by which a peer may refuse an answer, or read it otherwise; None if there is none."""
    for rule in MESSAGE_RULES:
        if name in rule.excuses and rule.has(answer, data):
            return rule
    return None
