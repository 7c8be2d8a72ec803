import Pages

/// What surrounds the content of a page: the authority, the language and the officer.
struct Frame: Sendable {
    let authority: Authority
    let language: Language
    /// Nil for a caller who isn't signed in.
    let officer: SignedIn?

    /// The officer whose page it is.
    struct SignedIn: Sendable {
        /// As the identity provider calls them. Hostile until it is escaped.
        let name: String
        /// The pages that the officer's roles allow, in the order of the navigation.
        let places: [Place]
        /// Seconds until the session ends unless something is requested.
        let secondsLeft: Int
    }

    /// A page that a link or a redirect may lead to.
    enum Place: String, Sendable, CaseIterable {
        case start = "/"
        case codes = "/codes"
        case currentCode = "/codes/current"
        case statistics = "/statistics"
        case status = "/status"
        case help = "/help"
        case accessibility = "/accessibility"
        case privacy = "/privacy"

        var location: Location {
            switch self {
            case .start: "/"
            case .codes: "/codes"
            case .currentCode: "/codes/current"
            case .statistics: "/statistics"
            case .status: "/status"
            case .help: "/help"
            case .accessibility: "/accessibility"
            case .privacy: "/privacy"
            }
        }
    }

    var words: Words { language.words }
}

/// The health authority that operates the portal, as its pages name it.
struct Authority: Sendable {
    let name: String
    /// Where officers turn, and where barriers are reported.
    let contact: Contact
    /// A notice on every page, such as maintenance; nil if there is none.
    let notice: String?
    /// Whether this is a development system.
    let isSimulated: Bool
    /// The authority's local time.
    let time: LocalTime
}
