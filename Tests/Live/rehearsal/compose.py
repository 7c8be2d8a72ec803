"""Judges docker-compose.yml without starting it: who shares a network, who may do what, who gets which secret.

With --arrows it prints who calls whom instead, one "caller callee" a line. The addresses that a container is given say whom it calls;
ArchitectureTests hold them against the catalogue.
"""

import itertools
import re
import sys

import yaml

# The doors, by the port of the machine that they have.
DOORS = {"metadata-proxy": "8000", "verification-server": "8011", "test-result-server": "8020", "edge": "8040"}
# Who may have a container's address translated, and so reach the world: the identity provider's keys are there.
WAYS_OUT = {"portal"}
# What more than one may see: the authority's certificate; the list of denied ones; passwords that `migrate` gives to the roles.
SHARED = {"ca.pem", "denied"}


# A public image, by a variable that may name a digest; or one that is built here.
IMAGE = re.compile(r"\$\{VIGIL_IMAGE_[A-Z]+:-[a-z/]+:[a-z0-9.-]+\}|vigil(-[a-z-]+)?")


def arrows(services):
    """Who calls whom: whose address a container has in its environment or command, and whom Prometheus scrapes."""
    for name, service in services.items():
        environment = service.get("environment", {})
        hosts = {str(value) for key, value in environment.items() if key.endswith("_HOST")}
        text = " ".join(map(str, [*environment.values(), *service.get("command", [])]))
        hosts |= set(re.findall(r"https?://([a-z-]+):", text)) | set(re.findall(r"\bhost=([a-z-]+)", text))
        yield from ((name, host) for host in hosts if host in services and host != name)
        if "METRICS_PORT" in environment:
            yield "prometheus", name


def objections(document):
    services, networks = document["services"], document["networks"]
    members = {name: {s for s, service in services.items() if name in service["networks"]} for name in networks}

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
            if network.get("internal") or (masquerade != "false") != (name in WAYS_OUT):
                yield f"The door {name} has another way out than it should."
        elif not network.get("internal"):
            yield f"The network {name} isn't internal."
    for name, service in services.items():
        ports = [port.rsplit(":", 1)[0].rsplit(":", 1)[-1] for port in service.get("ports", [])]
        if ports != ([DOORS[name]] if name in DOORS else []):
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
        if name != "secrets" and (service.get("user", "0").split(":")[0] == "0" or service.get("cap_add")):
            yield f"{name} has the rights of root."
        if name not in ("secrets", "migrate") and not service.get("healthcheck"):
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


def main():
    document = yaml.safe_load(sys.stdin)
    if sys.argv[1:] == ["--arrows"]:
        for caller, callee in sorted(set(arrows(document["services"]))):
            print(caller, callee)
        return
    found = list(objections(document))
    for objection in found:
        print(f"docker-compose.yml: OBJECTION: {objection}")
    sys.exit(1 if found else 0)


main()
