"""What officers see while something is away."""

import contextlib
import os
import signal
import urllib.parse

from browser.portal import OFFICER, PASSWORD


@contextlib.contextmanager
def standing_still(portal, service):
    """A service that accepts connections and says nothing."""
    process = portal.suite.process(service)
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def run(portal, report):
    with portal.officer() as page:
        for kind in ("away", "broken", "slow"):
            portal.behave(kind, **({"seconds": 20} if kind == "slow" else {}))
            try:
                report.expect(len(portal.make(page)) == 10, f"while the provider is {kind}, officers make codes")
            finally:
                portal.behave("well")

        before = portal.codes_made()
        with standing_still(portal, "verification-server"):
            page.goto(portal.url + "/codes")
            form = page.get_attribute("form:has(input[value=TEST]) input[name=form]", "value")
            with page.expect_navigation(timeout=60_000) as navigation:
                page.click("form:has(input[value=TEST]) button", no_wait_after=True)
            report.expect(navigation.value.status == 503, f"without the verification server: 503, not {navigation.value.status}")
            report.expect("Sagen Sie am Telefon" in page.content(), "the page says what to tell the caller")
            portal.picture(page, "verification-away")
        # The same form again, as by Back: no second code, whether or not the first request arrived.
        page.evaluate("""async (form) => { await fetch('/codes', {method: 'POST',
            headers: {'content-type': 'application/x-www-form-urlencoded'}, body: `kind=TEST&form=${form}`}) }""", form)
        report.expect(portal.codes_made() == before + 1, "a repeat after a lost answer makes no second code")
        page.goto(portal.url + "/codes/current")
        report.expect(len(portal.shown(page)) == 10, "and shows the code")

    with portal.browser() as context:
        page = context.new_page()
        page.goto(portal.url + "/login")
        page.fill("#user", OFFICER)
        page.fill("#password", "wrong")
        page.click("button")
        report.expect(page.locator("#user").count() == 1 and page.url.startswith(portal.provider), "a wrong password stays outside")
    with portal.browser() as context:
        page = context.new_page()
        for query, name in {"state=x&code=y": "a made-up answer", "error=access_denied": "a refusal", "code=a&code=b&state=c": "two codes"}.items():
            answer = page.goto(f"{portal.url}/callback?{query}")
            report.expect(answer.status in (400, 403), f"{name} is refused with a page: {answer.status}")
            report.expect(page.locator("h1").count() == 1, f"{name}: the page says what to do")
    returns(portal, report)


def returns(portal, report):
    """A browser comes back from the provider with an answer that was changed on the way."""
    changes = {
        "as it was": {}, "another state": {"state": "0" * 64}, "no state": {"state": None}, "another issuer": {"iss": "https://other.test"},
        "no issuer": {"iss": None}, "another code": {"code": "x"}, "no code": {"code": None}, "an error besides": {"error": "access_denied"},
    }
    for name, change in changes.items():
        with portal.browser() as context:
            page = context.new_page()
            url = urllib.parse.urlsplit(answer_of_provider(portal, page))
            query = dict(urllib.parse.parse_qsl(url.query)) | change
            query = urllib.parse.urlencode({key: value for key, value in query.items() if value is not None})
            answer = page.goto(url._replace(query=query).geturl())
            signed_in = page.locator("form[action='/logout']").count() == 1
            if not change:
                report.expect(signed_in, "an answer as it was signs in")
                # Back, or the address once more: the attempt is over.
                again = page.goto(url.geturl())
                report.expect(again.status == 400, f"the same answer twice: 400, not {again.status}")
            else:
                report.expect(not signed_in and answer.status in (400, 403), f"{name}: no session, and {answer.status}")
                report.expect(page.locator("h1").count() == 1, f"{name}: the page says what to do")


def answer_of_provider(portal, page):
    """The address to which the provider sends a browser that has signed in there."""
    page.goto(portal.url + "/login")
    page.fill("#user", OFFICER)
    page.fill("#password", PASSWORD)
    page.click("button")
    page.fill("#code", portal.one_time_code(OFFICER))
    action, fields = page.evaluate("(() => { const f = document.forms[0]; return [f.action, Object.fromEntries(new FormData(f))] })()")
    answer = page.context.request.post(
        action, form=fields, max_redirects=0, headers={"origin": portal.provider, "sec-fetch-site": "same-origin"})
    return answer.headers["location"]
