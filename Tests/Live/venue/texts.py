"""Every text is there in both languages, and stands in the catalogue; the policy fits the page."""

import html.parser
import re

from venue import policy
from venue.owner import PAGE

# What is the same in each language, or stands for pages without scripts.
OUTSIDE = {"script", "style", "title", "noscript"}


class Texts(html.parser.HTMLParser):
    """Texts of the page that aren't from the catalogue, and the names that elements take from it."""

    def __init__(self, page):
        super().__init__()
        self.inside, self.texts, self.names = [], [], set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.names.update(values[name] for name in ("data-words", "data-label") if name in values)
        if tag in OUTSIDE or (tag == "button" and "lang" in values):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if data.strip() and not self.inside:
            self.texts.append(data.strip())


def faults(page, words):
    """What is missing or too much in a page with a catalogue."""
    found = []
    texts = Texts(page)
    german, english = words["de"], words["en"]
    found += [f"only in one language: {name}" for name in german.keys() ^ english.keys()]
    for name in german.keys() & english.keys():
        places = [set(re.findall(r"\{(\w+)\}", language[name])) for language in (german, english)]
        if places[0] != places[1]:
            found.append(f"other places in {name}")
        if not german[name].strip() or not english[name].strip():
            found.append(f"empty: {name}")
    found += [f"not in the catalogue: {text}" for text in texts.texts]
    found += [f"no text: {name}" for name in texts.names - german.keys()]
    # Names in scripts are literals, but for the kinds of venues.
    scripts = "".join(re.findall("<script>(.*?)</script>", page, re.DOTALL)).replace(page_catalogue(page), "")
    used = texts.names | set(re.findall(r'"(\w+)"', scripts)) | {f"kind{number}" for number in range(1, 13)}
    found += [f"unused: {name}" for name in german.keys() - used]
    found += [f"no text: {name}" for name in re.findall(r'\bword\("(\w+)"', scripts) if name not in german]
    return found


def page_catalogue(page):
    return re.search(r"const WORDS = \{.*?\n\};\n", page, re.DOTALL)[0]


def run(venue, report):
    text = PAGE.read_text()
    with venue.page(PAGE.as_uri()) as page:
        words = page.evaluate("WORDS")
    found = faults(text, words)
    report.expect(not found, f"every text is there: {found[:5]}")
    one_less = {"de": words["de"], "en": {name: value for name, value in words["en"].items() if name != "title"}}
    report.expect(faults(text, one_less) == ["only in one language: title"], "control: a missing text is found")
    report.expect(faults(text.replace("<main>", "<main><p>Hallo</p>"), words), "control: a text outside the catalogue is found")

    right = policy.policy(text)
    report.expect(policy.META.search(text)[2] == right, "the page states the policy that fits it")
    other = policy.policy(text.replace("randomBytes(count) {", "randomBytes(count) { "))
    report.expect(other != right, "control: other scripts, other policy")
