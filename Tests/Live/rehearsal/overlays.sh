# The files of deploy that are added to docker-compose.yml: alone, and all together. Sourced by rehearsal.sh, not run.

# Starts the containers that have a door or a way out, in all of their networks, beside the suite: they have the same routes, but only
# sleep. Nothing has to be set, except what a file demands. $1: their project; then the files.
raise_sleepers() {
    local project=$1 name settings=() files
    shift
    while read -r name; do settings+=("$name=/nowhere"); done < <(sed -n -E 's/.*\$\{(VIGIL_[A-Z_]+):\?.*/\1/p' "$@" | sort -u)
    files=$(IFS=: && printf '%s' "docker-compose.yml:$*" | tr ' ' :)
    env ${settings[@]+"${settings[@]}"} VIGIL_SUBNET=10.214 COMPOSE_FILE="$files" \
        COMPOSE_PROFILES=federation,development-gateway,data-donation,development-attestation,further \
        docker compose config --format json | /usr/bin/python3 Tests/Live/rehearsal/sleepers.py >"$stage/sleepers.json" || return 1
    docker compose --project-name "$project" --file "$stage/sleepers.json" up -d --remove-orphans >"$cache/overlays.log" 2>&1
}

try_overlays() {
    local set files sets=(deploy/*.yml) all=0
    # All that may be together.
    sets+=("${sets[*]}")
    say "Adding each of $((${#sets[@]} - 1)) files, and all of them …"
    open_outside || { close_outside && return 0; }
    for set in "${sets[@]}"; do
        read -ra files <<<"$set"
        # What a set doesn't change keeps running.
        if raise_sleepers vigil-added "${files[@]}"; then
            project=vigil-added look_at_containers
            all=$((all + routes))
            say "$((${#files[@]})) added, the last $(basename "${files[-1]}"): $ways of $routes have a way out"
        else
            object "The containers don't start with $set: $(tail -n 2 "$cache/overlays.log")"
        fi
    done
    close_outside
    quietly overlays docker compose --project-name vigil-added --file "$stage/sleepers.json" down --timeout 0
    docker network prune --force >/dev/null
    [ "$ways" -ge 5 ] || object "With all files only $ways containers have a way out."
    say "$all containers were looked at"
}
