"""What network policies add up to, by the rules of Kubernetes (https://kubernetes.io/docs/concepts/services-networking/network-policies/).

A pod is isolated in a direction once a policy of its namespace that has this direction selects it. Then it may do what any of these
policies allows. A connection needs the egress of its source and the ingress of its destination.
"""

import dataclasses
import ipaddress


@dataclasses.dataclass(frozen=True)
class Endpoint:
    """A pod, or an address outside the cluster (without a namespace)."""

    name: str
    address: str
    namespace: str | None = None
    labels: tuple = ()
    ports: tuple = ()

    @property
    def is_pod(self):
        return self.namespace is not None


def matches(selector, labels):
    """Whether a label selector selects something with these labels. An empty one selects everything."""
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for term in selector.get("matchExpressions") or []:
        value, operator, values = labels.get(term["key"]), term["operator"], term.get("values") or []
        holds = {
            "In": value in values,
            "NotIn": value not in values,
            "Exists": value is not None,
            "DoesNotExist": value is None,
        }[operator]
        if not holds:
            return False
    return True


def directions(spec):
    """The directions in which a policy isolates the pods that it selects."""
    return spec.get("policyTypes") or ["Ingress", *(["Egress"] if spec.get("egress") else [])]


def is_peer(peer, endpoint, namespace, namespaces):
    """Whether a peer of a rule means an endpoint. `namespaces` has the labels of each."""
    if "ipBlock" in peer:
        block, address = peer["ipBlock"], ipaddress.ip_address(endpoint.address)
        within = lambda cidr: address in ipaddress.ip_network(cidr)
        return within(block["cidr"]) and not any(within(cidr) for cidr in block.get("except") or [])
    if not endpoint.is_pod:
        return False
    if "namespaceSelector" in peer:
        if not matches(peer["namespaceSelector"] or {}, namespaces[endpoint.namespace]):
            return False
    elif endpoint.namespace != namespace:
        return False
    return matches(peer.get("podSelector") or {}, dict(endpoint.labels))


def is_port(port, number, protocol, destination):
    """Whether a port of a rule means a port of the destination."""
    if port.get("protocol", "TCP") != protocol:
        return False
    wanted = port.get("port")
    if wanted is None:
        return True
    if isinstance(wanted, str):
        return (wanted, number) in destination.ports
    return wanted <= number <= port.get("endPort", wanted)


def allows(policies, pod, direction, peer, number, protocol, destination, namespaces):
    """Whether a pod's own policies allow one direction of a connection."""
    isolated = False
    for policy in policies:
        spec, namespace = policy["spec"], policy["metadata"]["namespace"]
        if namespace != pod.namespace or direction not in directions(spec):
            continue
        if not matches(spec.get("podSelector") or {}, dict(pod.labels)):
            continue
        isolated = True
        key = "from" if direction == "Ingress" else "to"
        for rule in spec.get(direction.lower()) or []:
            peers, ports = rule.get(key), rule.get("ports")
            if peers and not any(is_peer(one, peer, namespace, namespaces) for one in peers):
                continue
            if ports and not any(is_port(one, number, protocol, destination) for one in ports):
                continue
            return True
    return not isolated

