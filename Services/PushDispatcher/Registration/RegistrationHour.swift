import FoundationEssentials

/// A UTC hour, counted since the epoch: the finest time that is stored of a registration.
struct RegistrationHour: Hashable, Comparable, Sendable {
    let number: Int32

    /// The hour that contains an instant.
    init(containing instant: Date) {
        number = Int32(clamping: Int64((instant.timeIntervalSince1970 / 3600).rounded(.down)))
    }

    static func < (left: RegistrationHour, right: RegistrationHour) -> Bool { left.number < right.number }
}
