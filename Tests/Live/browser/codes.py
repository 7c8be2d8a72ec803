"""Codes: made once, shown to the officer only, gone afterwards."""

from browser.portal import ANALYST, EVENT_OFFICER, contains_code, everywhere


def run(portal, report):
    made_and_redeemed(portal, report)
    once(portal, report)
    gone(portal, report)
    countdown(portal, report)


def made_and_redeemed(portal, report):
    with portal.officer(EVENT_OFFICER) as page:
        for kind in ("TEST", "EVENT"):
            code = portal.make(page, kind)
            report.expect(len(code) == 10, f"{kind}: the page shows ten characters, not {len(code)}")
            report.expect(portal.redeem(code) == 201, f"{kind}: a phone registers with the code")
            report.expect(portal.redeem(code) == 400, f"{kind}: only once")
            report.expect(not contains_code(everywhere(page), code), f"{kind}: the code is in no title, address or storage")
            focused = page.evaluate("document.activeElement.tagName")
            report.expect(focused == "H1", f"{kind}: the heading has the focus, not {focused}")
        before = portal.codes_made()
        code = portal.make(page, "TRAINING")
        report.expect(portal.codes_made() == before, "a practice code is stored nowhere")
        report.expect(portal.redeem(code) == 400, "no phone registers with a practice code")
    with portal.officer(ANALYST) as page:
        report.expect(page.goto(portal.url + "/codes").status == 403, "an analyst sees no form")
        before = portal.codes_made()
        status = page.evaluate("""async () => (await fetch('/codes', {method: 'POST',
            headers: {'content-type': 'application/x-www-form-urlencoded'}, body: 'kind=TEST&form=' + '0'.repeat(32)})).status""")
        report.expect(status == 403, f"an analyst's form is refused with 403, not {status}")
        report.expect(portal.codes_made() == before, "an analyst makes no code")


def once(portal, report):
    """One row in `tele_tan`, and the same code, whatever an officer does twice."""
    with portal.officer() as page:
        before = portal.codes_made()
        page.goto(portal.url + "/codes")
        page.dblclick("form:has(input[value=TEST]) button")
        page.wait_for_url("**/codes/current")
        first = portal.shown(page)
        report.expect(portal.codes_made() == before + 1, "a double click makes one code")

        page.reload()
        report.expect(portal.shown(page) == first, "the page shows the same code again")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        report.expect(portal.codes_made() == before + 1, "Enter after a code was made does nothing")

        page.goto(portal.url + "/codes")
        page.focus("form:has(input[value=TEST]) button")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.wait_for_url("**/codes/current")
        second = portal.shown(page)
        report.expect(portal.codes_made() == before + 2, "Enter twice makes one code")
        page.go_back()
        if page.url.endswith("/codes"):
            page.click("form:has(input[value=TEST]) button")
            page.wait_for_url("**/codes/current")
        third = portal.shown(page)
        report.expect(portal.codes_made() - before == (2 if third == second else 3),
                      "Back and another click show the code that was made, or make one new code")

        # The same form, sent from two tabs at the same time.
        before = portal.codes_made()
        page.goto(portal.url + "/codes")
        form = page.get_attribute("form:has(input[value=TEST]) input[name=form]", "value")
        page.evaluate("""async (form) => Promise.all([1, 2, 3, 4].map(() => fetch('/codes', {method: 'POST',
            headers: {'content-type': 'application/x-www-form-urlencoded'}, body: `kind=TEST&form=${form}`})))""", form)
        report.expect(portal.codes_made() == before + 1, "a form sent by four tabs makes one code")


def gone(portal, report):
    with portal.officer() as page:
        code = portal.make(page)
        other = page.context.new_page()
        page.click("form[action='/codes/current/hide'] button")
        page.wait_for_load_state()
        report.expect(portal.shown(page) == "", "“told” hides the code")
        page.go_back()
        report.expect(portal.shown(page) == "", "Back doesn't bring it back")
        other.goto(portal.url + "/codes/current")
        report.expect(portal.shown(other) == "", "another tab doesn't show it")
        other.click("form[action='/codes/current/show'] button")
        other.wait_for_load_state()
        report.expect(portal.shown(other) == code, "“misheard” shows the same code")
        for path in ("/codes", "/help", "/", "/privacy"):
            other.goto(portal.url + path)
            report.expect(not contains_code(other.content(), code), f"{path} doesn't contain the code")
        page.goto(portal.url + "/codes/current")
        page.click("form[action='/logout'] button")
        page.wait_for_load_state()
        page.go_back()
        report.expect(not contains_code(page.content(), code), "Back after signing out doesn't show the code")
        page.goto(portal.url + "/codes/current")
        report.expect(not contains_code(page.content(), code), "signed out, the page shows no code")
        logs = "".join(file.read_text(errors="replace") for file in (portal.suite.state / "logs").glob("*.log"))
        report.expect(not contains_code(logs, code) and "Ada Amt" not in logs, "no log has the code or the officer's name")


def countdown(portal, report):
    """The script counts by the monotonic clock, which moves here by hand."""
    with portal.officer(language="en") as page:
        page.clock.install()
        code = portal.make(page)
        report.expect("60 minutes left" in page.inner_text("main"), "a fresh code is valid for 60 minutes")
        page.clock.run_for(120_000)
        report.expect("58 minutes left" in page.inner_text("main"), "two minutes later 58 are left")
        report.expect(portal.shown(page) == code, "the code is still shown")
        page.clock.run_for(8 * 60_000 + 5_000)
        report.expect(portal.shown(page) == "", "after ten minutes the code leaves the page")
        report.expect(not contains_code(page.content(), code), "and nothing of the page has it")
    with portal.officer(java_script_enabled=False) as page:
        report.expect(len(portal.make(page)) == 10, "without scripts a code is made and shown")
