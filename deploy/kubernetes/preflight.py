"""Finds what a cluster lacks before an overlay is applied to it. deploy/kubernetes/preflight.sh runs it, and says what it looks at.

It changes nothing: it reads, and has the server try each object (https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run).
"""

import collections
import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import typing
import urllib.parse

import yaml

# The oldest version for which the manifests' fields have been compared.
OLDEST = (1, 34)
# Whose kinds an API group's are.
INSTALL = {
    "cert-manager.io": "cert-manager (https://cert-manager.io/docs/installation/)",
    "postgresql.cnpg.io": "CloudNativePG 1.30 in the namespace cnpg-system (https://cloudnative-pg.io)",
    "barmancloud.cnpg.io": "CloudNativePG's Barman plugin in the namespace cnpg-system (https://cloudnative-pg.io/plugin-barman-cloud/)",
    "monitoring.coreos.com": "the Prometheus Operator (https://prometheus-operator.dev)",
}
# What the shipped overlays have in the place of your own.
PLACEHOLDER = re.compile(r"\bexample\.(org|com|de)\b|\borg\.example\b|EXAMPLE|Beispiel|\b(ABC123DEFG|DEF123GHIJ)\b|^LV8k5vSxJLBq9U")
# Their volumes belong to one node at a time, as they are disks (https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes).
DISKS = {
    "ebs.csi.aws.com", "disk.csi.azure.com", "pd.csi.storage.gke.io", "cinder.csi.openstack.org", "csi.hetzner.cloud",
    "dobs.csi.digitalocean.com", "linodebs.csi.linode.com", "rancher.io/local-path", "kubernetes.io/no-provisioner",
}
# kubectl stores what it applied in an annotation, and all of an object's annotations together may have this many bytes.
LONGEST = 262144
PART_OF = {"app.kubernetes.io/part-of": "vigil"}
# Kinds that an overlay may have had, and may have no more.
EARLIER = {("v1", "PersistentVolumeClaim"), ("batch/v1", "Job"), ("apps/v1", "StatefulSet"), ("autoscaling/v2", "HorizontalPodAutoscaler")}


class Finding(typing.NamedTuple):
    """What somebody should know before the overlay is applied, and what to do."""

    stops: bool
    text: str


def stop(text):
    return Finding(True, text)


def warn(text):
    return Finding(False, text)


# MARK: The overlay


class Overlay:
    """The objects of an overlay."""

    def __init__(self, objects):
        self.objects = objects
        self.namespace = next((one["metadata"]["name"] for one in self.of("Namespace")), "default")

    @classmethod
    def rendered(cls, folder):
        """The overlay of a folder, or a finding."""
        command = ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return stop(f"kubectl can't render {folder}: {done.stderr.strip()[-600:]}")
        return cls([one for one in yaml.load_all(done.stdout, getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if one])

    def of(self, *kinds):
        return [one for one in self.objects if one["kind"] in kinds]

    def pods(self):
        """Each kind of pod, by the name of its workload."""
        for one in self.of("Deployment", "StatefulSet", "DaemonSet", "Job"):
            yield one["metadata"]["name"], one["spec"]["template"]["spec"]

    def settings(self):
        """Every value of ConfigMaps that containers are given as settings, by ConfigMap."""
        return {one["metadata"]["name"]: one.get("data") or {} for one in self.of("ConfigMap")}


def references(spec):
    """What a pod reads from Secrets and ConfigMaps, as (kind, name, key, whether it may be missing). A key may be None: all of them."""
    for volume in spec.get("volumes", []):
        sources = volume.get("projected", {}).get("sources", []) + [volume]
        for source in sources:
            for kind, field in (("Secret", "secret"), ("ConfigMap", "configMap")):
                if part := source.get(field):
                    name = part.get("name") or part.get("secretName")
                    for item in part.get("items") or [{"key": None}]:
                        yield kind, name, item["key"], part.get("optional", False)
    for container in spec.get("initContainers", []) + spec["containers"]:
        for entry in container.get("env", []):
            for kind, field in (("Secret", "secretKeyRef"), ("ConfigMap", "configMapKeyRef")):
                if part := entry.get("valueFrom", {}).get(field):
                    yield kind, part["name"], part["key"], part.get("optional", False)


def own(overlay):
    """What is wrong with the overlay by itself."""
    settings = overlay.settings()
    missing = collections.defaultdict(set)
    for name, spec in overlay.pods():
        for kind, source, key, may_be_missing in references(spec):
            if kind == "ConfigMap" and not may_be_missing and (source not in settings or key and key not in settings[source]):
                missing[key or source].add(name)
    for key, names in sorted(missing.items()):
        yield stop(
            f"{key} is missing, so pods of {', '.join(sorted(names))} can't start: set it in the overlay's settings.env. "
            "deploy/kubernetes/README.md lists what each component needs."
        )
    images = {
        container["image"]
        for _, spec in overlay.pods()
        for container in spec.get("initContainers", []) + spec["containers"]
    }
    strange = sorted(image for image in images if PLACEHOLDER.search(image) or "/" not in image)
    if strange:
        yield stop(f"No registry has been set for {', '.join(strange)}: set newName and newTag in the overlay's images.")
    values = {key: value for data in settings.values() for key, value in data.items() if key.startswith("VIGIL_")}
    values |= {f"{one['kind']} {one['metadata']['name']}": json.dumps(one["spec"]) for one in overlay.of("ObjectStore")}
    placeholders = sorted(key for key, value in values.items() if PLACEHOLDER.search(value))
    if placeholders:
        yield warn(f"These still have the values of the example: {', '.join(placeholders)}.")
    for one in overlay.objects:
        if len(json.dumps(one)) > LONGEST - 1024:
            yield stop(f"{named(one)} is too large for kubectl apply: apply with --server-side, or make its files smaller.")


def named(one):
    return f"{one['kind']} {one['metadata']['name']}"


# MARK: The cluster


class Answer(typing.NamedTuple):
    """What the server said. Not every refusal is JSON: an API that nobody serves answers in plain text."""

    status: int
    body: dict
    text: str
    warnings: tuple

    @property
    def message(self):
        return self.body.get("message") or self.text.strip()[:600] or f"status {self.status}"

    @property
    def is_good(self):
        return 200 <= self.status < 300


class Connection(http.client.HTTPConnection):
    """A connection to a Unix socket."""

    # In seconds; a webhook has 30 at most.
    patience = 40

    def __init__(self, path):
        super().__init__("localhost", timeout=self.patience)
        self._path = path

    def connect(self):
        # One that wasn't connected is closed by close().
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Cluster:
    """The cluster that kubectl is set to, by kubectl's own proxy: on a socket that nobody else reaches, as it has your rights."""

    def __init__(self, path):
        self._connection = Connection(path)
        # What each API version serves: (plural, whether it is in a namespace) by kind; None if it isn't served.
        self._resources = {}

    @classmethod
    @contextlib.contextmanager
    def of_kubectl(cls):
        with tempfile.TemporaryDirectory(prefix="vigil-preflight.") as folder:
            path = f"{folder}/socket"
            command = ["kubectl", "proxy", f"--unix-socket={path}", "--append-server-path=true"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            cluster = cls(path)
            try:
                until = time.monotonic() + 20
                while not cluster.is_connected():
                    if process.poll() is not None or time.monotonic() > until:
                        process.terminate()
                        raise SystemExit(f"stops  kubectl proxy doesn't start: {process.communicate()[1].strip()[-600:]}")
                    time.sleep(0.02)
                yield cluster
            finally:
                cluster._connection.close()
                process.terminate()
                process.communicate()

    def is_connected(self):
        """Connects. The socket's file is there a moment before somebody listens."""
        try:
            self._connection.connect()
            return True
        except OSError:
            self._connection.close()
            return False

    def ask(self, method, path, body=None):
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Accept": "application/json"} | ({"Content-Type": kind} if body else {})
        try:
            self._connection.request(method, path, json.dumps(body) if body else None, headers)
            response = self._connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            # The next request begins with a new connection.
            self._connection.close()
            return Answer(0, {}, f"no answer to {method} {path.partition('?')[0]} ({error or type(error).__name__})", ())
        try:
            content = json.loads(text)
        except ValueError:
            content = {}
        warnings = tuple(re.findall(r'299 \S+ "((?:[^"\\]|\\.)*)"', ", ".join(response.headers.get_all("Warning") or [])))
        return Answer(response.status, content if isinstance(content, dict) else {}, text, warnings)

    def get(self, path):
        return self.ask("GET", path)

    def resources(self, version):
        """What an API version serves, by kind; or the refusal."""
        if version not in self._resources:
            answer = self.get(f"/api/{version}" if "/" not in version else f"/apis/{version}")
            found = {
                one["kind"]: (one["name"], one["namespaced"])
                for one in answer.body.get("resources", [])
                if "/" not in one["name"]
            }
            self._resources[version] = found if answer.is_good else answer
        return self._resources[version]

    def path(self, one, namespace):
        """Where objects of a kind are, or None if nobody serves it."""
        version = one["apiVersion"]
        found = self.resources(version)
        if isinstance(found, Answer) or one["kind"] not in found:
            return None
        plural, is_in_namespace = found[one["kind"]]
        base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        return f"{base}/namespaces/{namespace}/{plural}" if is_in_namespace else f"{base}/{plural}"


def listed(cluster, path, what):
    """The elements of a list, or a finding that it can't be read."""
    items, position = [], ""
    while True:
        glue = "&" if "?" in path else "?"
        answer = cluster.get(f"{path}{glue}limit=500{position}")
        if answer.status == 403:
            return warn(f"You may not list {what}, so that wasn't looked at: {answer.message}")
        if not answer.is_good:
            return stop(f"The server doesn't list {what}: {answer.message}")
        items += answer.body.get("items") or []
        more = answer.body.get("metadata", {}).get("continue")
        if not more:
            return items
        position = f"&continue={urllib.parse.quote(more)}"


def matches(selector, labels):
    """Whether a label selector selects something. None selects nothing, and an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for term in selector.get("matchExpressions") or []:
        value, values = labels.get(term["key"]), term.get("values") or []
        holds = {"In": value in values, "NotIn": value not in values, "Exists": value is not None, "DoesNotExist": value is None}
        if not holds.get(term["operator"]):
            return False
    return True


# MARK: What it serves


def version(cluster):
    answer = cluster.get("/version")
    if not answer.is_good:
        yield stop(f"The cluster doesn't answer: {answer.message}. Look at kubectl config current-context, and at kubectl version.")
        return
    # Some providers write 34+.
    numbers = tuple(int(re.match("[0-9]+", answer.body[part])[0]) for part in ("major", "minor"))
    if numbers < OLDEST:
        yield stop(f"The cluster runs Kubernetes {numbers[0]}.{numbers[1]}; it needs {OLDEST[0]}.{OLDEST[1]} or newer.")


def kinds(overlay, cluster):
    wanted = collections.defaultdict(set)
    for one in overlay.objects:
        wanted[one["apiVersion"]].add(one["kind"])
    for api, names in sorted(wanted.items()):
        found = cluster.resources(api)
        remedy = INSTALL.get(api.partition("/")[0])
        remedy = f"install {remedy}" if remedy else "use a newer Kubernetes"
        if isinstance(found, Answer):
            if found.status == 404:
                yield stop(f"The cluster doesn't have {api} ({', '.join(sorted(names))}): {remedy}.")
            else:
                yield stop(f"The cluster doesn't say whether it has {api}: {found.message}")
        elif names - set(found):
            yield stop(f"The cluster's {api} doesn't have {', '.join(sorted(names - set(found)))}: {remedy}.")


def operators(overlay, cluster):
    """Whether those run that make something of the objects, where the network policies expect them."""
    groups = {one["apiVersion"].partition("/")[0] for one in overlay.objects}
    wanted = [
        ("cert-manager.io", None, "app.kubernetes.io/name=cert-manager", "cert-manager"),
        ("postgresql.cnpg.io", "cnpg-system", "app.kubernetes.io/name=cloudnative-pg", "CloudNativePG's operator"),
        ("monitoring.coreos.com", "monitoring", "app.kubernetes.io/name=prometheus", "Prometheus"),
    ]
    for group, namespace, label, name in wanted:
        if group not in groups:
            continue
        place = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        where = f"in the namespace {namespace}" if namespace else "in any namespace"
        found = listed(cluster, f"{place}?labelSelector={urllib.parse.quote(label)}", f"pods {where}")
        if isinstance(found, Finding):
            yield found
        elif not any(pod.get("status", {}).get("phase") == "Running" for pod in found):
            text = f"No pod with the label {label} runs {where}: {name} isn't there, or elsewhere"
            # Without Prometheus the suite serves.
            yield warn(f"{text}, where network policies keep it from every metric.") if name == "Prometheus" else stop(f"{text}.")
    if "barmancloud.cnpg.io" in groups:
        label = "cnpg.io/pluginName=barman-cloud.cloudnative-pg.io"
        found = listed(cluster, f"/api/v1/namespaces/cnpg-system/services?labelSelector={urllib.parse.quote(label)}", "services of cnpg-system")
        if isinstance(found, Finding):
            yield found
        elif not found:
            yield stop(f"No service in the namespace cnpg-system has the label {label}: install {INSTALL['barmancloud.cnpg.io']}.")


def selection(overlay, cluster):
    """Whether a Prometheus reads what is made for it: https://prometheus-operator.dev/docs/developer/getting-started/."""
    ours = overlay.of("PodMonitor", "PrometheusRule")
    if not ours or isinstance(cluster.resources("monitoring.coreos.com/v1"), Answer):
        return
    servers = listed(cluster, "/apis/monitoring.coreos.com/v1/prometheuses", "Prometheus objects")
    if isinstance(servers, Finding):
        yield servers
        return
    answer = cluster.get(f"/api/v1/namespaces/{overlay.namespace}")
    namespace = {"kubernetes.io/metadata.name": overlay.namespace} | (answer.body.get("metadata", {}).get("labels") or {})
    for kind, field in (("PodMonitor", "podMonitor"), ("PrometheusRule", "rule")):
        left = [
            one["metadata"]["name"]
            for one in overlay.of(kind)
            if not any(
                matches(server["spec"].get(f"{field}Selector"), one["metadata"].get("labels") or {})
                and matches(server["spec"].get(f"{field}NamespaceSelector"), namespace)
                for server in servers
            )
        ]
        if left:
            yield warn(
                f"No Prometheus selects the {kind} {', '.join(left)}: set {field}Selector and {field}NamespaceSelector of yours, "
                "or add the labels that it asks for to the overlay (commonLabels would change selectors: use labels)."
            )


def metrics(overlay, cluster):
    scaled = [
        one["metadata"]["name"]
        for one in overlay.of("HorizontalPodAutoscaler")
        if any(metric["type"] == "Resource" for metric in one["spec"].get("metrics", []))
    ]
    if not scaled:
        return
    answer = cluster.get("/apis/metrics.k8s.io/v1beta1/nodes?limit=1")
    remedy = "install metrics-server (https://github.com/kubernetes-sigs/metrics-server), or look at kubectl top nodes"
    what = f"the autoscaler of {', '.join(scaled)} wouldn't scale"
    if answer.status == 403:
        yield warn(f"You may not read the metrics API, so that wasn't looked at: {answer.message}")
    elif answer.status == 404:
        yield stop(f"The cluster doesn't have the metrics API, and {what}: {remedy}.")
    elif not answer.is_good:
        yield stop(f"The metrics API doesn't answer ({answer.message}), and {what}: {remedy}.")
    elif not answer.body.get("items"):
        yield stop(f"The metrics API knows no node, and {what}: {remedy}.")


# MARK: Nodes and volumes


def nodes(overlay, cluster):
    found = listed(cluster, "/api/v1/nodes", "nodes")
    if isinstance(found, Finding):
        yield found
        return

    def is_open(node):
        spec = node.get("spec", {})
        taints = [one for one in spec.get("taints") or [] if one["effect"] in ("NoSchedule", "NoExecute")]
        ready = {one["type"]: one["status"] for one in node.get("status", {}).get("conditions", [])}.get("Ready")
        return not spec.get("unschedulable") and not taints and ready == "True"

    usable = [node for node in found if is_open(node)]
    for one in overlay.of("Cluster"):
        affinity = one["spec"].get("affinity", {})
        if affinity.get("podAntiAffinityType") == "required":
            key = affinity.get("topologyKey", "kubernetes.io/hostname")
            places = {node["metadata"]["labels"][key] for node in usable if key in (node["metadata"].get("labels") or {})}
            if len(places) < one["spec"]["instances"]:
                yield stop(
                    f"PostgreSQL's {one['spec']['instances']} servers need as many values of the label {key} among nodes that take pods; "
                    f"there {'is' if len(places) == 1 else 'are'} {len(places)} ({', '.join(sorted(places)) or 'none'})."
                )


def volumes(overlay, cluster):
    """Whether each volume gets storage. Those that exist have it."""
    wanted = []
    for one in overlay.of("PersistentVolumeClaim"):
        wanted.append((named(one), one["metadata"]["name"], one["spec"].get("storageClassName"), one["spec"]["accessModes"]))
    for one in overlay.of("StatefulSet"):
        for claim in one["spec"].get("volumeClaimTemplates", []):
            name = f"{claim['metadata']['name']}-{one['metadata']['name']}-0"
            wanted.append((f"The volume of {named(one)}", name, claim["spec"].get("storageClassName"), claim["spec"]["accessModes"]))
    for one in overlay.of("Cluster"):
        for part, suffix in (("storage", ""), ("walStorage", "-wal")):
            if part in one["spec"]:
                name = f"{one['metadata']['name']}-1{suffix}"
                wanted.append((f"The {part} of {named(one)}", name, one["spec"][part].get("storageClass"), ["ReadWriteOnce"]))
    present = listed(cluster, f"/api/v1/namespaces/{overlay.namespace}/persistentvolumeclaims", "claims of volumes")
    if isinstance(present, Finding):
        yield present
        present = []
    bound = {one["metadata"]["name"] for one in present if one.get("status", {}).get("phase") == "Bound"}
    classes = listed(cluster, "/apis/storage.k8s.io/v1/storageclasses", "storage classes")
    if isinstance(classes, Finding):
        yield classes
        return
    by_name = {one["metadata"]["name"]: one for one in classes}
    marks = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
    standard = [one for one in classes if any((one["metadata"].get("annotations") or {}).get(mark) == "true" for mark in marks)]
    # Of several, Kubernetes takes the newest.
    standard = max(standard, key=lambda one: one["metadata"].get("creationTimestamp", ""), default=None)
    without = []
    for what, claim, name, modes in wanted:
        if claim in bound:
            continue
        chosen = by_name.get(name) if name else standard
        if name and chosen is None:
            yield stop(f"{what} asks for the storage class {name}, which the cluster doesn't have. It has {', '.join(sorted(by_name)) or 'none'}.")
        elif chosen is None:
            without.append(what)
        elif "ReadWriteMany" in modes and chosen["provisioner"] in DISKS:
            yield stop(
                f"{what} is mounted on several nodes (ReadWriteMany), but the storage class {chosen['metadata']['name']} makes disks "
                f"({chosen['provisioner']}): name a class for shared files with storageClassName, or use the component bucket."
            )
    if without:
        yield stop(
            f"{', '.join(without)}: no storage class is named, and none of the cluster's is the default. "
            f"It has {', '.join(sorted(by_name)) or 'none'}."
        )


# MARK: Secrets


def secrets(overlay, cluster):
    answer = cluster.get(f"/api/v1/namespaces/{overlay.namespace}")
    if answer.status == 404:
        yield stop(
            f"There is no namespace {overlay.namespace}, so neither Secrets nor all rules of the server could be looked at: "
            "kubectl apply -f deploy/kubernetes/base/namespace.yaml, then make the Secrets, then run this again."
        )
        return
    made = {one["spec"]["secretName"] for one in overlay.of("Certificate")}
    calls_back = any(data.get("VIGIL_CALLBACK_URL") for data in overlay.settings().values())
    needed, readers = collections.defaultdict(set), collections.defaultdict(set)

    def need(name, key, reader):
        readers[name].add(reader)
        needed[name] |= {key} if key else set()

    for reader, spec in overlay.pods():
        for kind, name, key, may_be_missing in references(spec):
            if kind == "Secret" and name not in made and (not may_be_missing or name == f"{reader}-callback" and calls_back):
                need(name, key, reader)
    for one in overlay.of("ObjectStore"):
        for part in one["spec"]["configuration"].get("s3Credentials", {}).values():
            if isinstance(part, dict):
                need(part["name"], part["key"], named(one))
    for name, keys in sorted(needed.items()):
        answer = cluster.get(f"/api/v1/namespaces/{overlay.namespace}/secrets/{name}")
        whose = f"which {', '.join(sorted(readers[name]))} reads"
        where = "deploy/kubernetes/README.md, \"Install\", has the command"
        if answer.status == 403:
            yield warn(f"You may not read the Secret {name}, {whose}, so it wasn't looked at: it needs {', '.join(sorted(keys))}.")
        elif answer.status == 404:
            yield stop(f"There is no Secret {name}, {whose}, with {', '.join(sorted(keys))}: {where}.")
        elif not answer.is_good:
            yield stop(f"The server doesn't give the Secret {name}: {answer.message}")
        else:
            data = answer.body.get("data") or {}
            for key in sorted(keys - {key for key, value in data.items() if value}):
                alike = [other for other in data if other.endswith(key) and other != key]
                hint = f" It has {alike[0]}: name the key, as in --from-file={key}=…/{alike[0]}." if alike else ""
                state = "is empty" if key in data else "is missing"
                yield stop(f"{key} {state} in the Secret {name}, {whose}: {where}.{hint}")


# MARK: What the server says


def dry_run(overlay, cluster):
    """Has the server try each object: as a new one, or as a change of the one that is there."""
    has_namespace = cluster.get(f"/api/v1/namespaces/{overlay.namespace}").is_good
    warnings = collections.defaultdict(list)
    for one in overlay.objects:
        path = cluster.path(one, one["metadata"].get("namespace", overlay.namespace))
        if path is None:
            continue
        query = "?dryRun=All&fieldValidation=Strict&fieldManager=kubectl-client-side-apply"
        place = f"{path}/{one['metadata']['name']}"
        present = cluster.get(place).is_good
        answer = cluster.ask("PATCH", place + query, one) if present else cluster.ask("POST", path + query, one)
        for text in answer.warnings:
            warnings[text].append(named(one))
        if answer.is_good or not present and answer.status == 404 and not has_namespace:
            continue
        if answer.status == 422 and present:
            yield stop(f"{named(one)} can't be changed so: {answer.message}")
        elif answer.status == 403 and answer.body.get("reason") == "Forbidden":
            yield stop(f"The server forbids {named(one)}: {answer.message}")
        else:
            yield stop(f"The server refuses {named(one)}: {answer.message}")
    for text, names in warnings.items():
        yield warn(f"The server warns of {', '.join(names)}: {text}")


def leftovers(overlay, cluster):
    """What an earlier apply made and the overlay no longer has."""
    label = urllib.parse.quote(",".join(f"{key}={value}" for key, value in PART_OF.items()))
    present = {(one["kind"], one["metadata"]["name"]) for one in overlay.objects}
    # A pod that is about to be replaced still reads the settings that it was started with.
    pods = listed(cluster, f"/api/v1/namespaces/{overlay.namespace}/pods", "pods")
    if isinstance(pods, Finding):
        yield pods
        return
    used = {(kind, name) for pod in pods for kind, name, _, _ in references(pod["spec"])}
    left, claims = [], []
    for api, kind in sorted({(one["apiVersion"], one["kind"]) for one in overlay.objects} | EARLIER):
        path = cluster.path({"apiVersion": api, "kind": kind}, overlay.namespace)
        if kind == "Namespace" or path is None:
            continue
        found = listed(cluster, f"{path}?labelSelector={label}", f"{kind} objects")
        if isinstance(found, Finding):
            yield found
            continue
        for one in found:
            name = one["metadata"]["name"]
            # What a controller made goes with its owner.
            if (kind, name) in present | used or one["metadata"].get("ownerReferences"):
                continue
            plural = path.rpartition("/")[2]
            group = f".{api.partition('/')[0]}" if "/" in api else ""
            (claims if kind == "PersistentVolumeClaim" else left).append(f"{plural}{group}/{name}")
    if left:
        yield warn(f"An earlier apply left what the overlay no longer has: kubectl -n {overlay.namespace} delete {' '.join(left)}")
    if claims:
        yield warn(
            f"Volumes are left that the overlay no longer has. This destroys their content: kubectl -n {overlay.namespace} delete {' '.join(claims)}"
        )


PARTS = (kinds, operators, selection, metrics, nodes, volumes, secrets, dry_run, leftovers)


def findings(overlay, cluster):
    """Everything, one part after another."""
    problems = list(version(cluster))
    yield from problems
    if any("doesn't answer" in problem.text for problem in problems):
        return
    for part in PARTS:
        yield from part(overlay, cluster)


def main():
    folder = sys.argv[1]
    print(f"Rendering {folder} …", flush=True)
    overlay = Overlay.rendered(folder)
    stops = 0

    def say(finding):
        nonlocal stops
        stops += finding.stops
        print(f"{'stops' if finding.stops else 'warns'}  {finding.text}", file=sys.stderr, flush=True)

    if isinstance(overlay, Finding):
        say(overlay)
        sys.exit(1)
    for finding in own(overlay):
        say(finding)
    print(f"Asking the cluster about {len(overlay.objects)} objects …", flush=True)
    with Cluster.of_kubectl() as cluster:
        for finding in findings(overlay, cluster):
            say(finding)
    if stops:
        print(f"{stops} {'finding stops' if stops == 1 else 'findings stop'} the suite. Nothing was changed.")
        sys.exit(1)
    print("Nothing stops the suite.")


if __name__ == "__main__":
    main()
