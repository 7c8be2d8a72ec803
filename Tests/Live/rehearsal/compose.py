"""Judges docker-compose.yml, from the checkout's folder, without starting it: who shares a network, who may do what, who gets which secret.

It reads the file, and after lines of `---` files that are added to it with `-f`.

Or it prints what the rehearsal derives from the file, instead of a list of its own; ArchitectureTests hold the file against the catalogue:

  --images    the targets of the Dockerfile, one a line
  --services  the containers that run a program of the suite and stay, callees before their callers
  --networks  the networks, a line each, with `--internal` if nothing outside can be reached
  --arrows    who calls whom: "caller callee". The addresses that a container is given say whom it calls.
  --calls     the TLS listeners that a service of the suite calls: "callee port caller"
  --open      the ports that a container listens on for others: "service port"
  --closed    the ports that it opens on its loopback address only: "service port"
"""

import functools
import itertools
import pathlib
import re
import sys

import yaml

# The doors, by the ports of the machine that they have.
DOORS = {
    "metadata-proxy": ["8000"],
    "test-result-server": ["8020"],
    "edge": ["8040"],
    "health-portal": ["8070", "8072"],
    "federation": ["8090"],
    "data-donation": ["8111"],
    "development-identity": ["8080"],
}
# The names of the identity provider that tokens must bear. They look like addresses, but nobody connects to them.
NAMES = {"OFFICERS_ISSUER"}
# What more than one may see: the authority's certificate; the list of denied ones; passwords that `migrate` gives to the roles.
SHARED = {"ca.pem", "denied"}


# A public image, by a variable that may name a digest; or one that is built here.
IMAGE = re.compile(r"\$\{VIGIL_IMAGE_[A-Z]+:-[a-z/]+:[a-z0-9.-]+\}|vigil(-[a-z-]+)?")


def calls(services):
    """The TLS listeners whose address a container is given, as (callee, port, caller)."""
    for name, service in services.items():
        environment = service.get("environment", {})
        for key, value in environment.items():
            if url := re.fullmatch(r"https://([a-z-]+):([0-9]+)", str(value)):
                yield url[1], url[2], name
            elif key.endswith("_HOST") and value in services:
                yield value, str(environment[key.removesuffix("_HOST") + "_PORT"]), name


def ports(services):
    """Every port that a container listens on, as (service, port, whether others reach it)."""
    for name, service in services.items():
        environment = service.get("environment", {})
        listens = {key: str(port) for key, port in environment.items() if key.endswith("_PORT")}
        for key, port in listens.items():
            host = environment.get(key.removesuffix("_PORT") + "_HOST")
            if host not in services:
                yield name, port, host == "0.0.0.0" or key == "METRICS_PORT"
        for port in service.get("ports", []):
            if not listens:
                yield name, port.rsplit(":", 1)[-1], True
    yield "postgres", "5432", True


def mounted(service):
    """The text of the files of the checkout that a container sees."""
    files = (pathlib.Path(volume.split(":")[0]) for volume in service.get("volumes", []) if volume.startswith("./deploy/"))
    return [file.read_text() for file in files if file.is_file()]


def arrows(services):
    """Who calls whom: whose address a container has in its environment, command or configuration, and whom Prometheus scrapes."""
    for name, service in services.items():
        environment = service.get("environment", {})
        hosts = {str(value) for key, value in environment.items() if key.endswith("_HOST")}
        values = [value for key, value in environment.items() if key not in NAMES]
        text = " ".join(map(str, [*values, *service.get("command", []), *mounted(service)]))
        hosts |= set(re.findall(r"https?://([a-z-]+):", text)) | set(re.findall(r"\bhost=([a-z-]+)", text))
        yield from ((name, host) for host in hosts if host in services and host != name)
        if "METRICS_PORT" in environment:
            yield "prometheus", name


def objections(document):
    services, networks = document["services"], document["networks"]
    members = {name: {s for s, service in services.items() if name in service.get("networks", [])} for name in networks}

    neighbours = {
        pair: [name for name, who in members.items() if set(pair) <= who]
        for pair in itertools.combinations(sorted(services), 2)
    }
    calls = set(arrows(services))
    for pair, shared in neighbours.items():
        wanted = pair in calls or pair[::-1] in calls
        if wanted != bool(shared):
            yield f"{pair[0]} and {pair[1]} share {shared or 'no network'}."
        if "prometheus" in pair and len(shared) > 1:
            yield f"Prometheus would find {pair} in {shared}, and count it twice."
    for name, network in networks.items():
        network = network or {}
        masquerade = (network.get("driver_opts") or {}).get("com.docker.network.bridge.enable_ip_masquerade")
        if len(members[name]) == 1 and members[name] <= set(DOORS):
            if network.get("internal") or masquerade != "false":
                yield f"The door {name} has a way out."
        elif not network.get("internal"):
            yield f"The network {name} isn't internal."
    for name, service in services.items():
        ports = [port.rsplit(":", 1)[0].rsplit(":", 1)[-1] for port in service.get("ports", [])]
        if ports != DOORS.get(name, []):
            yield f"{name} opens {ports}."
        if not IMAGE.fullmatch(service["image"]):
            yield f"No digest can be set for the image of {name}."
        if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
            yield f"{name} may do too much."
        if not service.get("mem_limit"):
            yield f"{name} has no limit of memory."
        if str(service.get("memswap_limit")) != str(service.get("mem_limit")):
            yield f"{name} may be swapped: its memory would be written to a disk."
        if (service.get("ulimits") or {}).get("core") != 0:
            yield f"{name} may dump core: its memory would become a file."
        if "no-new-privileges:true" not in service.get("security_opt", []):
            yield f"{name} could get privileges."
        if (service.get("network_mode") == "host") != (name == "smoke"):
            yield f"{name} has the network of the machine, or should have it: only the smoke test calls from outside."
        if name != "secrets" and (service.get("user", "0").split(":")[0] == "0" or service.get("cap_add")):
            yield f"{name} has the rights of root."
        if name not in ("secrets", "migrate", "smoke") and not service.get("healthcheck"):
            yield f"{name} has no health check."
        for key in service.get("environment", {}):
            if key.endswith("PASSWORD") and service["environment"][key] != "not-used":
                yield f"{name} has a password in its environment."
    owners = {}
    for name, service in services.items():
        for secret in service.get("secrets", []):
            owners.setdefault(secret if isinstance(secret, str) else secret["source"], set()).add(name)
    for secret in document["secrets"]:
        who = owners.get(secret, set())
        if secret not in SHARED and len(who - ({"migrate"} if secret.startswith("pgpass-") else set())) != 1:
            if (secret, who) != ("pgpass-owner", {"migrate"}):
                yield f"The secret {secret} is seen by {sorted(who) or 'nobody'}."


def added(document, other):
    """A document with another one added to it, as Compose does it: maps are joined, lists put in a row."""
    if isinstance(document, dict) and isinstance(other, dict):
        return document | {key: added(document[key], value) if key in document else value for key, value in other.items()}
    return document + other if isinstance(document, list) else other


def main():
    document = functools.reduce(added, yaml.safe_load_all(sys.stdin))
    services = document["services"]
    derived = {
        "--images": lambda: ((service["build"]["target"],) for service in services.values() if "build" in service),
        "--services": lambda: (
            (name,) for name, service in services.items() if "build" in service and "healthcheck" in service
        ),
        "--networks": lambda: (
            (name, "--internal" if (network or {}).get("internal") else "") for name, network in document["networks"].items()
        ),
        "--arrows": lambda: arrows(services),
        "--calls": lambda: calls(services),
        "--open": lambda: ((name, port) for name, port, reachable in ports(services) if reachable),
        "--closed": lambda: ((name, port) for name, port, reachable in ports(services) if not reachable),
    }
    if sys.argv[1:]:
        for line in dict.fromkeys(derived[sys.argv[1]]()):
            print(*line)
        return
    found = list(objections(document))
    for objection in found:
        print(f"docker-compose.yml: OBJECTION: {objection}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
