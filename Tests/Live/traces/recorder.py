"""A hop between the proxy and a service, which writes down what the service is told.

python recorder.py STATE HOP…

HOP is PORT:SERVICE:TARGET:FOLDER: it listens on PORT with the certificate that SERVICE has in the state folder STATE,
and passes everything on to the port TARGET, where SERVICE listens. In FOLDER, which must exist, each connection's
decrypted bytes are a file N.bin, exactly as they arrived; N.facts says what the TLS handshake told.
"""

import asyncio
import itertools
import pathlib
import ssl
import sys

LARGEST_PIECE = 1 << 16


def hop(state, service, target, folder):
    """Returns the TLS context of a listener, and what it does with a connection."""
    certificates = pathlib.Path(state) / "certificates"
    authority = str(certificates / "ca.pem")
    inner = ssl.create_default_context(cafile=authority)
    inner.load_cert_chain(certificates / "metadata-proxy.pem", certificates / "metadata-proxy.key")
    outer = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
    outer.load_cert_chain(certificates / f"{service}.pem", certificates / f"{service}.key")
    outer.verify_mode = ssl.CERT_REQUIRED
    outer.set_alpn_protocols(["http/1.1"])
    names = {}
    outer.sni_callback = lambda connection, name, _: names.__setitem__(id(connection), name)
    numbers = itertools.count()

    async def handle(reader, writer):
        number = next(numbers)
        connection = writer.get_extra_info("ssl_object")
        facts = [names.pop(id(connection), None), connection.selected_alpn_protocol()]
        facts.append(writer.get_extra_info("peername")[0])
        (folder / f"{number}.facts").write_text("\n".join(map(str, facts)))
        try:
            onward = await asyncio.open_connection("127.0.0.1", target, ssl=inner, server_hostname="localhost")
        except OSError:
            writer.close()
            return
        with open(folder / f"{number}.bin", "wb", buffering=0) as record:
            await asyncio.gather(copy(reader, onward[1], record), copy(onward[0], writer))

    return outer, handle


async def copy(reader, writer, record=None):
    """Passes on until one side ends, then ends the other."""
    try:
        while piece := await reader.read(LARGEST_PIECE):
            if record:
                record.write(piece)
            writer.write(piece)
            await writer.drain()
    except (OSError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def main(state, *hops):
    for text in hops:
        port, service, target, folder = text.split(":")
        context, handle = hop(state, service, int(target), pathlib.Path(folder))
        await asyncio.start_server(handle, "127.0.0.1", int(port), ssl=context)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
