internal import Glibc

/// Ends a process that can't begin to serve, with a line on standard error: a release build omits a precondition's text.
func endProcess(because reason: StaticString) -> Never {
    reason.withUTF8Buffer { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    _ = write(STDERR_FILENO, "\n", 1)
    abort()
}
