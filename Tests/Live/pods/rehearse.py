"""Runs the pods of an overlay by Docker and checks what no schema can: see `bash Tests/Live/rehearsal.sh --help`, --kubernetes.

Arguments: the overlay, the folder that deploy/secrets.sh made, a folder for everything that this makes, and PostgreSQL's image.
"""

import pathlib
import subprocess
import sys
import time

CHECKOUT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(CHECKOUT / "Tests" / "Kubernetes"))

from cluster import Cluster, remove_containers
from cryptography import x509
from manifests import Manifests

TRAFFIC = CHECKOUT / "Tests/Live/rehearsal/traffic.py"
# In seconds: after SIGTERM, Services go on leading to a pod for so long.
LEAVING = 2


class Rehearsal:
    """The checks, in their order."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.objections = 0
        self._began = time.monotonic()

    def say(self, text):
        print(f"{time.monotonic() - self._began:5.0f} s  {text}", flush=True)

    def object(self, text):
        self.objections += 1
        self.say(f"OBJECTION: {text}")

    # MARK: Up

    def bring_up(self):
        cluster = self.cluster
        cluster.start_postgres()
        self.say("PostgreSQL answers")
        workloads = list(cluster.manifests.workloads())
        pods = [cluster.start(one) for one in workloads for _ in range(one.replicas)]
        migration = next(pod for pod in pods if pod.workload.name == "migrate")
        cluster.await_ready([migration], 180)
        self.say(f"migrated after {migration.restarts} failed attempts")
        cluster.await_ready(pods, 180)
        starts = sum(pod.restarts for pod in pods if pod is not migration)
        self.say(f"{len(pods)} pods are ready; {starts} times one was started again before the tables were there")

    # MARK: Rights

    def look_at_rights(self):
        values = []
        for name, key, content in self.cluster.secrets.values():
            lines = [line for line in content.splitlines() if line and b"-----" not in line]
            values.append((f"{name}/{key}", lines[-1]))
        for pod in self.cluster.pods.values():
            process = pathlib.Path(f"/proc/{pod.process}")
            status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
            wanted = {"CapEff": "0" * 16, "CapBnd": "0" * 16, "NoNewPrivs": "1", "Seccomp": "2"}
            for field, value in wanted.items():
                if status[field].strip() != value:
                    self.object(f"{pod.name}: {field} is {status[field].strip()}, not {value}.")
            if "0" in status["Uid"].split() + status["Gid"].split():
                self.object(f"{pod.name} runs as root.")
            mounts = [line.split() for line in (process / "mountinfo").read_text().splitlines()]
            writable = {fields[4] for fields in mounts if "rw" in fields[5].split(",")}
            named = {one["mountPath"] for one in pod.workload.container.get("volumeMounts", []) if not one.get("readOnly")}
            for place in sorted(writable):
                # What runc mounts itself has no files of ours.
                if place not in named and not place.startswith(("/proc", "/dev", "/sys", "/etc/")):
                    self.object(f"{pod.name} can write to {place}.")
            seen = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
            for name, value in values:
                if value in seen:
                    self.object(f"{pod.name} has {name} in its environment or on its command line.")
            for mount in pod.workload.container.get("volumeMounts", []):
                if mount["mountPath"] == "/run/secrets":
                    self._look_at_files(pod, process / "root/run/secrets")
        self.say(f"rights of {len(self.cluster.pods)} pods")

    def _look_at_files(self, pod, folder):
        for path in folder.iterdir():
            if path.name.startswith(".."):
                continue
            file = path.stat()
            if (file.st_uid, file.st_mode & 0o7777) != (0, 0o440):
                self.object(f"{pod.name}: /run/secrets/{path.name} has the mode {file.st_mode & 0o7777:o}.")

    # MARK: Arrows

    def try_arrows(self):
        network = self.cluster.network
        sources = [name for name, one in network.endpoints.items() if one.is_pod]
        allowed = {(source, destination, port) for source, destination, protocol, port in network.allowed() if protocol == "tcp"}
        tried = wrong = opened = 0
        for name in sources:
            here = network.endpoints[name].address
            reached = network.reached(name)
            for one in network.endpoints.values():
                for port in network.ports():
                    if one.name == name:
                        continue
                    tried += 1
                    may, does = (here, one.address, port) in allowed, (one.address, port) in reached
                    opened += does
                    if may != does:
                        wrong += 1
                        self.object(f"{name} {'reaches' if does else 'misses'} port {port} of {one.name}.")
        self.say(f"{tried} connections tried, {opened} possible, {wrong} otherwise than the policies say")
        with self.cluster.without_policies():
            reached = len(network.reached("intruder"))
        with_policies = len(network.reached("intruder"))
        self.say(f"control: without policies an intruder reaches {reached}, with them {with_policies}")
        if reached < 100 or with_policies:
            self.object("The policies weren't what closed everything to an intruder.")

    # MARK: Traffic

    def _traffic(self, callers):
        doors = {"apps": "metadata-proxy", "labs": "test-result-server", "downloads": "download-server"}
        arguments = []
        for name, service in doors.items():
            port = self.cluster.manifests.get("Service", f"{service}-door")["spec"]["ports"][0]["port"]
            arguments.append(f"{name}={service}:{port}")
        hosts = self.cluster.folder / "hosts"
        lines = [f"{self.cluster.network.service(f'{service}-door')} {service}\n" for service in doors.values()]
        hosts.write_text("127.0.0.1 localhost\n" + "".join(lines))
        log = (self.cluster.folder / "traffic.log").open("w")
        inside = 'mount --bind "$1" /etc/hosts && shift && exec "$@"'
        return subprocess.Popen(
            ["ip", "netns", "exec", "outside", "unshare", "--mount", "sh", "-c", inside, "sh", str(hosts),
             sys.executable, str(TRAFFIC), str(callers), *arguments],
            stdout=log, stderr=log,
        )  # fmt: skip

    def _said(self):
        return (self.cluster.folder / "traffic.log").read_text().strip().splitlines()

    def update(self, callers):
        """Replaces every pod while requests go through the doors."""
        traffic = self._traffic(callers)
        time.sleep(5)
        for workload in self.cluster.manifests.workloads():
            if workload.kind == "Deployment":
                self._replace(workload)
                self.say(f"replaced: {workload.name}")
        time.sleep(2)
        traffic.terminate()
        failed = traffic.wait()
        self.say(f"rolling update: {self._said()[-1]}")
        if failed:
            self.object("Requests failed during the update: " + " | ".join(self._said()[:5]))

    def control_of_update(self, callers):
        """Services that end at once on SIGTERM must lose requests, or the traffic wouldn't notice."""
        (workload,) = [one for one in self.cluster.manifests.workloads() if one.name == "download-server"]
        hasty = {"SHUTDOWN_DELAY": "0"}
        self._replace(workload, hasty)
        traffic = self._traffic(callers)
        time.sleep(5)
        self._replace(workload)
        traffic.terminate()
        traffic.wait()
        self.say(f"control, without a delay before the end: {self._said()[-1]}")
        if not any("FAILED" in line for line in self._said()):
            self.object("Pods that ended at once failed no request.")

    def _replace(self, workload, environment=None):
        """A rolling update: each new pod is ready for a while before an old one goes (maxSurge 1, maxUnavailable 0).

        Without one (the strategy Recreate), the old pod goes first.
        """
        for old in [pod for pod in self.cluster.pods.values() if pod.workload.name == workload.name]:
            if workload.is_recreated:
                self.cluster.stop(old)
                self.cluster.await_ready([self.cluster.start(workload, environment)], 120)
                continue
            new = self.cluster.start(workload, environment)
            self.cluster.await_ready([new], 120)
            time.sleep(workload.ready_seconds)
            self.cluster.stop(old, LEAVING)

    # MARK: Certificates

    def renew(self):
        """New certificates reach a service that runs, for its callers and for PostgreSQL."""
        name = "submission-server"
        for kind in ("tls", "database"):
            self.cluster.secrets.issue(self.cluster.manifests.get("Certificate", f"{name}-{kind}")["spec"])
        pods = [pod for pod in self.cluster.pods.values() if pod.workload.name == name]
        before = [pod.process for pod in pods]
        for pod in pods:
            pod.refresh()
        wanted = self._serial(f"{name}-tls")
        ask = "import ssl, sys; print(ssl.get_server_certificate((sys.argv[1], int(sys.argv[2])), timeout=5))"
        caller = next(pod for pod in self.cluster.pods.values() if pod.workload.name == "metadata-proxy")
        began = time.monotonic()
        for pod in pods:
            address = self.cluster.network.endpoints[pod.name].address
            port = str(dict(pod.workload.ports)["listen"])
            while True:
                asked = ["ip", "netns", "exec", caller.name, sys.executable, "-c", ask, address, port]
                shown = subprocess.run(asked, capture_output=True)
                if shown.returncode == 0 and x509.load_pem_x509_certificate(shown.stdout).serial_number == wanted:
                    break
                if time.monotonic() - began > 60:
                    return self.object(f"{pod.name} doesn't show its new certificate: {shown.stderr[-300:]}")
                time.sleep(1)
        # Its connections end, as with a failover; the next ones log in with the new certificate.
        role = "vigil_submission"
        self.cluster.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'")
        serial = self._serial(f"{name}-database")
        query = f"""
            SELECT count(*) FILTER (WHERE client_serial = {serial}), count(*)
            FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = '{role}'"""
        while True:
            new, all_of_them = map(int, self.cluster.sql(query).split("|"))
            if new and new == all_of_them:
                break
            if time.monotonic() - began > 90:
                return self.object(f"{new} of {all_of_them} connections of {role} use the new certificate.")
            time.sleep(1)
        if [pod.process for pod in pods] != before:
            self.object(f"{name} was started again.")
        self.say(f"new certificates of {name} were used within {time.monotonic() - began:.0f} s, without a start")

    def _serial(self, secret):
        return x509.load_pem_x509_certificate(self.cluster.secrets[secret]["tls.crt"]).serial_number

    # MARK: Kills

    def kill(self):
        for pod in list(self.cluster.pods.values()):
            pod.kill()
        self.cluster.await_ready(self.cluster.pods.values(), 180)
        self.say(f"{len(self.cluster.pods)} pods were killed with SIGKILL at once, and are ready again")


def make_callers(cluster, folder):
    """What a laboratory has, and whom it and apps trust: the services' authority, and a public one."""
    laboratory = {
        **cluster.manifests.get("Certificate", "prometheus-tls")["spec"],
        "secretName": "laboratory", "commonName": "rehearsal", "uris": ["vigil:role:lab"],
    }  # fmt: skip
    cluster.secrets.issue(laboratory)
    authority = cluster.manifests.get("Certificate", "services-authority")["spec"]
    cluster.secrets.issue({**authority, "secretName": "public-authority", "commonName": "A public authority"})
    (folder / "lab").mkdir(parents=True)
    (folder / "lab/tls.pem").write_bytes(cluster.secrets["laboratory"]["tls.crt"])
    (folder / "lab/tls.key").write_bytes(cluster.secrets["laboratory"]["tls.key"])
    for service in ("metadata-proxy", "health-portal", "download-server"):
        cluster.secrets.issue_public(f"{service}-public", service)
    (folder / "ca.pem").write_bytes(
        cluster.secrets["laboratory"]["ca.crt"] + cluster.secrets["metadata-proxy-public"]["ca.crt"]
    )


def main():
    overlay, made, folder, image = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
    remove_containers(Cluster.LABEL)
    cluster = Cluster(Manifests(overlay), folder, image)
    rehearsal = Rehearsal(cluster)
    try:
        cluster.secrets.issue_all()
        # A key for Apple's service, which nothing here reaches: any of the right kind.
        commands = cluster.secrets.read_commands(
            CHECKOUT / "deploy/kubernetes/README.md", made / "files", {"APPLES.p8": apple_key(folder)}
        )
        rehearsal.say(f"{commands} commands of the README made Secrets")
        callers = folder / "callers"
        make_callers(cluster, callers)
        cluster.add_others()
        rehearsal.bring_up()
        rehearsal.look_at_rights()
        rehearsal.try_arrows()
        rehearsal.update(callers)
        rehearsal.control_of_update(callers)
        rehearsal.renew()
        rehearsal.kill()
    finally:
        cluster.end()
    if rehearsal.objections:
        raise SystemExit(f"FAILED: {rehearsal.objections} objections, above.")


def apple_key(folder):
    path = folder / "apple.p8"
    command = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    return str(path)


if __name__ == "__main__":
    main()
