"""The control: two servers of HTTP/2 that keep the first window of each body, take a reset for its end, cut answers, and end
without GOAWAY."""

import asyncio
import contextlib
import threading

import h2.config
import h2.connection
import h2.events

from client.proxy import free_port
from upstream import Seen, receipt

WINDOW = 65_535


class Careless:
    """Both servers, in a thread; ends with its `with`."""

    def __init__(self, suite):
        self.suite, self.ports = suite, [free_port(), free_port()]
        self.seen, self.first = [], []
        self.loop = asyncio.new_event_loop()

    async def serve(self):
        for port, writers in zip(self.ports, (self.first, []), strict=True):
            await asyncio.start_server(
                lambda reader, writer, writers=writers: self.talk(reader, writer, writers), "127.0.0.1", port,
                ssl=self.suite.public_context(["h2"]), backlog=1024)  # fmt: skip

    def __enter__(self):
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.serve(), self.loop).result(30)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)

    def take(self):
        seen, self.seen = self.seen, []
        return seen

    def end_first(self):
        self.loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in self.first])
        return 0

    async def talk(self, reader, writer, writers):
        writers.append(writer)
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        state.initiate_connection()
        bodies = {}
        with contextlib.suppress(OSError):
            while not writer.is_closing():
                writer.write(state.data_to_send())
                data = await reader.read(65_536)
                if not data:
                    break
                for event in state.receive_data(data):
                    await self.take_event(state, bodies, event)

    async def take_event(self, state, bodies, event):
        if isinstance(event, h2.events.RequestReceived):
            bodies[event.stream_id] = b""
        elif isinstance(event, h2.events.DataReceived):
            bodies[event.stream_id] = (bodies[event.stream_id] + event.data)[:WINDOW]
            with contextlib.suppress(h2.exceptions.ProtocolError):
                state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
            body = bodies.pop(event.stream_id, b"")
            self.seen.append(Seen("", {}, body, [], b""))
            # Now and then a client ends it all while it is answered.
            await asyncio.sleep(0.02)
            with contextlib.suppress(h2.exceptions.ProtocolError):
                state.send_headers(event.stream_id, [(":status", "201")])
                state.send_data(event.stream_id, receipt(body)[: 32 if len(self.seen) % 20 else 10].encode(), end_stream=True)
