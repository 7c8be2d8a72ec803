/// A part of a program that runs for as long as the program does.
package protocol Service: Sendable {
    /// Runs until the service is shut down (``gracefulShutdown()``) or its task is cancelled.
    ///
    /// Returning before that ends the program; see ``ServiceGroup``.
    func run() async throws
}
