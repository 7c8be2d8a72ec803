import ArgumentParser

/// What goes wrong on purpose.
enum InjectedFault: String, CaseIterable, Codable, Sendable, ExpressibleByArgument {
    /// A service ends without notice (SIGKILL), and is started again at once.
    case kill
    /// PostgreSQL ends without a checkpoint (SIGQUIT), and recovers from its log.
    case database
    /// The metadata proxy is gone for a moment in which phones ask.
    case proxy
    /// The laboratory posts nothing for some hours, then everything at once.
    case laboratory
    /// The services' clocks go back for a quarter of an hour.
    case clock
    /// Nothing reaches PostgreSQL's or distribution's disk (ENOSPC).
    case disk
}
