"""Holds rules, dashboard and runbook against what the services export: a rule on a name that no service exports never fires.

Checks also that every alert is tested both ways and has its place in the runbook, and that Prometheus asks the ports on which the
services of docker-compose.yml answer. With --live PORT it asks a suite of `vigil-dev up` instead, whose first port that is, and that has
played the story: everything that a rule selects must be there, with exactly these labels. With --prometheus URL it asks a Prometheus
that watches such a suite: each service must be found and answer, too.

Prints what is wrong, a sentence each, and ends with 1 then.
"""

import json
import pathlib
import re
import sys
import time
import urllib.parse
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"

# Prometheus' own, and what it records for an alert.
WORKING_HOURS = yaml.safe_load((DEPLOY / "prometheus/working-hours.yml").read_text(encoding="utf-8"))["groups"]
BUILT_IN = {"up": "gauge", "ALERTS": "gauge"} | {rule["record"]: "gauge" for group in WORKING_HOURS for rule in group["rules"]}
# Labels that Prometheus adds, or whose values aren't words of ours.
FREE_LABELS = {"instance", "status", "le", "severity", "alertname", "alertstate"}
SCRAPES = {"vigil", "prometheus"}
# Counters that are made with their first event, and a gauge that needs a callback: a story may have neither.
NOT_ALWAYS = {
    "federation_audit_failures_total", "federation_keys_imported_total", "federation_upload_answers_total",
    "federation_callback_registered",
}

KINDS = {
    "Counter": "counter", "FloatingPointCounter": "counter", "Gauge": "gauge", "Meter": "gauge", "Timer": "histogram",
    "Recorder": "histogram",
}
KEYWORDS = {"and", "or", "unless", "offset", "bool", "inf", "nan", "start", "end"}
# Functions that make sense of counters only.
OF_COUNTERS = re.compile(r"\b(?:rate|irate|increase|resets)\(\s*([a-zA-Z_:][a-zA-Z0-9_:]*)")
# A label, its operator and its value.
MATCHER = re.compile(r"(\w+)\s*(=~|!~|!=|=)\s*\"((?:[^\"\\]|\\.)*)\"")

problems = []


def swift_sources():
    for folder in ("Services", "Shared"):
        for path in sorted((ROOT / folder).rglob("*.swift")):
            yield path.read_text(encoding="utf-8")


def exported(text):
    """Names of metrics, each with its kind, as the sources make them."""
    names = {}
    for kind, name in re.findall(r"\b(%s)\(\s*label: \"(\w+)\"" % "|".join(KINDS), text):
        names[name] = KINDS[kind]
    # APNsMetrics and FederationMetrics make several of one form; ProcessMetrics and AdminListener write lines themselves.
    for kind, name in re.findall(r"\b(gauge|counter)s?\(\s*\"(\w+)\"", text):
        names[name] = kind
    for name, kind in re.findall(r"\bline\(\"(\w+)\", \.(\w+)", text):
        names[name] = kind
    for name, kind in re.findall(r"# TYPE (\w+) (\w+)\\n", text):
        names[name] = kind
    return names


def words(text):
    """What a label's value may be: a literal, or an enumeration's case."""
    found = set(re.findall(r"\"([^\"\\\n]+)\"", text))
    for cases in re.findall(r"^ *case ([a-zA-Z, ]+)$", text, re.MULTILINE):
        found.update(name.strip() for name in cases.split(","))
    return found


def selectors(expression):
    """Every metric of an expression, with the text between its braces."""
    blank = re.sub(r"\"(?:[^\"\\]|\\.)*\"", lambda match: '"' + "_" * (len(match[0]) - 2) + '"', expression)
    for match in re.finditer(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)", blank):
        blank = blank[: match.start()] + " " * len(match[0]) + blank[match.end():]
    blank = re.sub(r"\[[^\]]*\]", lambda match: " " * len(match[0]), blank)
    blank = re.sub(r"\boffset\s+\w+", lambda match: " " * len(match[0]), blank)
    position = 0
    for match in re.finditer(r"(?<![\w:.$])([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?(?!\s*\()(?!\w)", blank):
        if match.start() < position or match[1] in KEYWORDS:
            continue
        position = match.end()
        inner = expression[match.start(2) + 1:match.end(2) - 1] if match[2] else ""
        yield match[1], inner


def base(name, names):
    """A histogram's lines have its name and an ending."""
    for ending in ("_bucket", "_sum", "_count"):
        if name.endswith(ending) and names.get(name.removesuffix(ending)) == "histogram":
            return name.removesuffix(ending)
    return name


def check_expression(where, expression, names, known, services):
    found = list(selectors(expression))
    if not found and "vector(" not in expression:
        problems.append(f"{where}: no metric is found in {expression!r}")
    for name, inner in found:
        plain = base(name, names)
        if plain not in names:
            problems.append(f"{where}: no service exports {name}")
            continue
        if names[plain] == "histogram" and plain == name:
            problems.append(f"{where}: {name} is a histogram; it needs _bucket, _sum or _count")
        for label, operator, value in MATCHER.findall(inner):
            # SERVICE stands for one in the runbook, $service in the dashboard.
            if label in FREE_LABELS or value in ("", "SERVICE") or value.startswith("$"):
                continue
            allowed = known
            if label == "service":
                allowed = services
            elif label == "job" and name in BUILT_IN:
                allowed = SCRAPES
            values = [value]
            if operator in ("=~", "!~") and "(" not in value:
                values = value.split("|")
            for one in values:
                matches = re.compile(one).fullmatch if operator in ("=~", "!~") else one.__eq__
                if not any(matches(word) for word in allowed):
                    problems.append(f"{where}: {name} has no {label} {one!r}")
    for name in OF_COUNTERS.findall(expression):
        if names.get(base(name, names)) == "gauge":
            problems.append(f"{where}: {name} is a gauge, and what rate() says of it means nothing")


def check_alerts(names, known, services):
    groups = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    alerts = [rule["alert"] for rule in rules]
    for name in {name for name in alerts if alerts.count(name) > 1}:
        problems.append(f"alerts.yml: {name} is there twice")

    runbook = (DEPLOY / "runbook.md").read_text(encoding="utf-8")
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", runbook, re.M)}
    fires, is_silent = tested()
    for rule in rules:
        name = rule["alert"]
        check_expression(f"alerts.yml, {name}", rule["expr"], names, known, services)
        if not rule["annotations"].get("summary"):
            problems.append(f"alerts.yml, {name}: there is no summary")
        if rule["labels"].get("severity") not in ("page", "ticket", "none"):
            problems.append(f"alerts.yml, {name}: severity is neither page nor ticket")
        link = rule["annotations"].get("runbook", "")
        if not link.startswith("deploy/runbook.md#") or link.split("#")[1] not in anchors:
            problems.append(f"alerts.yml, {name}: deploy/runbook.md has no section for {link or 'it'}")
        if rule["expr"] != "vector(1)" and not (name in fires and name in is_silent):
            problems.append(f"alerts.yml, {name}: no test in which it fires, or none in which it doesn't")
    for name in (fires | is_silent) - set(alerts):
        problems.append(f"a test is about {name}, which is no alert")
    return len(rules)


def tested():
    """Alerts for which a test expects that they fire, and that they don't."""
    fires, is_silent = set(), set()
    for path in sorted(pathlib.Path(__file__).resolve().parent.glob("alerts*.test.yml")):
        for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
            for case in test.get("promql_expr_test", []):
                name = re.search(r"alertname=\"(\w+)\"", case["expr"])[1]
                (fires if case["exp_samples"] else is_silent).add(name)
            for case in test.get("alert_rule_test", []):
                (fires if case.get("exp_alerts") else is_silent).add(case["alertname"])
    return fires, is_silent


def compose_services():
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]


def check_ports(services):
    """Prometheus asks the ports of metrics that docker-compose.yml sets."""
    containers = compose_services()
    for name, port in services.items():
        environment = containers.get(name, {}).get("environment") or {}
        if str(environment.get("METRICS_PORT")) != str(port):
            problems.append(
                f"prometheus.yml: {name} is asked on {port}, and its METRICS_PORT is {environment.get('METRICS_PORT')}")


def check_dashboard(names, known, services):
    dashboard = json.loads((DEPLOY / "grafana/vigil.json").read_text(encoding="utf-8"))
    panels = dashboard["panels"]
    if len({panel["id"] for panel in panels}) < len(panels):
        problems.append("vigil.json: two panels have one id")
    taken = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])
        }
        if cells & taken or place["x"] + place["w"] > 24:
            problems.append(f"vigil.json, {panel['title']}: lies on another panel, or beyond the edge")
        taken |= cells
        if panel["type"] == "row":
            continue
        if not panel.get("targets"):
            problems.append(f"vigil.json, {panel['title']}: shows nothing")
        if panel["datasource"]["uid"] != "${datasource}":
            problems.append(f"vigil.json, {panel['title']}: the data source isn't the variable")
        for target in panel.get("targets", []):
            check_expression(f"vigil.json, {panel['title']}", target["expr"], names, known, services)
    return len(panels)


def check_runbook(names, known, services):
    """What it lets operators ask Prometheus."""
    runbook = (DEPLOY / "runbook.md").read_text(encoding="utf-8")
    for quoted, plain in re.findall(r"\bask (?:'([^']+)'|([a-z]+(?:_[a-z]+)+))", runbook):
        check_expression("runbook.md", quoted or plain, names, known, services)


def check_readmes(names):
    """What the READMEs tell operators to look at is there."""
    for path in sorted((ROOT / "Services").glob("*/README.md")):
        section = re.split(r"^## Metrics", path.read_text(encoding="utf-8"), flags=re.M)[-1].split("\n## ")[0]
        # In the table of a README it is the first column that names metrics.
        first = "\n".join(line.split("|")[1] if line.startswith("| `") else line for line in section.splitlines())
        for quoted in re.findall(r"`([a-z]+(?:_[a-z]+)+)(?:\{[^`]*)?`", first):
            if base(quoted, names) not in names:
                problems.append(f"{path.relative_to(ROOT)}: no service exports {quoted}")


def live_series(services, first):
    """What the services of a suite export just now: names with labels, as Prometheus would keep them."""
    containers = compose_services()
    for service in services:
        # Admin ports are those of docker-compose.yml; they keep their distance from the first, which is 8000 by default.
        port = containers[service]["environment"]["ADMIN_PORT"] - 8000 + first
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        for line in lines:
            match = re.match(r"(\w+)(?:\{(.*)\})? \S+$", line)
            if match:
                labels = dict(re.findall(r"(\w+)=\"((?:[^\"\\]|\\.)*)\"", match[2] or ""))
                yield match[1], labels | {"service": service}


def ask(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)["data"]


def prometheus_series(services, url):
    """The same, as Prometheus has it; a service that it doesn't find, or that doesn't answer it, is a problem."""
    targets = [target for target in ask(f"{url}/api/v1/targets")["activeTargets"] if target["labels"]["job"] == "vigil"]
    for service in services:
        states = [target["health"] for target in targets if target["labels"]["service"] == service]
        if not states or set(states) != {"up"}:
            problems.append(f"Prometheus finds {service} {', '.join(states) or 'nowhere'}")
    query = urllib.parse.urlencode({"match[]": '{service!=""}', "start": time.time() - 60, "end": time.time()})
    for labels in ask(f"{url}/api/v1/series?{query}"):
        yield labels["__name__"], labels


def is_selected(labels, inner):
    for label, operator, value in MATCHER.findall(inner):
        # Counters of a status are made with the first such answer.
        if label == "status":
            continue
        found = labels.get(label, "")
        does = found == value if operator in ("=", "!=") else re.fullmatch(value, found) is not None
        if does != (operator in ("=", "=~")):
            return False
    return True


def check_live(series):
    groups = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text(encoding="utf-8"))["groups"]
    selected = [
        (rule["alert"], name, inner) for group in groups for rule in group["rules"] for name, inner in selectors(rule["expr"])
        if name not in BUILT_IN and name not in NOT_ALWAYS
    ]
    for alert, name, inner in selected:
        if not any(name == known and is_selected(labels, inner) for known, labels in series):
            problems.append(f"{alert}: no service exports {name}{{{inner}}}")
    for problem in dict.fromkeys(problems):
        print(problem)
    if problems:
        sys.exit(1)
    print(f"What {len(selected)} selectors of alerts name is there, among {len(series)} series.")


def main():
    text = "\n".join(swift_sources())
    names = exported(text) | BUILT_IN
    known = words(text)
    scrapes = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    services = {
        name: source["port"] for scrape in scrapes for source in scrape.get("dns_sd_configs", []) for name in source["names"]
    }
    if sys.argv[1:2] == ["--live"]:
        return check_live(list(live_series(services, int(sys.argv[2]))))
    if sys.argv[1:2] == ["--prometheus"]:
        return check_live(list(prometheus_series(services, sys.argv[2])))
    alerts = check_alerts(names, known, services)
    check_ports(services)
    panels = check_dashboard(names, known, services)
    check_runbook(names, known, services)
    check_readmes(names)
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"{alerts} alerts and {panels} panels name what is exported ({len(names)} metrics).")


if __name__ == "__main__":
    main()
