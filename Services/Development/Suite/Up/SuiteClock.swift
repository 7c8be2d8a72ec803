package import Running
package import Vigil

/// What time it is for a suite on one machine.
package enum SuiteClock: Hashable, Sendable {
    /// The machine's time, moved by some seconds; 0 for the machine's own.
    case ahead(seconds: Int)
    /// The time that a driver sets in the file ``path(in:)`` while the suite runs.
    case shared

    /// The file of a shared clock.
    package static func path(in folder: StateFolder) -> String { "\(folder.path)/clock" }

    /// The clock itself.
    package func clock(in folder: StateFolder) throws -> WallClock {
        switch self {
        case .ahead(let seconds): .offset(by: Double(seconds))
        case .shared: try SharedClock(path: Self.path(in: folder)).clock
        }
    }

    /// The setting of each service; nil when it needs none.
    func setting(in folder: StateFolder) -> (key: String, value: SettingValue)? {
        switch self {
        case .ahead(0): nil
        case .ahead(let seconds): ("clock.offset", .number(seconds))
        case .shared: ("clock.file", .text(Self.path(in: folder)))
        }
    }
}
