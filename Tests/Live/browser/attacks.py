"""What another site, and hostile names, can do: nothing."""

import contextlib
import http.server
import threading

from browser.portal import ENDLESS, HOSTILE, OTHER_SITE


@contextlib.contextmanager
def other_site(content):
    """A page of another site."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{OTHER_SITE}:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def run(portal, report):
    posts(portal, report)
    frames(portal, report)
    headers(portal, report)
    names(portal, report)


def posts(portal, report):
    form = f"""<form method=post action="{portal.url}/codes" target=there><input name=kind value=TEST>
        <input name=form value="{'0' * 32}"><button>x</button></form><iframe name=there></iframe>
        <img src="{portal.url}/codes"><script>fetch("{portal.url}/codes", {{method: "POST", mode: "no-cors",
        credentials: "include", body: new URLSearchParams({{kind: "TEST", form: "{'0' * 32}"}})}}).catch(() => 0)</script>"""
    with portal.officer() as page, other_site(form) as place:
        before = portal.codes_made()
        there = page.context.new_page()
        there.goto(place)
        there.click("button")
        there.wait_for_timeout(500)
        report.expect(portal.codes_made() == before, "a post, an image and a fetch of another site make no code")
        page.reload()
        report.expect(page.locator("form[action='/logout']").count() == 1, "and the session goes on")

        # What a browser that sends no Sec-Fetch-Site would send, and what none sends.
        cookie = "; ".join(f"{item['name']}={item['value']}" for item in page.context.cookies())
        for name, fields in {
            "a foreign origin": {"origin": "https://other-site.test"}, "origin null": {"origin": "null"}, "no origin": {},
            "another site's fetch": {"sec-fetch-site": "cross-site", "origin": portal.url},
            "another subdomain's fetch": {"sec-fetch-site": "same-site", "origin": portal.url},
        }.items():
            answer = page.context.request.post(
                portal.url + "/codes", form={"kind": "TEST", "form": "0" * 32}, headers={"cookie": cookie} | fields)
            report.expect(answer.status == 403, f"{name}: 403, not {answer.status}")
        report.expect(portal.codes_made() == before, "none of them makes a code")


def frames(portal, report):
    with portal.officer() as page, other_site(f'<iframe id=f src="{portal.url}/codes"></iframe>') as place:
        there = page.context.new_page()
        there.goto(place)
        there.wait_for_timeout(300)
        texts = [frame.content() for frame in there.frames[1:]]
        report.expect(not any("/logout" in text for text in texts), "no other site frames the portal")
        # The refusal itself is a report of the policy, and expected.
        portal.violations[:] = [text for text in portal.violations if "frame" not in text.lower()]


def headers(portal, report):
    """The rules by which the HTTP Observatory grades (mdn/mdn-http-observatory, `src/grader/charts.js`)."""
    with portal.officer() as page:
        for path in ("/", "/codes", "/help", "/nowhere"):
            answer = page.goto(portal.url + path)
            fields = answer.headers
            policy = fields.get("content-security-policy", "")
            report.expect("default-src 'none'" in policy and "unsafe" not in policy, f"{path}: a policy without exceptions")
            report.expect("frame-ancestors 'none'" in policy and "base-uri 'none'" in policy, f"{path}: no framing, no base")
            report.expect(fields.get("referrer-policy") == "same-origin", f"{path}: no referrer for others")
            report.expect(fields.get("x-content-type-options") == "nosniff", f"{path}: nosniff")
            report.expect(fields.get("cross-origin-resource-policy") == "same-origin", f"{path}: no embedding")
            report.expect(fields.get("cross-origin-opener-policy") == "same-origin", f"{path}: no opener")
            report.expect("no-store" in fields.get("cache-control", ""), f"{path}: kept by no cache")
            age = int((fields.get("strict-transport-security", "max-age=0").split("max-age=")[1]).split(";")[0])
            report.expect(age >= 15_768_000, f"{path}: TLS for half a year at least")
            report.expect("server" not in fields and "access-control-allow-origin" not in fields, f"{path}: no server, no CORS")
        loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
        report.expect(len(loaded) <= 3 and all(name.startswith(portal.url + "/assets/") for name in loaded),
                      f"a page loads a style sheet, a script and an icon: {loaded}")


def names(portal, report):
    for user in (HOSTILE, ENDLESS):
        with portal.officer(user, viewport={"width": 320, "height": 640}) as page:
            scripts = page.evaluate("document.scripts.length")
            handlers = page.evaluate("[...document.all].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length")
            report.expect(scripts == 1 and handlers == 0, f"{user}: a name adds no script and no handler")
            width = page.evaluate("document.documentElement.scrollWidth")
            report.expect(width <= 320, f"{user}: a name doesn't widen the page: {width}")
            portal.picture(page, f"name-{user}")
