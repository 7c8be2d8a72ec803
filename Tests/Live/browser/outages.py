"""What officers see while something is away."""

import contextlib
import os
import signal

from browser.portal import OFFICER


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
