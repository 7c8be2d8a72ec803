"""Writes the manifests in deploy/kubernetes that follow from docker-compose.yml, one file for each service.

    python3 Tests/Kubernetes/render.py           writes them
    python3 Tests/Kubernetes/render.py --check   says which differ from what it would write, and ends with 1 then

ArchitectureTests hold docker-compose.yml against the catalogue. Here an image, a port, a setting, a secret or an arrow is only carried
over, so none is written twice. Real outside peers take the place of the simulators, as with the files of deploy that are added to
docker-compose.yml for a real operation.
"""

import functools
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Live/rehearsal"))
import compose  # noqa: E402

TARGET = ROOT / "deploy/kubernetes"
ADDED = ["apple", "identity", "gateway", "vouchers"]
# Optional services are components, by the profile that compose gives them.
COMPONENTS = {"federation": ["federation"], "data-donation": ["data-donation", "donation-fold"], "further": ["further"]}
# CloudNativePG and the CDN stand in for them; `migrate` is a Job.
ELSEWHERE = {"postgres", "edge", "prometheus", "secrets", "migrate", "smoke"}
# Doors that compose gives to the edge.
DOORS = {"download-server": ["8040"]}
# At most one may run: another would wait for its lock (or for the volume of its keys).
SINGLE = {"fold", "donation-fold", "distribution", "federation"}
# They call no other service. Any other's role is its name.
WITHOUT_ROLE = {"fold", "donation-fold", "download-server"}
# With the private keys of open hours on a volume that no other pod may mount.
STATEFUL = {"fold": "hour-keys", "donation-fold": "donation-hour-keys"}
# Doors for callers with certificates, who type another name than the Service's, and that name's setting.
NAMED = {name: f"VIGIL_{name.upper().replace('-', '_')}_NAME" for name in ["test-result-server", "health-portal", "data-donation"]}
# Volumes that several pods mount, with the size to ask for.
SHARED = {"published": "20Gi", "further": "10Gi"}

# Ways out, by the network that compose gives them: the block of addresses, and ports. A provider's, a gateway's or a bucket's addresses
# aren't known here; Apple's are (https://support.apple.com/102266).
ANYWHERE = {"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"]}
APPLE = {"cidr": "17.0.0.0/8"}
WAYS_OUT = {
    "egress-apple": (APPLE, [443, 2197]),
    "egress-vouchers": (APPLE, [443]),
    "egress-officer-keys": (ANYWHERE, [443]),
    "egress-sign-in": (ANYWHERE, [443]),
    "egress-gateway": (ANYWHERE, [443]),
}

# Listeners close this long after the service has said that it isn't ready, so that callers have heard of it; then requests in
# progress have 30 seconds, and what they wrote 20.
SHUTDOWN_DELAY = 10
GRACE = SHUTDOWN_DELAY + 50
USER = 10001
SETTING = re.compile(r"\$\{(VIGIL_[A-Z_]+)(?::-([^}]*)|:\?[^}]*)\}")


def read():
    """docker-compose.yml with what replaces the simulators."""
    files = [ROOT / "docker-compose.yml"] + [ROOT / f"deploy/{name}.yml" for name in ADDED]
    document = functools.reduce(compose.added, (yaml.safe_load(file.read_text()) for file in files))
    document["migrate"] = document["services"]["migrate"]
    document["services"] = {
        name: service
        for name, service in document["services"].items()
        if name not in ELSEWHERE and not name.startswith("development-")
    }
    return document


def labels(name):
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "vigil"}


def selector(name):
    return {"app.kubernetes.io/name": name}


def meta(name, of=None):
    return {"name": name, "labels": labels(of or name)}


def database_login(text):
    """A connection string whose role logs in with a certificate: libpq takes no password from a file that a group may read."""
    return (
        text.replace("host=postgres ", "host=postgres-rw ")
        .replace("passfile=/run/secrets/pgpass ", "sslcert=/run/secrets/database.pem sslkey=/run/secrets/database.key ")
        .replace("sslrootcert=/run/secrets/ca.pem", "sslrootcert=/run/secrets/database-ca.pem")
    )


# What download-server is given only with the component `further`.
FURTHER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "download-server"},
    "spec": {"template": {"spec": {
        "containers": [{
            "name": "service",
            "env": [{"name": "FURTHER_DIRECTORY", "value": "/further"}],
            "volumeMounts": [{"name": "further", "mountPath": "/further", "readOnly": True}],
        }],
        "volumes": [{"name": "further", "persistentVolumeClaim": {"claimName": "further"}}],
    }}},
}


class Service:
    """One service of docker-compose.yml as manifests."""

    def __init__(self, name, document, calls, settings):
        self.name = name
        self.service = document["services"][name]
        if name == "download-server":
            self.service["environment"].pop("FURTHER_DIRECTORY", None)
            self.service["volumes"] = [volume for volume in self.service["volumes"] if not volume.startswith("further:")]
            # Here it is a door, which a load balancer calls as it calls the others.
            self.service["environment"]["LISTEN_PROXY_PROTOCOL"] = "${VIGIL_PROXY_PROTOCOL:-}"
        if "PUBLISHED_ADDRESSES" in self.service["environment"]:
            # Nothing is published on the machine itself: callers come by the portal's address.
            self.service["environment"]["PUBLISHED_ADDRESSES"] = document["services"]["health-portal"]["environment"]["ORIGINS"]
        self.document = document
        self.calls = calls
        self.settings = settings
        self.environment = self.service["environment"]
        self.uses_database = "POSTGRES_CONNECTION" in self.environment
        self.doors = [int(port.rsplit(":", 1)[-1]) for port in self.service.get("ports", [])] + [
            int(port) for port in DOORS.get(name, [])
        ]
        self.ports = {
            key.removesuffix("_PORT").lower().replace("_", "-"): int(port)
            for key, port in self.environment.items()
            if key.endswith("_PORT") and key != "ADMIN_PORT" and self.environment.get(key.removesuffix("_PORT") + "_HOST") == "0.0.0.0"
        }

    # MARK: Containers

    def variables(self):
        for key, value in self.environment.items():
            value = str(value)
            found = SETTING.search(value)
            if found is None:
                text = database_login(value) if key == "POSTGRES_CONNECTION" else value
                # A server leaves an empty value out, which is the same.
                yield {"name": key} | ({"value": text} if text else {})
            elif found.group() != value:
                raise SystemExit(f"render.py: {self.name} has a setting within {key}; only a whole value can be carried over.")
            else:
                self.settings.setdefault(found[1], found[2])
                yield {"name": key, "valueFrom": {"configMapKeyRef": {"name": "settings", "key": found[1]}}}
        yield {"name": "SHUTDOWN_DELAY", "value": str(SHUTDOWN_DELAY)}

    def secret_files(self):
        """Where each file below /run/secrets comes from: cert-manager's Secrets, the service's own, the shared ConfigMap."""
        own = []
        for secret in self.service["secrets"]:
            source, target = (secret, secret) if isinstance(secret, str) else (secret["source"], secret["target"])
            if source in ("ca.pem", "denied") or source.startswith("pgpass-") or source.endswith(("-tls-certificate", "-tls-key")):
                continue
            # Some are the simulators'.
            if target not in ("public.pem", "public.key") and f"/run/secrets/{target}" in " ".join(map(str, self.environment.values())):
                own.append(target)
        items = lambda **names: [{"key": key.replace("_", "."), "path": path} for key, path in names.items()]
        sources = [
            {"secret": {"name": f"{self.name}-tls", "items": items(tls_crt="tls.pem", tls_key="tls.key", ca_crt="ca.pem")}},
            {"configMap": {"name": "denied-certificates", "items": [{"key": "denied", "path": "denied"}]}},
        ]
        if self.uses_database:
            files = items(tls_crt="database.pem", tls_key="database.key", ca_crt="database-ca.pem")
            sources.append({"secret": {"name": f"{self.name}-database", "items": files}})
        if "PUBLIC_CERTIFICATE" in self.environment:
            files = items(tls_crt="public.pem", tls_key="public.key")
            sources.append({"secret": {"name": f"{self.name}-public", "items": files}})
        callback = [file for file in own if file.startswith("callback")]
        own = [file for file in own if file not in callback]
        if own:
            sources.append({"secret": {"name": self.name, "items": [{"key": file, "path": file} for file in own]}})
        if callback:
            # Without a URL to be called at, nobody reads them.
            files = [{"key": file, "path": file} for file in callback]
            sources.append({"secret": {"name": f"{self.name}-callback", "optional": True, "items": files}})
        return sources

    def volumes(self):
        mounts = [{"name": "secrets", "mountPath": "/run/secrets", "readOnly": True}]
        volumes = [{"name": "secrets", "projected": {"defaultMode": 0o440, "sources": self.secret_files()}}]
        for volume in self.service.get("volumes", []):
            # An operator's own folder has the same files: an overlay replaces those of the ConfigMap.
            source, path, *mode = SETTING.sub(lambda found: found[2], volume).split(":")
            name = source.removeprefix("./deploy/")
            mount = {"name": name, "mountPath": path} | ({"readOnly": True} if mode == ["ro"] else {})
            if source.startswith("./"):
                # A ConfigMap's topmost entries are links. A folder of it is mounted by itself, so that it is a folder.
                tops = sorted({file.split("/")[0] for file in files(name)})
                if any("/" in file for file in files(name)):
                    mounts += [mount | {"mountPath": f"{path}/{top}", "subPath": top} for top in tops]
                else:
                    mounts.append(mount)
                items = [{"key": key(file), "path": file} for file in files(name)]
                volumes.append({"name": name, "configMap": {"name": name, "items": items}})
                continue
            mounts.append(mount)
            if name in SHARED:
                volumes.append({"name": name, "persistentVolumeClaim": {"claimName": name}})
        return mounts, volumes

    def pod(self):
        mounts, volumes = self.volumes()
        executable = self.service["command"][0]
        ready = {"exec": {"command": [executable, "ready"]}, "timeoutSeconds": 6}
        container = {
            "name": "service",
            "image": self.service["image"],
            # The images have no entry point: the command is the whole of it.
            "command": self.service["command"],
            "env": list(self.variables()),
            "ports": [{"name": name, "containerPort": port} for name, port in self.ports.items()],
            "volumeMounts": mounts,
            "startupProbe": ready | {"periodSeconds": 5, "failureThreshold": 36},
            # A failover of PostgreSQL takes less than this: no pod leaves its Service because all have lost the database.
            "readinessProbe": ready | {"periodSeconds": 10, "failureThreshold": 9},
            "resources": {
                "requests": {"cpu": "100m", "memory": "128Mi"},
                "limits": {"memory": self.service["mem_limit"].replace("m", "Mi").replace("g", "Gi")},
            },
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": True,
            },
        }
        spread = {
            "maxSkew": 1,
            "labelSelector": {"matchLabels": selector(self.name)},
            "matchLabelKeys": ["pod-template-hash"],
            # A node that is being drained would count as an empty one, where nothing can go.
            "nodeTaintsPolicy": "Honor",
        }
        pod = {
            "serviceAccountName": self.name,
            "automountServiceAccountToken": False,
            # Variables named after other services would be taken for settings.
            "enableServiceLinks": False,
            "terminationGracePeriodSeconds": GRACE,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": USER,
                "runAsGroup": USER,
                "fsGroup": USER,
                "fsGroupChangePolicy": "OnRootMismatch",
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "topologySpreadConstraints": [
                spread | {"topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"},
                spread | {"topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
            ],
            "containers": [container],
            "volumes": volumes,
        }
        if self.name in SINGLE:
            del pod["topologySpreadConstraints"]
        more = {"database": "client"} if self.uses_database else {}
        return {"metadata": {"labels": labels(self.name) | more}, "spec": pod}

    def workload(self):
        spec = {"selector": {"matchLabels": selector(self.name)}}
        if self.name in STATEFUL:
            claim = {
                "metadata": {"name": STATEFUL[self.name]},
                # Never two pods at once, and no copies: no snapshots, no backups.
                "spec": {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1Gi"}}},
            }
            spec |= {"replicas": 1, "serviceName": self.name, "template": self.pod(), "volumeClaimTemplates": [claim]}
            return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta(self.name), "spec": spec}
        update = {"maxUnavailable": 0, "maxSurge": 1}
        if self.name not in SINGLE:
            spec["replicas"] = 2
        spec |= {
            "minReadySeconds": 5,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": update},
            "template": self.pod(),
        }
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(self.name), "spec": spec}

    # MARK: What stands beside it

    def account(self):
        return {
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta(self.name), "automountServiceAccountToken": False,
        }

    def address(self):
        ports = [{"name": name, "port": port, "targetPort": name} for name, port in self.ports.items() if name != "metrics"]
        spec = {"selector": selector(self.name), "ports": ports}
        if not ports:
            spec = {"clusterIP": "None", "selector": selector(self.name)}
        return {"apiVersion": "v1", "kind": "Service", "metadata": meta(self.name), "spec": spec}

    def door(self):
        """What callers from outside reach, by TCP: TLS ends at the service, which sees who calls."""
        names = {number: name for name, number in self.ports.items()}
        spec = {
            "type": "LoadBalancer",
            "externalTrafficPolicy": "Local",
            "selector": selector(self.name),
            "ports": [{"name": names[number], "port": number, "targetPort": names[number]} for number in self.doors],
        }
        return {"apiVersion": "v1", "kind": "Service", "metadata": meta(f"{self.name}-door", self.name), "spec": spec}

    def budget(self):
        spec = {
            "maxUnavailable": 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": selector(self.name)},
        }
        return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta(self.name), "spec": spec}

    def policy(self):
        """A rule for each arrow that begins or ends here; the other end has the other half of it."""
        pods = lambda name: [{"podSelector": {"matchLabels": selector(name)}}]
        port = lambda *numbers: [{"protocol": "TCP", "port": number} for number in numbers]
        ingress, egress = [], []
        if self.doors:
            ingress.append({"ports": port(*self.doors)})
        for callee, number, caller in self.calls:
            if callee == self.name:
                ingress.append({"from": pods(caller), "ports": port(int(number))})
            if caller == self.name:
                egress.append({"to": pods(callee), "ports": port(int(number))})
        if "METRICS_PORT" in self.environment:
            monitoring = {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}},
                "podSelector": {"matchLabels": {"app.kubernetes.io/name": "prometheus"}},
            }
            ingress.append({"from": [monitoring], "ports": port(int(self.environment["METRICS_PORT"]))})
        if self.uses_database:
            egress.append({"to": [{"podSelector": {"matchLabels": {"cnpg.io/cluster": "postgres"}}}], "ports": port(5432)})
        for network in self.service["networks"]:
            if network in WAYS_OUT:
                block, numbers = WAYS_OUT[network]
                egress.append({"to": [{"ipBlock": block}], "ports": port(*numbers)})
        if egress:
            egress.append(names())
        spec = {
            "podSelector": {"matchLabels": selector(self.name)},
            "policyTypes": ["Ingress", "Egress"],
        }
        # A server leaves an empty list out.
        spec |= {key: rules for key, rules in (("ingress", ingress), ("egress", egress)) if rules}
        return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta(self.name), "spec": spec}

    def certificates(self):
        """Its certificate for other services, whose URI names its role, and the one that it logs in to PostgreSQL with."""
        usages = ["digital signature", "server auth", "client auth"]
        # The second name is replaced by the setting's value (outside_names).
        hosts = [self.name] + ([outside_name(self.name)] if self.name in NAMED else [])
        spec = common(self.name, "tls", "services") | {"dnsNames": hosts, "usages": usages}
        if self.name not in WITHOUT_ROLE:
            spec["uris"] = [f"vigil:role:{self.name}"]
        yield certificate(self.name, "tls", spec)
        if self.uses_database:
            user = re.search(r"user=(\w+)", self.environment["POSTGRES_CONNECTION"])[1]
            spec = common(self.name, "database", "database") | {"commonName": user, "usages": ["digital signature", "client auth"]}
            yield certificate(self.name, "database", spec)

    def monitor(self):
        """Has Prometheus ask each pod, with the labels that the alerts know (deploy/prometheus/prometheus.yml)."""
        file = lambda name: {"secret": {"name": "prometheus-tls", "key": name}}
        endpoint = {
            "port": "metrics",
            "scheme": "https",
            "tlsConfig": {
                "serverName": self.name, "ca": file("ca.crt"), "cert": file("tls.crt"),
                "keySecret": {"name": "prometheus-tls", "key": "tls.key"},
            },
            "relabelings": [
                {"targetLabel": "service", "replacement": self.name, "action": "replace"},
                {"targetLabel": "job", "replacement": "vigil", "action": "replace"},
            ],
            "metricRelabelings": [
                {"sourceLabels": ["exported_job"], "regex": "(.+)", "targetLabel": "job", "action": "replace"},
                {"regex": "exported_job", "action": "labeldrop"},
            ],
        }
        spec = {"selector": {"matchLabels": selector(self.name)}, "podMetricsEndpoints": [endpoint]}
        return {"apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor", "metadata": meta(self.name), "spec": spec}

    def manifests(self):
        yield self.account()
        yield self.workload()
        if set(self.ports) - {"metrics"} or self.name in STATEFUL:
            yield self.address()
        if self.doors:
            yield self.door()
        if self.name not in SINGLE:
            yield self.budget()
        yield self.policy()
        yield from self.certificates()
        if "METRICS_PORT" in self.environment:
            yield self.monitor()


def names():
    """Where names are resolved. A cache of names on the node's own network isn't a pod: allow it by its address."""
    dns = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    return {"to": [dns], "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]}


def outside_name(name):
    """What a setting says that nobody has set: the name by which other namespaces of the cluster reach the Service."""
    return f"{name}.vigil.svc"


def outside_names():
    """Has the overlays write the names that callers outside type into certificates.

    An overlay's own settings come after everything of the base and the components, so only the overlay can do it.
    """
    return [
        {
            "source": {"kind": "ConfigMap", "name": "settings", "fieldPath": f"data.{setting}"},
            "targets": [{"select": {"kind": "Certificate", "name": f"{name}-tls"}, "fieldPaths": ["spec.dnsNames.1"]}],
        }
        for name, setting in NAMED.items()
    ]


def common(name, suffix, issuer):
    return {
        "secretName": f"{name}-{suffix}",
        "issuerRef": {"name": issuer, "kind": "Issuer"},
        "duration": "720h",
        "renewBefore": "360h",
        "privateKey": {"algorithm": "ECDSA", "size": 256, "encoding": "PKCS8", "rotationPolicy": "Always"},
    }


def certificate(name, suffix, spec):
    return {"apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": meta(f"{name}-{suffix}", name), "spec": spec}


def files(folder):
    """The files of a folder of deploy that containers mount, by their paths in it."""
    root = ROOT / "deploy" / folder
    return sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file() and file.suffix != ".md")


def key(file):
    """The key of a file in a ConfigMap, where a key can't be a path."""
    return file.replace("/", "__")


def claim(name):
    """A volume that several pods mount."""
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": SHARED[name]}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta(name), "spec": spec}


def rules():
    """The alerts of deploy/prometheus, and what one of them needs, by itself: a country replaces it."""
    for name, file in (("vigil", "alerts"), ("working-hours", "working-hours")):
        groups = yaml.safe_load((ROOT / f"deploy/prometheus/{file}.yml").read_text())["groups"]
        yield {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": meta(name), "spec": {"groups": groups}}


# MARK: Files

HEAD = "# Written by Tests/Kubernetes/render.py from docker-compose.yml: change that file, then run it again.\n"


class Writer(yaml.SafeDumper):
    """Writes lists as people do, and texts of several lines as blocks."""

    def increase_indent(self, flow=False, indentless=False):
        return super().increase_indent(flow, False)

    def ignore_aliases(self, data):
        return True


Writer.add_representer(
    str,
    lambda writer, text: writer.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def text(documents):
    return HEAD + yaml.dump_all(documents, Dumper=Writer, sort_keys=False, width=140)


def kustomization(kind, resources, settings, folders=()):
    """The list of a folder's manifests, and the ConfigMaps that are made of settings and of files that containers mount."""
    # Its name follows from its content, so that a changed setting replaces the pods that read it.
    literals = [f"{name}={value}" for name, value in sorted(settings.items()) if value is not None]
    generators = [{"name": "settings", "literals": literals} | ({"behavior": "merge"} if kind == "Component" else {})] if literals else []
    for folder in folders:
        generators.append({"name": folder, "files": [f"{key(file)}=../../{folder}/{file}" for file in files(folder)]})
    if kind == "Kustomization":
        # CloudNativePG names it, so it keeps its name.
        options = {"disableNameSuffixHash": True}
        generators.append({"name": "database-catalog", "files": ["catalog.sql=../../postgres/catalog.sql"], "options": options})
    version = "v1alpha1" if kind == "Component" else "v1beta1"
    document = {"apiVersion": f"kustomize.config.k8s.io/{version}", "kind": kind, "resources": resources}
    # By this label deploy/kubernetes/preflight.sh finds those that an earlier apply left.
    document |= {"generatorOptions": {"labels": {"app.kubernetes.io/part-of": "vigil"}}} if kind == "Kustomization" else {}
    return document | ({"configMapGenerator": generators} if generators else {})


def rendered():
    """Every file that is written, by its path in deploy/kubernetes."""
    document = read()
    calls = sorted(set(compose.calls(document["services"])))
    optional = {name for names in COMPONENTS.values() for name in names}
    core = [name for name in document["services"] if name not in optional]
    result, common_settings = {}, {}
    for folder, members in {"base": core, **COMPONENTS}.items():
        settings, written = {}, {}
        for name in members:
            written[f"{name}.yaml"] = text(Service(name, document, calls, settings).manifests())
        volume = {"base": "published", "further": "further"}.get(folder)
        if volume:
            written[f"{volume}-volume.yaml"] = text([claim(volume)])
        if folder == "base":
            settings |= {setting: outside_name(name) for name, setting in NAMED.items()}
            # Those of migrate.yaml, which is written by hand.
            for value in document["migrate"]["command"]:
                if found := SETTING.fullmatch(value):
                    settings.setdefault(found[1], found[2])
            common_settings = settings
            written["alerts.yaml"] = text(rules())
            summary = kustomization("Kustomization", [*BY_HAND, *written], settings, ["static", "portal"])
        else:
            own = {name: value for name, value in settings.items() if name not in common_settings}
            summary = kustomization("Component", list(written), own)
        if folder == "further":
            written["download-server-patch.yaml"] = text([FURTHER])
            # With a target, since `bucket` may have taken it away before.
            summary["patches"] = [{"path": "download-server-patch.yaml", "target": {"kind": "Deployment", "name": "download-server"}}]
        if folder == "base":
            # No resource: the overlays name it.
            written["names.yaml"] = text([outside_names()])
        written["kustomization.yaml"] = text([summary])
        result |= {f"{folder}/{name}": content for name, content in written.items()}
    return result


# Manifests of the base that follow from nothing else.
BY_HAND = ["namespace.yaml", "network.yaml", "issuers.yaml", "postgres.yaml", "postgres-alerts.yaml", "migrate.yaml"]


def main():
    wanted = rendered()
    if sys.argv[1:] == ["--check"]:
        present = {path: (TARGET / path).read_text() if (TARGET / path).exists() else None for path in wanted}
        differing = [path for path, content in wanted.items() if present[path] != content]
        for folder in ["base", *COMPONENTS]:
            for file in (TARGET / folder).glob("*.yaml"):
                if f"{folder}/{file.name}" not in wanted and (folder != "base" or file.name not in BY_HAND):
                    differing.append(f"{folder}/{file.name}")
        for path in differing:
            print(f"deploy/kubernetes/{path} differs: run python3 Tests/Kubernetes/render.py")
        sys.exit(1 if differing else 0)
    for path, content in wanted.items():
        (TARGET / path).parent.mkdir(parents=True, exist_ok=True)
        (TARGET / path).write_text(content)


if __name__ == "__main__":
    main()
