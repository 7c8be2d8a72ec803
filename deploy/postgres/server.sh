# A PostgreSQL without a network, beside the suite's, that works on the files of a database. Sourced, not run.

# Where images up to version 17 have the database, and where docker-compose.yml has it with every version.
data=/var/lib/postgresql/data
# Without capabilities, or anything to write but the database, as in docker-compose.yml.
confined=(--network none --user 999:999 --read-only --cap-drop ALL --security-opt no-new-privileges --ulimit core=0
    --tmpfs /var/run/postgresql:mode=1777 --tmpfs /tmp:mode=1777 --memory 1g --memory-swap 1g --shm-size 128m)

# Prints the major version of PostgreSQL that an image has, or nothing. $1: the image.
major_version() {
    docker run --rm "${confined[@]}" --entrypoint postgres "$1" --version | sed -nE 's/.*\) ([0-9]+).*/\1/p'
}

# Makes a volume for a database as compose would. $1: its name; $2: the project; $3: the image of PostgreSQL.
make_database_volume() {
    docker volume create --label "com.docker.compose.project=$2" --label com.docker.compose.volume=database "$1" >/dev/null &&
        # Images from version 18 on have no such folder, so that a volume begins as root's.
        docker run --rm --network none --user 0:0 --volume "$1:$data" --entrypoint chown "$3" 999:999 "$data"
}

# The container of the server that start_server has started.
server=
# Starts a server. $1: the image; $2: the volume or folder with the database; up to --: options of `docker run`; then options of
# `postgres`.
start_server() {
    local image=$1 mounts=(--volume "$2:$data")
    shift 2
    while [ "$1" != -- ]; do mounts+=("$1") && shift; done
    server=vigil-postgres-$$
    docker run --detach --name "$server" --stop-signal SIGINT "${confined[@]}" "${mounts[@]}" --entrypoint postgres "$image" -D "$data" \
        -c listen_addresses= -c wal_recycle=off "${@:2}" >/dev/null
}

# Lets it write everything, and removes it.
stop_server() { docker stop --time 60 "$server" >/dev/null && remove_server; }

# Removes it as it is, if there is one.
remove_server() {
    [ -z "$server" ] || docker rm --force --volumes "$server" >/dev/null 2>&1 || true
    server=
}
