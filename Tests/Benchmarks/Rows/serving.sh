# A JSON POST through Serving (limits, deadline, metrics, access log) against the same route of bare Hummingbird: requests
# for each second of the server's processor time, 64 connections.

serving_json_prepare() {
    cat >"$scratch/post.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"key":"63b4d3ff-e0de-4bd4-90c1-17c2bb683a2f","keyType":"GUID","requestPadding":"' .. string.rep("a", 150) .. '"}'
LUA
    serving_start serving-json 18901 && serving_server=$!
    serving_start bare-hummingbird-json 18902 && bare_server=$!
    serving_wait 18901 && serving_wait 18902
}

# One event loop each: one core is theirs. $1: the subcommand; $2: the port.
serving_start() {
    NIO_SINGLETON_GROUP_LOOP_COUNT=1 taskset -c 0 "$benchmarks" "$1" --port "$2" >"$scratch/$1.log" 2>&1 &
}

serving_wait() {
    local attempt
    for attempt in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    fail "Nothing listens on port $1: $(tail -n 1 "$scratch"/*-json.log)"
}

# $1: the server's process id; $2: its port.
serving_rate() { cpu_rate ticks "$1" -- serving_client "$2"; }
serving_client() {
    taskset -c 1 wrk -t 1 -c 64 -d "${seconds}s" -s "$scratch/post.lua" "http://127.0.0.1:$1/measure" |
        awk '/Non-2xx/ { bad = 1 } /requests in/ { n = $1 } END { if (!bad) print n }'
}

serving_json_ours() { serving_rate "$serving_server" 18901; }
serving_json_reference() { serving_rate "$bare_server" 18902; }
serving_json_end() {
    kill "$serving_server" "$bare_server"
    wait "$serving_server" "$bare_server" 2>/dev/null || true
}
