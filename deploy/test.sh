#!/usr/bin/env bash
# Runs every test; `--help` lists the options.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../Tests/test.sh" "$@"
