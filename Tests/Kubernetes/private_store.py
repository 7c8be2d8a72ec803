"""Judges a copy with a store inside (deploy/kubernetes/private-store), which kubectl renders: distribution reaches the store and nothing
else outside, and trusts its authority. Ends with 1 if anything is wrong.
"""

import pathlib
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Kubernetes"))
import policies  # noqa: E402


def only(objects, kind, name):
    return next(one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name)


def objections(objects):
    rules = only(objects, "NetworkPolicy", "distribution")["spec"]["egress"]
    for address, port, expected in [
        ("10.20.0.7", 7480, True), ("10.20.0.7", 443, False), ("10.20.1.7", 7480, False), ("198.51.100.9", 443, False),
        ("198.51.100.9", 7480, False),
    ]:
        outside = policies.Endpoint("outside", address)
        is_open = any(
            any(policies.is_peer(peer, outside, "vigil", {}) for peer in rule["to"])
            and any(one["port"] == port and one["protocol"] == "TCP" for one in rule["ports"])
            for rule in rules
        )
        if is_open != expected:
            yield f"distribution {'reaches' if is_open else 'does not reach'} {address}:{port}"
    pod = only(objects, "Deployment", "distribution")["spec"]["template"]["spec"]
    environment = {one["name"]: one.get("value") for one in pod["containers"][0]["env"]}
    mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    files = {
        f"{mounts[volume['name']]}/{item['path']}"
        for volume in pod["volumes"] if volume["name"] in mounts
        for source in volume.get("projected", {}).get("sources", [])
        for item in source.get("secret", {}).get("items", [])
    }
    for name in ["S3_AUTHORITIES", "S3_SECRET_ACCESS_KEY"]:
        if environment.get(name) not in files:
            yield f"{name} names the file {environment.get(name)}, which isn't mounted"


def main():
    command = ["kubectl", "kustomize", "--load-restrictor", "LoadRestrictionsNone", "Tests/Kubernetes/private-store"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"kubectl can't render Tests/Kubernetes/private-store: {done.stderr.strip()}")
    found = list(objections(list(yaml.safe_load_all(done.stdout))))
    for objection in found:
        print(f"deploy/kubernetes/private-store: OBJECTION: {objection}")
    sys.exit(1 if found else 0)


main()
