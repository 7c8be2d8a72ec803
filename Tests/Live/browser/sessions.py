"""Sessions: never adopted, always ended."""

import time

from browser.portal import OFFICER


def session_cookie(context):
    return {cookie["name"]: cookie for cookie in context.cookies()}.get("__Host-session")


def run(portal, report):
    with portal.browser() as context:
        page = context.new_page()
        planted = "0" * 43
        context.add_cookies([{"name": "__Host-session", "value": planted, "url": portal.url, "secure": True}])
        portal.sign_in(page)
        cookie = session_cookie(context)
        report.expect(cookie["value"] != planted, "a planted id isn't adopted")
        report.expect(cookie["httpOnly"] and cookie["secure"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/",
                      "the cookie is HttpOnly, Secure, Lax, for the whole host")
        report.expect(cookie["expires"] == -1, "the browser keeps it until it is closed")
        report.expect(page.url == portal.url + "/codes", f"an officer begins at the codes, not {page.url}")
        first = cookie["value"]
        portal.sign_in(page)
        report.expect(session_cookie(context)["value"] != first, "the id changes when somebody signs in again")
        now = session_cookie(context)["value"]
        context.add_cookies([{"name": "__Host-session", "value": first, "url": portal.url, "secure": True}])
        page.goto(portal.url + "/codes")
        report.expect("/login" in page.content(), "the former id opens nothing")
        context.add_cookies([{"name": "__Host-session", "value": now, "url": portal.url, "secure": True}])

        ended = portal.end_sessions(OFFICER)
        started = time.monotonic()
        page.goto(portal.url + "/codes")
        report.expect(ended["notified"] >= 1, f"the provider tells the portal of the log-out: {ended}")
        report.expect("/login" in page.content() and time.monotonic() - started < 5, "a log-out by the provider ends the session")

    with portal.officer(language="en") as page:
        page.clock.install()
        page.goto(portal.url + "/codes")
        report.expect(page.is_hidden("#session"), "no warning at first")
        page.clock.run_for(28 * 60_000 + 30_000)
        report.expect(page.is_visible("#session"), "a warning shows two minutes before the session ends")
        portal.picture(page, "session-warning")
        page.focus("#session a")
        page.keyboard.press("Enter")
        page.wait_for_load_state()
        report.expect(page.is_hidden("#session"), "one key keeps the session")
        page.click("form[action='/logout'] button")
        page.wait_for_url(portal.url + "/**")
        report.expect("/login" in page.content(), "signing out leads back to the portal's start page")
        page.goto(portal.url + "/login")
        report.expect(page.locator("#password").count() == 1, "and the provider asks for the password again")
