"""Tries to connect from an address to many others at once, and prints those that answered, even if by a refusal.

Argument: the address from which to connect. Input: a JSON array of addresses and ports.
"""

import errno
import json
import selectors
import socket
import sys
import time

# What isn't allowed says nothing. The second attempt of the kernel comes after a second.
SECONDS = 3


def main():
    targets = json.load(sys.stdin)
    selector = selectors.DefaultSelector()
    reached = []
    for address, port in targets:
        one = socket.socket()
        one.setblocking(False)
        one.bind((sys.argv[1], 0))
        result = one.connect_ex((address, port))
        if result == errno.EINPROGRESS:
            selector.register(one, selectors.EVENT_WRITE, (address, port))
        elif result in (0, errno.ECONNREFUSED):
            reached.append((address, port))
    until = time.monotonic() + SECONDS
    while selector.get_map() and time.monotonic() < until:
        for key, _ in selector.select(until - time.monotonic()):
            if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) in (0, errno.ECONNREFUSED):
                reached.append(key.data)
            selector.unregister(key.fileobj)
            key.fileobj.close()
    print(json.dumps(reached))


main()
