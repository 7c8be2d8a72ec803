"""Judges the manifests in deploy/kubernetes without a cluster.

    python3 Tests/Kubernetes/check.py            renders each overlay with kubectl, and says what is wrong with it
    python3 Tests/Kubernetes/check.py --control  says which of many mistakes the judgement wouldn't notice

Ends with 1 if it has anything to say. What is judged: fields and types, by Kubernetes' own schemas for two versions and by fields.json
for what operators add, of each overlay and of each component; that a server stores what is written; what a pod may do; that whatever a
manifest names is there; and which connections the network policies allow: each arrow of docker-compose.yml, and no other.
"""

import contextlib
import copy
import fractions
import itertools
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import kubernetes_validate
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Kubernetes"))
import definitions  # noqa: E402
import policies  # noqa: E402
import render  # noqa: E402

OVERLAYS = ["small", "country"]
VERSIONS = ["1.34", "1.37"]
NAMESPACE = "vigil"
NAMESPACES = {
    name: {"kubernetes.io/metadata.name": name} for name in [NAMESPACE, "monitoring", "kube-system", "cnpg-system", "another"]
}
# What an operator makes by hand, as deploy/kubernetes/README.md says.
OPERATORS = {"backups", "metadata-proxy-public", "health-portal-public", "download-server-public"}


def rendered(overlay):
    """Every object of an overlay."""
    command = ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", str(ROOT / "deploy/kubernetes" / overlay)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"kubectl can't render {overlay}: {done.stderr.strip()}")
    return list(yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


# Copies of an overlay as operators make them, with these components. The settings are country's, which lists those of every component.
COPIES = [("small", (name,)) for name in [*render.COMPONENTS, "bucket"]] + [
    ("small", tuple(render.COMPONENTS)),
    ("country", ("bucket", "federation", "data-donation", "further")),
]


@contextlib.contextmanager
def copied(overlay, components):
    """A copy of an overlay with components, as a folder."""
    with tempfile.TemporaryDirectory(prefix="vigil-overlay.") as folder:
        folder = pathlib.Path(folder).resolve()
        origin = ROOT / "deploy/kubernetes"
        upwards = os.path.relpath(origin, folder)
        for file in (origin / overlay).iterdir():
            text = file.read_text()
            if file.name == "kustomization.yaml":
                names = ", ".join(f"../{name}" for name in components)
                text, count = re.subn(r"^components: .*$", f"components: [{names}]", text, flags=re.MULTILINE)
                if count != 1:
                    raise SystemExit(f"{file} has no line that begins with components.")
                text = text.replace("../", f"{upwards}/")
            (folder / file.name).write_text(text)
        (folder / "settings.env").write_text((origin / "country/settings.env").read_text())
        yield folder


class Manifests:
    """The objects of an overlay, by kind and name."""

    def __init__(self, objects):
        self.objects = objects

    def of(self, *kinds):
        return [item for item in self.objects if item["kind"] in kinds]

    def names(self, kind):
        return {item["metadata"]["name"] for item in self.of(kind)}

    def pods(self):
        """Each kind of pod, as (name, labels, specification)."""
        for item in self.of("Deployment", "StatefulSet"):
            template = item["spec"]["template"]
            yield item["metadata"]["name"], template["metadata"]["labels"], template["spec"]


# MARK: Fields


def fields(manifests):
    for item in manifests.objects:
        name = f"{item['kind']} {item['metadata']['name']}"
        kind = f"{item['apiVersion']}/{item['kind']}"
        if definitions.is_known(kind):
            yield from (f"{name}: {flaw}." for flaw in definitions.flaws(kind, item["spec"]))
            continue
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(item, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                yield f"{name} is no {kind} of Kubernetes {version}: {error.message}"
            except kubernetes_validate.SchemaNotFoundError:
                yield f"{name}: Kubernetes {version} has no {kind}, and fields.json doesn't list its fields."


def unstored(manifests):
    """What an API server stores otherwise than it is written, so that each apply changes the object again, or `kubectl diff` shows it."""
    for item in manifests.objects:
        name = f"{item['kind']} {item['metadata']['name']}"
        content = {key: value for key, value in item.items() if key not in ("data", "metadata")}
        # A resource of an operator is stored as it is written, with the defaults of its definition.
        if not definitions.is_known(f"{item['apiVersion']}/{item['kind']}"):
            yield from (f"{name}: {flaw}." for flaw in rewritten(content, ""))
        for flaw in defaults(item):
            yield f"{name} leaves {flaw} to the server, within a list that is compared as a whole."


# What a server writes of quantities: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
QUANTITIES = {"cpu", "memory", "storage"}
# Objects without fields that say something by being there: they choose everything, or are a kind of volume.
SAYING = {"podSelector", "namespaceSelector", "emptyDir"}


def rewritten(value, path):
    if isinstance(value, dict):
        for key, element in value.items():
            place = f"{path}.{key}".lstrip(".")
            if element is None or element == "" or element == [] or element == {} and key not in SAYING:
                yield f"{place} is empty, so the server leaves it out"
            elif key in QUANTITIES and path.endswith(("requests", "limits")):
                if str(element) != canonical(str(element)):
                    yield f"{place} is {element}, which the server writes as {canonical(str(element))}"
            else:
                yield from rewritten(element, place)
    elif isinstance(value, list):
        for number, element in enumerate(value):
            yield from rewritten(element, f"{path}.{number}")


def canonical(text):
    """A quantity with the greatest suffix that leaves a whole number."""
    number, suffix = re.fullmatch(r"([0-9.]+)(m|[kMGTP]i?)?", text).groups()
    base = 1024 if (suffix or "").endswith("i") else 1000
    powers = ["", "k", "M", "G", "T", "P"]
    if suffix == "m":
        exact = fractions.Fraction(number) / 1000
    else:
        exact = fractions.Fraction(number) * base ** powers.index((suffix or "").rstrip("i"))
    if base == 1000 and exact.denominator != 1:
        return f"{math.ceil(exact * 1000)}m"
    for power in range(len(powers) - 1, 0, -1):
        if exact and (exact / base**power).denominator == 1:
            return f"{exact // base**power}{'Ki' if base == 1024 and power == 1 else powers[power] + ('i' if base == 1024 else '')}"
    return str(exact)


def defaults(item):
    """Defaults within lists that kubectl sends as a whole, because their definition names no key of an element."""
    if item["kind"] == "PodMonitor":
        for endpoint in item["spec"]["podMetricsEndpoints"]:
            for rule in endpoint.get("relabelings", []) + endpoint.get("metricRelabelings", []):
                if "action" not in rule:
                    yield "the action of a rule"
    for plugin in item["spec"].get("plugins", []) if item["kind"] == "Cluster" else []:
        if "enabled" not in plugin:
            yield "a plugin's enabled"


# MARK: Rights


def rights(manifests):
    """Pod Security Standards, "restricted" (https://kubernetes.io/docs/concepts/security/pod-security-standards/), and more."""
    for name, _, spec in manifests.pods():
        security = spec.get("securityContext", {})
        if not security.get("runAsNonRoot") or not security.get("runAsUser"):
            yield f"{name} may run as root."
        if security.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{name} has no seccomp profile."
        if spec.get("automountServiceAccountToken") is not False or spec.get("serviceAccountName") != name:
            yield f"{name} has a token, or no account of its own."
        if spec.get("enableServiceLinks") is not False:
            yield f"{name} is given variables named after services."
        if any(spec.get(key) for key in ("hostNetwork", "hostPID", "hostIPC")):
            yield f"{name} shares the node's namespaces."
        if any(set(volume) & {"hostPath"} for volume in spec.get("volumes", [])):
            yield f"{name} mounts a folder of the node."
        for container in spec["containers"] + spec.get("initContainers", []):
            own = container.get("securityContext", {})
            if own.get("allowPrivilegeEscalation") is not False or own.get("privileged"):
                yield f"{name} could get privileges."
            if own.get("capabilities") != {"drop": ["ALL"]} or not own.get("readOnlyRootFilesystem"):
                yield f"{name} may do too much."
            resources = container.get("resources", {})
            if not resources.get("limits", {}).get("memory") or set(resources.get("requests", {})) != {"cpu", "memory"}:
                yield f"{name} has no limit of memory, or no requests."
            if resources.get("limits", {}).get("cpu"):
                yield f"{name} has a limit of processor time, which makes it stall."


def lives(manifests):
    """Starts, ends and replacements without a failed request."""
    for name, _, spec in manifests.pods():
        # It serves nobody.
        if name == "migrate":
            continue
        container = spec["containers"][0]
        delay = next((int(entry["value"]) for entry in container["env"] if entry["name"] == "SHUTDOWN_DELAY"), 0)
        if delay < 10 or spec.get("terminationGracePeriodSeconds", 30) < delay + 50:
            yield f"{name} may be killed while it answers."
        ready = container.get("readinessProbe", {})
        if ready.get("exec", {}).get("command") != [container["command"][0], "ready"]:
            yield f"{name} isn't asked whether it is ready."
        if ready.get("periodSeconds", 10) * ready.get("failureThreshold", 3) <= 60:
            yield f"{name} leaves its Service while PostgreSQL fails over."
        if "startupProbe" not in container:
            yield f"{name} has no time to start."
    budgets = {tuple(item["spec"]["selector"]["matchLabels"].items()) for item in manifests.of("PodDisruptionBudget")}
    scaled = {item["spec"]["scaleTargetRef"]["name"] for item in manifests.of("HorizontalPodAutoscaler")}
    for item in manifests.of("Deployment"):
        name, spec = item["metadata"]["name"], item["spec"]
        if name == "migrate":
            if spec["strategy"] != {"type": "Recreate"}:
                yield "Two versions of migrate may run at once."
            continue
        if spec["strategy"].get("rollingUpdate", {}).get("maxUnavailable") != 0:
            yield f"{name} is away while it is replaced."
        if name in scaled and "replicas" in spec:
            yield f"{name} has a number of replicas, and an autoscaler."
        if spec.get("replicas", 1) > 1 or name in scaled:
            if tuple(spec["selector"]["matchLabels"].items()) not in budgets:
                yield f"{name} has no disruption budget."
            spread = spec["template"]["spec"].get("topologySpreadConstraints", [])
            if len(spread) != 2:
                yield f"{name} may be on one node."
            # Ignored is the default: a cordoned node would be the emptiest one, where nothing can go.
            if any(constraint.get("nodeTaintsPolicy") != "Honor" for constraint in spread):
                yield f"{name} can't be placed while a node is cordoned."
    for item in manifests.of("Job"):
        yield f"The Job {item['metadata']['name']} can't be changed while it exists, so an apply fails."


# MARK: Names


def names(manifests):
    """Whatever a manifest names is there."""
    made = {item["spec"]["secretName"] for item in manifests.of("Certificate")} | OPERATORS
    issuers, accounts, maps = manifests.names("Issuer"), manifests.names("ServiceAccount"), manifests.names("ConfigMap")
    keys = {item["metadata"]["name"]: set(item.get("data") or {}) for item in manifests.of("ConfigMap")}
    for item in manifests.of("Certificate"):
        if item["spec"]["issuerRef"]["name"] not in issuers:
            yield f"{item['metadata']['name']} has no issuer."
    for name, labels, spec in manifests.pods():
        if spec["serviceAccountName"] not in accounts:
            yield f"{name} has no account."
        containers = spec.get("initContainers", []) + spec["containers"]
        mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
        claims = set()
        for item in manifests.of("StatefulSet"):
            if item["metadata"]["name"] == name:
                claims = {claim["metadata"]["name"] for claim in item["spec"].get("volumeClaimTemplates", [])}
        if mounted != {volume["name"] for volume in spec.get("volumes", [])} | claims:
            yield f"{name} mounts {sorted(mounted)}, and has other volumes."
        sources, present = [], set()
        for volume in spec.get("volumes", []):
            claim = volume.get("persistentVolumeClaim")
            if claim and claim["claimName"] not in manifests.names("PersistentVolumeClaim"):
                yield f"{name}: nobody makes the volume {claim['claimName']}."
            sources += volume.get("projected", {}).get("sources", []) + [volume] * ("configMap" in volume)
            for source in volume.get("projected", {}).get("sources", []):
                for part in ("secret", "configMap"):
                    present |= {item["path"] for item in source.get(part, {}).get("items", [])}
        for source in sources:
            secret, configuration = source.get("secret"), source.get("configMap")
            # A service's own secrets have its name, and no other's.
            if secret and secret["name"] not in made and secret["name"] not in (name, f"{name}-callback", f"{name}-bucket"):
                yield f"{name}: nobody makes the Secret {secret['name']}."
            if secret and secret["name"] not in OPERATORS and re.sub("-(tls|database|callback|bucket)$", "", secret["name"]) != name:
                yield f"{name} has the Secret {secret['name']}, which isn't its own."
            if configuration and configuration["name"] not in maps:
                yield f"{name}: nobody makes the ConfigMap {configuration['name']}."
            elif configuration and not {item["key"] for item in configuration["items"]} <= keys[configuration["name"]]:
                yield f"{name}: the ConfigMap {configuration['name']} lacks a key."
        for container in containers:
            values = [str(entry.get("value", "")) for entry in container.get("env", [])] + container.get("command", [])
            for word in " ".join(values).replace("=", " ").replace(",", " ").split():
                if word.startswith("/run/secrets/") and word.removeprefix("/run/secrets/") not in present:
                    yield f"{name}: nothing is mounted at {word}."
            for entry in container.get("env", []):
                setting = entry.get("valueFrom", {}).get("configMapKeyRef")
                if setting and setting["key"] not in keys.get(setting["name"], ()):
                    yield f"{name}: no setting {setting['key']}."
            # Kubernetes fills in the container's own variables, and leaves any other as it is.
            own = {f"$({entry['name']})" for entry in container.get("env", [])}
            if any("${" in value or set(re.findall(r"\$\([^)]*\)?", value)) - own for value in values):
                yield f"{name} has a setting that nobody fills in."
        if labels.get("app.kubernetes.io/name") != name:
            yield f"{name} has another's label."
    pods = list(manifests.pods())
    for item in manifests.of("Service"):
        name, spec = item["metadata"]["name"], item["spec"]
        chosen = [pod for _, labels, pod in pods if policies.matches({"matchLabels": spec["selector"]}, labels)]
        if len(chosen) != 1:
            yield f"The Service {name} leads to {len(chosen)} kinds of pods."
        for port in spec.get("ports", []):
            for pod in chosen:
                known = {one["name"]: one["containerPort"] for one in pod["containers"][0].get("ports", [])}
                if known.get(port["targetPort"]) != port["port"]:
                    yield f"The Service {name} leads to no port {port['targetPort']}."
    for item in manifests.of("PodMonitor"):
        if item["metadata"]["name"] == "postgres":
            continue
        chosen = [pod for _, labels, pod in pods if policies.matches(item["spec"]["selector"], labels)]
        if not any(port["name"] == "metrics" for pod in chosen for port in pod["containers"][0].get("ports", [])):
            yield f"The PodMonitor {item['metadata']['name']} finds no port."
    for item in manifests.of("HorizontalPodAutoscaler"):
        if item["spec"]["scaleTargetRef"]["name"] not in manifests.names("Deployment"):
            yield f"{item['metadata']['name']} scales nothing."


def outside(manifests):
    """The certificate of a door has the name that the settings give it, and those within the cluster."""
    settings = next(item["data"] for item in manifests.of("ConfigMap") if item["metadata"]["name"].startswith("settings-"))
    certificates = {item["metadata"]["name"]: item["spec"].get("dnsNames", []) for item in manifests.of("Certificate")}
    for name, setting in render.NAMED.items():
        if certificates.get(f"{name}-tls", [name, settings.get(setting)]) != [name, settings.get(setting)]:
            yield f"The certificate of {name} hasn't the name of {setting}."


# MARK: Connections


def endpoints(manifests):
    """Each kind of pod, PostgreSQL, what watches and operates, and addresses outside."""
    result = []
    for number, (name, labels, spec) in enumerate(manifests.pods()):
        ports = tuple((one["name"], one["containerPort"]) for one in spec["containers"][0].get("ports", []))
        result.append(policies.Endpoint(name, f"10.1.0.{number + 1}", NAMESPACE, tuple(labels.items()), ports))
    others = [
        ("postgres", NAMESPACE, {"cnpg.io/cluster": "postgres"}),
        ("prometheus", "monitoring", {"app.kubernetes.io/name": "prometheus"}),
        ("grafana", "monitoring", {"app.kubernetes.io/name": "grafana"}),
        ("dns", "kube-system", {"k8s-app": "kube-dns"}),
        ("operator", "cnpg-system", {"app.kubernetes.io/name": "cloudnative-pg"}),
        ("stranger", "another", {"app.kubernetes.io/name": "metadata-proxy"}),
        ("intruder", NAMESPACE, {"app.kubernetes.io/name": "intruder"}),
    ]
    for number, (name, namespace, labels) in enumerate(others):
        result.append(policies.Endpoint(name, f"10.2.0.{number + 1}", namespace, tuple(labels.items())))
    outside = [("phone", "203.0.113.7"), ("apple", "17.188.143.1"), ("internet", "198.51.100.9"), ("node", "192.168.1.10")]
    return result + [policies.Endpoint(name, address) for name, address in outside]


# Which ports are tried: every one that somebody listens on, some that are usual, and one that nobody means.
USUAL = {22, 53, 443, 2197, 5432, 6443, 8000, 9187, 12345}


def wanted(manifests):
    """The connections that must be possible, as (source, destination, port, protocol)."""
    document = render.read()
    services = document["services"]
    present = {name for name, _, _ in manifests.pods()}
    result = set()
    for callee, port, caller in render.compose.calls(services):
        if {callee, caller} <= present:
            result.add((caller, callee, int(port), "TCP"))
    insiders = present | {"postgres", "prometheus", "grafana", "dns", "operator", "stranger", "intruder"}
    for name, service in services.items():
        if name not in present:
            continue
        one = render.Service(name, document, [], {})
        # Whoever is outside, and whoever in the cluster isn't held back by a policy of his own.
        for port in one.doors:
            result |= {(source, name, port, "TCP") for source in ["phone", "apple", "internet", "node"]}
            result |= {(source, name, port, "TCP") for source in insiders - present - {"postgres", "intruder"}}
        if "METRICS_PORT" in service["environment"]:
            result.add(("prometheus", name, int(service["environment"]["METRICS_PORT"]), "TCP"))
        if one.uses_database:
            result.add((name, "postgres", 5432, "TCP"))
        for network in service["networks"]:
            for port in render.WAYS_OUT.get(network, (None, []))[1]:
                result.add((name, "apple", port, "TCP"))
                if render.WAYS_OUT[network][0] is render.ANYWHERE:
                    result |= {(name, peer, port, "TCP") for peer in ("phone", "internet")}
    if "S3_BUCKET" in str([item for item in manifests.of("Deployment") if item["metadata"]["name"] == "distribution"]):
        result |= {("distribution", peer, 443, "TCP") for peer in ("phone", "apple", "internet")}
    result.add(("migrate", "postgres", 5432, "TCP"))
    # Whoever calls by name asks for its address.
    callers = {source for source, _, _, _ in result if source in present}
    result |= {(source, "dns", 53, protocol) for source in callers | {"postgres"} for protocol in ("TCP", "UDP")}
    # PostgreSQL's servers, their operator and Prometheus.
    result |= {(source, "postgres", port, "TCP") for source in ("postgres", "operator") for port in (5432, 8000)}
    result.add(("prometheus", "postgres", 9187, "TCP"))
    return result


def connections(manifests):
    """Each arrow is possible, and no other: neither end relies on the other to be closed, but for a door, which is open to all."""
    everybody = endpoints(manifests)
    expected = wanted(manifests)
    doors = {(destination, port) for source, destination, port, _ in expected if source == "phone"}
    ports = USUAL | {number for one in everybody for _, number in one.ports} | {port for _, _, port, _ in expected}
    rules = manifests.of("NetworkPolicy")
    for source in everybody:
        for destination in everybody:
            # A pod reaches itself. What others do among themselves isn't ours.
            ours = NAMESPACE in (source.namespace, destination.namespace)
            if not ours or source is destination and source.name != "postgres":
                continue
            for port, protocol in itertools.product(sorted(ports), ("TCP", "UDP")):
                name = f"{source.name} to {destination.name} on {protocol} {port}"
                is_wanted = (source.name, destination.name, port, protocol) in expected
                way = lambda direction, pod, peer: policies.allows(rules, pod, direction, peer, port, protocol, destination, NAMESPACES)
                # The API server and the store of backups can be at any address.
                is_anywhere = source.name == "postgres" and protocol == "TCP" and port in (443, 6443)
                if source.namespace == NAMESPACE and way("Egress", source, destination) != (is_wanted or is_anywhere):
                    yield f"The way out from {name} is {'closed' if is_wanted or is_anywhere else 'open'}."
                is_door = protocol == "TCP" and (destination.name, port) in doors
                if destination.namespace == NAMESPACE and way("Ingress", destination, source) != (is_wanted or is_door):
                    yield f"The way in from {name} is {'closed' if is_wanted or is_door else 'open'}."


def objections(objects):
    manifests = Manifests(objects)
    for part in (fields, unstored, rights, lives, names, outside, connections):
        yield from part(manifests)


# MARK: Control


def mistakes():
    """Mistakes, each of which must be noticed: what it is, and what makes it of an overlay's objects."""

    def each(kind, name, change):
        def make(objects):
            for item in objects:
                if item["kind"] == kind and item["metadata"]["name"] == name:
                    change(item)
                    return
            raise KeyError(f"{kind} {name}")

        return make

    def without(kind, name):
        return lambda objects: objects.remove(next(one for one in objects if (one["kind"], one["metadata"]["name"]) == (kind, name)))

    pod = lambda item: item["spec"]["template"]["spec"]
    container = lambda item: pod(item)["containers"][0]
    submission = lambda change: each("Deployment", "submission-server", change)
    policy = lambda name, change: each("NetworkPolicy", name, lambda item: change(item["spec"]))
    yield "a misspelt field", submission(lambda item: container(item).update(imagePulPolicy="Always"))
    yield "a wrong type", submission(lambda item: item["spec"].update(replicas="2"))
    yield "an unknown field of a certificate", each("Certificate", "fold-tls", lambda item: item["spec"].update(dnsName="fold"))
    yield "an unknown field of PostgreSQL", each("Cluster", "postgres", lambda item: item["spec"]["postgresql"].update(hba=[]))
    synchronous = lambda change: each("Cluster", "postgres", lambda item: change(item["spec"]["postgresql"]["synchronous"]))
    yield "a field that a later CloudNativePG has", synchronous(lambda part: part.update(podFailureDomainKeys=["zone"]))
    yield "a word that CloudNativePG doesn't know", synchronous(lambda part: part.update(dataDurability="require"))
    yield "a text for a number", synchronous(lambda part: part.update(number="1"))
    yield "a required field that is missing", synchronous(lambda part: part.pop("method"))
    yield "a part whose fields aren't listed", each("Cluster", "postgres", lambda item: item["spec"].update(backup={"x": 1}))
    yield "a quantity that the server writes otherwise", submission(
        lambda item: container(item)["resources"]["limits"].update(memory="1024Mi")
    )
    yield "an empty list", each("NetworkPolicy", "submission-server", lambda item: item["spec"].update(ingress=[]))
    yield "an empty value", submission(lambda item: container(item)["env"].append({"name": "X", "value": ""}))
    yield "a rule without its action", each("PodMonitor", "submission-server", lambda item: item["spec"]["podMetricsEndpoints"][0][
        "relabelings"
    ].append({"targetLabel": "x"}))
    yield "a cordoned node counts", submission(lambda item: pod(item)["topologySpreadConstraints"][0].pop("nodeTaintsPolicy"))
    yield "a Job", lambda objects: objects.append({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "x", "image": "x"}]}}},
    })
    yield "two migrations at once", each("Deployment", "migrate", lambda item: item["spec"].update(strategy={"type": "RollingUpdate"}))
    yield "root", submission(lambda item: pod(item)["securityContext"].update(runAsNonRoot=False))
    yield "a writable root", submission(lambda item: container(item)["securityContext"].update(readOnlyRootFilesystem=False))
    yield "a capability", submission(lambda item: container(item)["securityContext"].update(capabilities={"add": ["SYS_PTRACE"]}))
    yield "a token", submission(lambda item: pod(item).update(automountServiceAccountToken=True))
    yield "no seccomp profile", submission(lambda item: pod(item)["securityContext"].pop("seccompProfile"))
    yield "the node's network", submission(lambda item: pod(item).update(hostNetwork=True))
    yield "a limit of processor time", submission(lambda item: container(item)["resources"]["limits"].update(cpu="1"))
    yield "no limit of memory", submission(lambda item: container(item)["resources"].pop("limits"))
    yield "a short grace", submission(lambda item: pod(item).update(terminationGracePeriodSeconds=30))
    yield "an impatient probe", submission(lambda item: container(item)["readinessProbe"].update(failureThreshold=3))
    yield "an update with a gap", submission(lambda item: item["spec"]["strategy"]["rollingUpdate"].update(maxUnavailable=1))
    yield "no disruption budget", without("PodDisruptionBudget", "submission-server")
    yield "no account", without("ServiceAccount", "submission-server")
    yield "another's secret", submission(
        lambda item: pod(item)["volumes"][0]["projected"]["sources"].append({"secret": {"name": "verification-server"}})
    )
    yield "a certificate that nobody makes", without("Certificate", "submission-server-database")
    yield "a name that callers don't type", each(
        "Certificate", "test-result-server-tls", lambda item: item["spec"]["dnsNames"].pop()
    )
    yield "a missing file", submission(lambda item: pod(item)["volumes"][0]["projected"]["sources"].pop())
    yield "a word on a command line that nothing stands for", submission(lambda item: container(item)["command"].append("$(VIGIL_ORIGIN)"))
    yield "a missing setting", each("Deployment", "push-dispatcher", lambda item: container(item)["env"].append(
        {"name": "X", "valueFrom": {"configMapKeyRef": {"name": next(
            entry["valueFrom"]["configMapKeyRef"]["name"] for entry in container(item)["env"] if "valueFrom" in entry
        ), "key": "VIGIL_NONE"}}}
    ))
    yield "a Service that leads nowhere", each("Service", "submission-server", lambda item: item["spec"].update(selector={"x": "y"}))
    yield "a port that nobody has", each("Service", "submission-server", lambda item: item["spec"]["ports"][0].update(targetPort="x"))
    yield "no policy against everything", without("NetworkPolicy", "nothing")
    yield "no policy of a service", without("NetworkPolicy", "submission-server")
    yield "an open way in", policy("verification-server", lambda spec: spec.update(ingress=[{}]))
    yield "no way in", policy("verification-server", lambda spec: spec.update(ingress=[]))
    yield "an open way out", policy("submission-server", lambda spec: spec.update(egress=[{}]))
    yield "a way out to any pod", policy("submission-server", lambda spec: spec["egress"].append({"to": [{"podSelector": {}}]}))
    yield "a rule without its ports", policy("submission-server", lambda spec: spec["egress"][0].pop("ports"))
    yield "the wrong port", policy("submission-server", lambda spec: spec["ingress"][0]["ports"][0].update(port=8039))
    yield "only one direction", policy("fold", lambda spec: spec.update(policyTypes=["Ingress"]))
    yield "a namespace for a pod", policy("fold", lambda spec: spec["ingress"][0]["from"][0].pop("podSelector"))
    yield "two peers for one", policy("fold", lambda spec: spec["ingress"][0].update(
        {"from": [{key: value} for key, value in spec["ingress"][0]["from"][0].items()]}
    ))
    yield "the wrong protocol", policy("fold", lambda spec: spec["egress"][0]["ports"][0].update(protocol="UDP"))
    yield "no names", policy("fold", lambda spec: spec["egress"].pop())
    yield "a wide block", policy("push-dispatcher", lambda spec: next(
        rule for rule in spec["egress"] if "ipBlock" in rule["to"][0]
    )["to"][0]["ipBlock"].update(cidr="0.0.0.0/0"))
    yield "no exceptions", policy("health-portal", lambda spec: next(
        rule for rule in spec["egress"] if "ipBlock" in rule["to"][0]
    )["to"][0]["ipBlock"].pop("except"))
    yield "a range of ports", policy("verification-server", lambda spec: spec["ingress"][0]["ports"][0].update(endPort=9000))


def main():
    overlays = {overlay: rendered(overlay) for overlay in OVERLAYS}
    said = False
    if sys.argv[1:] == ["--control"]:
        for name, make in mistakes():
            objects = copy.deepcopy(overlays["small"])
            make(objects)
            if not any(objections(objects)):
                print(f"Not noticed: {name}.")
                said = True
    else:
        for overlay, objects in overlays.items():
            for objection in objections(objects):
                print(f"deploy/kubernetes/{overlay}: OBJECTION: {objection}")
                said = True
        for overlay, components in COPIES:
            with copied(overlay, components) as folder:
                objects = rendered(folder)
            for objection in objections(objects):
                print(f"deploy/kubernetes/{overlay} with {', '.join(components)}: OBJECTION: {objection}")
                said = True
    sys.exit(1 if said else 0)


if __name__ == "__main__":
    main()
