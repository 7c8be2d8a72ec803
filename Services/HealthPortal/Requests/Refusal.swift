import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
import Serving

/// Why a request isn't answered with what it asked for. Each has a page that says what to do.
enum Refusal: ProblemConvertible, Hashable {
    /// The request isn't one of this page's forms or links.
    case malformed
    /// The request is for an address that `origins` doesn't have.
    case otherHost
    /// There is no session: nobody signed in, or it has ended.
    case notSignedIn
    /// The officer's roles don't allow this.
    case noRole
    /// The request comes from another site.
    case otherSite
    case notFound
    /// The form has made its code before; an officer who needs another takes a new form.
    case formUsed
    /// The form has made its entry before, with other values.
    case entryUsed
    /// An officer can't decide on an own entry.
    case ownEntry
    /// Somebody decided otherwise before.
    case decided
    /// There are as many entries as there may be.
    case full
    /// A limit is reached until this time.
    case tooMany(until: Date)
    /// The identity provider can't be reached, and without it the officer's token has ended.
    case providerAway
    /// The identity provider doesn't accept the portal, or the verification server not the officer's token. Waiting doesn't help.
    case misconfigured
    /// The verification server can't make codes at the moment.
    case verificationAway
    /// The database can't be reached.
    case unavailable
    /// What the identity provider or the browser sent doesn't belong to an attempt of this browser to sign in, or isn't in order.
    case signInFailed
    /// The identity provider didn't let the officer in.
    case signInRefused

    /// The page's status.
    var status: HTTPResponse.Status {
        switch self {
        case .malformed, .otherHost, .signInFailed: .badRequest
        case .notSignedIn, .noRole, .otherSite, .signInRefused, .ownEntry: .forbidden
        case .notFound: .notFound
        case .formUsed, .entryUsed, .decided, .full: .conflict
        case .tooMany: .tooManyRequests
        case .misconfigured: .badGateway
        case .providerAway, .verificationAway, .unavailable: .serviceUnavailable
        }
    }

    /// For who isn't an officer.
    var problem: Problem { Problem(status) }

    /// What an error of the listener or of the database means for an officer.
    init(_ error: any ProblemConvertible) {
        if let refusal = error as? Refusal {
            self = refusal
            return
        }
        if error is OtherHost {
            self = .otherHost
            return
        }
        self =
            switch error.problem.status {
            case .notFound: .notFound
            case .forbidden: .otherSite
            case .serviceUnavailable, .internalServerError: .unavailable
            default: .malformed
            }
    }
}
