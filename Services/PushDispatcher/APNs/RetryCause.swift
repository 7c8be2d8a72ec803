/// Why a push is sent once more, and how often that may be (push sheet, 1.6.4).
enum RetryCause: String, Sendable, CaseIterable {
    /// 500: the service has an internal problem.
    case serverError = "server_error"
    /// 503: it has too much to do.
    case overloaded
    /// This host of the service, or this connection, is going away.
    case farewell
    /// The provider token is too old.
    case expiredProviderToken = "expired_provider_token"
    /// The provider token was renewed too often.
    case tokenUpdates = "token_updates"
    /// The provider token's key isn't the one that the connection began with.
    case unrelatedKey = "unrelated_key"
    /// The service has not looked at the request, and says so.
    case refusedStream = "refused_stream"
    /// The connection ended, or the stream was reset, before there was an answer. A silent push twice is one, so it is
    /// repeated.
    case lost
    /// There was no answer within the time for one.
    case silence

    /// How often in the life of one push.
    var most: Int {
        switch self {
        case .serverError: 3
        case .overloaded: 5
        case .farewell: 5
        case .expiredProviderToken: 2
        case .tokenUpdates: 5
        case .unrelatedKey: 1
        // What was not looked at costs nothing; the bound is for a service that refuses everything.
        case .refusedStream: 200
        case .lost: 8
        case .silence: 1
        }
    }

    /// Whether there is a pause before the repetition number so and so, which begins with 1.
    func pauses(before attempt: Int) -> Bool {
        switch self {
        case .serverError, .overloaded, .tokenUpdates: true
        case .expiredProviderToken, .unrelatedKey, .farewell, .silence: false
        case .lost: attempt > 3
        case .refusedStream: attempt > 100
        }
    }

    /// What the push comes to when that was often enough.
    var end: PushOutcome {
        switch self {
        case .serverError, .overloaded, .farewell, .refusedStream, .lost, .silence: .givenUp
        case .expiredProviderToken: .refused(.expiredProviderToken)
        case .tokenUpdates: .refused(.tooManyProviderTokenUpdates)
        case .unrelatedKey: .refused(.unrelatedKeyIdInToken)
        }
    }

    /// Whether the connection on which it happened takes no more requests.
    var endsConnection: Bool {
        switch self {
        case .farewell, .expiredProviderToken, .tokenUpdates, .unrelatedKey, .silence: true
        case .serverError, .overloaded, .refusedStream, .lost: false
        }
    }
}
