#!/usr/bin/env bash
# Runs the benchmarks; `--help` says which.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../Tests/Benchmarks/bench.sh" "$@"
