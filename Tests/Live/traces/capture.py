"""What an observer of the wire sees: tcpdump's capture, its TCP streams, and the TLS records in them."""

import dataclasses
import os
import re
import struct
import subprocess
import time

from client.suite import Unexpected


class Capture:
    """Records what passes some ports of the loopback interface, while it is entered as a context."""

    def __init__(self, file, ports):
        self.file = str(file)
        self.ports = list(ports)

    def __enter__(self):
        command = ["tcpdump", "-i", "lo", "-n", "-U", "--immediate-mode", "-B", "65536", "-s", "0", "-w", self.file]
        if os.geteuid() == 0:
            # Otherwise it becomes a user who may not write here.
            command += ["-Z", "root"]
        command.append("tcp and (" + " or ".join(f"port {port}" for port in self.ports) + ")")
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for line in self._process.stderr:
            if "listening on" in line:
                return self
        raise Unexpected("tcpdump does not start; it needs the right to capture packets.")

    def __exit__(self, *_):
        self._process.terminate()
        report = self._process.stderr.read()
        self._process.wait()
        lost = re.search(r"(\d+) packets? dropped by kernel", report)
        if lost and lost[1] != "0":
            raise Unexpected(f"The kernel dropped {lost[1]} packets of the capture.")

    def complete(self, connections):
        """The streams of connections, by (server's port, client's port) with how many bytes the client had.

        tcpdump needs a moment for the last packets. What it can't show is no evidence: then it fails.
        """
        end = time.monotonic() + 10
        while True:
            streams = server_streams(self.file)
            short = [key for key, count in connections.items()
                     if key not in streams or len(streams[key].content) < count]
            if not short:
                return streams
            if time.monotonic() > end:
                raise Unexpected(f"tcpdump lost packets of {len(short)} of {len(connections)} connections.")
            time.sleep(0.2)


@dataclasses.dataclass
class Stream:
    """What a server sent, in the order of TCP's sequence numbers, and where in it a packet begins."""

    content: bytes
    packets: list


def server_streams(file):
    """The streams from server to client, by (server's port, client's port)."""
    streams = {}
    for packet in _packets(file):
        source, target, sequence, flags, content = packet
        if flags & 0x02:
            if flags & 0x10:
                if (source, target) in streams:
                    raise Unexpected("A client's port was used twice: the capture is ambiguous.")
                streams[source, target] = (sequence + 1, [])
        elif content and (source, target) in streams:
            start, pieces = streams[source, target]
            pieces.append(((sequence - start) % (1 << 32), content))
    return {key: _joined(pieces) for key, (_, pieces) in streams.items()}


def _joined(pieces):
    stream, packets = bytearray(), []
    for offset, content in sorted(pieces, key=lambda piece: piece[0]):
        # A packet that was sent again adds only what is new; behind a gap nothing counts.
        if offset > len(stream):
            break
        if offset == len(stream):
            packets.append(offset)
        stream += content[len(stream) - offset:]
    return Stream(bytes(stream), packets)


def _packets(file):
    """(source port, target port, sequence number, flags, content) of each TCP packet of a capture."""
    with open(file, "rb") as capture:
        header = capture.read(24)
        if len(header) < 24:
            return
        order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}[header[:4]]
        if struct.unpack(order + "I", header[20:24])[0] & 0xFFFF != 1:
            raise Unexpected("The capture's packets are not Ethernet's.")
        while len(head := capture.read(16)) == 16:
            length = struct.unpack(order + "I", head[8:12])[0]
            frame = capture.read(length)
            if len(frame) < length:
                return
            kind = frame[12:14]
            if kind == b"\x08\x00":
                size = (frame[14] & 15) * 4
                segment = frame[14 + size:14 + int.from_bytes(frame[16:18], "big")]
            elif kind == b"\x86\xdd":
                segment = frame[54:54 + int.from_bytes(frame[18:20], "big")]
            else:
                continue
            source, target, sequence = struct.unpack(">HHI", segment[:8])
            yield source, target, sequence, segment[13], segment[(segment[12] >> 4) * 4:]


def records(stream):
    """(offset, type, length) of each TLS record of a stream; the length is that on the wire, with its header."""
    offset, found = 0, []
    while offset + 5 <= len(stream):
        length = 5 + int.from_bytes(stream[offset + 3:offset + 5], "big")
        found.append((offset, stream[offset], length))
        offset += length
    return found
