"""A simulated API server, for tests of deploy/kubernetes/preflight.sh: it refuses as Kubernetes' own does.

Statuses, reasons, messages and the order of its checks are those of kube-apiserver 1.34:

- whoever isn't signed in gets 401, whoever lacks a right 403, before anything else is looked at
- an API that nobody serves is answered with 404 in plain text, and an aggregated one whose server is away with 503 in plain text
- an object is read strictly before the namespace is looked for: an unknown field is a 400, a namespace that isn't there a 404
- then come webhooks (500 if they don't answer), then what the whole object breaks (422), then whether there is one already (409)
- a change of what can't be changed is a 422

It keeps nothing of a dry run, and refuses every write that isn't one.
"""

import base64
import contextlib
import copy
import datetime
import functools
import http.server
import ipaddress
import json
import re
import ssl
import tempfile
import threading
import urllib.parse

import definitions
import kubernetes_validate
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

TOKEN = "token-of-the-tests"
VERSION = "1.34"
# Kinds by API version: name in paths, and whether they are in a namespace.
SERVED = {
    "v1": {
        "Namespace": ("namespaces", False), "Node": ("nodes", False), "Pod": ("pods", True), "Secret": ("secrets", True),
        "ConfigMap": ("configmaps", True), "Service": ("services", True), "ServiceAccount": ("serviceaccounts", True),
        "PersistentVolumeClaim": ("persistentvolumeclaims", True),
    },
    "apps/v1": {"Deployment": ("deployments", True), "StatefulSet": ("statefulsets", True)},
    "batch/v1": {"Job": ("jobs", True)},
    "autoscaling/v2": {"HorizontalPodAutoscaler": ("horizontalpodautoscalers", True)},
    "networking.k8s.io/v1": {"NetworkPolicy": ("networkpolicies", True)},
    "policy/v1": {"PodDisruptionBudget": ("poddisruptionbudgets", True)},
    "storage.k8s.io/v1": {"StorageClass": ("storageclasses", False)},
    "cert-manager.io/v1": {"Certificate": ("certificates", True), "Issuer": ("issuers", True)},
    "postgresql.cnpg.io/v1": {"Cluster": ("clusters", True), "ScheduledBackup": ("scheduledbackups", True)},
    "barmancloud.cnpg.io/v1": {"ObjectStore": ("objectstores", True)},
    "monitoring.coreos.com/v1": {
        "PodMonitor": ("podmonitors", True), "PrometheusRule": ("prometheusrules", True), "Prometheus": ("prometheuses", True),
    },
    "metrics.k8s.io/v1beta1": {"NodeMetrics": ("nodes", False), "PodMetrics": ("pods", True)},
}  # fmt: skip
# What may be changed of an object that exists; of other kinds everything.
CHANGEABLE = {
    "Job": {"parallelism", "suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished"},
    "StatefulSet": {
        "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    },
    "PersistentVolumeClaim": {"resources", "volumeAttributesClassName"},
}  # fmt: skip
MOST_OF_A_LIST = 500


class Refusal(Exception):
    """An answer that isn't 2xx: a Status, or plain text."""

    def __init__(self, status, reason, message):
        super().__init__(message)
        self.status, self.reason, self.message = status, reason, message


class State:
    """What the cluster has. Tests change it."""

    def __init__(self):
        self.version = ("1", "34")
        # API versions that aren't served, whose server is away, and kinds that an API version lacks.
        self.missing, self.away, self.without = set(), set(), set()
        # Resources that the caller may not read.
        self.forbidden = set()
        # API groups whose webhook doesn't answer.
        self.silent_webhooks = {}
        self.warnings = {}
        # Kinds that aren't answered until the event is set.
        self.slow, self.go_on = set(), threading.Event()
        self.objects = {}

    def add(self, version, kind, name, namespace=None, **content):
        one = {"apiVersion": version, "kind": kind, **content}
        one["metadata"] = {"name": name, **({"namespace": namespace} if namespace else {}), **content.get("metadata", {})}
        self.objects[(version, kind, namespace, name)] = one
        return one

    def remove(self, kind, name):
        for key in [key for key in self.objects if (key[1], key[3]) == (kind, name)]:
            del self.objects[key]

    def named(self, kind, name):
        return next(one for key, one in self.objects.items() if (key[1], key[3]) == (kind, name))


class APIServer:
    """The server, on a port of its own."""

    def __init__(self):
        self.state = State()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body leave together: else each answer waits 40 ms for the acknowledgement of its head.
            wbufsize = -1

            def log_message(self, *_):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                warnings = []
                try:
                    status, content = server.handle(self.command, self.path, self.headers, body, warnings)
                    kind, data = "application/json", json.dumps(content).encode()
                except Refusal as refusal:
                    status = refusal.status
                    kind, data = "text/plain; charset=utf-8", refusal.message.encode() + b"\n"
                    if refusal.reason:
                        kind, data = "application/json", json.dumps({
                            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                            "message": refusal.message, "reason": refusal.reason, "code": status,
                        }).encode()  # fmt: skip
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                for text in warnings:
                    self.send_header("Warning", f'299 - "{text}"')
                # Who no longer waits has hung up.
                with contextlib.suppress(OSError):
                    self.end_headers()
                    self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # kubectl shows its token to nobody without TLS.
        context, self._authority = own_certificate()
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.address = f"https://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def end(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def configuration(self, token=TOKEN):
        """A file for kubectl."""
        return json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "tests",
            "clusters": [{"name": "tests", "cluster": {
                "server": self.address, "certificate-authority-data": base64.b64encode(self._authority).decode(),
            }}],
            "users": [{"name": "tests", "user": {"token": token}}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "tests"}}],
        })  # fmt: skip

    # MARK: Requests

    def handle(self, method, target, headers, body, warnings):
        path, _, query = target.partition("?")
        options = {key: values[0] for key, values in urllib.parse.parse_qs(query).items()}
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Refusal(401, "Unauthorized", "Unauthorized")
        if path == "/version":
            major, minor = self.state.version
            return 200, {"major": major, "minor": minor, "gitVersion": f"v{major}.{minor.rstrip('+')}.4"}
        version, rest = self._version(path)
        if version in self.state.away:
            raise Refusal(503, None, "service unavailable")
        if not rest:
            kinds = [
                {"name": plural, "kind": kind, "namespaced": is_in_namespace, "singularName": "", "verbs": ["get"]}
                for kind, (plural, is_in_namespace) in self._kinds(version).items()
            ]
            return 200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": kinds}
        namespace = None
        if rest[0] == "namespaces" and len(rest) > 2:
            namespace, rest = rest[1], rest[2:]
        kind = next((kind for kind, (plural, _) in self._kinds(version).items() if plural == rest[0]), None)
        if kind is None:
            raise Refusal(404, None, "404 page not found")
        name = rest[1] if len(rest) > 1 else None
        self._authorize(method, version, rest[0], namespace, name)
        if method == "GET":
            return self._get(version, kind, rest[0], namespace, name) if name else self._list(version, kind, namespace, options)
        if options.get("dryRun") != "All":
            raise AssertionError(f"{method} {path} would change the cluster.")
        return self._try(method, version, kind, rest[0], namespace, name, headers, json.loads(body), options, warnings)

    def _version(self, path):
        parts = path.strip("/").split("/")
        if parts[0] == "api" and parts[1:2] == ["v1"]:
            version, rest = "v1", parts[2:]
        elif parts[0] == "apis" and len(parts) > 2:
            version, rest = "/".join(parts[1:3]), parts[3:]
        else:
            raise Refusal(404, None, "404 page not found")
        if version not in SERVED or version in self.state.missing:
            raise Refusal(404, None, "404 page not found")
        return version, rest

    def _kinds(self, version):
        return {kind: value for kind, value in SERVED[version].items() if kind not in self.state.without}

    def _authorize(self, method, version, plural, namespace, name):
        if plural not in self.state.forbidden:
            return
        verb = {"GET": "get" if name else "list", "POST": "create", "PATCH": "patch"}[method]
        group = version.partition("/")[0] if "/" in version else ""
        where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
        subject = f'{plural} "{name}"' if name else plural
        message = f'{subject} is forbidden: User "tests" cannot {verb} resource "{plural}" in API group "{group}" {where}'
        raise Refusal(403, "Forbidden", message)

    def _get(self, version, kind, plural, namespace, name):
        found = self.state.objects.get((version, kind, namespace, name))
        if found is None:
            group = f".{version.partition('/')[0]}" if "/" in version else ""
            raise Refusal(404, "NotFound", f'{plural}{group} "{name}" not found')
        return 200, found

    def _list(self, version, kind, namespace, options):
        labels = [one.split("=") for one in options.get("labelSelector", "").split(",") if one]
        found = [
            one
            for key, one in self.state.objects.items()
            if key[:2] == (version, kind) and namespace in (None, key[2])
            and all((one["metadata"].get("labels") or {}).get(key) == value for key, value in labels)
        ]  # fmt: skip
        # A list is cut, and goes on with what the server says.
        start, size = int(options.get("continue", 0)), min(int(options.get("limit", MOST_OF_A_LIST)), 2)
        page, end = found[start : start + size], start + size
        return 200, {"kind": f"{kind}List", "apiVersion": version, "metadata": {"continue": str(end)} if end < len(found) else {}, "items": page}

    # MARK: Dry runs

    def _try(self, method, version, kind, plural, namespace, name, headers, sent, options, warnings):
        current = None
        if method == "PATCH":
            if headers.get("Content-Type") != "application/merge-patch+json":
                raise Refusal(415, "UnsupportedMediaType", "the body of the request was in an unknown format")
            current = self._get(version, kind, plural, namespace, name)[1]
            sent = merged(current, sent)
        if options.get("fieldValidation") == "Strict":
            self._read_strictly(version, kind, sent)
        if namespace and ("v1", "Namespace", None, namespace) not in self.state.objects:
            raise Refusal(404, "NotFound", f'namespaces "{namespace}" not found')
        warnings += self.state.warnings.get(kind, [])
        if kind in self.state.slow:
            self.state.go_on.wait(60)
        webhook = self.state.silent_webhooks.get(version.partition("/")[0])
        if webhook:
            raise Refusal(500, "InternalError", (
                f'Internal error occurred: failed calling webhook "{webhook}": failed to call webhook: Post "https://{webhook}.svc:443/'
                'mutate?timeout=10s": dial tcp 10.96.0.7:443: connect: connection refused'
            ))  # fmt: skip
        self._validate(version, kind, sent, current)
        if method == "POST" and (version, kind, namespace, sent["metadata"]["name"]) in self.state.objects:
            raise Refusal(409, "AlreadyExists", f'{plural} "{sent["metadata"]["name"]}" already exists')
        return (200 if current else 201), sent

    def _read_strictly(self, version, kind, sent):
        unknown = []
        if definitions.is_known(f"{version}/{kind}"):
            unknown = definitions.unknown(f"{version}/{kind}", sent["spec"])
        else:
            path, complaint = schema_error(json.dumps(without_status(sent)))
            unknown = [".".join([*path, field]) for field in re.findall(r"'([^']+)'", complaint.partition("(")[2])]
            if complaint and not unknown:
                message = f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a {kind}: json: {complaint}'
                raise Refusal(400, "BadRequest", message)
        if unknown:
            fields = ", ".join(f'unknown field "{path}"' for path in unknown)
            message = f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a {kind}: strict decoding error: {fields}'
            raise Refusal(400, "BadRequest", message)

    def _validate(self, version, kind, sent, current):
        name = sent["metadata"]["name"]
        group = f".{version.partition('/')[0]}" if "/" in version else ""
        invalid = lambda causes: Refusal(422, "Invalid", f'{kind}{group} "{name}" is invalid: {causes}')
        if definitions.is_known(f"{version}/{kind}"):
            flaws = list(definitions.flaws(f"{version}/{kind}", sent["spec"]))
            if flaws:
                raise invalid(flaws[0])
        if current and kind in CHANGEABLE:
            for field in (set(sent["spec"]) | set(current["spec"])) - CHANGEABLE[kind]:
                if sent["spec"].get(field) != current["spec"].get(field):
                    raise invalid(f"spec.{field}: Invalid value: field is immutable")
        if current and kind == "Deployment" and sent["spec"]["selector"] != current["spec"]["selector"]:
            raise invalid("spec.selector: Invalid value: field is immutable")


@functools.cache
def schema_error(text):
    """Where an object breaks Kubernetes' schema, and how; empty if it doesn't. Most objects come again and again."""
    try:
        kubernetes_validate.validate(json.loads(text), VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [str(part) for part in error.path], error.message
    return [], ""


def own_certificate():
    """What a server needs to show a certificate that it has issued itself, and that certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.timezone.utc)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1)).add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )  # fmt: skip
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(certificate + private)
        file.flush()
        context.load_cert_chain(file.name)
    return context, certificate


def merged(current, patch):
    """RFC 7386."""
    if not isinstance(patch, dict):
        return patch
    result = copy.deepcopy(current) if isinstance(current, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def without_status(one):
    return {key: value for key, value in one.items() if key != "status"}
