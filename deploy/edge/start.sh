#!/bin/sh
# Starts nginx in the container `edge`. nginx asks name servers itself, and must be told which: those of the container.
set -eu

servers=$(awk '$1 == "nameserver" { print ($2 ~ /:/ ? "[" $2 "]" : $2) }' /etc/resolv.conf | tr '\n' ' ')
[ -z "$servers" ] || printf 'resolver %s valid=10s;\n' "$servers" >/tmp/resolver.conf
exec nginx -e stderr -c /etc/vigil/nginx.conf
