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
  --count     how many networks, published ports and images there are
"""

import functools
import ipaddress
import itertools
import pathlib
import re
import sys

import yaml

# A port that is published at an address and port of its own setting.
DOOR = re.compile(r"\$\{(VIGIL_[A-Z_]+):-\$\{VIGIL_ADDRESS:-127\.0\.0\.1\}:([0-9]+)\}:\2")
# The ports that are published otherwise: a simulator's for this machine only, and the one that an identity provider calls.
OTHER_DOORS = {"127.0.0.1:8080:8080": "development-identity", "${VIGIL_PROVIDER_ADDRESS:-127.0.0.1}:8071:8071": "health-portal"}
# Which containers may have published ports; DeploymentTests says which ports those are.
DOORS = {
    "metadata-proxy",
    "test-result-server",
    "edge",
    "health-portal",
    "federation",
    "data-donation",
    "development-identity",
    "verification-server",
}
MASQUERADE = "com.docker.network.bridge.enable_ip_masquerade"
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


def networks_of(service):
    return service.get("networks", [])


def present(services):
    """Without the simulators that the added files replace: either such a file says so, or nobody calls them any more."""
    called = {callee for _, callee in arrows(services)}
    return {
        name: service
        for name, service in services.items()
        if "never" not in service.get("profiles", []) and (not name.startswith("development-") or name in called)
    }


def network_objections(services, networks):
    members = {name: {s for s, service in services.items() if name in networks_of(service)} for name in networks}
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

    outer = {name: network or {} for name, network in networks.items() if not (network or {}).get("internal")}
    ways_out = {name for name, network in outer.items() if network.get("driver_opts", {}).get(MASQUERADE) != "false"}
    for name in outer:
        if len(members[name]) > 1:
            yield f"{sorted(members[name])} share the network {name}, which isn't internal."
    for name, service in services.items():
        # Docker's order, of which the first has the default route: moby, libnetwork/sandbox.go, Endpoint.Less.
        mine = sorted(set(networks_of(service)) & set(outer))
        doors, ways = set(mine) - ways_out, set(mine) & ways_out
        if bool(service.get("ports")) != bool(doors) or len(doors) > 1:
            yield f"{name} publishes {service.get('ports', [])}, in {sorted(doors) or 'no network'}."
        if len(ways) > 1:
            yield f"{name} has several ways out: {sorted(ways)}."
        if ways and mine[0] not in ways:
            yield f"{name} has no way out: its default route is {mine[0]}."
        # The smoke test calls from outside.
        if not networks_of(service) and service.get("network_mode") != ("host" if name == "smoke" else "none"):
            yield f"{name} is in the default network, or in that of the machine."


def subnet_objections(networks):
    subnets = {}
    for name, network in networks.items():
        configured = [(one or {}).get("subnet", "") for one in ((network or {}).get("ipam") or {}).get("config", [])]
        if (network or {}).get("enable_ipv6"):
            # Newer engines prefer a network with IPv6 for the default route, whatever its name.
            yield f"The network {name} has IPv6."
        if len(configured) != 1 or not (subnet := re.fullmatch(r"\$\{VIGIL_SUBNET:-([0-9.]+)\}(\.[0-9./]+)", configured[0])):
            yield f"The network {name} has no subnet below VIGIL_SUBNET."
            continue
        subnets[name] = ipaddress.ip_network(subnet[1] + subnet[2])
    for (one, its), (other, others) in itertools.combinations(subnets.items(), 2):
        if its.overlaps(others):
            yield f"The subnets of {one} and {other} overlap."


def objections(document):
    yield from network_objections(present(document["services"]), document["networks"])
    yield from subnet_objections(document["networks"])
    services = document["services"]
    settings = [found[1] for service in services.values() for port in service.get("ports", []) if (found := DOOR.fullmatch(port))]
    for setting in sorted(set(settings)):
        if settings.count(setting) > 1:
            yield f"{setting} is where two ports are published."
    for name, service in services.items():
        for port in service.get("ports", []):
            if name not in DOORS or (DOOR.fullmatch(port) is None and OTHER_DOORS.get(port) != name):
                yield f"{name} opens {port}."
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
        "--count": lambda: (
            (len(document["networks"]), "networks"),
            (sum(len(service.get("ports", [])) for service in services.values()), "published ports"),
            (len({service["image"] for service in services.values()}), "images"),
        ),
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
