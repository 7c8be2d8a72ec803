# The pods of deploy/kubernetes, run by podman without a cluster. Sourced by rehearsal.sh, not run.

rehearse_kubernetes() {
    say "Running the pods of deploy/kubernetes/small …"
    mkdir "$stage/pods"
    # In a network of its own, and with a /run/netns of its own. When the program ends, so does everything that it started.
    # shellcheck disable=SC2016
    unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private bash -c '
        mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && "$@"
        exit $?' bash "$python" Tests/Live/pods/rehearse.py deploy/kubernetes/small "$VIGIL_SECRETS" "$stage/pods" ||
        fail "FAILED: see above what was wrong with the pods."
}
