# The story, played from outside. Sourced by rehearsal.sh, not run.

# `vigil-dev story` finds the doors where `vigil-dev up` would have opened them. What an operator does on the machine (fold, publish) is done
# in the containers, and which phones were woken, and which one-time code an officer has, is asked in the containers of the simulators, whose ports
# aren't open.
prepare_story() {
    local program image country="\"origin\": \"${VIGIL_ORIGIN:-DE}\", \"timeZone\": \"${VIGIL_TIME_ZONE:-Europe/Berlin}\""
    rm -rf "$stage/programs" "$stage/state"
    mkdir "$stage/programs"
    for program in vigil vigil-dev; do
        image=$(docker create "$program")
        docker cp --quiet "$image:/usr/local/bin/$program" "$stage/programs/$program" 2>/dev/null ||
            docker cp "$image:/usr/local/bin/$program" "$stage/programs/$program"
        docker rm "$image" >/dev/null
    done
    for program in submission-server=fold distribution=distribution federation=federation further=further; do
        cat >"$stage/programs/${program%=*}" <<TEXT
#!/bin/sh
# fold, publish or run, --as-of, instant; not the configuration file. The story's hours haven't ended: its clock shows their end.
# It gets no environment but its own.
export DOCKER_HOST=$DOCKER_HOST PATH=$PATH
exec docker exec --env CLOCK_OFFSET $(container "${program#*=}") ${program%=*} "\$1" "\$2" "\$3"
TEXT
        chmod +x "$stage/programs/${program%=*}"
    done
    # Else they would refuse a moved clock, as they do in production.
    docker exec "$(container postgres)" psql -X -q -d vigil -c "ALTER DATABASE vigil SET vigil.rehearsal = 'on'"
    cp -a "$VIGIL_SECRETS/state" "$stage/state"
    printf '{"firstPort": 8000, "services": "%s", "clockOffset": 0, %s}\n' "$(IFS=, && printf '%s' "${services[*]}")" "$country" \
        >"$stage/state/config/suite.json"
    mount --bind "$(docker volume inspect --format '{{.Mountpoint}}' "${project}_published")" "$stage/state/published"
}

play() {
    local simulator port
    [ ${#relays[@]} = 0 ] || kill "${relays[@]}" 2>/dev/null || true
    relays=()
    for simulator in development-apns=8063 development-identity=8083 development-gateway=8103 development-attestation=8123; do
        port=${simulator#*=}
        socat "TCP-LISTEN:$port,bind=127.0.0.1,reuseaddr,fork" \
            "EXEC:nsenter --net --target $(process "${simulator%=*}") socat - TCP\:127.0.0.1\:$port" &
        relays+=($!)
    done
    sleep 0.5
    # The officer's browser finds the identity provider by the name that the portal knows.
    printf '127.0.0.1 localhost development-identity\n' >"$stage/hosts"
    # The expressions are the inner shell's.
    # shellcheck disable=SC2016
    unshare --mount --propagation private sh -c 'mount --bind "$1/hosts" /etc/hosts &&
        exec "$1/programs/vigil-dev" story --state "$1/state" --issuer https://development-identity:8080' sh "$stage" ||
        fail "FAILED: the story ended with $?: see above."
}

end_story() {
    kill "${relays[@]}" 2>/dev/null || true
    relays=()
    umount "$stage/state/published"
}
