"""Nothing leaves the browser: not while posters are made, and not if a script wanted to. A scanned code leaves the address bar."""

import re

from venue.links import venue_link
from venue.owner import PAGE

# Each way to send something that a script has; what the edge would hear begins with /told.
TELL = """async address => {
    const add = (name, values) => {
        const element = Object.assign(document.createElement(name), values);
        document.body.append(element);
        return element;
    };
    const tries = [
        () => fetch(address + '/told-fetch', { mode: 'no-cors' }), () => navigator.sendBeacon(address + '/told-beacon', 'x'),
        () => { new Image().src = address + '/told-image' }, () => new WebSocket(address.replace('https', 'wss') + '/told-socket'),
        () => new EventSource(address + '/told-events'), () => new Worker(URL.createObjectURL(new Blob(['']))),
        () => add('iframe', { src: address + '/told-frame' }),
        () => add('link', { rel: 'stylesheet', href: address + '/told-style' }),
        () => add('link', { rel: 'prefetch', href: address + '/told-prefetch' }),
        () => add('form', { action: address + '/told-form' }).submit(),
        () => add('script', { src: address + '/told-script' }), () => add('script', { textContent: 'window.injected = 1' }),
        () => { document.body.innerHTML = '<p>' },
    ];
    let refused = 0;
    for (const each of tries) { try { await each() } catch { refused += 1 } }
    await new Promise(done => setTimeout(done, 500));
    return [refused, window.injected === undefined];
}"""


def run(venue, report):
    host = venue.url.removesuffix("/venue")
    before = len(venue.heard(after=0))

    # Served, with all that an owner does, and then without a network.
    venue.requests.clear()
    with venue.page(venue.url) as page:
        report.expect(not page.is_visible("#host"), "where the page is served, its host needn't be entered")
        links = venue.make(page, count=3)
        own = [venue_link(link, host.removeprefix("https://")) for link in links]
        report.expect(len(own) == 3 and {name for _, name in own} == {"Café Sonnenschein"}, f"three posters of this host: {links}")
        page.context.set_offline(True)
        own += [venue_link(link, host.removeprefix("https://")) for link in venue.make(page, count=31)]
        page.click("#print-posters")
        page.click("#print-notes")
        report.expect(len(own) == 34 and len({seed for seed, _ in own}) == 34, "each poster of each run has a seed of its own")
        stored = page.evaluate("[localStorage.length, sessionStorage.length, document.cookie, location.href]")
        report.expect(stored[:3] == [0, 0, ""] and stored[3] == venue.url, f"nothing is stored: {stored}")
    report.expect(venue.requests == [venue.url], f"the page asks for nothing but itself: {venue.requests[:5]}")
    report.expect(len(venue.heard()) == before + 1, f"the edge hears of one request: {venue.heard()[before:]}")

    # From a file, without a network.
    venue.requests.clear()
    with venue.page(PAGE.as_uri()) as page:
        page.context.set_offline(True)
        page.fill("#name", "Café")
        page.click("#form button")
        report.expect(page.is_visible("#host-error") and page.locator("#notes code").count() == 0, "from a file, the host has to be entered")
        own = [venue_link(link) for link in venue.make(page, count=2)]
        report.expect(len(own) == 2 and own[0][0] != own[1][0], "a file makes posters without a network")
    report.expect(venue.requests == [PAGE.as_uri()], f"the file asks for nothing: {venue.requests[:5]}")

    # What a hostile script would try.
    for address in (venue.url, PAGE.as_uri()):
        with venue.page(address, watched=False) as page:
            forbidden = []
            page.on("console", lambda message: forbidden.extend(re.findall("^POLICY ([a-z-]+)", message.text)))
            heard = len(venue.heard(after=0))
            refused, harmless = page.evaluate(TELL, host)
            # Workers and scripts fail as untrusted types.
            kinds = {"connect-src", "img-src", "frame-src", "style-src-elem", "form-action", "require-trusted-types-for"}
            # A busy browser reports some of them late.
            for _ in range(200):
                if kinds <= set(forbidden):
                    break
                page.wait_for_timeout(50)
            report.expect(kinds <= set(forbidden) and harmless, f"the policy forbids each way out: {kinds - set(forbidden)}")
            report.expect(len(venue.heard()) == heard, f"nothing of it reaches the edge: {venue.heard()[heard:]}")
    control = venue.scratch / "open.html"
    control.write_text("<!doctype html><title>x</title><body>")
    with venue.page(control.as_uri(), watched=False) as page:
        heard = len(venue.heard(after=0))
        page.evaluate(TELL.replace(".submit()", "").replace("document.body.innerHTML = '<p>'", ""), host)
        told = {line.split()[1] for line in venue.heard()[heard:]}
        ways = {"/told-fetch", "/told-beacon", "/told-image", "/told-frame", "/told-style"}
        report.expect(ways <= told, f"control: without a policy the edge is told: {ways - told}")

    # A phone without the app.
    heard = len(venue.heard(after=0))
    with venue.page(venue.url + "#v1.AUNhbmFyeUNhbmFyeQ", language="en", viewport={"width": 390, "height": 800}) as page:
        report.expect(page.is_visible("#scanned") and not page.is_visible("#owner"), "a scanned code shows an explanation, and no form")
        report.expect(page.url == venue.url + "#v1." and "Canary" not in page.content(), f"the code leaves the address bar: {page.url}")
        page.reload()
        report.expect(page.is_visible("#scanned"), "it stays so after a reload")
        venue.picture(page, "scanned-en")
        page.click("#scanned a")
        # The page hears of its new address in an event of its own.
        page.locator("#owner").wait_for()
        report.expect(page.is_visible("#owner") and not page.is_visible("#scanned"), "an owner gets to the form from there")
        page.go_back()
        report.expect(page.is_visible("#scanned") and "AUNh" not in page.url, "the code isn't in the window's history")
    report.expect(venue.heard()[heard:] == ["GET /venue HTTP/2.0"] * 2, f"what stands after # reaches no server: {venue.heard()[heard:]}")
