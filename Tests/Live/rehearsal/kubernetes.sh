# The pods of deploy/kubernetes, run by Docker without a cluster. Sourced by rehearsal.sh, not run.

rehearse_kubernetes() {
    quietly secrets bash deploy/secrets.sh
    say "Running the pods of deploy/kubernetes/small …"
    mkdir "$stage/pods"
    # The node has a network of its own: the engine's rules would meddle. And a /run/netns of its own.
    # shellcheck disable=SC2016
    unshare --net --mount --propagation private bash -c 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"' bash \
        "$python" Tests/Live/pods/rehearse.py deploy/kubernetes/small "$VIGIL_SECRETS" "$stage/pods" "$(public_image POSTGRES)" ||
        object "The pods are not as they should be; see above."
}
