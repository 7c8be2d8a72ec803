"""What the manifests of an overlay say."""

import dataclasses
import subprocess

import yaml

NAMESPACE = "vigil"


@dataclasses.dataclass(frozen=True)
class Workload:
    """A Deployment or StatefulSet."""

    name: str
    kind: str
    replicas: int
    labels: dict
    spec: dict
    # The volumes of a StatefulSet's pods: claims by their volumes' names.
    claims: tuple
    ready_seconds: int
    # Whether its old pods go before new ones come.
    is_recreated: bool

    @property
    def container(self):
        (only,) = self.spec["containers"]
        return only

    @property
    def stages(self):
        """Its containers in the order in which they start: each that prepares something ends before the next one starts."""
        return [*self.spec.get("initContainers", []), self.container]

    @property
    def ports(self):
        """Its open ports, as (name, number)."""
        return tuple((port["name"], port["containerPort"]) for port in self.container.get("ports", []))


class Manifests:
    """The objects of an overlay, as kubectl renders it."""

    def __init__(self, overlay):
        text = subprocess.run(
            ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", overlay],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        self._objects = [one for one in yaml.safe_load_all(text) if one]

    def of(self, kind):
        return [one for one in self._objects if one["kind"] == kind]

    def get(self, kind, name):
        (only,) = [one for one in self.of(kind) if one["metadata"]["name"] == name]
        return only

    def workloads(self):
        for kind in ("Deployment", "StatefulSet"):
            for one in self.of(kind):
                spec, template = one["spec"], one["spec"]["template"]
                claims = tuple(claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", []))
                yield Workload(
                    one["metadata"]["name"], kind, spec.get("replicas", 1), template["metadata"]["labels"],
                    template["spec"], claims, spec.get("minReadySeconds", 0),
                    spec.get("strategy", {}).get("type") == "Recreate",
                )  # fmt: skip
