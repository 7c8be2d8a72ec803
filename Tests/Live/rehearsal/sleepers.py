"""Makes of a whole configuration of Compose (JSON) one with the containers that can be reached from outside or reach it.

They have the same image and networks as there, and sleep. No container needs another, a port of the machine, a file or a volume.
"""

import json
import sys


def main():
    document = json.load(sys.stdin)
    networks = document["networks"]
    services = {}
    for name, service in document["services"].items():
        mine = service.get("networks") or {}
        if any(not networks[network].get("internal") for network in mine):
            services[name] = {
                "image": service["image"],
                "pull_policy": "never",
                "user": service["user"],
                "entrypoint": ["sleep", "600"],
                "command": [],
                # Nothing waits for it to end.
                "stop_signal": "SIGKILL",
                "networks": mine,
            }
    used = {network for service in services.values() for network in service["networks"]}
    # Each has the name that its project gives it.
    kept = {name: {key: value for key, value in networks[name].items() if key != "name"} for name in used}
    json.dump({"services": services, "networks": kept}, sys.stdout)


main()
