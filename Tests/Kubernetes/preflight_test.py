"""Tests deploy/kubernetes/preflight.sh against a simulated API server, and deploy/kubernetes/README.md against the manifests."""

import copy
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Kubernetes"), str(ROOT / "Tests/Live/rehearsal")]
import check  # noqa: E402
import render  # noqa: E402
from api_server import TOKEN, APIServer, State  # noqa: E402

SCRIPT = ROOT / "deploy/kubernetes/preflight.sh"
README = ROOT / "deploy/kubernetes/README.md"
specification = importlib.util.spec_from_file_location("preflight", ROOT / "deploy/kubernetes/preflight.py")
preflight = importlib.util.module_from_spec(specification)
specification.loader.exec_module(preflight)


def commands():
    """The Secrets that the README's commands make: the file behind each key."""
    made = {}
    text = README.read_text().replace("\\\n", " ")
    for command in re.findall(r"^ *kubectl -n vigil create secret generic .*$", text, re.MULTILINE):
        name, *options = shlex.split(command)[6:]
        for option in options:
            key, _, path = option.removeprefix("--from-file=").rpartition("=")
            made.setdefault(name, {})[key or pathlib.PurePath(path).name] = path
    return made


def ours(text):
    """The text of an overlay as an operator would have changed it."""
    text = text.replace("registry.example.org", "registry.health.test").replace("example.org", "health.test")
    text = text.replace("org.example", "test.health").replace("ABC123DEFG", "QRS456TUVW").replace("DEF123GHIJ", "XYZ789KLMN")
    return text.replace("AKIAIOSFODNN7EXAMPLE", "AKIA2").replace("Beispielstadt", "Stadt").replace("LV8k5vSxJLBq9U", "MV8k5vSxJLBq9U")


def build(state, overlay):
    """A cluster that has everything that an overlay needs."""
    state.add("v1", "Namespace", "vigil")
    for number in (1, 2, 3):
        name = f"node-{number}"
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number}"}
        state.add("v1", "Node", name, metadata={"labels": labels}, spec={}, status={"conditions": [{"type": "Ready", "status": "True"}]})
        state.add("metrics.k8s.io/v1beta1", "NodeMetrics", name, usage={"cpu": "1"})
    for name, namespace, label in [
        ("cert-manager-1", "cert-manager", "cert-manager"), ("operator", "cnpg-system", "cloudnative-pg"),
        ("prometheus-0", "monitoring", "prometheus"),
    ]:  # fmt: skip
        labels = {"app.kubernetes.io/name": label}
        state.add("v1", "Pod", name, namespace, metadata={"labels": labels}, spec={"containers": []}, status={"phase": "Running"})
    everything = {"podMonitorSelector": {}, "podMonitorNamespaceSelector": {}, "ruleSelector": {}, "ruleNamespaceSelector": {}}
    state.add("monitoring.coreos.com/v1", "Prometheus", "main", "monitoring", spec=everything)
    plugin = {"cnpg.io/pluginName": "barman-cloud.cloudnative-pg.io"}
    state.add("v1", "Service", "barman-cloud", "cnpg-system", metadata={"labels": plugin}, spec={})
    marks = {"storageclass.kubernetes.io/is-default-class": "true"}
    state.add("storage.k8s.io/v1", "StorageClass", "shared", metadata={"annotations": marks}, provisioner="nfs.csi.k8s.io")
    state.add("storage.k8s.io/v1", "StorageClass", "disks", provisioner="ebs.csi.aws.com")
    for name, keys in commands().items():
        state.add("v1", "Secret", name, "vigil", data={key: "eA==" for key in keys}, type="Opaque")
    for name in ("metadata-proxy", "health-portal", "download-server"):
        state.add("v1", "Secret", f"{name}-public", "vigil", data={"tls.crt": "eA==", "tls.key": "eA=="}, type="kubernetes.io/tls")


def apply(state, overlay):
    """Applies an overlay without asking."""
    for one in overlay.objects:
        if one["kind"] != "Namespace":
            state.objects[(one["apiVersion"], one["kind"], "vigil", one["metadata"]["name"])] = copy.deepcopy(one)


class Preflight(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = APIServer()
        cls.addClassCleanup(cls.server.end)
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="vigil-preflight-test."))
        cls.folder = pathlib.Path(folder)
        cls.configuration = cls.folder / "config"
        cls.configuration.write_text(cls.server.configuration())
        os.environ["KUBECONFIG"] = str(cls.configuration)
        cls.cluster = cls.enterClassContext(preflight.Cluster.of_kubectl())
        cls.objects = {}
        for overlay in check.OVERLAYS:
            cls.objects[overlay] = json.dumps(check.rendered(overlay))

    def setUp(self):
        self.server.state = State()
        # What an API version serves is remembered by whoever asks.
        self.cluster._resources.clear()

    def overlay(self, name, change=ours):
        return preflight.Overlay(json.loads(change(self.objects[name])))

    def found(self, overlay):
        return [*preflight.own(overlay), *preflight.findings(overlay, self.cluster)]

    def assert_only(self, overlay, *expected):
        """There are these findings and no other: each by `stops` or `warns`, and words of it."""
        found = self.found(overlay)
        texts = [f"{'stops' if one.stops else 'warns'}  {one.text}" for one in found]
        self.assertEqual(len(texts), len(expected), texts)
        for text, (kind, *words) in zip(texts, expected):
            self.assertTrue(text.startswith(kind), text)
            for word in words:
                self.assertIn(word, text)

    def complete(self, name="small"):
        overlay = self.overlay(name)
        build(self.server.state, overlay)
        return overlay, self.server.state

    # MARK: Nothing missing

    def test_complete_clusters_pass(self):
        for name in check.OVERLAYS:
            with self.subTest(name):
                self.server.state = State()
                self.cluster._resources.clear()
                overlay, state = self.complete(name)
                self.assert_only(overlay)
                apply(state, overlay)
                self.assert_only(overlay)

    # MARK: The overlay

    def test_placeholders(self):
        overlay = self.overlay("small", change=lambda text: text)
        build(self.server.state, overlay)
        self.assert_only(overlay, ("stops", "registry.example.org"), ("warns", "VIGIL_APNS_KEY_ID", "VIGIL_PORTAL_ORIGINS"))

    def test_settings_that_a_component_needs(self):
        with check.copied("small", ("federation", "data-donation")) as folder:
            (folder / "settings.env").write_text((ROOT / "deploy/kubernetes/small/settings.env").read_text())
            overlay = preflight.Overlay(json.loads(ours(json.dumps(check.rendered(folder)))))
        needed = sorted([*required("federation"), *required("data-donation")])
        found = [one for one in preflight.own(overlay)]
        self.assertEqual([one.text.split()[0] for one in found], needed)
        self.assertTrue(all(one.stops for one in found))

    def test_an_object_that_is_too_large(self):
        overlay, _ = self.complete()
        next(one for one in overlay.of("ConfigMap"))["data"]["large"] = "x" * 270000
        self.assert_only(overlay, ("stops", "too large", "--server-side"))

    def test_an_overlay_that_cannot_be_rendered(self):
        (self.folder / "broken").mkdir()
        (self.folder / "broken/kustomization.yaml").write_text("resources: [none.yaml]\n")
        status, output = self.run_script(self.folder / "broken")
        self.assertEqual(status, 1)
        self.assertIn("stops  kubectl can't render", output)

    # MARK: What the cluster serves

    def test_an_old_kubernetes(self):
        overlay, state = self.complete()
        state.version = ("1", "33+")
        self.assert_only(overlay, ("stops", "1.33", "1.34 or newer"))

    def test_definitions_that_are_missing(self):
        overlay, state = self.complete("country")
        state.missing = {"cert-manager.io/v1", "postgresql.cnpg.io/v1", "barmancloud.cnpg.io/v1", "monitoring.coreos.com/v1"}
        self.assert_only(
            overlay, ("stops", "barmancloud.cnpg.io/v1 (ObjectStore)", "Barman"), ("stops", "cert-manager.io/v1 (Certificate, Issuer)"),
            ("stops", "monitoring.coreos.com/v1 (PodMonitor, PrometheusRule)"), ("stops", "postgresql.cnpg.io/v1 (Cluster, ScheduledBackup)"),
        )  # fmt: skip

    def test_a_kind_that_is_missing(self):
        overlay, state = self.complete()
        state.without = {"PrometheusRule"}
        self.assert_only(overlay, ("stops", "monitoring.coreos.com/v1 doesn't have PrometheusRule"))

    def test_operators_that_do_not_run(self):
        overlay, state = self.complete("country")
        state.named("Pod", "cert-manager-1")["status"]["phase"] = "Pending"
        for kind, name in [("Pod", "operator"), ("Pod", "prometheus-0"), ("Service", "barman-cloud")]:
            state.remove(kind, name)
        self.assert_only(
            overlay, ("stops", "cert-manager isn't there"), ("stops", "CloudNativePG", "namespace cnpg-system"),
            ("warns", "namespace monitoring"), ("stops", "cnpg.io/pluginName"),
        )  # fmt: skip

    def test_a_prometheus_that_selects_something_else(self):
        overlay, state = self.complete()
        server = state.named("Prometheus", "main")["spec"]
        server["podMonitorSelector"] = {"matchLabels": {"release": "stack"}}
        # Without it, only those of its own namespace are selected.
        del server["ruleNamespaceSelector"]
        self.assert_only(overlay, ("warns", "PodMonitor", "metadata-proxy"), ("warns", "PrometheusRule", "vigil"))

    def test_no_metrics(self):
        overlay, state = self.complete("country")
        state.missing = {"metrics.k8s.io/v1beta1"}
        self.assert_only(overlay, ("stops", "doesn't have the metrics API", "metadata-proxy"))
        state.missing, state.away = set(), {"metrics.k8s.io/v1beta1"}
        self.assert_only(overlay, ("stops", "metrics API doesn't answer", "service unavailable"))
        state.away = set()
        for number in (1, 2, 3):
            state.remove("NodeMetrics", f"node-{number}")
        self.assert_only(overlay, ("stops", "knows no node"))

    def test_no_metrics_are_needed_without_an_autoscaler(self):
        overlay, state = self.complete("small")
        state.missing = {"metrics.k8s.io/v1beta1"}
        self.assert_only(overlay)

    # MARK: Nodes and volumes

    def test_too_few_places(self):
        overlay, state = self.complete("country")
        state.named("Node", "node-3")["metadata"]["labels"]["topology.kubernetes.io/zone"] = "zone-1"
        self.assert_only(overlay, ("stops", "3 servers", "topology.kubernetes.io/zone", "there are 2 (zone-1, zone-2)"))

    def test_nodes_that_take_no_pods(self):
        overlay, state = self.complete()
        state.named("Node", "node-1")["spec"]["unschedulable"] = True
        state.named("Node", "node-2")["spec"]["taints"] = [{"key": "x", "effect": "NoSchedule"}]
        self.assert_only(overlay, ("stops", "there is 1 (node-3)"))
        state.named("Node", "node-3")["status"]["conditions"][0]["status"] = "Unknown"
        self.assert_only(overlay, ("stops", "there are 0 (none)"))

    def test_no_default_storage_class(self):
        overlay, state = self.complete()
        state.named("StorageClass", "shared")["metadata"]["annotations"] = {}
        self.assert_only(overlay, ("stops", "published", "StatefulSet fold", "Cluster postgres", "It has disks, shared"))

    def test_disks_for_a_shared_volume(self):
        overlay, state = self.complete()
        state.named("StorageClass", "shared")["provisioner"] = "ebs.csi.aws.com"
        self.assert_only(overlay, ("stops", "PersistentVolumeClaim published", "makes disks"))
        # One that has its storage isn't looked at.
        state.add("v1", "PersistentVolumeClaim", "published", "vigil", spec=overlay.of("PersistentVolumeClaim")[0]["spec"],
                  status={"phase": "Bound"})  # fmt: skip
        self.assert_only(overlay)

    def test_a_storage_class_that_is_not_there(self):
        overlay, _ = self.complete()
        overlay.of("Cluster")[0]["spec"]["storage"]["storageClass"] = "fast"
        self.assert_only(overlay, ("stops", "storage class fast", "disks, shared"))

    # MARK: Secrets

    def test_no_namespace(self):
        overlay, state = self.complete()
        state.remove("Namespace", "vigil")
        self.assert_only(overlay, ("stops", "no namespace vigil", "base/namespace.yaml"))

    def test_fields_are_read_without_a_namespace(self):
        overlay, state = self.complete()
        state.remove("Namespace", "vigil")
        overlay.of("Cluster")[0]["spec"]["postgresql"]["synchronous"]["podFailureDomainKeys"] = ["zone"]
        self.assert_only(overlay, ("stops", "no namespace"), ("stops", "spec.postgresql.synchronous.podFailureDomainKeys"))

    def test_secrets_that_are_missing(self):
        overlay, state = self.complete("country")
        state.remove("Secret", "health-portal-public")
        state.remove("Secret", "backups")
        del state.named("Secret", "push-dispatcher")["data"]["apns-key.p8"]
        state.named("Secret", "submission-server")["data"]["tag-key"] = ""
        self.assert_only(
            overlay, ("stops", "no Secret backups", "ACCESS_KEY_ID, ACCESS_SECRET_KEY"),
            ("stops", "no Secret health-portal-public", "tls.crt, tls.key"), ("stops", "apns-key.p8 is missing in the Secret push-dispatcher"),
            ("stops", "tag-key is empty in the Secret submission-server"),
        )  # fmt: skip

    def test_a_file_under_another_name(self):
        overlay, state = self.complete("country")
        data = state.named("Secret", "federation-callback")["data"]
        data["federation-callback.pem"] = data.pop("callback.pem")
        # Without a URL nobody reads them.
        self.assert_only(overlay)
        for settings in overlay.of("ConfigMap"):
            if "VIGIL_CALLBACK_URL" in settings["data"]:
                settings["data"]["VIGIL_CALLBACK_URL"] = "https://callback.health.test:8090/version/v1/callback"
        self.assert_only(overlay, ("stops", "callback.pem is missing", "--from-file=callback.pem=…/federation-callback.pem"))

    def test_rights_that_are_missing(self):
        overlay, state = self.complete()
        state.forbidden = {"secrets", "nodes", "storageclasses"}
        found = self.found(overlay)
        self.assertFalse([one for one in found if one.stops], found)
        self.assertEqual(len([one for one in found if "You may not read the Secret" in one.text]), 8)
        self.assertEqual(len([one for one in found if "You may not list" in one.text]), 2)
        state.forbidden = {"networkpolicies"}
        found = [one for one in self.found(overlay) if one.stops]
        self.assertEqual(len(found), len(overlay.of("NetworkPolicy")))
        self.assertIn('cannot create resource "networkpolicies"', found[0].text)

    # MARK: What the server says

    def test_a_field_that_no_version_has(self):
        overlay, _ = self.complete("country")
        overlay.of("Cluster")[0]["spec"]["postgresql"]["synchronous"]["podFailureDomainKeys"] = ["topology.kubernetes.io/zone"]
        overlay.of("Deployment")[0]["spec"]["replica"] = 2
        found = self.found(overlay)
        self.assertEqual([one.stops for one in found], [True, True], found)
        self.assertTrue(any("podFailureDomainKeys" in one.text and "Cluster postgres" in one.text for one in found))
        self.assertTrue(any('unknown field "spec.replica"' in one.text for one in found))

    def test_a_word_that_is_not_allowed(self):
        overlay, _ = self.complete()
        overlay.of("Cluster")[0]["spec"]["primaryUpdateMethod"] = "wait"
        self.assert_only(overlay, ("stops", "Cluster postgres", "primaryUpdateMethod"))

    def test_a_webhook_that_is_silent(self):
        overlay, state = self.complete()
        state.silent_webhooks = {"postgresql.cnpg.io": "mcluster.cnpg.io"}
        self.assert_only(overlay, ("stops", "Cluster postgres", "failed calling webhook", "connection refused"))

    def test_a_server_that_does_not_answer(self):
        overlay, state = self.complete()
        state.slow = {"Cluster"}
        self.addCleanup(state.go_on.set)
        connection = self.cluster._connection
        self.addCleanup(setattr, connection, "timeout", connection.timeout)
        # Enough for every other answer, also on a busy machine.
        connection.timeout = 10
        connection.close()
        self.assert_only(overlay, ("stops", "Cluster postgres", "no answer to POST", "timed out"))

    def test_warnings_of_the_server(self):
        overlay, state = self.complete()
        state.warnings = {"StatefulSet": ['would violate PodSecurity \\"restricted:latest\\"']}
        self.assert_only(overlay, ("warns", "StatefulSet fold", "would violate PodSecurity"))

    def test_a_change_that_is_not_allowed(self):
        overlay, state = self.complete()
        apply(state, overlay)
        next(one for one in overlay.of("StatefulSet"))["spec"]["serviceName"] = "other"
        self.assert_only(overlay, ("stops", "StatefulSet fold can't be changed so", "spec.serviceName"))

    def test_a_new_version_at_any_moment(self):
        for name in check.OVERLAYS:
            with self.subTest(name):
                self.server.state = State()
                overlay, state = self.complete(name)
                apply(state, overlay)
                later = self.overlay(name, lambda text: ours(text).replace("settings-", "settings-x").replace(':1"', ':2"'))
                self.assertNotEqual(later.objects, overlay.objects)
                found = self.found(later)
                self.assertFalse([one for one in found if one.stops], found)

    def test_a_job_would_stall_it(self):
        overlay, state = self.complete()
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "x", "image": "registry.test/vigil:1"}]}}
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "migrate", "namespace": "vigil"}, "spec": {"template": template}}
        overlay.objects.append(job)
        apply(state, overlay)
        overlay.objects[-1] = json.loads(json.dumps(job).replace(":1", ":2"))
        self.assert_only(overlay, ("stops", "Job migrate can't be changed so", "spec.template", "immutable"))

    # MARK: What is left

    def test_a_component_that_was_removed(self):
        with check.copied("small", ("federation", "further")) as folder:
            earlier = preflight.Overlay(json.loads(ours(json.dumps(check.rendered(folder)))))
        overlay, state = self.complete()
        apply(state, earlier)
        apply(state, overlay)
        old = next(one for one in earlier.of("ConfigMap") if one["metadata"]["name"].startswith("settings-"))["metadata"]["name"]
        found = self.found(overlay)
        self.assertEqual([one.stops for one in found], [False, False], found)
        command = found[0].text.rpartition(": ")[2].split()
        self.assertEqual(command[:4], ["kubectl", "-n", "vigil", "delete"])
        expected = {"deployments.apps/federation", "services/federation-door", "networkpolicies.networking.k8s.io/further",
                    "certificates.cert-manager.io/further-database", f"configmaps/{old}"}  # fmt: skip
        self.assertLessEqual(expected, set(command[4:]))
        self.assertFalse([word for word in command[4:] if "persistentvolumeclaim" in word or "submission" in word])
        self.assertIn("destroys", found[1].text)
        self.assertTrue(found[1].text.endswith("delete persistentvolumeclaims/further"))
        # Every object that only the component has is named, so that nothing stays.
        left = {one["metadata"]["name"] for one in earlier.objects} - {one["metadata"]["name"] for one in overlay.objects}
        self.assertEqual({word.rpartition("/")[2] for word in [*command[4:], "persistentvolumeclaims/further"]} , left)
        # A pod that still reads the old settings keeps them.
        container = {"name": "x", "env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": old, "key": "X"}}}]}
        state.add("v1", "Pod", "slow", "vigil", spec={"containers": [container]})
        self.assertNotIn(old, self.found(overlay)[0].text)

    # MARK: The script

    def run_script(self, folder, configuration=None):
        environment = os.environ | {"KUBECONFIG": str(configuration or self.configuration)}
        done = subprocess.run(["bash", SCRIPT, folder], capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    def test_the_script(self):
        _, state = self.complete()
        state.remove("Secret", "distribution")
        status, output = self.run_script(ROOT / "deploy/kubernetes/small")
        self.assertEqual(status, 1, output)
        self.assertIn("stops  There is no Secret distribution", output)
        self.assertIn("2 findings stop the suite. Nothing was changed.", output)
        with check.copied("small", ()) as folder:
            for file in folder.iterdir():
                file.write_text(file.read_text().replace("registry.example.org", "registry.health.test"))
            (folder / "settings.env").write_text((ROOT / "deploy/kubernetes/small/settings.env").read_text())
            state.add("v1", "Secret", "distribution", "vigil", data={"export-signing.key": "eA=="})
            status, output = self.run_script(folder)
        self.assertEqual(status, 0, output)
        self.assertTrue(output.rstrip().splitlines()[-1].startswith("warns") or "Nothing stops the suite." in output, output)

    def test_no_cluster(self):
        other = self.folder / "other"
        other.write_text(self.server.configuration().replace(self.server.address, "https://127.0.0.1:1"))
        status, output = self.run_script(ROOT / "deploy/kubernetes/small", other)
        self.assertEqual(status, 1)
        self.assertIn("stops  The cluster doesn't answer", output)
        self.assertIn("connection refused", output)

    def test_a_login_that_has_expired(self):
        other = self.folder / "expired"
        other.write_text(self.server.configuration(token=TOKEN + "x"))
        status, output = self.run_script(ROOT / "deploy/kubernetes/small", other)
        self.assertEqual(status, 1)
        self.assertIn("stops  The cluster doesn't answer: Unauthorized", output)


# MARK: The README


def required(component):
    """The settings of a component that have no default."""
    document = render.read()
    settings, common = {}, {}
    optional = {name for names in render.COMPONENTS.values() for name in names}
    for name in document["services"]:
        if name not in optional:
            list(render.Service(name, document, [], common).manifests())
    if component == "bucket":
        return re.findall(r"key: (VIGIL_\w+)", (ROOT / "deploy/kubernetes/bucket/kustomization.yaml").read_text())
    for name in render.COMPONENTS[component]:
        list(render.Service(name, document, [], settings).manifests())
    return [key for key, value in settings.items() if value is None and key not in common]


class Readme(unittest.TestCase):
    def test_it_lists_the_settings_of_each_component(self):
        rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", README.read_text().partition("### What a component needs")[2], re.MULTILINE)
        listed = {name: re.findall(r"`(VIGIL_\w+)`", cell) for name, cell in rows}
        self.assertEqual(set(listed), {*render.COMPONENTS, "bucket"})
        for name, settings in listed.items():
            self.assertEqual(sorted(settings), sorted(required(name)), name)

    def test_its_commands_make_every_secret_and_no_other_key(self):
        with check.copied("country", ("federation", "data-donation", "further")) as folder:
            manifests = [*check.rendered("country"), *check.rendered(folder)]
        overlay = preflight.Overlay(manifests)
        made = {one["spec"]["secretName"] for one in overlay.of("Certificate")}
        needed = {"backups": {"ACCESS_KEY_ID", "ACCESS_SECRET_KEY"}}
        for _, spec in overlay.pods():
            for kind, name, key, _ in preflight.references(spec):
                if kind == "Secret" and name not in made and not name.endswith("-public"):
                    needed.setdefault(name, set()).add(key)
        self.assertEqual({name: set(keys) for name, keys in commands().items()}, needed)

    def test_each_key_comes_from_the_file_that_compose_mounts(self):
        document = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
        for secret, keys in commands().items():
            service = re.sub("-(callback|bucket)$", "", secret)
            if service not in document["services"]:
                continue
            mounted = {}
            for one in document["services"][service]["secrets"]:
                source, target = (one, one) if isinstance(one, str) else (one["source"], one["target"])
                mounted[target] = pathlib.PurePath(document["secrets"][source]["file"]).name
            for key, path in keys.items():
                # Files in capitals are from elsewhere.
                if path.startswith("$f/"):
                    self.assertEqual(path, f"$f/{mounted[key]}", f"{secret}, {key}")


if __name__ == "__main__":
    unittest.main()
