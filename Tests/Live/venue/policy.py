"""The content security policy of deploy/edge/venue.html: its scripts and styles by their digests.

It stands in the page, for a copy that is opened from a file, and in nginx.conf. As a program it writes both, or with `--check` tells
whether they are right.
"""

import base64
import hashlib
import pathlib
import re
import sys

EDGE = pathlib.Path(__file__).resolve().parents[3] / "deploy/edge"
META = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")([^"]*)(">)')
FIELD = re.compile(r"(add_header Content-Security-Policy \")([^\"]*)(; frame-ancestors 'none'\";)")


def policy(page):
    """Everything is forbidden but these scripts and styles, and the icon, which is part of the page."""
    def digests(name):
        contents = re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL)
        return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in contents)
    return (f"default-src 'none'; connect-src 'none'; script-src {digests('script')}; style-src {digests('style')}; img-src data:; "
            "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")


def main(*arguments):
    page, server = EDGE / "venue.html", EDGE / "nginx.conf"
    right = policy(page.read_text())
    stale = []
    for file, pattern in ((page, META), (server, FIELD)):
        text, count = pattern.subn(lambda found: found[1] + right + found[3], file.read_text())
        if count != 1:
            sys.exit(f"deploy/edge/{file.name} has changed: it states the policy {count} times.")
        if text != file.read_text():
            stale.append(f"deploy/edge/{file.name}")
            if "--check" not in arguments:
                file.write_text(text)
    if "--check" in arguments and stale:
        sys.exit(f"The policy in {' and '.join(stale)} doesn't fit the page: run bash Tests/Live/venue.sh policy.")
    print(f"Written: {', '.join(stale)}." if stale else "The policy fits the page.")


if __name__ == "__main__":
    main(*sys.argv[1:])
