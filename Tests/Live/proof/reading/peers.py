"""Servers of others as reverse proxies in front of a recorder: each a process on a free port.

All pass on as much as they can be told to, each request on a connection of its own, with the client's address (which is the
number of the input) and, where they can say it, the target and the host that they read.
"""

import json
import pathlib
import socket
import subprocess
import time

from client.proxy import die_with_parent, free_port

MODULES = pathlib.Path("/usr/lib/apache2/modules")


class Peer:
    """A proxy; ends with its `with`."""

    def __init__(self, name, folder, command, upstream):
        """`command`: makes, of a folder, the proxy's port and the recorder's, files and the command that runs it."""
        self.name, self.port = name, free_port()
        self.folder = folder / name
        self.folder.mkdir()
        arguments = command(self.folder, self.port, upstream)
        self.log = self.folder / "said.log"
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=die_with_parent
            )

    def wait(self):
        """Until it listens."""
        for _ in range(600):
            if self.process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.1)
        raise SystemExit(f"{self.name} doesn't start: {self.log.read_text(errors='replace')[-600:]}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def nginx(program):
    def command(folder, port, upstream):
        (folder / "nginx.conf").write_text(f"""
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log crit;
events {{ worker_connections 8192; }}
http {{
    access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    large_client_header_buffers 8 32k; ignore_invalid_headers off; underscores_in_headers on; merge_slashes off;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://127.0.0.1:{upstream};
            proxy_http_version 1.1; proxy_request_buffering off;
            proxy_set_header Host $host; proxy_set_header Connection close;
            proxy_set_header X-From $remote_addr; proxy_set_header X-Meant "$request_uri $host";
        }}
    }}
}}
""")
        return [program, "-c", folder / "nginx.conf", "-e", folder / "error.log", "-p", folder]

    return command


def haproxy(program):
    def command(folder, port, upstream):
        (folder / "haproxy.cfg").write_text(f"""
global
    maxconn 8192
defaults
    mode http
    option http-server-close
    timeout connect 5s
    timeout client 20s
    timeout server 20s
frontend all
    bind 127.0.0.1:{port} backlog 4096
    http-request set-header X-From %[src]
    http-request set-header X-Meant "%[url] %[req.hdr(host)]"
    default_backend recorder
backend recorder
    http-reuse never
    server recorder 127.0.0.1:{upstream}
""")
        return [program, "-db", "-f", folder / "haproxy.cfg"]

    return command


def envoy(program):
    def command(folder, port, upstream):
        extension = "type.googleapis.com/envoy.extensions"
        address = lambda port: {"socket_address": {"address": "127.0.0.1", "port_value": port}}  # noqa: E731
        header = lambda name, value: {  # noqa: E731
            "header": {"key": name, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"
        }  # fmt: skip
        manager = {
            "@type": f"{extension}.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix": "all", "codec_type": "HTTP1", "generate_request_id": False,
            "delayed_close_timeout": "0.05s",
            "http_protocol_options": {"accept_http_10": True},
            "route_config": {
                "request_headers_to_add": [
                    header("x-from", "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%"),
                    header("x-meant", "%REQ(:PATH)% %REQ(:AUTHORITY)%"),
                ],
                "virtual_hosts": [{
                    "name": "all", "domains": ["*"],
                    "routes": [
                        {"match": {"prefix": "/"}, "route": {"cluster": "recorder", "timeout": "20s"}},
                    ],
                }],
            },
            "http_filters": [{
                "name": "router", "typed_config": {"@type": f"{extension}.filters.http.router.v3.Router"}
            }],
        }  # fmt: skip
        cluster = {
            "name": "recorder", "type": "STATIC", "connect_timeout": "5s",
            "load_assignment": {
                "cluster_name": "recorder",
                "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address(upstream)}}]}],
            },
            "circuit_breakers": {"thresholds": [
                {"max_connections": 8192, "max_pending_requests": 8192, "max_requests": 8192}
            ]},
            "typed_extension_protocol_options": {
                "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                    "@type": f"{extension}.upstreams.http.v3.HttpProtocolOptions",
                    "common_http_protocol_options": {"max_requests_per_connection": 1},
                    "explicit_http_config": {"http_protocol_options": {}},
                }
            },
        }  # fmt: skip
        (folder / "envoy.json").write_text(json.dumps({
            "static_resources": {
                "listeners": [{
                    "name": "all", "address": address(port), "tcp_backlog_size": 4096,
                    "filter_chains": [{"filters": [{"name": "manager", "typed_config": manager}]}],
                }],
                "clusters": [cluster],
            },
        }))  # fmt: skip
        return [program, "-c", folder / "envoy.json", "--concurrency", "1", "--disable-hot-restart", "-l", "error"]

    return command


def apache(program):
    def command(folder, port, upstream):
        names = "mpm_event authz_core proxy proxy_http headers env".split()
        (folder / "apache.conf").write_text(
            "\n".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in names)
            + f"""
ServerRoot {folder}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
ServerName localhost
Listen 127.0.0.1:{port}
ListenBackLog 4096
ErrorLog {folder}/error.log
LogLevel crit
User nobody
Group nogroup
ServerLimit 1
ThreadLimit 400
StartServers 1
ThreadsPerChild 400
MaxRequestWorkers 400
MinSpareThreads 1
MaxSpareThreads 400
Timeout 20
KeepAliveTimeout 20
MaxKeepAliveRequests 0
AllowEncodedSlashes NoDecode
ProxyPreserveHost On
SetEnv proxy-nokeepalive 1
ProxyPass / http://127.0.0.1:{upstream}/ nocanon disablereuse=on
RequestHeader set X-From expr=%{{REMOTE_ADDR}}
RequestHeader set X-Meant "expr=- %{{HTTP_HOST}}"
"""
        )
        return [program, "-X", "-f", folder / "apache.conf"]

    return command


def lighttpd(program):
    def command(folder, port, upstream):
        modules = pathlib.Path(program).parents[1] / "lib/lighttpd"
        (folder / "lighttpd.conf").write_text(f"""
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}"
server.errorlog = "{folder}/error.log"
server.max-connections = 2048
server.max-fds = 8192
server.listen-backlog = 1024
server.http-parseopts = ("method-get-body" => "enable", "url-normalize" => "disable")
server.modules = ("mod_proxy")
proxy.server = ("" => (("host" => "127.0.0.1", "port" => {upstream})))
""")
        return [program, "-D", "-m", modules, "-f", folder / "lighttpd.conf"]

    return command


COMMANDS = {"nginx": nginx, "HAProxy": haproxy, "Envoy": envoy, "Apache": apache, "lighttpd": lighttpd}


def start(folder, programs, upstream):
    """All of them, whose programs `programs` names."""
    peers = [Peer(name, folder, COMMANDS[name](program), upstream) for name, program in programs.items()]
    return [peer.wait() for peer in peers]
