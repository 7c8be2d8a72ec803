/// The users whom `development-identity` knows unless its configuration names others.
package enum DevelopmentUser: String, CaseIterable, Sendable {
    /// May make codes for tests.
    case officer
    /// May make codes for tests and for events.
    case eventOfficer = "event-officer"
    /// May see figures.
    case analyst
    /// May see the state of the services.
    case `operator`
    /// May enter venues, and decide on what others entered.
    case tracer
    /// May decide on venues that others entered.
    case approver
    /// May do nothing.
    case visitor
    /// An officer with a name that tries to leave its place on the page.
    case hostile
    /// An officer with a name of 10 kB.
    case endless

    /// The password of each of them. The provider accepts connections from its own machine only.
    package static let password = "vigil-development"

    /// The secret of the user's authenticator app, in base 32 (RFC 4648, section 6): 20 bytes, the length of the hash (RFC 4226,
    /// section 4). It is as public as the password.
    package var secret: String {
        "VIGILDEVELOPMENT" + String(repeating: rawValue.prefix(2).uppercased(), count: 8)
    }
}
