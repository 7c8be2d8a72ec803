# The export encoder against what everybody else does (Tests/Benchmarks/Rows/export/reference.cpp): libprotobuf, zlib at level 6, OpenSSL, keys
# sorted by their bytes. Both on the first core, the same keys.

export_folder=
export_prepare() {
    [ -z "$export_folder" ] || return 0
    export_folder="$scratch/export"
    mkdir "$export_folder"
    say "  building the reference …"
    protoc --proto_path="$checkout/Shared/Formats/ExposureFormat/Protobuf/protos" --cpp_out="$export_folder" export.proto &&
        g++ -O3 -march=native -I "$export_folder" -o "$export_folder/reference" "$checkout/Tests/Benchmarks/Rows/export/reference.cpp" \
            "$export_folder/export.pb.cc" -lprotobuf -lz -lcrypto || fail "The reference can't be built."
    local keys
    for keys in 28000 600000; do
        "$benchmarks" export-keys --keys "$keys" --workload "$export_folder/$keys"
    done
}

# $1: a figure of what is printed; then a program. Prints the figure.
export_figure() {
    local name=$1
    shift
    taskset -c 0 "$@" | sed -n "s/.*\"$name\":\([0-9.e-]*\).*/\1/p"
}

export_600k_prepare() { export_prepare; }
export_600k_ours() { export_figure seconds "$benchmarks" export-keys --keys 600000 | awk '{ print 600000 / $1 }'; }
export_600k_reference() { export_figure seconds "$export_folder/reference" "$export_folder/600000" 3 | awk '{ print 600000 / $1 }'; }
export_600k_end() { :; }

# $1: how many keys. Keys a megabyte: more is better.
export_size_ours() { export_figure bytes "$benchmarks" export-keys --keys "$1" --repetitions 1 | awk -v n="$1" '{ print n * 1e6 / $1 }'; }
export_size_reference() { export_figure bytes "$export_folder/reference" "$export_folder/$1" 1 | awk -v n="$1" '{ print n * 1e6 / $1 }'; }
export_size_28k_prepare() { export_prepare; }
export_size_28k_ours() { export_size_ours 28000; }
export_size_28k_reference() { export_size_reference 28000; }
export_size_28k_end() { :; }
export_size_600k_prepare() { export_prepare; }
export_size_600k_ours() { export_size_ours 600000; }
export_size_600k_reference() { export_size_reference 600000; }
export_size_600k_end() { :; }

# Ten million keys in files of 600,000: keys for each MiB of the most memory that the program had, against 500 MiB.
export_memory_10m_prepare() { :; }
export_memory_10m_ours() {
    export_figure peak_mib "$benchmarks" export-keys --keys 10000000 --repetitions 1 | awk '{ print 10000000 / $1 }'
}
export_memory_10m_reference() { echo $((10000000 / 500)); }
export_memory_10m_end() { :; }
