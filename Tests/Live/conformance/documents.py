"""Fetches the OpenAPI document of every listener of a suite that `vigil-dev up` runs.

python documents.py STATE FOLDER

STATE is the suite's state folder. Each document is checked and written to FOLDER. On standard output, one line for each
role that may call there: FILE URL ROLE.
"""

import json
import pathlib
import sys
import urllib.error
import urllib.request

from openapi_spec_validator import validate

from client.suite import Suite

state, folder = map(pathlib.Path, sys.argv[1:])
for service, settings in Suite(state, folder).configuration.items():
    ports = {name: value["port"] for name, value in settings.items() if isinstance(value, dict) and "port" in value}
    admin = ports.pop("admin", None)
    for listener, port in ports.items():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{admin}/openapi/{listener}.json", timeout=10) as answer:
                document = json.load(answer)
        except urllib.error.HTTPError as error:
            # A listener that forwards, or serves files, offers no operation of its own.
            if error.code == 404:
                continue
            raise
        validate(document)
        file = folder / f"{service}-{listener}.json"
        file.write_text(json.dumps(document))
        operations = [operation for path in document["paths"].values() for operation in path.values()]
        for role in sorted({role for operation in operations for role in operation["tags"]}):
            print(file, f"https://127.0.0.1:{port}", role)
