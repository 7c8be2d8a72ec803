import HTTPContract
import OfficerIdentity
import Pages

/// The pages that a redirect may lead to, and no others.
enum PagePath: String, Hashable, Sendable, CaseIterable {
    case start = "/"
    case codes = "/codes"
    case currentCode = "/codes/current"
    case statistics = "/statistics"
    case status = "/status"
    case help = "/help"
    case accessibility = "/accessibility"
    case privacy = "/privacy"

    /// The first page that the roles allow; nil if they allow none.
    static func first(for roles: Set<OfficerRole>) -> PagePath? {
        if roles.contains(.hotline) || roles.contains(.hotlineEvent) { return .codes }
        if roles.contains(.statistics) { return .statistics }
        if roles.contains(.operations) { return .status }
        return nil
    }

    /// The target of a redirect or a link.
    var location: Location {
        do {
            return try Location(path: rawValue)
        } catch {
            preconditionFailure("a path of the list has characters that a location can't have")
        }
    }
}
