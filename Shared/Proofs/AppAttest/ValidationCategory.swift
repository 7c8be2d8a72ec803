/// How an app got to a device, as Apple's system says from iOS 27 on: a number, of which Apple may add more.
package struct ValidationCategory: RawRepresentable, Hashable, Sendable {
    /// Apple's number.
    package let rawValue: UInt32

    /// Any number may come.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Part of the system.
    package static let system = ValidationCategory(rawValue: 1)
    /// From TestFlight.
    package static let testFlight = ValidationCategory(rawValue: 2)
    /// Installed by its developer.
    package static let development = ValidationCategory(rawValue: 3)
    /// From the App Store.
    package static let appStore = ValidationCategory(rawValue: 4)
    /// From an enterprise, or ad hoc.
    package static let enterprise = ValidationCategory(rawValue: 5)
}
