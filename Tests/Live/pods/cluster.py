"""The cluster: everything that an overlay says, on one machine."""

import contextlib
import os
import secrets as random
import signal
import subprocess
import threading
import time

from kubelet import Pod, Sandbox, docker
from manifests import NAMESPACE
from network import NAME_SERVER, Network
from certificates import Secrets

# Addresses outside the cluster, of which the policies know Apple's.
OUTSIDE = {"phone": "203.0.113.7", "apple": "17.188.143.1", "internet": "198.51.100.9"}


class Cluster:
    """The pods of an overlay, PostgreSQL, a name server, and who has no business there."""

    LABEL = "org.vigil.rehearsal=pods"

    def __init__(self, manifests, folder, postgres_image):
        self.manifests, self.folder, self._postgres_image = manifests, folder, postgres_image
        self.secrets = Secrets(manifests)
        self.network = Network(manifests, folder)
        self.pods = {}
        self._lock = threading.Lock()
        self._name_server = None
        self._numbers = iter(range(1, 1000))

    def map(self, name):
        """The entries of a ConfigMap, as bytes."""
        return {key: value.encode() for key, value in self.manifests.get("ConfigMap", name)["data"].items()}

    # MARK: The network, as pods come and go

    def join(self, name, workload, process):
        with self._lock:
            self.network.add(name, NAMESPACE, workload.labels, workload.ports, process=process)
            self._apply()

    def leave(self, name):
        with self._lock:
            self.network.remove(name)
            self._apply()

    def set_ready(self, pod, is_ready):
        with self._lock:
            if (pod.name in self.network.ready) != is_ready:
                (self.network.ready.add if is_ready else self.network.ready.discard)(pod.name)
                self._apply()
        if is_ready:
            pod.became_ready.set()

    def _apply(self):
        self.network.apply()
        if self._name_server:
            self._name_server.send_signal(signal.SIGHUP)

    @contextlib.contextmanager
    def without_policies(self):
        """Lets everybody reach everybody."""
        self.network.enforces = False
        self.network.apply()
        yield
        self.network.enforces = True
        self.network.apply()

    # MARK: What the overlay doesn't bring

    def add_others(self):
        """A name server, Prometheus, the operator, two who have no business here, and the world outside."""
        self.network.add("outside", addresses=OUTSIDE)
        self.network.add("prometheus", "monitoring", {"app.kubernetes.io/name": "prometheus"})
        self.network.add("operator", "cnpg-system", {"app.kubernetes.io/name": "cloudnative-pg"})
        self.network.add("stranger", "another", {"app.kubernetes.io/name": "metadata-proxy"})
        self.network.add("intruder", NAMESPACE, {"app.kubernetes.io/name": "intruder"})
        self.network.add("kube-dns", "kube-system", {"k8s-app": "kube-dns"})
        selector = {"selector": {"k8s-app": "kube-dns"}, "ports": [{"name": "dns", "port": 53}]}
        self.network.add_service("kube-dns", selector, int(NAME_SERVER.rpartition(".")[2]))
        self.network.ready.add("kube-dns")
        self.network.apply()
        self._name_server = subprocess.Popen(
            ["ip", "netns", "exec", "kube-dns", "dnsmasq", "--keep-in-foreground", "--no-resolv", "--no-hosts", "--user=root",
             f"--addn-hosts={self.folder / 'names'}", "--bind-interfaces", "--interface=eth0", "--pid-file="],
        )  # fmt: skip

    def start_postgres(self):
        """PostgreSQL as the Cluster describes it, but one server without standbys, by the image that compose uses."""
        spec = self.manifests.get("Cluster", "postgres")["spec"]
        labels = {"cnpg.io/cluster": "postgres"}
        sandbox = Sandbox("postgres", self.LABEL)
        self.network.add("postgres", NAMESPACE, labels, process=sandbox.process)
        data = self.folder / "postgres"
        data.mkdir()
        server = self.secrets[spec["certificates"]["serverTLSSecret"]]
        files = {
            "tls.crt": server["tls.crt"], "tls.key": server["tls.key"],
            "ca.crt": self.secrets[spec["certificates"]["clientCASecret"]]["ca.crt"],
            "pg_hba.conf": "\n".join(["local all all trust", *spec["postgresql"]["pg_hba"], ""]).encode(),
            "start/start.sql": self._first_statements(spec["bootstrap"]["initdb"]).encode(),
        }  # fmt: skip
        for name, content in files.items():
            (data / name).parent.mkdir(exist_ok=True)
            (data / name).write_bytes(content)
            os.chmod(data / name, 0o600)
        for path in [data, *data.rglob("*")]:
            os.chown(path, 999, 999)
        settings = {
            **spec["postgresql"]["parameters"], "ssl": "on", "ssl_cert_file": "/files/tls.crt", "ssl_key_file": "/files/tls.key",
            "ssl_ca_file": "/files/ca.crt", "hba_file": "/files/pg_hba.conf", "listen_addresses": "*", "fsync": "off",
        }  # fmt: skip
        initial = spec["bootstrap"]["initdb"]
        options = f"--encoding={initial['encoding']} --lc-collate={initial['localeCollate']} --lc-ctype={initial['localeCType']}"
        if initial["dataChecksums"]:
            options += " --data-checksums"
        docker(
            "run", "--detach", "--name=postgres", f"--label={self.LABEL}", sandbox.option, "--user=999:999",
            f"--volume={data}:/files", f"--volume={data}/start:/docker-entrypoint-initdb.d:ro", "--env=PGDATA=/files/data",
            f"--env=POSTGRES_PASSWORD={random.token_hex(16)}", f"--env=POSTGRES_INITDB_ARGS={options}",
            self._postgres_image, "postgres", *(f"-c{name}={value}" for name, value in settings.items()),
        )  # fmt: skip
        until = time.monotonic() + 60
        # The server that initializes listens on its socket only.
        while docker("exec", "postgres", "pg_isready", "-q", "-h127.0.0.1", check=False).returncode:
            if time.monotonic() > until:
                done = docker("logs", "--tail=5", "postgres", check=False)
                raise SystemExit(f"PostgreSQL doesn't answer: {(done.stdout + done.stderr)[-600:]}")
            time.sleep(0.5)
        self.network.ready.add("postgres")
        self.network.apply()

    def _first_statements(self, initial):
        lines = [f"CREATE ROLE {initial['owner']} LOGIN;", f"CREATE DATABASE {initial['database']} OWNER {initial['owner']};"]
        lines += [f"{one};" for one in initial["postInitSQL"]]
        lines += [f"\\connect {initial['database']}", *(f"{one};" for one in initial["postInitApplicationSQL"])]
        for reference in initial["postInitApplicationSQLRefs"]["configMapRefs"]:
            lines.append(self.map(reference["name"])[reference["key"]].decode())
        return "\n".join(lines)

    def sql(self, statement, database="postgres"):
        """Runs a statement as the superuser. Returns what it prints."""
        return docker(
            "exec", "postgres", "psql", "-XqAt", "-vON_ERROR_STOP=1", "-Upostgres", f"-d{database}", "-c", statement
        ).stdout.strip()

    # MARK: Pods

    def start(self, workload, environment=None):
        number = next(self._numbers)
        name = f"{workload.name}-{number}"
        pod = self.pods[name] = Pod(name, workload, self, environment)
        return pod

    def await_ready(self, pods, seconds):
        until = time.monotonic() + seconds
        for pod in pods:
            while not pod.became_ready.wait(0.2):
                if pod.failure or time.monotonic() > until:
                    raise SystemExit(f"{pod.name} wasn't ready within {seconds} s: {pod.failure or pod.words()}")

    def stop(self, pod, leave_services_after=0.0):
        pod.stop(leave_services_after)
        del self.pods[pod.name]

    def end(self):
        """Removes everything that Docker has of it."""
        if self._name_server:
            self._name_server.kill()
        for pod in self.pods.values():
            pod.give_up()
        remove_containers(self.LABEL)


def remove_containers(label):
    left = docker("ps", "--all", "--quiet", f"--filter=label={label}").stdout.split()
    if left:
        docker("rm", "--force", *left)

