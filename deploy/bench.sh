#!/usr/bin/env bash
# Runs the benchmarks; see `--help`.
exec bash "$(dirname "${BASH_SOURCE[0]}")/../Tests/Benchmarks/bench.sh" "$@"
