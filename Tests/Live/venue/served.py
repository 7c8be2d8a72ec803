"""What the edge says with the page, and at which paths."""

import http.client
import ssl
import urllib.parse

from venue import policy
from venue.owner import PAGE

FIELDS = {
    "content-type": "text/html; charset=utf-8", "cache-control": "public, max-age=300", "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer", "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
    "strict-transport-security": "max-age=63072000",
}


def run(venue, report):
    def ask(path, method="GET", headers=None):
        context = ssl.create_default_context(cafile=venue.scratch / "tls.pem")
        connection = http.client.HTTPSConnection(urllib.parse.urlsplit(venue.url).netloc, timeout=20, context=context)
        try:
            connection.request(method, path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    status, fields, body = ask("/venue")
    report.expect((status, body) == (200, PAGE.read_bytes()), f"the edge serves the page: {status}")
    for name, value in FIELDS.items():
        report.expect(fields.get(name) == value, f"{name} is {value}: {fields.get(name)}")
    right = policy.policy(PAGE.read_text()) + "; frame-ancestors 'none'"
    stated = fields.get("content-security-policy")
    report.expect(stated == right, f"the edge states the policy: {stated}")
    report.expect("last-modified" not in fields and "set-cookie" not in fields, f"nothing that tells visits apart: {fields}")
    report.expect(ask("/venue?x=1")[2] == body, "a query changes nothing")
    report.expect(ask("/venue", headers={"If-None-Match": fields["etag"]})[0] == 304, "the page is asked for again by its tag")
    report.expect(ask("/venue", "HEAD")[0] == 200 and ask("/venue", "POST")[0] == 405, "it can be read only")
    others = ["/venue/", "/venue/x", "/venue.html", "/%76enue", "//venue", "/version/../venue", "/"]
    answers = [ask(path)[0] for path in others]
    report.expect(set(answers) == {404}, f"there is nothing beside it: {dict(zip(others, answers))}")
