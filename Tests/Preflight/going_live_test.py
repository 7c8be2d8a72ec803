"""Every line of deploy/going-live.md has a command, and everything that commands and lines name is there: scripts, options, containers, programs."""

import pathlib
import re
import shlex
import subprocess
import unittest

import yaml

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (CHECKOUT / "deploy/going-live.md").read_text(encoding="utf-8")
SERVICES = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
# What Debian, Docker and the containers have.
SYSTEM = {"cat", "crontab", "cut", "docker", "find", "grep", "openssl", "sudo", "systemctl", "timedatectl"}
INSIDE = {"printenv", "psql", "promtool", "nginx"}


def anchors(page):
    text = (CHECKOUT / "deploy" / page).read_text(encoding="utf-8")
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)}


def subcommands(program):
    """What a program of the suite can be told to do: commands that its sources name, and `ready`, which all have."""
    named = set()
    for folder in (CHECKOUT / "Services").rglob("Main"):
        if f'name: "{program}"' in "".join(file.read_text() for file in folder.glob("*.swift")):
            for file in folder.parent.rglob("*.swift"):
                named |= set(re.findall(r'commandName: "([a-z-]+)"', file.read_text(encoding="utf-8")))
    return named | {"ready"} if named else set()


def problem(command):
    """Why a command can't be run as printed; None if it can."""
    words = shlex.split(command.split("<", 1)[0])
    if redirected := re.search(r"<(\S+)", command):
        if not redirected[1].startswith("/dev/") and not (CHECKOUT / redirected[1]).is_file():
            return f"there is no file {redirected[1]}"
    if words[0] == "bash":
        if not (CHECKOUT / words[1]).is_file():
            return f"there is no script {words[1]}"
        help_text = subprocess.run(["bash", CHECKOUT / words[1], "--help"], capture_output=True, text=True, check=True).stdout
        unknown = [word for word in words[2:] if re.match(r"--|[a-z]+$", word) and not re.search(rf"(?<![\w-]){word}(?![\w-])", help_text)]
        return f"{words[1]} doesn't know {unknown}" if unknown else None
    if words[:3] == ["docker", "compose", "exec"]:
        service, program, *rest = words[4:] if words[3] == "-T" else words[3:]
        if service not in SERVICES:
            return f"there is no container {service}"
        if program in INSIDE:
            known = str(SERVICES[service].get("environment", {}))
            unknown = [word for word in rest if program == "printenv" and f"'{word}'" not in known]
            return f"{service} has no variable {unknown}" if unknown else None
        if program != SERVICES[service]["command"][0]:
            return f"{service} doesn't run {program}"
        return None if rest and rest[0] in subcommands(program) else f"{program} has no command {rest[:1]}"
    if words[0] in ("ask", "sql"):
        return None if f"\n{words[0]}() {{" in (CHECKOUT / "deploy/runbook.md").read_text(encoding="utf-8") else f"the runbook has no {words[0]}"
    if words[:3] == ["docker", "volume", "inspect"]:
        text = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
        return None if f"{words[3].removeprefix('vigil_')}: {{}}" in text else f"there is no volume {words[3]}"
    return None if words[0] in SYSTEM else f"nobody has {words[0]}"


class GoingLive(unittest.TestCase):
    lines = re.findall(r"^- \[ \] ((?:.+\n)(?:  .+\n)*)", PAGE, re.M)

    def commands(self, line):
        return [code for code in re.findall(r"`([^`]+)`", line) if re.match(r"(bash|docker|ask|sql|[a-z_]+) \S", code)]

    def test_each_line_has_a_command_that_can_be_run(self):
        self.assertGreater(len(self.lines), 20)
        for line in self.lines:
            commands = self.commands(line)
            self.assertTrue(commands, f"no command in: {line}")
            for command in commands:
                self.assertIsNone(problem(command), command)

    def test_links_lead_somewhere(self):
        for page, anchor in re.findall(r"\]\(([a-z-]+\.md)#?([^)]*)\)", PAGE):
            self.assertTrue((CHECKOUT / "deploy" / page).is_file(), page)
            if anchor:
                self.assertIn(anchor, anchors(page), page)

    def test_files_that_are_named_exist(self):
        for file in re.findall(r"`(deploy/[^` ]+)`", PAGE):
            self.assertTrue((CHECKOUT / file).exists(), file)

    def test_each_simulator_has_a_line(self):
        """The services that get a simulator's address are asked by `ready`."""
        given = {name for name, service in SERVICES.items() if not name.startswith("development-")
                 and re.search(r"(//|': ')development-", str(service.get("environment", {})))}
        self.assertGreater(len(given), 3)
        for name in given:
            self.assertIn(f"docker compose exec {name} {name} ready", PAGE)

    def test_commands_that_can_not_be_run_are_seen(self):
        for command in ["bash deploy/none.sh", "bash deploy/smoke.sh --none", "docker compose exec none none ready", "docker compose exec fold fold ready",
                        "docker compose exec distribution distribution explode", "docker compose exec distribution printenv NONE", "none 1",
                        "docker compose exec -T postgres psql <deploy/none.sql", "docker volume inspect vigil_none"]:
            self.assertIsNotNone(problem(command), command)


if __name__ == "__main__":
    unittest.main()
