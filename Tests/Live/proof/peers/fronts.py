"""The commands that run programs of others between a client and two servers of HTTP/2."""

import json


def envoy(program, folder, port, ports, authority):
    extension = "type.googleapis.com/envoy.extensions"
    address = lambda port: {"socket_address": {"address": "127.0.0.1", "port_value": port}}  # noqa: E731
    route = {
        "cluster": "proxies", "timeout": "20s",
        # What was refused without having been begun, and nothing else (RFC 9113, 8.7).
        "retry_policy": {
            "retry_on": "refused-stream,connect-failure", "num_retries": 5, "host_selection_retry_max_attempts": 5,
            "retry_host_predicate": [{
                "name": "others",
                "typed_config": {"@type": f"{extension}.retry.host.previous_hosts.v3.PreviousHostsPredicate"},
            }],
        },
    }  # fmt: skip
    manager = {
        "@type": f"{extension}.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "all", "codec_type": "HTTP1",
        "route_config": {
            "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, "route": route}]}]
        },
        "http_filters": [{
            "name": "router", "typed_config": {"@type": f"{extension}.filters.http.router.v3.Router"}
        }],
    }  # fmt: skip
    names = [{"san_type": "DNS", "matcher": {"exact": "localhost"}}]
    tls = {
        "@type": f"{extension}.transport_sockets.tls.v3.UpstreamTlsContext", "sni": "localhost",
        "common_tls_context": {
            "alpn_protocols": ["h2"],
            "validation_context": {"trusted_ca": {"filename": str(authority)}, "match_typed_subject_alt_names": names},
        },
    }  # fmt: skip
    cluster = {
        "name": "proxies", "type": "STATIC", "connect_timeout": "5s",
        "load_assignment": {
            "cluster_name": "proxies",
            "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(port)}} for port in ports]}],
        },
        "circuit_breakers": {"thresholds": [{"max_retries": 1000}]},
        "transport_socket": {"name": "tls", "typed_config": tls},
        "typed_extension_protocol_options": {
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": f"{extension}.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": {"http2_protocol_options": {}},
            }
        },
    }  # fmt: skip
    listener = {
        "name": "all", "address": address(port),
        "filter_chains": [{"filters": [{"name": "manager", "typed_config": manager}]}],
    }  # fmt: skip
    file = folder / f"envoy-{port}.json"
    file.write_text(json.dumps({"static_resources": {"listeners": [listener], "clusters": [cluster]}}))
    return [program, "-c", file, "--concurrency", "1", "--disable-hot-restart", "-l", "error"]


def haproxy(program, folder, port, ports, authority, mode="http"):
    """`mode`: "tcp" passes bytes on, to the second server only when the first isn't there."""
    tls = f"ssl alpn h2 verify required verifyhost localhost sni str(localhost) ca-file {authority}"
    file = folder / f"haproxy-{port}.cfg"
    file.write_text(f"""
global
    maxconn 2000
defaults
    mode {mode}
    timeout connect 5s
    timeout client 20s
    timeout server 20s
    retries 5
    option redispatch 1
{"    retry-on conn-failure empty-response" if mode == "http" else ""}
listen all
    bind 127.0.0.1:{port}
    balance {"roundrobin" if mode == "http" else "first"}
    server one 127.0.0.1:{ports[0]} {tls if mode == "http" else ""}
    server two 127.0.0.1:{ports[1]} {tls if mode == "http" else ""}
""")
    return [program, "-db", "-f", file]
