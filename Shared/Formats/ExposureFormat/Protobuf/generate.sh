#!/usr/bin/env bash
# Makes Protobuf/Generated/ from Protobuf/protos/, here, in PushFormat, TraceKeyFormat, FederationFormat and DonationFormat. Run it after
# changing a schema and commit both.
#
#   bash Shared/Formats/ExposureFormat/Protobuf/generate.sh              use protoc and protoc-gen-swift from PATH
#   bash Shared/Formats/ExposureFormat/Protobuf/generate.sh --manifest   after a change by hand
#
# The generated files are committed. Nobody needs protoc or the plugin to build the suite.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../../.." && pwd)"

usage() {
    cat <<TEXT
usage: generate.sh [--manifest | --help]

The committed files are the output of protoc-gen-swift 1.39.0, a program of https://github.com/apple/swift-protobuf. The suite doesn't
contain it and doesn't fetch it. The module SwiftProtobuf in Shared/Toolkit has what its output uses, and nothing else.

Without an option: writes all files anew. Needs two programs in PATH:
  protoc            Debian and Ubuntu: apt-get install protobuf-compiler
  protoc-gen-swift  built from a checkout of version 1.39.0: swift build -c release --product protoc-gen-swift

--manifest: only writes each Generated/MANIFEST, for a change that was made in a schema and by hand in its generated file.
SwiftProtobufTests compare all messages, their fields and their bytes with what protoc makes of the schemas.
TEXT
}

regenerates=true
case "${1:-}" in
    "") ;;
    --manifest) regenerates=false ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
esac

if $regenerates; then
    for program in protoc protoc-gen-swift; do
        command -v "$program" >/dev/null || { echo "generate.sh: $program is missing; see --help" >&2; exit 69; }
    done
fi

# Generates one module's code: generate MODULE, then the schemas that are part of its interface; everything else of it
# stays inside.
generate() {
    local protobuf="$root/Shared/Formats/$1/Protobuf" inside
    generated="$protobuf/Generated"
    shift
    cd "$protobuf/protos"
    if $regenerates; then
        rm -f "$generated"/*.pb.swift
        [[ $# = 0 ]] || with_visibility Package "$@"
        mapfile -t inside < <(printf '%s\n' *.proto | grep -vxF "$(printf '%s\n' "$@")")
        [[ ${#inside[@]} = 0 ]] || with_visibility Internal "${inside[@]}"
    fi

    # One line a schema, "<sha256>  <file>", in the order of the names.
    LC_ALL=C sha256sum -- *.proto >"$generated/MANIFEST"
}

with_visibility() {
    protoc --proto_path=. \
        --swift_opt=Visibility="$1" --swift_opt=UseAccessLevelOnImports=true --swift_opt=FileNaming=DropPath \
        --swift_out="$generated" "${@:2}"
}

# What phones send is part of the interface.
generate ExposureFormat check_in.proto export.proto submission_payload.proto
generate PushFormat push_registration.proto
generate TraceKeyFormat problematic_events.proto
# Their other messages and values are the interface.
generate FederationFormat
generate DonationFormat
