"""A node's network: pods with an address each, Services, a name server, and what network policies allow.

Everything is in the network namespace of the caller, which stands for the node. A pod has a namespace of its own, and a
cable to the node, which forwards.
"""

import functools
import json
import pathlib
import random
import subprocess
import sys

from policies import Endpoint, allows

HERE = pathlib.Path(__file__).resolve().parent
GATEWAY, NAME_SERVER = "10.78.0.1", "10.78.2.10"
# Ports that are usual, besides those that somebody opens; 12345 is nobody's.
USUAL = {22, 53, 443, 2197, 5432, 6443, 8000, 9187, 12345}


def run(*command, text=None, check=True):
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


class Network:
    """The node's network, and who is in it."""

    def __init__(self, manifests, folder):
        self._manifests = manifests
        self._folder = folder
        self._numbers = iter(range(2, 250))
        self.endpoints = {}
        self.ready = set()
        # Whether the policies hold; without them everybody reaches everybody.
        self.enforces = True
        self._services = {}
        for number, one in enumerate(manifests.of("Service")):
            self.add_service(one["metadata"]["name"], one["spec"], number + 20)
        # CloudNativePG's operator makes this one.
        primary = {"selector": {"cnpg.io/cluster": "postgres"}, "ports": [{"name": "postgres", "port": 5432}]}
        self.add_service("postgres-rw", primary, 11)
        run("ip", "link", "set", "lo", "up")
        run("ip", "address", "add", f"{GATEWAY}/32", "dev", "lo")
        run("ip", "route", "add", "unreachable", "10.78.2.0/24")
        pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")

    def add_service(self, name, spec, number):
        address = None if spec.get("clusterIP") == "None" else f"10.78.2.{number}"
        self._services[name] = (address, spec)

    def service(self, name):
        """The address of a Service."""
        return self._services[name][0]

    def policies(self):
        return self._manifests.of("NetworkPolicy")

    # MARK: Who is there

    def add(self, name, namespace=None, labels=None, ports=(), addresses=None, process=None):
        """A pod, or with addresses of its own whoever is outside. Its namespace has its name; a process may have it already."""
        number = next(self._numbers)
        addresses = addresses or {name: f"10.78.1.{number}"}
        run("ip", "netns", *(("attach", name, str(process)) if process else ("add", name)))
        run("ip", "link", "add", f"pod{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"pod{number}", "up")
        run("ip", "-n", name, "link", "set", "lo", "up")
        run("ip", "-n", name, "link", "set", "eth0", "up")
        for address in addresses.values():
            run("ip", "-n", name, "address", "add", f"{address}/32", "dev", "eth0")
            run("ip", "route", "add", f"{address}/32", "dev", f"pod{number}")
        run("ip", "-n", name, "route", "add", GATEWAY, "dev", "eth0", "scope", "link")
        run("ip", "-n", name, "route", "add", "default", "via", GATEWAY)
        for one, address in addresses.items():
            self.endpoints[one] = Endpoint(one, address, namespace, tuple((labels or {}).items()), ports)

    def remove(self, name):
        del self.endpoints[name]
        self.ready.discard(name)
        run("ip", "netns", "delete", name)

    # MARK: What holds

    def apply(self):
        """Lets Services lead to the pods that are ready, and policies hold, from one moment to the next."""
        lines = ["flush ruleset", "table ip services {", "chain before { type nat hook prerouting priority dstnat;"]
        names = []
        for name, (address, spec) in self._services.items():
            chosen = [one for one in self.endpoints.values() if one.is_pod and self._selects(spec, one)]
            for one in spec.get("ports", []) if address else []:
                for protocol in ("tcp", "udp") if one["port"] == 53 else ("tcp",):
                    ends = [f"{pod.address} . {self._target(one, pod)}" for pod in chosen if pod.name in self.ready]
                    if ends:
                        mapping = ", ".join(f"{number} : {end}" for number, end in enumerate(ends))
                        lines.append(
                            f"ip daddr {address} {protocol} dport {one['port']} "
                            f"dnat ip to numgen random mod {len(ends)} map {{ {mapping} }}"
                        )
            for each in [address] if address else [pod.address for pod in chosen]:
                names.append(f"{each} {name} {name}.vigil.svc {name}.vigil.svc.cluster.local")
        lines += ["}", "}", "table ip policies {"]
        if self.enforces:
            allowed = ", ".join(" . ".join(map(str, one)) for one in sorted(self.allowed()))
            lines += [
                "set allowed { type ipv4_addr . ipv4_addr . inet_proto . inet_service;",
                f"elements = {{ {allowed} }} }}",
                "chain passing { type filter hook forward priority filter; policy drop; ct state established,related accept;",
                "ip saddr . ip daddr . meta l4proto . th dport @allowed accept; }",
            ]
        lines.append("}")
        run("nft", "-f", "-", text="\n".join(lines) + "\n")
        (self._folder / "names").write_text("\n".join(names) + "\n")

    @staticmethod
    def _selects(spec, endpoint):
        labels = dict(endpoint.labels)
        return all(labels.get(key) == value for key, value in (spec.get("selector") or {"": ""}).items())

    @staticmethod
    def _target(port, pod):
        target = port.get("targetPort", port["port"])
        return dict(pod.ports).get(target, target)

    def ports(self):
        return sorted(USUAL | {number for one in self.endpoints.values() for _, number in one.ports})

    def allowed(self):
        """What the policies allow, as (source, destination, protocol, port) with addresses."""
        return {
            (source.address, destination.address, protocol, port)
            for source in self.endpoints.values()
            for destination in self.endpoints.values()
            if source != destination
            for port in self.ports()
            for protocol in (("tcp", "udp") if port == 53 else ("tcp",))
            if self._may(source, destination, port, protocol.upper())
        }

    def _may(self, source, destination, port, protocol):
        return self._goes(source, "Egress", destination, port, protocol, destination) and self._goes(
            destination, "Ingress", source, port, protocol, destination
        )

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def _goes(self, pod, direction, peer, port, protocol, destination):
        if not pod.is_pod:
            return True
        return allows(self.policies(), pod, direction, peer, port, protocol, destination, NAMESPACES)

    # MARK: Trying

    def reached(self, name):
        """Which (address, port) somebody reaches, of all that there are."""
        here = self.endpoints[name]
        targets = [(one.address, port) for one in self.endpoints.values() if one != here for port in self.ports()]
        random.shuffle(targets)
        found = run(
            "ip", "netns", "exec", name, sys.executable, str(HERE / "reach.py"), here.address, text=json.dumps(targets)
        )
        return {tuple(one) for one in json.loads(found)}


# The labels of the namespaces, of which Kubernetes gives each its name.
NAMESPACES = {
    name: {"kubernetes.io/metadata.name": name}
    for name in ("vigil", "monitoring", "kube-system", "cnpg-system", "another")
}
