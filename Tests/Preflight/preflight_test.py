"""deploy/preflight.sh finds what keeps the suite from starting: each test breaks one thing in a copy of the files, with an engine that is a script."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]

# Answers as the two programs do; what isn't said here isn't asked.
DOCKER = """#!/bin/bash
case "$*" in
    "compose version --short") echo "${FAKE_COMPOSE-2.40.3}" ;;
    "compose config --format json") cat "$FAKE/config.json" ;;
    "version --format {{.Server.Version}}")
        [ -n "${FAKE_ENGINE-20.10.24}" ] || { echo "${FAKE_PROBLEM-Cannot connect to the Docker daemon}" >&2; exit 1; }
        echo "${FAKE_ENGINE-20.10.24}" ;;
    "info --format {{.DockerRootDir}}") echo "$FAKE" ;;
    "images --format {{.Repository}}") printf 'vigil\\nvigil-edge\\n' ;;
    "ps --filter label=com.docker.compose.project=vigil --format {{.Ports}}") echo "${FAKE_PORTS-}" ;;
    "volume inspect --format {{.Name}} ${FAKE_VOLUME-}") echo "$FAKE_VOLUME" ;;
    "volume inspect --format {{.Name}} "*) exit 1 ;;
    "network ls -q --no-trunc --filter label=com.docker.compose.project=vigil") echo "0123456789abcdef" ;;
    "network ls -q") echo 0123456789ab ;;
    "network inspect "*) cat "$FAKE/networks.json" ;;
    *) echo "docker $*: not expected" >&2; exit 125 ;;
esac
"""


def network(name, subnet, identity="fedcba9876543210"):
    return {"Id": identity, "Name": name, "IPAM": {"Config": [{"Subnet": subnet}]}, "Options": {}}


class Machine:
    """A copy of the files that preflight.sh reads, and a `docker` that answers with `config` and `networks`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir()
        shutil.copy2(CHECKOUT / "docker-compose.yml", self.checkout)
        shutil.copytree(CHECKOUT / "deploy", self.checkout / "deploy", ignore=shutil.ignore_patterns("kubernetes", "__pycache__"))
        subprocess.run(["chmod", "-R", "go+rX", self.folder], check=True)
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "docker").write_text(DOCKER)
        (programs / "docker").chmod(0o755)
        self.environment = {"PATH": f"{programs}:/usr/bin:/bin", "FAKE": str(self.folder), "LC_ALL": "C.UTF-8"}
        self.edge = {
            "image": "vigil-edge", "build": {}, "user": "101:101", "mem_limit": "536870912", "ports": [], "secrets": [{"source": "edge.key"}],
            "volumes": [{"type": "bind", "source": str(self.checkout / "deploy/edge/nginx.conf"), "target": "/etc/n", "read_only": True}],
        }
        self.config = {
            "name": "vigil", "services": {"edge": self.edge},
            "networks": {"apps": {"ipam": {"config": [{"subnet": "10.213.0.0/28"}]}}},
            "secrets": {"edge.key": {"file": str(self.checkout / ".secrets/files/edge.key")}},
        }
        self.networks = []

    def publish(self, address, port):
        self.edge["ports"].append({"host_ip": address, "published": str(port), "target": 8040})

    def run(self, *options):
        """The status, and lines without the warning of a clock that nobody synchronizes: that is the machine's."""
        (self.folder / "config.json").write_text(json.dumps(self.config))
        (self.folder / "networks.json").write_text(json.dumps(self.networks))
        done = subprocess.run(["bash", self.checkout / "deploy/preflight.sh", *options], env=self.environment, capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if "synchronizes the clock" not in line]
        return done.returncode, lines


class Preflight(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Machine(folder.name)

    def assert_stops(self, *words):
        status, lines = self.machine.run()
        self.assertEqual(status, 1, lines)
        self.assertEqual(len(lines), 2, lines)
        self.assertTrue(lines[0].startswith("stops  "), lines)
        for word in words:
            self.assertIn(word, lines[0])

    def assert_passes(self, *warnings):
        status, lines = self.machine.run()
        self.assertEqual(status, 0, lines)
        self.assertEqual(len(lines), len(warnings), lines)
        for line, words in zip(lines, warnings):
            self.assertTrue(line.startswith("warns  ") and words in line, line)

    # MARK: Settings

    def test_a_machine_without_fault_passes(self):
        self.machine.publish("127.0.0.1", free_port())
        self.assert_passes()

    def test_all_findings_are_reported_in_one_run(self):
        (self.machine.checkout / ".env").write_text("VIGIL_ORIGIN=Germany\nVIGIL_ADDRES=0.0.0.0\nVIGIL_OFFICERS_ISSUER=https://no-such-name.invalid\n")
        self.machine.publish("192.0.2.99", 443)
        self.machine.environment |= {"FAKE_COMPOSE": "2.3.3"}
        status, lines = self.machine.run()
        self.assertEqual(status, 1)
        expected = [".env, line 1: VIGIL_ORIGIN", ".env, line 2: nothing reads VIGIL_ADDRES; did you mean VIGIL_ADDRESS?", "Compose 2.3.3 is too old",
                    ".env, line 3: VIGIL_OFFICERS_ISSUER names no-such-name.invalid, which has no address",
                    "192.0.2.99, on which edge is to be published, is no address of this machine", "Preflight: 4 of "]
        self.assertEqual(len(lines), len(expected), lines)
        for line, words in zip(lines, expected):
            self.assertIn(words, line)

    def test_an_unreadable_env_file_is_named(self):
        file = self.machine.checkout / ".env"
        file.write_bytes(b"VIGIL_AUTHORITY=Gesundheitsamt K\xf6ln\n")
        self.assert_stops(".env can't be read")

    # MARK: Programs

    def test_without_docker_it_says_what_to_install(self):
        (self.machine.folder / "programs/docker").unlink()
        for name in ["bash", "dirname", "python3", "getent", "cat", "printf"]:
            (self.machine.folder / "programs" / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        self.machine.environment["PATH"] = str(self.machine.folder / "programs")
        self.assert_stops("Docker isn't installed: install docker-ce, docker-ce-cli, containerd.io, docker-buildx-plugin and docker-compose-plugin")

    def test_without_python_it_says_what_to_install(self):
        (self.machine.folder / "programs/docker").unlink()
        for name in ["bash", "dirname", "cat"]:
            (self.machine.folder / "programs" / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        self.machine.environment["PATH"] = str(self.machine.folder / "programs")
        self.assertEqual(self.machine.run(), (1, ["python3 is not installed, so nothing was looked at: apt-get install python3."]))

    def test_an_old_engine_stops(self):
        self.machine.environment["FAKE_ENGINE"] = "19.03.15"
        self.assert_stops("engine 19.03.15 is too old, because")

    def test_an_engine_that_does_not_run_stops(self):
        self.machine.environment["FAKE_ENGINE"] = ""
        self.assert_stops("doesn't answer (Cannot connect to the Docker daemon): start it")

    def test_a_user_who_may_not_use_the_engine_is_told_so(self):
        self.machine.environment |= {"FAKE_ENGINE": "", "FAKE_PROBLEM": "permission denied while trying to connect"}
        self.assert_stops("You may not use Docker's engine")

    def test_the_readme_names_the_versions_that_are_asked_for(self):
        source = (CHECKOUT / "deploy/preflight/check.py").read_text(encoding="utf-8")
        versions = {name: f"{major}.{minor}" for name, major, minor in re.findall(r"^(ENGINE|COMPOSE) = \((\d+), (\d+)\)", source, re.M)}
        readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
        self.assertIn(f"| container engine | Docker {versions['ENGINE']} or newer", readme)
        self.assertIn(f"| Compose | {versions['COMPOSE']} or newer", readme)

    # MARK: The machine

    def test_a_taken_port_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.machine.publish("127.0.0.1", port)
            self.assert_stops(f"Port 127.0.0.1:{port}, which edge needs, is taken: stop what listens there (ss -ltnp sport = :{port}")
            # A socket of all addresses would be in its way as well.
            self.machine.edge["ports"][0]["host_ip"] = "0.0.0.0"
            status, lines = self.machine.run()
            self.assertEqual((status, f"Port 0.0.0.0:{port}" in lines[0]), (1, True), lines)
            # The suite's own container may hold it.
            self.machine.edge["ports"][0]["host_ip"] = "127.0.0.1"
            self.machine.environment["FAKE_PORTS"] = f"8040/tcp, 127.0.0.1:{port}->8040/tcp"
            self.assert_passes()

    def test_two_doors_on_one_port_are_named(self):
        port = free_port()
        self.machine.publish("127.0.0.1", port)
        self.machine.publish("127.0.0.1", port)
        self.assert_stops(f"127.0.0.1:{port} is published twice")

    def test_a_network_of_somebody_else_is_named(self):
        self.machine.networks = [network("shop_default", "10.213.0.0/20"), network("bridge", "172.17.0.0/16")]
        self.assert_stops("Docker's network shop_default has addresses that the suite's networks would take: set VIGIL_SUBNET", "such as 10.2")

    def test_the_networks_of_the_suite_itself_are_welcome(self):
        self.machine.networks = [network("vigil_apps", "10.213.0.0/28", "0123456789abcdef")]
        self.assert_passes()

    def test_a_route_of_the_machine_is_named(self):
        routes = [line.split() for line in pathlib.Path("/proc/net/route").read_text().splitlines()[1:]]
        own = next((fields for fields in routes if int(fields[7], 16)), None)
        if own is None:
            self.skipTest("the machine has no route but the default one")
        address = ".".join(str(byte) for byte in int(own[1], 16).to_bytes(4, "little"))
        self.machine.config["networks"]["apps"]["ipam"]["config"] = [{"subnet": f"{address}/28"}]
        status, lines = self.machine.run()
        self.assertIn(f"by {own[0]}", " ".join(lines))
        self.assertIn("VIGIL_SUBNET", " ".join(lines))

    def test_too_little_memory_for_the_limits_warns(self):
        self.machine.edge["mem_limit"] = str(1 << 50)
        self.assert_passes("less than the 1048576.0 GiB that the containers may use together")

    def test_a_full_disk_stops(self):
        if os.geteuid() != 0:
            self.skipTest("only root mounts a disk")
        full = self.machine.folder / "full"
        full.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", full], check=True)
        self.addCleanup(subprocess.run, ["umount", full], check=True)
        self.machine.environment["VIGIL_SECRETS"] = str(full / "secrets")
        self.machine.config["secrets"]["edge.key"]["file"] = str(full / "secrets/files/edge.key")
        self.assert_stops(f"The disk with the secrets ({full}) has 1 MiB and ", "make room, or set VIGIL_SECRETS")

    def test_a_database_that_went_with_its_volume_stops(self):
        (self.machine.checkout / ".env").write_text("VIGIL_DATABASE=vigil_database-18\n")
        self.assert_stops(".env, line 1: there is no volume vigil_database-18. To begin with an empty database, remove")
        self.machine.environment["FAKE_VOLUME"] = "vigil_database-18"
        self.assert_passes()

    def test_a_clock_before_the_files_stops(self):
        file = self.machine.checkout / "docker-compose.yml"
        later = file.stat().st_mtime + 4_000_000_000
        os.utime(file, (later, later))
        self.assert_stops("is before docker-compose.yml was written")

    # MARK: Files

    def test_a_file_that_a_container_can_not_read_is_named(self):
        (self.machine.checkout / "deploy/edge/nginx.conf").chmod(0o600)
        self.assert_stops("nginx.conf isn't readable for edge, whose user is 101, most likely because the checkout was made under a umask of 077")

    def test_a_file_that_does_not_exist_is_named(self):
        self.machine.config["secrets"]["edge.key"]["file"] = "/srv/none.p8"
        self.assert_stops("/srv/none.p8, which edge mounts, doesn't exist")

    def test_an_operators_key_that_only_root_reads_is_named(self):
        key = self.machine.folder / "key.p8"
        key.write_text("secret")
        key.chmod(0o400)
        self.machine.config["secrets"]["edge.key"]["file"] = str(key)
        self.assert_stops(f"{key} isn't readable for edge, whose user is 101: chown 101:101 {key} && chmod 400 {key}.")

    # MARK: Simulators

    def test_a_simulated_issuer_at_a_public_address_stops(self):
        self.machine.config["services"]["health-portal"] = {"image": "vigil", "environment": {"PROVIDER_ISSUER": "https://development-identity:8080"}}
        self.machine.publish("127.0.0.1", free_port())
        self.assert_passes()
        self.machine.publish("0.0.0.0", free_port())
        self.assert_stops("health-portal would let anybody in whom the simulated identity provider knows", "add deploy/identity.yml")
        self.machine.config["services"]["health-portal"]["environment"]["PROVIDER_ISSUER"] = "https://login.health.org"
        self.machine.config["services"]["development-apns"] = {"image": "vigil"}
        self.assert_passes("development-apns stands for a real peer")


class Secrets(unittest.TestCase):
    """deploy/secrets.sh makes nothing at a first start that preflight.sh stops, and renews later whatever it says."""

    def test_a_finding_stops_a_first_start_only(self):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder)
            machine.run()
            (machine.checkout / ".env").write_text("VIGIL_ORIGIN=Germany\n")
            run = lambda: subprocess.run(["bash", machine.checkout / "deploy/secrets.sh"], env=machine.environment, capture_output=True, text=True)
            first = run()
            self.assertEqual(first.returncode, 1)
            self.assertTrue(first.stderr.endswith("Nothing was made. Correct what preflight.sh says above, then run this script again.\n"), first.stderr)
            self.assertFalse((machine.checkout / ".secrets").exists())
            (machine.checkout / ".secrets/files").mkdir(parents=True)
            later = run()
            # The engine here runs nothing, so it got as far as that.
            self.assertIn(".env, line 1: VIGIL_ORIGIN", later.stderr)
            self.assertIn("run --rm --no-deps -T secrets: not expected", later.stderr)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
