#!/usr/bin/env bash
# Runs every test; `--help` says what else there is.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../Tests/test.sh" "$@"
