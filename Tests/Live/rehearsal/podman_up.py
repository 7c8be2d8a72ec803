"""podman-compose, with Docker Compose's meaning of ${NAME:-}: version 1.0.3 leaves that as it stands."""
import re

import podman_compose

known, wanted = "(?P<default>[^}]+)", "(?P<default>[^}]*)"
podman_compose.var_re = re.compile(podman_compose.var_re.pattern.replace(known, wanted), re.VERBOSE)
podman_compose.main()
