"""Finds what keeps the suite from starting, or from what it promises: in the settings, on this machine, and in its container engine.

deploy/preflight.sh runs it with Python's standard library only. It changes nothing, and reports every finding in one run.
"""

import argparse
import collections
import ctypes
import ipaddress
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import time

import settings
from settings import stop, warn

# Versions, each with what fails before it.
ENGINE = (20, 10)  # The first with the control groups of Debian 11 and later (version 2): no limit of memory holds before.
COMPOSE = (2, 18)  # The first that reads `${A:-${B:-127.0.0.1}:8000}`, a default that goes on after another variable.

MIB = 1 << 20
# A build of all images takes this much on the disk, as deploy/run.sh's does, and memory for two compilers at a time.
BUILD_DISK, BUILD_MEMORY = 6000 * MIB, 4096 * MIB
# Below this PostgreSQL can't start (its shared buffers alone have 256 MiB), or the first day's write-ahead log fills the disk.
LEAST_MEMORY, LEAST_DISK, LITTLE_DISK = 1024 * MIB, 512 * MIB, 5000 * MIB
# What secrets.sh writes is less than 1 MiB in a few hundred files.
SECRETS_DISK, SECRETS_FILES = 16 * MIB, 1000

PACKAGES = "docker-ce, docker-ce-cli, containerd.io, docker-buildx-plugin and docker-compose-plugin"
INSTALL = f"install {PACKAGES} (https://docs.docker.com/engine/install/debian/)"


class Run:
    """What a command says. Nothing here waits for longer than half a minute."""

    def __init__(self, *command, patience=30):
        self.command = shlex.join(command)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL)
            self.works, self.output, self.complaint = done.returncode == 0, done.stdout.strip(), done.stderr.strip()
        except FileNotFoundError:
            self.works, self.output, self.complaint = False, "", "not installed"
        except subprocess.TimeoutExpired:
            self.works, self.output, self.complaint = False, "", f"no answer within {patience} seconds"

    @property
    def last(self):
        return (self.complaint or self.output or "no reason given").splitlines()[-1]


def version(words):
    match = re.search(r"(\d+)\.(\d+)", words)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def size(count):
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count // MIB} MiB"


# MARK: Engine and Compose


def tools(compose):
    """Whether the engine and Compose answer, in versions that do what docker-compose.yml asks for."""
    if not shutil.which("docker"):
        yield stop(f"Docker isn't installed: {INSTALL}. Debian 12's own package docker-compose is too old.")
        return
    answer = Run(*compose, "version", "--short")
    if not answer.works:
        yield stop(f"{shlex.join(compose)} doesn't answer ({answer.last}): {INSTALL}.")
    elif version(answer.output) < COMPOSE:
        yield stop(f"Compose {answer.output} is too old, because it can't read defaults in docker-compose.yml that have another variable in them "
                   f"({'.'.join(map(str, COMPOSE))} can): {INSTALL}.")
    answer = Run("docker", "version", "--format", "{{.Server.Version}}")
    if not answer.works:
        if "permission denied" in answer.complaint:
            yield stop("You may not use Docker's engine: run this as root, or join the group docker (which is as much as being root).")
        else:
            yield stop(f"Docker's engine doesn't answer ({answer.last}): start it, with systemctl start docker.")
    elif version(answer.output) < ENGINE:
        yield stop(f"Docker's engine {answer.output} is too old, because memory limits don't hold with it on Debian 11 and later "
                   f"({'.'.join(map(str, ENGINE))} knows its control groups): {INSTALL}.")
    host = os.environ.get("DOCKER_HOST", "")
    if host and not host.startswith("unix://"):
        yield warn(f"The engine is on another machine ({host}): run this there, too, because ports, disk and networks were looked at here.")


class Suite:
    """The suite as Compose understands it, and what of it the engine has."""

    def __init__(self, compose):
        answer = Run(*compose, "config", "--format", "json")
        if not answer.works:
            raise RuntimeError(answer.last)
        self.config = json.loads(answer.output)
        self.name = self.config["name"]
        self.services = self.config["services"]
        owned = ["--filter", f"label=com.docker.compose.project={self.name}"]
        containers = Run("docker", "ps", *owned, "--format", "{{.Ports}}")
        # Such as `127.0.0.1:8070->8070/tcp`.
        self.held = set(re.findall(r"([0-9.]+|\[?[0-9a-f:]+\]?):(\d+)->", containers.output)) if containers.works else set()
        self.networks = set(Run("docker", "network", "ls", "-q", "--no-trunc", *owned).output.split())
        self.engine_answers = containers.works

    @property
    def ports(self):
        """What is published, as (service, address, port)."""
        for name, service in self.services.items():
            for port in service.get("ports", []):
                if "published" in port:
                    yield name, port.get("host_ip", "0.0.0.0"), int(port["published"].split("-")[0])

    def lacks_images(self):
        built = {service["image"] for service in self.services.values() if "build" in service}
        known = set(Run("docker", "images", "--format", "{{.Repository}}").output.split())
        return bool(built - known)


# MARK: Room


def room(suite, secrets):
    """Memory and disk, for a build if there has to be one."""
    builds = suite.engine_answers and suite.lacks_images()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = sum(int(service.get("mem_limit", 0)) for service in suite.services.values())
    if memory < LEAST_MEMORY:
        yield stop(f"The machine has {size(memory)} of memory; the suite needs {size(LEAST_MEMORY)} even without traffic: add memory.")
    elif builds and memory < BUILD_MEMORY:
        yield warn(f"The machine has {size(memory)} of memory, and a build takes up to {size(BUILD_MEMORY)}: build with docker compose build "
                   "--build-arg JOBS=1, or on another machine (docker save, docker load).")
    elif memory < limits:
        yield warn(f"The machine has {size(memory)} of memory, less than the {size(limits)} that the containers may use together under load: "
                   "add memory (deploy/sizing.md).")
    root = pathlib.Path(Run("docker", "info", "--format", "{{.DockerRootDir}}").output or "/var/lib/docker")
    if root.is_dir():
        free = shutil.disk_usage(root).free
        if builds and free < BUILD_DISK:
            yield stop(f"{root} has {size(free)} free, and building the images takes {size(BUILD_DISK)}: make room, or build on another machine "
                       "(docker save, docker load).")
        elif free < LEAST_DISK:
            yield stop(f"{root} has {size(free)} free, too little for a database and its log: make room.")
        elif free < LITTLE_DISK:
            yield warn(f"{root} has {size(free)} free, which a few days of operation may fill: make room (deploy/sizing.md).")
    while not secrets.exists():
        secrets = secrets.parent
    disk = os.statvfs(secrets)
    # Some file systems count no files.
    if disk.f_bavail * disk.f_frsize < SECRETS_DISK or 0 < disk.f_files and disk.f_favail < SECRETS_FILES:
        yield stop(f"The disk with the secrets ({secrets}) has {size(disk.f_bavail * disk.f_frsize)} and {disk.f_favail} files free: make room, "
                   "or set VIGIL_SECRETS to a folder on another one.")
    elif not os.access(secrets, os.W_OK | os.X_OK):
        yield stop(f"You may not write to {secrets}: run this as the owner of the checkout, or set VIGIL_SECRETS to a folder of your own.")


# MARK: Ports and networks


def listening(port):
    """The addresses on which something listens at a port, as Linux lists them."""
    for name in ("tcp", "tcp6"):
        try:
            lines = pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            host, number = line.split()[1].split(":")
            if line.split()[3] == "0A" and int(number, 16) == port:
                # Words of four bytes in the machine's order.
                words = b"".join(int(host[at:at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(host), 8))
                address = ipaddress.ip_address(words)
                yield getattr(address, "ipv4_mapped", None) or address


def is_local(address):
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def ports(suite):
    """Whether the published ports are free, each on an address of this machine."""
    others = collections.Counter((address, port) for _, address, port in suite.ports)
    for service, address, port in suite.ports:
        place = f"{address}:{port}"
        if others.pop((address, port), 1) > 1:
            yield stop(f"{place} is published twice ({service} and another): give each door a port of its own in .env.")
        if (address, str(port)) in suite.held:
            continue
        if not is_local(address):
            yield stop(f"{address}, on which {service} is to be published, is no address of this machine: correct it in .env "
                       "(ip -brief address lists them).")
            continue
        wanted = ipaddress.ip_address(address)
        taken = [found for found in listening(port) if found.is_unspecified or wanted.is_unspecified or found == wanted]
        if taken:
            yield stop(f"Port {place}, which {service} needs, is taken: stop what listens there (ss -ltnp sport = :{port} names it), or publish "
                       "another port by .env (the header of docker-compose.yml).")


def routes():
    """Where this machine reaches others without its default route, as (network, interface)."""
    try:
        lines = pathlib.Path("/proc/net/route").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        fields = line.split()
        target, mask = (int(fields[at], 16).to_bytes(4, sys.byteorder) for at in (1, 7))
        if any(mask):
            yield ipaddress.ip_network((target, str(ipaddress.ip_address(mask))), strict=False), fields[0]


def subnets(suite):
    """Whether the networks' addresses are in use elsewhere."""
    wanted = [ipaddress.ip_network(place["subnet"]) for network in suite.config["networks"].values()
              for place in network.get("ipam", {}).get("config", []) if "subnet" in place]
    if not wanted or not suite.engine_answers:
        return
    known = Run("docker", "network", "inspect", *Run("docker", "network", "ls", "-q").output.split())
    bridges, taken, others = set(), [], list(routes())
    for network in json.loads(known.output or "[]"):
        bridges.add((network.get("Options") or {}).get("com.docker.network.bridge.name") or f"br-{network['Id'][:12]}")
        places = [ipaddress.ip_network(place["Subnet"], strict=False) for place in network["IPAM"]["Config"] or []]
        if network["Id"] not in suite.networks:
            others += [(place, network["Name"]) for place in places if place.version == 4]
            if any(subnet.overlaps(place) for subnet in wanted for place in places if place.version == subnet.version):
                taken.append(network["Name"])
    # The first range of sixteen bits that nothing here uses.
    ranges = (ipaddress.ip_network(f"10.{number}.0.0/16") for number in range(213, 256))
    unused = next((str(place).removesuffix(".0.0/16") for place in ranges if not any(place.overlaps(other) for other, _ in others)), "172.31")
    remedy = f"set VIGIL_SUBNET in .env to two numbers that nothing here uses, such as {unused}"
    if taken:
        more = f" and {len(taken) - 3} others have" if len(taken) > 3 else " has" if len(taken) == 1 else " have"
        yield stop(f"Docker's network {', '.join(taken[:3])}{more} addresses that the suite's networks would take: {remedy}.")
    for other, interface in routes():
        if interface in bridges or not any(subnet.overlaps(other) for subnet in wanted):
            continue
        if other.prefixlen < 16:
            yield warn(f"This machine reaches {other} by {interface}; callers there whose addresses the suite's networks have ({wanted[0]} and "
                       f"others) would get no answer: if there are any, {remedy}.")
        else:
            yield stop(f"This machine reaches {other} by {interface}, and the suite's networks would take addresses of it: {remedy}.")


def database(suite_settings):
    """The volume that deploy/postgres/upgrade.sh has chosen: another image can make no empty one that it may write to."""
    name = suite_settings.get("VIGIL_DATABASE")
    if name and Run("docker", "volume", "inspect", "--format", "{{.Name}}", name).output != name:
        yield stop(f"{suite_settings.values['VIGIL_DATABASE'].place}: there is no volume {name}. To begin with an empty database, remove "
                   "VIGIL_DATABASE and VIGIL_IMAGE_POSTGRES; to have your data again, restore a backup (bash deploy/backup.sh restore).")


def names(suite_settings):
    """Whether the outside servers that are set have an address, which is all that can be known before the start."""
    proxy = "VIGIL_HTTPS_PROXY"
    # Behind a proxy, only the proxy looks for the others.
    for variable in [proxy] if suite_settings.get(proxy) else settings.OUTSIDE:
        host = re.match(r"[a-z]+://(?:[^/@]*@)?\[?([^/:\]]+)", suite_settings.get(variable))
        if not host or host[1].startswith("development-") or Run("getent", "ahosts", host[1], patience=5).works:
            continue
        yield warn(f"{suite_settings.values[variable].place}: {variable} names {host[1]}, which has no address here: correct the name, or the "
                   "machine's name servers (/etc/resolv.conf).")


# MARK: Files


def unreadable(path, user, writes=False):
    """Files at and below a path that a container's user can't read; None for what this script may not look at."""
    try:
        found = [path] + (list(path.rglob("*"))[:2000] if path.is_dir() else [])
        for file in found:
            facts = file.stat()
            shift = 6 if facts.st_uid == user else 0
            needed = 5 if stat.S_ISDIR(facts.st_mode) else 4
            if writes and file == path:
                needed |= 2
            if user and (facts.st_mode >> shift) & needed != needed:
                return file
    except PermissionError:
        return None
    return None


def readable(suite, secrets):
    """Whether containers can read the files that they mount."""
    told = set()
    for name, service in suite.services.items():
        user = int((service.get("user") or "0").split(":")[0])
        mounts = [(pathlib.Path(volume["source"]), not volume.get("read_only")) for volume in service.get("volumes", []) if volume["type"] == "bind"]
        mounts += [(pathlib.Path(suite.config["secrets"][secret["source"]]["file"]), False) for secret in service.get("secrets", [])]
        for path, writes in mounts:
            try:
                exists = path.exists()
            except PermissionError:
                continue
            # secrets.sh makes what is missing in its own folder.
            if not exists and secrets not in path.parents and path not in told:
                told.add(path)
                yield stop(f"{path}, which {name} mounts, doesn't exist: put it there, or correct its name in .env.")
            elif exists and (file := unreadable(path, user, writes)) and file not in told:
                told.add(file)
                if file.is_relative_to(secrets) or writes:
                    yield stop(f"{file} isn't {'writable' if writes else 'readable'} for {name}, whose user is {user}: "
                               f"chown {user}:{user} {shlex.quote(str(file))}.")
                elif file.is_relative_to(pathlib.Path.cwd() / "deploy"):
                    yield stop(f"{file} isn't readable for {name}, whose user is {user}, most likely because the checkout was made under a umask "
                               "of 077: chmod -R go+rX deploy.")
                else:
                    yield stop(f"{file} isn't readable for {name}, whose user is {user}: chown {user}:{user} {shlex.quote(str(file))} && "
                               f"chmod 400 {shlex.quote(str(file))}.")


# MARK: Clock


class Timex(ctypes.Structure):
    """The beginning of `struct timex` (adjtimex(2))."""

    _fields_ = [("modes", ctypes.c_uint)] + [(name, ctypes.c_long) for name in ("offset", "freq", "maxerror", "esterror")] + \
        [("status", ctypes.c_int), ("rest", ctypes.c_byte * 256)]


UNSYNCHRONIZED = 0x40


def clock(checkout):
    """Whether the clock is right: codes, keys and certificates depend on it."""
    newest = (checkout / "docker-compose.yml").stat().st_mtime
    if time.time() < newest - 86_400:
        yield stop(f"The clock says {time.strftime('%Y-%m-%d')}, which is before docker-compose.yml was written: set it (timedatectl set-ntp true).")
        return
    timex = Timex()
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex)) >= 0 and timex.status & UNSYNCHRONIZED:
        yield warn("Nothing synchronizes the clock, as far as the kernel knows: install systemd-timesyncd or chrony (timedatectl set-ntp true). "
                   "If the host of a virtual machine does it, all is well.")


# MARK: Simulators


def simulators(suite):
    """A suite that other machines reach doesn't trust a simulator. Services refuse the same (`published.addresses`)."""
    outside = sorted({f"{address}:{port}" for _, address, port in suite.ports if not ipaddress.ip_address(address).is_loopback})
    if not outside:
        return
    trusting = sorted(name for name, service in suite.services.items() for key in ("OFFICERS_ISSUER", "PROVIDER_ISSUER")
                      if "//development-" in str((service.get("environment") or {}).get(key)))
    if trusting:
        yield stop(f"{' and '.join(trusting)} would let anybody in whom the simulated identity provider knows, and {outside[0]} is no address of "
                   "this machine alone: add deploy/identity.yml to COMPOSE_FILE in .env, or publish 127.0.0.1 only.")
    for name in sorted(name for name in suite.services if name.startswith("development-")):
        yield warn(f"{name} stands for a real peer, and the suite is published at {outside[0]}: deploy/going-live.md says what replaces it.")


# MARK: Everything


def findings(arguments):
    """Findings as they are found, and what was looked at."""
    checkout = pathlib.Path.cwd()
    compose = shlex.split(arguments.compose)
    suite_settings = settings.Settings(checkout, os.environ)
    secrets = (checkout / suite_settings.get("VIGIL_SECRETS", ".secrets")).absolute()
    wrong = list(settings.wrong(suite_settings)) + list(settings.missing(suite_settings))
    yield from wrong
    broken = list(tools(compose))
    yield from broken
    yield from clock(checkout)
    yield from names(suite_settings)
    try:
        suite = Suite(compose)
    except RuntimeError as problem:
        # Else the reason was given above.
        if not any(finding.stops for finding in wrong + broken):
            yield stop(f"Compose can't read its files ({problem}): correct .env or the files of COMPOSE_FILE.")
        return
    yield from room(suite, secrets)
    yield from database(suite_settings)
    yield from ports(suite)
    yield from subnets(suite)
    yield from readable(suite, secrets)
    yield from simulators(suite)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compose", default="docker compose")
    found = list(findings(parser.parse_args()))
    for finding in found:
        print(f"{'stops' if finding.stops else 'warns'}  {finding.text}", file=sys.stderr)
    stops = sum(finding.stops for finding in found)
    if stops:
        print(f"Preflight: {stops} of {len(found)} findings keep the suite from starting; correct them, then run this again.", file=sys.stderr)
    else:
        print(f"Preflight: nothing keeps the suite from starting{f', but see {len(found)} above' if found else ''}.")
    return 1 if stops else 0


if __name__ == "__main__":
    sys.exit(main())
