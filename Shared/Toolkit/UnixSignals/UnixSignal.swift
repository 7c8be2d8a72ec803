import Glibc

/// A signal that asks a process to end.
package struct UnixSignal: Hashable, Sendable, CustomStringConvertible {
    /// The system's number.
    let number: Int32

    package let description: String

    /// The process is asked to end.
    package static let sigterm = UnixSignal(number: SIGTERM, description: "SIGTERM")

    /// Somebody pressed Control-C.
    package static let sigint = UnixSignal(number: SIGINT, description: "SIGINT")

    /// The terminal has gone.
    package static let sighup = UnixSignal(number: SIGHUP, description: "SIGHUP")
}
