import HTTPContract
import OfficerIdentity
import Pages

/// The pages that a redirect may lead to, and no others.
enum PagePath: String, Hashable, Sendable, CaseIterable {
    case start = "/"
    case codes = "/codes"
    case currentCode = "/codes/current"
    case statistics = "/statistics"
    case venues = "/venues"
    case newVenue = "/venues/new"
    case importVenues = "/venues/import"
    case status = "/status"
    case help = "/help"
    case accessibility = "/accessibility"
    case privacy = "/privacy"

    /// The pages that need a role and that these roles allow, in the order of the navigation.
    static func allowed(to roles: Set<OfficerRole>) -> [PagePath] {
        var pages: [PagePath] = []
        if roles.mayMakeCodes { pages.append(.codes) }
        if roles.maySeeVenues { pages.append(.venues) }
        if roles.maySeeFigures { pages.append(.statistics) }
        if roles.maySeeStatus { pages.append(.status) }
        return pages
    }

    /// The forms that make practice codes.
    static let training = (try? Location(path: codes.rawValue, query: ["training": "1"])) ?? codes.location

    /// The target of a redirect or a link.
    var location: Location {
        do {
            return try Location(path: rawValue)
        } catch {
            preconditionFailure("a path of the list has characters that a location can't have")
        }
    }
}
