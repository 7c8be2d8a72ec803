"""What a kubelet does with a pod: lays out its volumes, starts its containers by Docker, asks their probes, starts it again."""

import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import threading
import time

from network import NAME_SERVER

SEARCHED = "vigil.svc.cluster.local svc.cluster.local cluster.local".split()
# A kubelet waits longer each time, up to five minutes.
BACK_OFF = 5


def docker(*arguments, check=True):
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True)
    if check and done.returncode:
        raise SystemExit(f"docker {' '.join(arguments)[:300]} failed: {done.stderr.strip()[-500:]}")
    return done


def process_of(container):
    """The id of a container's process; 0 while there is none."""
    return int(docker("inspect", "--format={{.State.Pid}}", container).stdout)


class Sandbox:
    """What holds a pod's network, name and name server while its container comes and goes: a container that sleeps."""

    def __init__(self, name, label):
        self._container = f"sandbox-{name}"
        docker(
            "run", "--detach", f"--name={self._container}", f"--label={label}", "--network=none", f"--hostname={name}",
            f"--dns={NAME_SERVER}", *(f"--dns-search={one}" for one in SEARCHED), "--dns-option=ndots:5",
            "--stop-signal=SIGKILL", "debian:bookworm-slim", "sleep", "infinity",
        )  # fmt: skip
        self.process = process_of(self._container)
        self.option = f"--network=container:{self._container}"

    def remove(self):
        docker("rm", "--force", self._container)


class Pod:
    """A pod with one container at a time: those that prepare something, then one that a thread keeps running until it is stopped."""

    def __init__(self, name, workload, cluster, environment=None):
        self.name, self.workload, self._cluster = name, workload, cluster
        # Replaces what the manifest says, for a control.
        self._changed = environment or {}
        self._folder = cluster.folder / "pods" / name
        self.restarts = 0
        self._is_stopped = threading.Event()
        self.became_ready = threading.Event()
        # What went wrong with Docker rather than with the program.
        self.failure = None
        self._volumes = {}
        self._sandbox = Sandbox(name, cluster.LABEL)
        cluster.join(name, workload, self._sandbox.process)
        for volume in workload.spec.get("volumes", []):
            self._volumes[volume["name"]] = self._lay_out(volume)
        for claim in workload.claims:
            self._volumes[claim] = self._claim(f"{claim}-{name}")
        self._create(workload.stages[0])
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    # MARK: Volumes

    @property
    def _group(self):
        return self.workload.spec["securityContext"]["fsGroup"]

    def _lay_out(self, volume):
        if "persistentVolumeClaim" in volume:
            return self._claim(volume["persistentVolumeClaim"]["claimName"])
        if "emptyDir" in volume:
            folder = self._folder / volume["name"]
            folder.mkdir(parents=True)
            return self._give(folder, 0o2777)
        folder = self._folder / volume["name"]
        folder.mkdir(parents=True)
        os.chmod(folder, 0o755)
        self._write(folder, volume)
        return folder

    def _claim(self, name):
        folder = self._cluster.folder / "claims" / name
        folder.mkdir(parents=True, exist_ok=True)
        return self._give(folder, 0o2775)

    def _give(self, folder, mode):
        os.chown(folder, 0, self._group)
        os.chmod(folder, mode)
        return folder

    def _content(self, volume):
        """The files of a volume, and their mode."""
        if "projected" in volume:
            sources, mode = volume["projected"]["sources"], volume["projected"].get("defaultMode", 0o644)
        else:
            (kind,) = set(volume) - {"name"}
            source = dict(volume[kind])
            mode = source.pop("defaultMode", 0o644)
            source["name"] = source.pop("secretName", source.get("name"))
            sources = [{kind: source}]
        files = {}
        for each in sources:
            ((kind, source),) = each.items()
            data = self._cluster.secrets[source["name"]] if kind == "secret" else self._cluster.map(source["name"])
            for item in source.get("items") or [{"key": key, "path": key} for key in data]:
                files[item["path"]] = data[item["key"]]
        return files, mode

    def _write(self, folder, volume):
        """Writes all files into a new folder, and leads the link that programs follow there in one step."""
        files, mode = self._content(volume)
        new = folder / f"..{secrets.token_hex(8)}"
        new.mkdir()
        os.chmod(new, 0o755)
        for path, content in files.items():
            file = new / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            os.chown(file, 0, self._group)
            # Who has the group may read whatever is mounted.
            os.chmod(file, mode | 0o040)
            first = pathlib.Path(path).parts[0]
            if not (folder / first).is_symlink():
                (folder / first).symlink_to(f"..data/{first}")
        before = folder / "..data"
        old = before.resolve() if before.is_symlink() else None
        (folder / "..next").symlink_to(new.name)
        os.rename(folder / "..next", before)
        if old:
            shutil.rmtree(old)

    def refresh(self):
        """Brings changed Secrets and ConfigMaps into the volumes."""
        for volume in self.workload.spec.get("volumes", []):
            if "persistentVolumeClaim" not in volume and "emptyDir" not in volume:
                self._write(self._volumes[volume["name"]], volume)

    # MARK: The container

    def _environment(self, container):
        for one in container.get("env", []):
            # Without a value it is empty.
            value = one.get("value", "")
            if "valueFrom" in one:
                reference = one["valueFrom"]["configMapKeyRef"]
                value = self._cluster.map(reference["name"])[reference["key"]].decode()
            yield one["name"], self._changed.get(one["name"], value)

    def _create(self, container):
        pod = self.workload.spec["securityContext"]
        rights = container["securityContext"]
        options = [
            self._sandbox.option, f"--user={pod['runAsUser']}:{pod['runAsGroup']}", f"--group-add={self._group}",
            f"--memory={container['resources']['limits']['memory'].replace('Mi', 'm').replace('Gi', 'g')}",
            "--ulimit=core=0:0",
        ]  # fmt: skip
        options += [f"--cap-drop={one}" for one in rights["capabilities"]["drop"]]
        if rights.get("readOnlyRootFilesystem"):
            options.append("--read-only")
        if rights.get("allowPrivilegeEscalation") is False:
            options.append("--security-opt=no-new-privileges")
        if pod.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            options.append("--security-opt=seccomp=unconfined")
        environment = dict(self._environment(container))
        options += [f"--env={name}={value}" for name, value in environment.items()]
        for mount in container.get("volumeMounts", []):
            folder = self._volumes[mount["name"]]
            options.append(f"--volume={folder}:{mount['mountPath']}:{'ro' if mount.get('readOnly') else 'rw'}")
        image = container["image"].rpartition("/")[2].rpartition(":")[0] + ":latest"
        # https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
        command = [
            re.sub(r"\$\((\w+)\)", lambda found: environment.get(found[1], found[0]), one)
            for one in [*container.get("command", []), *container.get("args", [])]
        ]
        if "command" in container:
            # It takes the place of the image's entry point.
            options.append(f"--entrypoint={command.pop(0)}")
        docker("create", f"--name={self.name}", f"--label={self._cluster.LABEL}", *options, image, *command)

    @property
    def process(self):
        """The id of its process; 0 while there is none."""
        return process_of(self.name)

    def words(self):
        done = docker("logs", "--tail=3", self.name, check=False)
        return (done.stdout + done.stderr).strip()[-600:]

    def _live(self):
        try:
            self._run()
        except SystemExit as failure:
            self.failure = str(failure)

    def _run(self):
        """Until it is stopped. What prepares something is over when it ends well."""
        stages = self.workload.stages
        for number, container in enumerate(stages):
            if number:
                docker("rm", self.name)
                self._create(container)
            is_last = number == len(stages) - 1
            while not self._is_stopped.is_set():
                docker("start", self.name)
                self._probe_until_end(container, is_last)
                self._cluster.set_ready(self, False)
                if self._is_stopped.is_set():
                    return
                status = docker("inspect", "--format={{.State.ExitCode}}", self.name).stdout.strip()
                if not is_last and status == "0":
                    break
                self.restarts += 1
                self._is_stopped.wait(BACK_OFF)

    def _probe_until_end(self, container, is_last):
        probe, failures, is_up = container.get("startupProbe"), 0, "startupProbe" not in container
        if is_last and not probe and "readinessProbe" not in container:
            # Whom nobody asks is ready.
            self._cluster.set_ready(self, True)
        while self.process:
            if is_up:
                probe = container.get("readinessProbe")
            if not probe:
                time.sleep(0.5)
                continue
            answers = self._asks(probe)
            failures = 0 if answers else failures + 1
            if answers:
                is_up = True
                self._cluster.set_ready(self, True)
            elif failures >= probe["failureThreshold"]:
                self._cluster.set_ready(self, False)
                if not is_up:
                    docker("kill", "--signal=KILL", self.name, check=False)
            # An end is noticed sooner than the next question comes.
            until = time.monotonic() + probe["periodSeconds"]
            while time.monotonic() < until and self.process:
                time.sleep(0.5)

    def _asks(self, probe):
        try:
            command = ["docker", "exec", self.name, *probe["exec"]["command"]]
            return subprocess.run(command, capture_output=True, timeout=probe["timeoutSeconds"]).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    # MARK: Its end

    def give_up(self):
        """Lets its thread end; its container is removed by whoever calls."""
        self._is_stopped.set()

    def kill(self):
        """Ends its process as a lack of memory would; it is started again."""
        self.became_ready.clear()
        os.kill(self.process, signal.SIGKILL)

    def stop(self, leave_services_after=0.0):
        """Asks it to end, and kills it when its grace is over. Services lead to it for some seconds more, as in a cluster."""
        self._is_stopped.set()
        process = self.process
        if process:
            os.kill(process, signal.SIGTERM)
        time.sleep(leave_services_after)
        self._cluster.set_ready(self, False)
        until = time.monotonic() + self.workload.spec.get("terminationGracePeriodSeconds", 30)
        while self.process and time.monotonic() < until:
            time.sleep(0.2)
        killed = bool(self.process)
        docker("rm", "--force", self.name)
        self._thread.join()
        self._cluster.leave(self.name)
        self._sandbox.remove()
        if killed:
            raise SystemExit(f"{self.name} had to be killed after its grace.")
