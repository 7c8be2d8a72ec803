"""The rules of deploy/preflight/settings.py hold for exactly the variables that Compose and deploy read, and each of them can fail."""

import pathlib
import re
import sys
import tempfile
import unittest

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "deploy/preflight"))
sys.dont_write_bytecode = True

import settings  # noqa: E402

# A value that is right and one that isn't, for each variable whose rule says more than "a line of text".
EXAMPLES = {
    "VIGIL_ADDRESS": ("0.0.0.0", "localhost"),
    "VIGIL_ANDROID_CERTIFICATES": ("LV8k5vSxJLBq9UyLrKeN1O7zQ3ESRQQvxZ1YAy1F3Ro=", "AB:CD:EF"),
    "VIGIL_ANDROID_PACKAGES": ("org.health.app,org.health.other", "org.health app"),
    "VIGIL_APNS_KEY": ("/srv/key.p8", "key.p8"),
    "VIGIL_APNS_KEY_ID": ("ABCDE12345", "abcde12345"),
    "VIGIL_APNS_TEAM_ID": ("ABCDE12345", "ABCDE"),
    "VIGIL_APNS_TOPIC": ("org.health.app", "org/health"),
    "VIGIL_APPLE_TEAM": ("ABCDE12345", "ABCDE1234567"),
    "VIGIL_APPS": ("192.0.2.10:443", "192.0.2.10"),
    "VIGIL_APP_ATTEST_APPS": ("A1B2C3D4E5.org.health.app", "org.health.app"),
    "VIGIL_ARCHIVE": ("/srv/archive", "archive"),
    "VIGIL_BACKUPS": ("/srv/backups", "backups"),
    "VIGIL_BACKUP_RECIPIENT": ("age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq", "AGE-SECRET-KEY-1"),
    "VIGIL_BUNDLE_ID": ("org.health.app", "org health"),
    "VIGIL_CALLBACKS": ("127.0.0.1:8090", "127.0.0.1:99999"),
    "VIGIL_CALLBACK_URL": ("https://callback.health.org:8090/version/v1/callback", "callback.health.org"),
    "VIGIL_CONTACT": ("tel:+4930123456", "portal@health.org"),
    "VIGIL_DATABASE": ("vigil_database-18", "./database"),
    "VIGIL_DEVICE_CHECK_KEY_ID": ("ABCDE12345", "ABCDE-2345"),
    "VIGIL_DOWNLOADS": ("0.0.0.0:443", ":443"),
    "VIGIL_DOWNLOAD_ENABLED": ("false", "no"),
    "VIGIL_FEDERATION_COUNTRIES": ("FR, NL", "FR,Netherlands"),
    "VIGIL_FURTHER_SIGNATURES": ("required", "yes"),
    "VIGIL_GATEWAY_NAME": ("efgs", "a name that is too long"),
    "VIGIL_GATEWAY_PROTOCOL": ("chgs", "http"),
    "VIGIL_GATEWAY_SMALLEST_SIGNING_KEY": ("2048", "1024"),
    "VIGIL_GATEWAY_URL": ("https://gateway.health.org", "http://gateway.health.org"),
    "VIGIL_HTTPS_PROXY": ("http://proxy.health.org:3128", "proxy.health.org:3128"),
    "VIGIL_LABORATORIES": ("192.0.2.10:8020", "192.0.2.10:"),
    "VIGIL_LANGUAGES": ("en,de", "pl"),
    "VIGIL_LOG_LEVEL": ("notice", "verbose"),
    "VIGIL_LOWEST_RISK_LEVEL": ("1", "9"),
    "VIGIL_NAMES": ("test-result-server=labs.health.org,health-portal=192.0.2.10", "labs.health.org"),
    "VIGIL_OFFICERS_ISSUER": ("https://login.health.org/realms/health", "login.health.org"),
    "VIGIL_OFFICERS_KEYS": ("https://login.health.org/keys", "/keys.json"),
    "VIGIL_ORIGIN": ("PL", "Poland"),
    "VIGIL_OUTSIDE_PORTAL": ("127.0.0.1:8011", "8011"),
    "VIGIL_PORTAL": ("192.0.2.10:443", "[2001:db8::1]:443"),
    "VIGIL_PORTAL_FILES": ("./portal", "portal"),
    "VIGIL_PORTAL_ORIGINS": ("https://a.health.org,https://b.health.org:8070", "https://a.health.org/"),
    "VIGIL_PROVIDER_ADDRESS": ("192.0.2.1", "192.0.2.1:8071"),
    "VIGIL_PROXY_PROTOCOL": ("192.0.2.10,2001:db8::/64", "192.0.2.1/24"),
    "VIGIL_REDEMPTIONS": ("192.0.2.10:8111", "192.0.2.10:0"),
    "VIGIL_REGIONS": ("PL,EUR", "PL;EUR"),
    "VIGIL_SECRETS": ("./.secrets", "secrets"),
    "VIGIL_SIGNING_KEYS": ("262/v2=/run/secrets/b.key,262/v1=/run/secrets/a.key", "262=/run/secrets/a.key"),
    "VIGIL_SMALLEST_FEDERATED_SET": ("140", "139"),
    "VIGIL_STATIC": ("/srv/vigil/static", "static"),
    "VIGIL_SUBNET": ("10.214", "10.214.0.0/16"),
    "VIGIL_TIME_ZONE": ("Europe/Warsaw", "CET+1:00"),
    "VIGIL_TRACING": ("127.0.0.1:8072", "::1:8072"),
    "VIGIL_UPLOAD_ENABLED": ("true", "TRUE"),
    "VIGIL_VENUE_PAGE": ("./venue.html", "venue.html"),
    "VIGIL_WAVES_PAUSE": ("7200", "2h"),
    "VIGIL_WAVES_SPREAD": ("300", "-1"),
    "VIGIL_WORKING_HOURS": ("./hours.yml", "hours.yml"),
}


def read():
    """The variables that Compose and deploy's scripts read from `.env`, and those that only comments name."""
    names, comments = set(), set()
    for script in (CHECKOUT / "deploy").rglob("*.sh"):
        names.update(re.findall(r"\$\(setting (VIGIL_[A-Z_]+)", script.read_text(encoding="utf-8")))
    for file in [CHECKOUT / "docker-compose.yml", *sorted((CHECKOUT / "deploy").glob("*.yml"))]:
        for line in file.read_text(encoding="utf-8").splitlines():
            (comments if line.lstrip().startswith("#") else names).update(re.findall(r"\bVIGIL_[A-Z_]+\b", line))
    return names, comments


class Files:
    """What is wrong and what is missing in a folder with `.env` and, if wanted, files of Compose."""

    def __init__(self, text, environment=None, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {".env": text, **files}.items():
                (pathlib.Path(folder) / name).write_text(content, encoding="utf-8")
            self.settings = settings.Settings(folder, environment or {})
            self.wrong = [finding.text for finding in settings.wrong(self.settings)]
            self.missing = [finding.text for finding in settings.missing(self.settings)]


class Rules(unittest.TestCase):
    def test_rules_are_those_of_the_variables_that_are_read(self):
        names, comments = read()
        self.assertGreater(len(names), 40)
        self.assertEqual(sorted(settings.RULES), sorted(names), "deploy/preflight/settings.py has a rule for each variable and no other")
        self.assertEqual(sorted(comments - names), [], "comments name variables that nothing reads")
        self.assertLessEqual(set(settings.OUTSIDE), names)

    def test_each_rule_admits_what_is_right_and_says_what_a_wrong_value_must_be(self):
        said = {name for name, rule in settings.RULES.items() if rule not in (settings.text, settings.image)}
        self.assertEqual(sorted(EXAMPLES), sorted(said), "each variable has an example here")
        for name, (right, wrong) in EXAMPLES.items():
            self.assertIsNone(settings.RULES[name](right), name)
            self.assertRegex(str(settings.RULES[name](wrong)), "^must (be|begin with) ", name)

    def test_defaults_and_examples_of_the_files_are_right(self):
        for file in [CHECKOUT / "docker-compose.yml", *(CHECKOUT / "deploy").glob("*.yml")]:
            for name, value in re.findall(r"\$\{(VIGIL_[A-Z_]+):-([^${}]+)\}", file.read_text(encoding="utf-8")):
                self.assertIsNone(settings.RULES[name](value), f"{name} in {file.name}")

    def test_an_ipv6_address_is_refused_with_the_reason(self):
        for name, value in [("VIGIL_ADDRESS", "2001:db8::1"), ("VIGIL_ADDRESS", "::"), ("VIGIL_APPS", "[2001:db8::1]:443")]:
            self.assertIn("IPv6 callers", settings.RULES[name](value))

    def test_a_name_outside_is_a_name_or_an_address_without_a_port(self):
        for value in ["edge=2001:db8::1", "edge=a", "edge=A-1.health.org"]:
            self.assertIsNone(settings.RULES["VIGIL_NAMES"](value), value)
        for value in ["edge=", "=a.health.org", "edge=a.health.org:443", "edge=*.health.org", "edge=192.0.2.256", "edge=-a.org", "edge=a,,edge=b"]:
            self.assertIsNotNone(settings.RULES["VIGIL_NAMES"](value), value)


class Values(unittest.TestCase):
    def test_a_wrong_value_is_named_with_its_line(self):
        found = Files("# the country\n\nVIGIL_ADDRESS=0.0.0.0\nVIGIL_ORIGIN=Germany\n").wrong
        self.assertEqual(found, ['.env, line 4: VIGIL_ORIGIN is "Germany", but must be two capital letters (ISO 3166-1 alpha-2), such as DE.'])

    def test_an_unknown_name_is_named_with_the_nearest_known_one(self):
        found = Files("VIGIL_PORTAL_ORIGIN=https://a\nVIGIL_LOGLEVEL=info\nVIGIL_ZZZZZZZZ=1\nVIGL_ADDRESS=0.0.0.0\nMAILTO=root\n").wrong
        self.assertEqual(found, [
            ".env, line 1: nothing reads VIGIL_PORTAL_ORIGIN; did you mean VIGIL_PORTAL_ORIGINS?",
            ".env, line 2: nothing reads VIGIL_LOGLEVEL; did you mean VIGIL_LOG_LEVEL?",
            ".env, line 3: nothing reads VIGIL_ZZZZZZZZ: remove the line.",
            ".env, line 4: nothing reads VIGL_ADDRESS; did you mean VIGIL_ADDRESS?",
        ])

    def test_lines_are_read_as_compose_reads_them(self):
        files = Files("export VIGIL_ORIGIN='PL' # Poland\nVIGIL_AUTHORITY=\"Urząd # 1\"\nVIGIL_LOG_LEVEL=\nVIGIL_WAVES_PAUSE = 60   # s\nVIGIL_CONTACT=$MAIL\n")
        self.assertEqual(files.wrong, [])
        self.assertEqual(files.settings.get("VIGIL_ORIGIN"), "PL")
        self.assertEqual(files.settings.get("VIGIL_AUTHORITY"), "Urząd # 1")
        self.assertEqual(files.settings.get("VIGIL_LOG_LEVEL", "info"), "info")
        self.assertEqual(files.settings.get("VIGIL_WAVES_PAUSE"), "60")

    def test_the_environment_wins_and_is_judged_too(self):
        files = Files("VIGIL_ORIGIN=Germany\n", {"VIGIL_ORIGIN": "DE", "VIGIL_LOG_LEVEL": "loud", "VIGIL_BUILT": "yes"})
        self.assertEqual([found.split(" is ")[0] for found in files.wrong], ["the environment: VIGIL_LOG_LEVEL"])

    def test_lines_that_nobody_can_read_and_names_that_are_there_twice(self):
        found = Files("VIGIL_ORIGIN\nVIGIL_ORIGIN=DE\nVIGIL_ORIGIN=PL\n").wrong
        self.assertEqual(found, [
            ".env, line 1: this isn't NAME=VALUE; correct it, or put # before it.",
            ".env, line 3: VIGIL_ORIGIN is also in .env, line 2, and this line wins; remove one of them.",
        ])

    def test_what_the_chosen_files_need_is_named_at_once(self):
        overlay = "a: ${VIGIL_APNS_TOPIC:?set it to the app}\n# ${VIGIL_ORIGIN:?no}\nb: ${VIGIL_APNS_KEY:?set it to the file}\nprofiles: [federation]\n"
        files = Files("COMPOSE_FILE=a.yml:b.yml\nCOMPOSE_PROFILES=federation,federations\nVIGIL_APNS_KEY=/k\n", **{"a.yml": overlay})
        self.assertEqual(files.missing, [
            "a.yml needs VIGIL_APNS_TOPIC: set it to the app (in .env).",
            ".env, line 1: b.yml can't be read (No such file or directory): correct COMPOSE_FILE, or the file's permissions.",
            ".env, line 2: there is no profile federations; those in the files are federation.",
        ])

    def test_the_overlays_of_the_suite_name_what_they_need(self):
        for file in (CHECKOUT / "deploy").glob("*.yml"):
            files = Files(f"COMPOSE_FILE={file}\n")
            self.assertEqual(len(files.missing), len(set(re.findall(r"^[^#]*?\$\{(VIGIL_\w+):\?", file.read_text(), re.M))), file.name)


if __name__ == "__main__":
    unittest.main()
