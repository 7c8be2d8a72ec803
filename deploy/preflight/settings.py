"""The rule of each variable that docker-compose.yml and the files beside it in deploy read, and what is wrong in `.env` and the environment.

A rule takes a value and returns what it must be, or None if it is that. Tests/Preflight holds the list against the files, both ways.
"""

import difflib
import ipaddress
import os
import pathlib
import re
import typing
import urllib.parse


class Finding(typing.NamedTuple):
    """What somebody should know before the suite starts, and what to do."""

    stops: bool
    text: str


def stop(text):
    """What keeps the suite from starting, or from what it promises."""
    return Finding(True, text)


def warn(text):
    """What an operator may have wanted."""
    return Finding(False, text)


# MARK: Rules


def pattern(expression, says):
    return lambda value: None if re.fullmatch(expression, value) else f"must be {says}"


def number(low, high):
    return lambda value: None if re.fullmatch("[0-9]+", value) and low <= int(value) <= high else f"must be a whole number from {low} to {high}"


def choice(*values):
    return lambda value: None if value in values else f"must be {' or '.join(values)}"


def listed(rule):
    """The same for each element of a list with commas."""
    return lambda value: next((says for element in value.split(",") if (says := rule(element.strip()))), None)


def address(value):
    # With IPv6, callers would share one budget of connections and requests: networks have IPv4 only, so Docker's userland proxy accepts an
    # IPv6 caller and connects with an address of its own (https://docs.docker.com/engine/network/packet-filtering-firewalls/).
    try:
        version = ipaddress.ip_address(value.strip("[]")).version
    except ValueError:
        return "must be an IPv4 address of this machine, or 0.0.0.0 for all of them"
    return None if version == 4 else (
        "must be an IPv4 address: Docker would pass IPv6 callers on with one address for all, and one of them could use up everybody's limits. "
        "Put a proxy in front that accepts IPv6 and sends the PROXY protocol")


def door(value):
    host, colon, port = value.rpartition(":")
    if not colon or number(1, 65535)(port):
        return "must be ADDRESS:PORT, such as 192.0.2.10:443"
    return address(host)


def url(value, schemes=("https",), path=True):
    try:
        parts = urllib.parse.urlsplit(value)
        good = parts.scheme in schemes and parts.hostname and parts.port != 0 and not re.search(r"\s", value)
    except ValueError:
        good = False
    if good and (path or parts.path + parts.query + parts.fragment == ""):
        return None
    return f"must be an address such as {schemes[0]}://codes.example.org" + ("" if path else ", without a path")


def contact(value):
    return None if re.match(r"mailto:\S+@\S|tel:\S|https://\S", value) else "must begin with mailto:, tel: or https:"


def outside(value):
    service, equals, name = value.partition("=")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        # RFC 1123, section 2.1. A last label of digits alone would be a mistyped address.
        if not re.fullmatch(r"(?=.{1,253}$)((?!-)[A-Za-z0-9-]{1,63}(?<!-)\.)*(?!-)(?![0-9]+$)[A-Za-z0-9-]{1,63}(?<!-)", name):
            name = ""
    return None if equals and name and re.fullmatch("[a-z-]+", service) else (
        "must be SERVICE=NAME, such as test-result-server=labs.example.org, with a DNS name or an IP address")


def balancer(value):
    try:
        ipaddress.ip_network(value)
        return None
    except ValueError:
        return "must be addresses or ranges, such as 192.0.2.10 or 192.0.2.0/28 (no bit set after the prefix)"


path = pattern(r"\.?/.*", "an absolute path, or one that begins with ./ (Compose takes anything else for the name of a volume)")
country = pattern("[A-Z]{2}", "two capital letters (ISO 3166-1 alpha-2), such as DE")
bundle = pattern(r"[A-Za-z0-9.-]+", "letters, digits, dots and hyphens, such as org.example.app")
apple = pattern("[A-Z0-9]{10}", "the ten capital letters and digits that Apple gave")
volume = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]+", "the name of a volume (deploy/postgres/upgrade.sh sets it)")
# SSH keys, which age takes too, have a space in them.
recipient = pattern(r"age1[a-z0-9]+|(ssh-ed25519|ssh-rsa) \S+( .*)?", "recipients of age, such as age1… (age-keygen makes one)")
image = pattern(r"\S+", "the name of an image")
text = pattern(".+", "a line of text")
flag = choice("true", "false")
subnet = pattern(
    r"(10\.([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])|172\.(1[6-9]|2[0-9]|3[01])|192\.168)",
    "the first two numbers of a private network, such as 10.213")

RULES = {
    # Doors.
    "VIGIL_ADDRESS": address,
    "VIGIL_APPS": door,
    "VIGIL_CALLBACKS": door,
    "VIGIL_DOWNLOADS": door,
    "VIGIL_LABORATORIES": door,
    "VIGIL_OUTSIDE_PORTAL": door,
    "VIGIL_PORTAL": door,
    "VIGIL_REDEMPTIONS": door,
    "VIGIL_TRACING": door,
    "VIGIL_PROVIDER_ADDRESS": address,
    "VIGIL_PROXY_PROTOCOL": listed(balancer),
    "VIGIL_SUBNET": subnet,
    # Files and folders.
    "VIGIL_APNS_KEY": path,
    "VIGIL_ARCHIVE": path,
    "VIGIL_BACKUPS": path,
    "VIGIL_BACKUP_RECIPIENT": listed(recipient),
    "VIGIL_DATABASE": volume,
    "VIGIL_PORTAL_FILES": path,
    "VIGIL_SECRETS": path,
    "VIGIL_STATIC": path,
    "VIGIL_VENUE_PAGE": path,
    "VIGIL_WORKING_HOURS": path,
    # The country and its authority.
    "VIGIL_AUTHORITY": text,
    "VIGIL_CONTACT": contact,
    "VIGIL_LANGUAGES": listed(choice("de", "en")),
    "VIGIL_NAMES": listed(outside),
    "VIGIL_ORIGIN": country,
    "VIGIL_PORTAL_ORIGINS": listed(lambda value: url(value, path=False)),
    "VIGIL_REGIONS": listed(pattern("[A-Z]{2,3}", "countries or regions, such as PL or EUR")),
    "VIGIL_TIME_ZONE": pattern(r"[A-Za-z]+(/[A-Za-z0-9_+-]+)*", "a name of the time zone database, such as Europe/Warsaw"),
    # Outside servers.
    "VIGIL_CALLBACK_URL": url,
    "VIGIL_GATEWAY_NAME": pattern("[a-z0-9-]{1,16}", "1 to 16 lower-case letters, digits and hyphens"),
    "VIGIL_GATEWAY_PROTOCOL": choice("efgs", "chgs"),
    "VIGIL_GATEWAY_SMALLEST_SIGNING_KEY": number(2048, 8192),
    "VIGIL_GATEWAY_URL": url,
    "VIGIL_HTTPS_PROXY": lambda value: url(value, schemes=("http", "https")),
    "VIGIL_NO_PROXY": text,
    "VIGIL_OFFICERS_ISSUER": url,
    "VIGIL_OFFICERS_KEYS": url,
    # Apps.
    "VIGIL_ANDROID_CERTIFICATES": listed(pattern("[A-Za-z0-9+/]{43}=", "SHA-256 digests in Base64, 44 characters each")),
    "VIGIL_ANDROID_PACKAGES": listed(bundle),
    "VIGIL_APNS_KEY_ID": apple,
    "VIGIL_APNS_TEAM_ID": apple,
    "VIGIL_APNS_TOPIC": bundle,
    "VIGIL_APPLE_TEAM": apple,
    "VIGIL_APP_ATTEST_APPS": listed(pattern(r"[A-Z0-9]{10}\.[A-Za-z0-9.-]+", "App IDs, such as A1B2C3D4E5.org.example.app")),
    "VIGIL_BUNDLE_ID": bundle,
    "VIGIL_DEVICE_CHECK_KEY_ID": apple,
    "VIGIL_SIGNING_KEYS": listed(pattern(r"[^/=\s]+/[^/=\s]+=/run/secrets/\S+", "keys such as 262/v1=/run/secrets/export-signing.key")),
    # What services do.
    "VIGIL_DOWNLOAD_ENABLED": flag,
    "VIGIL_FEDERATION_COUNTRIES": listed(country),
    "VIGIL_FURTHER_SIGNATURES": choice("off", "accepted", "required"),
    "VIGIL_LOG_LEVEL": choice("trace", "debug", "info", "notice", "warning", "error", "critical"),
    "VIGIL_LOWEST_RISK_LEVEL": number(1, 8),
    "VIGIL_SMALLEST_FEDERATED_SET": number(140, 100_000),
    "VIGIL_UPLOAD_ENABLED": flag,
    "VIGIL_WAVES_PAUSE": number(0, 86_400),
    "VIGIL_WAVES_SPREAD": number(0, 43_200),
    # Images.
    "VIGIL_IMAGE_DEBIAN": image,
    "VIGIL_IMAGE_NGINX": image,
    "VIGIL_IMAGE_POSTGRES": image,
    "VIGIL_IMAGE_PROMETHEUS": image,
    "VIGIL_IMAGE_SWIFT": image,
    "VIGIL_UPDATED": text,
}

# Whose hosts must have an address.
OUTSIDE = ["VIGIL_OFFICERS_ISSUER", "VIGIL_OFFICERS_KEYS", "VIGIL_GATEWAY_URL"]


# MARK: What is set


class Value(typing.NamedTuple):
    """A value and where it is, such as `.env, line 3`."""

    text: str
    place: str


class Settings:
    """What Compose sees: the environment before `.env`, and there the last of several lines."""

    def __init__(self, folder, environment):
        self.values = {}
        self.findings = []
        self.folder = pathlib.Path(folder)
        self._read(self.folder / ".env")
        self.values |= {name: Value(value, "the environment") for name, value in environment.items() if name in RULES or name.startswith("COMPOSE_")}

    def get(self, name, default=""):
        return self.values[name].text if name in self.values and self.values[name].text else default

    def _read(self, file):
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as problem:
            self.findings.append(stop(f".env can't be read ({problem}): Compose needs it, too; make it a text file that you may read."))
            return
        for count, line in enumerate(lines, 1):
            place = f".env, line {count}"
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            match = re.fullmatch(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*[=:]\s*(.*?)\s*", line)
            if not match:
                self.findings.append(stop(f"{place}: this isn't NAME=VALUE; correct it, or put # before it."))
                continue
            name, value = match.groups()
            if quoted := re.match(r"(['\"])(.*?)\1", value):
                value = quoted[2]
            else:
                value = re.sub(r"\s+#.*$|^#.*$", "", value)
            if name in self.values:
                self.findings.append(warn(f"{place}: {name} is also in {self.values[name].place}, and this line wins; remove one of them."))
            self.values[name] = Value(value, place)


def similar(name):
    return difflib.get_close_matches(name, RULES, n=1, cutoff=0.6)


def wrong(settings):
    """Every value that breaks its rule, and every name that nobody reads."""
    yield from settings.findings
    for name, (value, place) in settings.values.items():
        if name not in RULES:
            known = similar(name)
            if name.startswith("VIGIL_"):
                yield stop(f"{place}: nothing reads {name}" + (f"; did you mean {known[0]}?" if known else ": remove the line."))
            elif known and difflib.SequenceMatcher(None, name, known[0]).ratio() > 0.8:
                yield warn(f"{place}: nothing reads {name}; did you mean {known[0]}?")
        # An empty value is the default, and one with a variable in it is Compose's to fill in.
        elif value and "$" not in value and (says := RULES[name](value)):
            yield stop(f"{place}: {name} is \"{value}\", but {says}.")


# MARK: Files of Compose

READ = re.compile(r"\$\{(VIGIL_[A-Z_]+)")
NEEDED = re.compile(r"\$\{(VIGIL_[A-Z_]+):\?([^}]*)\}")


def files(settings):
    """The files that Compose reads together."""
    separator = settings.get("COMPOSE_PATH_SEPARATOR", os.pathsep)
    return [settings.folder / name for name in settings.get("COMPOSE_FILE", "docker-compose.yml").split(separator)]


def missing(settings):
    """Files of COMPOSE_FILE that can't be read, what a chosen file needs and nobody has set, and profiles that no file has."""
    place = settings.values["COMPOSE_FILE"].place if "COMPOSE_FILE" in settings.values else "docker-compose.yml"
    profiles = set()
    for file in files(settings):
        name = os.path.relpath(file, settings.folder)
        try:
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
        except OSError as problem:
            yield stop(f"{place}: {name} can't be read ({problem.strerror}): correct COMPOSE_FILE, or the file's permissions.")
            continue
        content = "\n".join(lines)
        for variable, says in dict(NEEDED.findall(content)).items():
            if not settings.get(variable):
                yield stop(f"{name} needs {variable}: {says} (in .env).")
        for names in re.findall(r"profiles: \[([^]]*)\]", content):
            profiles |= {profile.strip() for profile in names.split(",")}
    if profiles and (chosen := settings.get("COMPOSE_PROFILES")):
        for profile in chosen.split(","):
            if profile.strip() not in profiles | {"*"}:
                known = ", ".join(sorted(profiles - {"secrets", "never"}))
                yield stop(f"{settings.values['COMPOSE_PROFILES'].place}: there is no profile {profile.strip()}; those in the files are {known}.")
