"""Makes mistakes in docker-compose.yml and the files that may be added to it, from the checkout's folder. compose.py must object to each."""

import functools
import json
import pathlib
import sys

import compose
import yaml

FILES = [pathlib.Path("docker-compose.yml"), *sorted(pathlib.Path("deploy").glob("*.yml"))]


def door_before_way_out(document):
    portal = document["services"]["health-portal"]["networks"]
    portal[portal.index("ingress-officers")] = "doors"
    document["networks"]["doors"] = document["networks"].pop("ingress-officers")


def put(*path):
    """A mistake: the last of the path takes the place of what the others lead to."""

    def mistake(document):
        *keys, last, value = path
        functools.reduce(lambda place, key: place[key], keys, document)[last] = value

    return mistake


def subnet(text):
    return {"config": [{"subnet": text}]}


# What is wrong, and how the objection begins.
MISTAKES = {
    "the name of the door sorts before that of the way out": (door_before_way_out, "health-portal has no way out"),
    "two containers share a way out": (
        lambda document: document["services"]["push-dispatcher"]["networks"].append("egress-gateway"),
        "['federation', 'push-dispatcher'] share",
    ),
    "a container has two ways out": (
        lambda document: (
            document["networks"].update({"egress-more": {"ipam": subnet("${VIGIL_SUBNET:-10.213}.200.0/28")}}),
            document["services"]["federation"]["networks"].append("egress-more"),
        ),
        "federation has several ways out",
    ),
    "a door is masqueraded": (put("networks", "ingress-apps", "driver_opts", {}), "metadata-proxy publishes"),
    "a container publishes a port without a door": (
        lambda document: document["services"]["edge"]["networks"].remove("ingress-downloads"),
        "edge publishes",
    ),
    "an inner network isn't internal": (put("networks", "database-push", "internal", False), "['postgres', 'push-dispatcher'] share"),
    "an arrow has no network": (
        lambda document: document["services"]["postgres"]["networks"].remove("database-fold"),
        "fold and postgres share no network",
    ),
    "a network has another's subnet": (
        put("networks", "proxy-push", "ipam", subnet("${VIGIL_SUBNET:-10.213}.100.0/28")),
        "The subnets of proxy-push and egress-apple overlap",
    ),
    "a network's subnet lies within another's": (
        put("networks", "proxy-push", "ipam", subnet("${VIGIL_SUBNET:-10.213}.0.8/29")),
        "The subnets of ingress-apps and proxy-push overlap",
    ),
    "a network's subnet isn't below the setting": (
        put("networks", "proxy-push", "ipam", subnet("10.213.9.0/28")),
        "The network proxy-push has no subnet",
    ),
    "a network has no subnet": (put("networks", "egress-apple", None), "The network egress-apple has no subnet"),
    "a network has IPv6": (put("networks", "ingress-officers", "enable_ipv6", True), "The network ingress-officers has IPv6"),
    "a container is in no network": (
        lambda document: document["services"]["secrets"].pop("network_mode"),
        "secrets is in the default network",
    ),
    "a port is published at all addresses": (put("services", "edge", "ports", ["8040:8040"]), "edge opens 8040:8040"),
    "two ports have one setting": (
        put("services", "edge", "ports", ["${VIGIL_APPS:-${VIGIL_ADDRESS:-127.0.0.1}:8040}:8040"]),
        "VIGIL_APPS is where two ports",
    ),
}


def main():
    document = functools.reduce(compose.added, (yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES))
    unseen = []
    for name, (mistake, objection) in MISTAKES.items():
        # In JSON, what YAML's aliases share is written out for each.
        wrong = json.loads(json.dumps(document))
        mistake(wrong)
        if not any(found.startswith(objection) for found in compose.objections(wrong)):
            unseen.append(name)
    for name in unseen:
        print(f"compose.py: OBJECTION: it doesn't see that {name}.")
    sys.exit(1 if unseen else 0)


if __name__ == "__main__":
    main()
