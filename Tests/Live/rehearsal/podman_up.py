"""Runs podman-compose so that it replaces ${NAME:-} by nothing, as Docker Compose does. Version 1.0.3 leaves the text."""
import re

import podman_compose

known, wanted = "(?P<default>[^}]+)", "(?P<default>[^}]*)"
podman_compose.var_re = re.compile(podman_compose.var_re.pattern.replace(known, wanted), re.VERBOSE)
podman_compose.main()
