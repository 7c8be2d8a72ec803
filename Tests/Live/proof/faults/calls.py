"""System calls that fail: strace(1) lets every call that a program makes while it serves fail in every way that its manual has."""

import re
import signal
import subprocess
import threading
import time

import judging

# Errors of a resource that is used up, or of a peer, which last, by call; and those that the next attempt may not meet.
LASTING = {
    "accept4": "EMFILE ENFILE ENOBUFS ENOMEM EPERM", "accept": "EMFILE ENFILE ENOBUFS ENOMEM",
    "socket": "EMFILE ENFILE ENOBUFS ENOMEM", "connect": "ECONNREFUSED EADDRNOTAVAIL ENETUNREACH",
    "epoll_ctl": "ENOMEM ENOSPC", "poll": "ENOMEM", "ppoll": "ENOMEM",
    "read": "ECONNRESET EIO ENOMEM", "recvfrom": "ECONNRESET ENOMEM", "recvmsg": "ECONNRESET ENOMEM",
    "write": "ECONNRESET EPIPE ENOBUFS ENOMEM ENOSPC EIO", "writev": "ECONNRESET ENOBUFS ENOSPC EIO",
    "sendto": "ECONNRESET EPIPE ENOBUFS ENOMEM", "sendmsg": "ECONNRESET EPIPE ENOBUFS ENOMEM",
    "shutdown": "ENOTCONN ENOBUFS", "setsockopt": "ENOBUFS ENOMEM", "getsockopt": "ENOBUFS",
    "getpeername": "ENOTCONN ENOBUFS", "getsockname": "ENOBUFS", "fcntl": "EMFILE ENOMEM",
    "openat": "EMFILE ENFILE ENOMEM EIO", "open": "EMFILE ENFILE ENOMEM EIO",
    "newfstatat": "ENOMEM EIO", "fstat": "ENOMEM EIO", "statx": "ENOMEM EIO", "lseek": "EINVAL",
    "getdents64": "ENOMEM EIO", "getrandom": "EIO", "madvise": "ENOMEM EAGAIN", "munmap": "ENOMEM",
    "mmap": "ENOMEM", "brk": "ENOMEM", "mprotect": "ENOMEM", "mremap": "ENOMEM", "clone3": "EAGAIN ENOMEM",
}  # fmt: skip
PASSING = {
    "accept4": "EINTR EAGAIN ECONNABORTED EPROTO", "accept": "EINTR EAGAIN ECONNABORTED", "connect": "EINTR EAGAIN",
    "epoll_wait": "EINTR", "epoll_pwait": "EINTR", "epoll_pwait2": "EINTR", "poll": "EINTR EAGAIN", "ppoll": "EINTR",
    "read": "EINTR EAGAIN", "recvfrom": "EINTR EAGAIN", "recvmsg": "EINTR EAGAIN", "getrandom": "EINTR",
    "write": "EINTR EAGAIN", "writev": "EINTR EAGAIN", "sendto": "EINTR EAGAIN", "sendmsg": "EINTR EAGAIN",
    "openat": "EINTR", "open": "EINTR", "clock_nanosleep": "EINTR", "restart_syscall": "EINTR",
}  # fmt: skip
# Calls that aren't made to fail, and why.
EXEMPT = {
    "close": "Linux releases the descriptor whatever close(2) returns; an injected error would keep it",
    "epoll_ctl of removals": "there are none",
    "futex": "glibc ends a process when a wake-up fails, which the kernel has no reason for",
    "timerfd_settime": "fails for wrong arguments only", "rt_sigprocmask": "the same", "rt_sigaction": "the same", "sigaltstack": "the same",
    "set_robust_list": "the same", "rseq": "the same", "gettid": "can't fail", "getpid": "can't fail", "exit": "can't fail",
    "sched_yield": "can't fail", "clock_gettime": "can't fail", "prctl": "names a thread", "sched_getaffinity": "can't fail",
    "rt_sigreturn": "can't fail", "getppid": "can't fail", "geteuid": "can't fail", "getuid": "can't fail",
    "exit_group": "can't fail", "uname": "can't fail", "epoll_create1": "at the start", "eventfd2": "at the start",
}  # fmt: skip
# Calls whose failure may end a program, and why. Its supervisor starts it again.
MAY_END = {
    "mmap": "Swift ends a process without memory", "brk": "the same", "mremap": "the same",
    "munmap": "glibc's allocator", "mprotect": "a thread's stack, glibc's allocator", "clone3": "no thread can be started",
}  # fmt: skip


class Injection:
    """strace, attached to a program until the end of the fault."""

    def __init__(self, program, call, error, when):
        self.program, self.call = program, call
        self.output = program.folder / "strace"
        self.options = ["-f", "-o", self.output, "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]

    def begin(self):
        self.strace = subprocess.Popen(
            ["setpriv", "--pdeathsig", "INT", "strace", *self.options, "-p", str(self.program.pid)], stderr=subprocess.PIPE,
            text=True)  # fmt: skip
        # The first line comes when every thread is attached; then somebody has to read the others.
        if "attached" not in (line := self.strace.stderr.readline()) and not self.program.ended():
            raise SystemExit(f"strace does not attach: {line}{self.strace.stderr.read()}")
        threading.Thread(target=self.strace.stderr.read, daemon=True).start()

    def end(self):
        self.strace.send_signal(signal.SIGINT)
        self.strace.wait()

    def count(self):
        with open(self.output) as lines:
            return sum("(INJECTED)" in line for line in lines)


def used(program, seconds=2):
    """The calls that a program makes while it serves, with new connections and idle workers among them."""
    output = program.folder / "calls"
    threads, _ = program.traffic(seconds)
    strace = subprocess.Popen(["strace", "-f", "-c", "-o", output, "-p", str(program.pid)], stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    strace.send_signal(signal.SIGINT)
    strace.wait()
    return set(re.findall(r"^ *[\d.]+ .* ([a-z]\w+)$", output.read_text(), re.MULTILINE)) - {"total"}


def points(calls, random, short):
    every = []
    for call in sorted(calls):
        for number, error in enumerate(LASTING.get(call, "").split()):
            whens = ("1+", f"{random.randint(2, 12)}+", "2+3")
            every += [(call, error, when) for when in (whens if number == 0 else random.sample(whens, 2))]
        for error in PASSING.get(call, "").split():
            every += [(call, error, when) for when in ("1+2", "2+3")]
    if not short:
        return every
    must = [point for point in every if point in {("accept4", "EMFILE", "1+"), ("epoll_ctl", "ENOSPC", "1+")}]
    return must + random.sample(every, 2)


def check(table, program, random, short, only=None):
    kind = f"system calls, {program.name}"
    calls = used(program, 0.5 if short else 3)
    for call in sorted(calls - LASTING.keys() - PASSING.keys() - EXEMPT.keys()):
        table.object(kind, f"nothing is known of {call}")
    every, shown = only or points(calls, random, short), time.monotonic()
    for number, (call, error, when) in enumerate(every):
        one(table, kind, program, call, error, when)
        if time.monotonic() > shown + 30:
            shown = time.monotonic()
            print(f"faults: {number} of {len(every)} points, {kind}", flush=True)
    if hasattr(program, "lost") and (lost := program.lost()):
        table.object(kind, f"{lost} acknowledged results of {len(program.acknowledged)} are lost")


def one(table, kind, program, call, error, when, seconds=judging.SPAN):
    watch = judging.Watch(table, kind, f"{call} {error} {when}", program)
    injection = Injection(program, call, error, when)
    judging.run(watch, program, injection.begin, injection.end, seconds, may_end=MAY_END.get(call))
    if (count := injection.count()) > judging.MOST_CALLS:
        watch.object(f"it tries {count} times")


# MARK: At the start

# Calls whose failure at the start may end a program without words: the toolchain makes them, before the program or beside it.
SILENT = {"epoll_create1", "eventfd2", "epoll_ctl", "mmap"}
# Not here: clone3, without which libdispatch waits for ever; write, since a wake-up by an eventfd (eventfd(2)) can't fail so.
AT_START = {
    "epoll_create1": "EMFILE ENOMEM", "eventfd2": "EMFILE ENOMEM", "socket": "EMFILE ENOBUFS", "bind": "EADDRINUSE ENOMEM",
    "listen": "EADDRINUSE", "openat": "EMFILE EIO", "read": "EIO EINTR", "setsockopt": "ENOMEM",
    "signalfd4": "EMFILE", "epoll_ctl": "ENOMEM", "mmap": "ENOMEM", "connect": "ECONNREFUSED",
}  # fmt: skip


def check_start(table, program, random, short):
    """A fault of a limited length while it starts: it serves within some seconds, or ends and says why."""
    kind = f"system calls at start, {program.name}"
    whens = ("1", "2", "1..40", "60..70")
    every = [(call, error, when) for call, errors in AT_START.items() for error in errors.split() for when in whens]
    for call, error, when in random.sample(every, 1) if short else every:
        program.stop()
        table.point(kind)
        start = program.log.stat().st_size
        # With -D it is the program that is started, and ended, and not strace.
        program.launch("strace", "-D", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}")
        end = time.monotonic() + 20
        while not (ended := program.ended()) and not program.is_ready() and time.monotonic() < end:
            time.sleep(0.05)
        said = " ".join(program.lines(start))
        if not ended and program.is_ready():
            table.count(kind, ["recovered" if program.recovers() else "waiting"])
        elif not ended:
            table.object(kind, f"{program.name}, {call} {error} {when}: it neither serves nor ends")
        elif not said and call not in SILENT:
            table.object(kind, f"{program.name}, {call} {error} {when}: it ends with {ended} and says nothing")
        else:
            table.rows[kind]["restarted"] += 1
        program.stop()
    program.start()


def control(table, naive):
    one(table, "control", naive, "accept", "EMFILE", "1+", seconds=2)
