package import Foundation
import Synchronization

extension Process {
    /// Starts the program, while no other test starts one. Tests don't call `run`.
    ///
    /// Foundation learns that a program has ended from a socket, whose other end the program inherits. A program that is
    /// started at the same moment may inherit that end, too. Then the first one seems to run until the second has ended,
    /// which for a database server can be minutes.
    package func start() throws {
        try starting.withLock { _ in try run() }
    }
}

private let starting = Mutex(())
