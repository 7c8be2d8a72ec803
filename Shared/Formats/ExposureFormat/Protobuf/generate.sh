#!/usr/bin/env bash
# Makes Protobuf/Generated/ from Protobuf/protos/, here, in PushFormat, TraceKeyFormat, FederationFormat and DonationFormat. Run it after
# changing a schema and commit both.
#
#   bash Shared/Formats/ExposureFormat/Protobuf/generate.sh          use protoc and protoc-gen-swift from PATH
#   bash Shared/Formats/ExposureFormat/Protobuf/generate.sh --help   how to get the two
#
# The generated files are committed, and a test compares Generated/MANIFEST with the schemas, so that nobody needs
# protoc or its plugin to build the suite.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../../../.." && pwd)"
scratch="$root/.build-protoc"
plugin_source="$root/.build/checkouts/swift-protobuf"

usage() {
    cat <<TEXT
usage: generate.sh [--install | --help]

Needs two programs in PATH:
  protoc            Debian and Ubuntu: apt-get install protobuf-compiler
  protoc-gen-swift  built from the swift-protobuf that this package already depends on:
                      swift build --package-path .build/checkouts/swift-protobuf \\
                          --product protoc-gen-swift --scratch-path .build-protoc

--install does both: apt-get (as root) for protoc if it is missing, and the build above (about ten minutes on two
cores) if the plugin is missing. The plugin stays in .build-protoc/, which can be deleted afterwards.
TEXT
}

install=false
case "${1:-}" in
    "") ;;
    --install) install=true ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
esac

if $install && ! command -v protoc >/dev/null; then
    apt-get update && apt-get install -y --no-install-recommends protobuf-compiler
fi
if ! command -v protoc >/dev/null; then
    echo "generate.sh: protoc is missing; see --help" >&2
    exit 69
fi

built_plugin() {
    swift build --package-path "$plugin_source" --scratch-path "$scratch" --show-bin-path
}

if plugin="$(command -v protoc-gen-swift)"; then
    :
elif $install || [[ -d "$scratch" ]]; then
    [[ -d "$plugin_source" ]] || swift package --package-path "$root" resolve
    swift build --package-path "$plugin_source" --product protoc-gen-swift --scratch-path "$scratch"
    plugin="$(built_plugin)/protoc-gen-swift"
else
    echo "generate.sh: protoc-gen-swift is missing; see --help" >&2
    exit 69
fi

# Generates one module's code: generate MODULE, then the schemas that are part of its interface; everything else of it
# stays inside.
generate() {
    local protobuf="$root/Shared/Formats/$1/Protobuf" generated="$root/Shared/Formats/$1/Protobuf/Generated" inside
    shift
    mkdir -p "$generated"
    rm -f "$generated"/*.pb.swift "$generated/MANIFEST"
    cd "$protobuf/protos"
    [[ $# = 0 ]] || with_visibility Package "$@"
    mapfile -t inside < <(printf '%s\n' *.proto | grep -vxF "$(printf '%s\n' "$@")")
    [[ ${#inside[@]} = 0 ]] || with_visibility Internal "${inside[@]}"

    # One line a schema, "<sha256>  <file>", in the order of the names.
    LC_ALL=C sha256sum -- *.proto >"$generated/MANIFEST"
    echo "generated $(ls "$generated"/*.pb.swift | wc -l) files from $(ls -- *.proto | wc -l) schemas"
}

with_visibility() {
    protoc --proto_path=. --plugin=protoc-gen-swift="$plugin" \
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
