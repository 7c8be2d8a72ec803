"""Keeps a number of connections busy with requests, each with the moments that an observer of the wire sees."""

import heapq
import random
import selectors
import time

# An answer that takes longer than this never comes, in seconds.
PATIENCE = 15


class Job:
    """A request to be sent."""

    # How much later than an observer thinks the request leaves, in seconds: kept to the microsecond, nothing else is done
    # meanwhile.
    delay = 0.0
    # The same for longer, by the clock of the engine: others are served meanwhile.
    hold = 0.0

    def request(self):
        """Path, header fields and body, made when it leaves; None if there is nothing to send."""
        raise NotImplementedError

    def answered(self, answer, microseconds):
        """microseconds: from the last byte of the request to the first of the answer."""
        raise NotImplementedError


class Engine:
    """A closed loop: every connection waits for its answer, pauses a little, and sends the next request.

    One process and one thread do it all. They needn't be fast, because the moments of arrival are the kernel's.
    """

    def __init__(self, connect, connections, pause, seed):
        """connect: opens a connection; pause: at most so many seconds between an answer and the next request."""
        self._connect, self._pause = connect, pause
        self._random = random.Random(seed)
        self._selector = selectors.DefaultSelector()
        self._order = 0
        # When which connection is free for a request.
        self._due = []
        # What leaves later than an observer thinks, and when.
        self._held = []
        for _ in range(connections):
            self._open()

    def close(self):
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()

    def run(self, jobs):
        """Sends all requests, in their order, and waits for all answers."""
        jobs = iter(jobs)
        exhausted, waiting = False, 0
        last = time.monotonic()
        while True:
            now = time.monotonic()
            while self._held and self._held[0][0] <= now:
                _, _, connection, job, request, moment = heapq.heappop(self._held)
                if connection.fileno() < 0:
                    # Closed meanwhile: there is no answer.
                    waiting -= 1
                    continue
                connection.send(*request, job)
                job.moment = moment
            while not exhausted and self._due and self._due[0][0] <= now:
                _, _, connection = heapq.heappop(self._due)
                job, request = self._next(jobs)
                if job is None:
                    exhausted = True
                    self._free(connection, now)
                    break
                waiting += 1
                if job.hold:
                    moment = time.clock_gettime_ns(time.CLOCK_REALTIME)
                    self._order += 1
                    heapq.heappush(self._held, (now + job.hold, self._order, connection, job, request, moment))
                    continue
                job.moment = connection.send(*request, job, job.delay)
            if exhausted and not waiting:
                return
            pause = 1.0 if exhausted or not self._due else max(0.0, self._due[0][0] - time.monotonic())
            if self._held:
                pause = min(pause, max(0.0, self._held[0][0] - time.monotonic()))
            for key, _ in self._selector.select(min(pause, 1.0)):
                waiting -= self._receive(key.fileobj)
                last = time.monotonic()
            if waiting and time.monotonic() - last > PATIENCE:
                raise SystemExit(f"The proxy gave no answer for {PATIENCE} seconds.")

    @staticmethod
    def _next(jobs):
        for job in jobs:
            request = job.request()
            if request is not None:
                return job, request
        return None, None

    def _receive(self, connection):
        """How many answers are complete."""
        try:
            answers, reusable = connection.receive()
        except (BlockingIOError, InterruptedError):
            return 0
        except ConnectionError:
            if connection.pending():
                raise SystemExit("The proxy closed a connection without an answer.") from None
            answers, reusable = [], False
        for job, answer in answers:
            job.answered(answer, (answer.arrived - job.moment) / 1000)
            if reusable:
                self._free(connection, time.monotonic())
        if not reusable:
            self._selector.unregister(connection)
            connection.close()
            self._due = [entry for entry in self._due if entry[2] is not connection]
            heapq.heapify(self._due)
            self._open()
        return len(answers)

    def _open(self):
        connection = self._connect()
        self._selector.register(connection, selectors.EVENT_READ)
        for _ in range(connection.capacity):
            self._free(connection, time.monotonic())

    def _free(self, connection, now):
        # The pause keeps connections from marching in step.
        self._order += 1
        heapq.heappush(self._due, (now + self._random.uniform(0, self._pause), self._order, connection))
