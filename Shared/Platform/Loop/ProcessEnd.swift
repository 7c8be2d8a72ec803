internal import Glibc

/// Ends the process where it can't even begin, and says why: in a release build a precondition has no words.
func endProcess(because reason: StaticString) -> Never {
    reason.withUTF8Buffer { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    abort()
}
