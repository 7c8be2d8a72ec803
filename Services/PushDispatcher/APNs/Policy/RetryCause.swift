/// Why a push is retried, and how often
/// (<https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>).
enum RetryCause: String, Sendable, CaseIterable {
    /// 500: an internal error of APNs.
    case serverError = "server_error"
    /// 503: APNs is overloaded.
    case overloaded
    /// This host of APNs, or this connection, is shutting down.
    case hostShutdown = "farewell"
    /// The provider token is too old.
    case expiredProviderToken = "expired_provider_token"
    /// The provider token was renewed too often.
    case tokenUpdates = "token_updates"
    /// The key of the provider token isn't the one that the connection began with.
    case unrelatedKey = "unrelated_key"
    /// APNs hasn't processed the request, and says so.
    case refusedStream = "refused_stream"
    /// The connection was closed, or the stream reset, before a reply.
    ///
    /// Two silent pushes have the effect of one, so it is retried.
    case lost
    /// There was no reply in time.
    case noReply = "silence"

    /// The maximum number of retries of one push for this cause.
    var limit: Int {
        switch self {
        case .serverError: 3
        case .overloaded: 5
        case .hostShutdown: 5
        case .expiredProviderToken: 2
        case .tokenUpdates: 5
        case .unrelatedKey: 1
        // An unprocessed request costs nothing; the limit is for a service that refuses everything.
        case .refusedStream: 200
        case .lost: 8
        case .noReply: 1
        }
    }

    /// Whether there is a backoff before a retry.
    /// - Parameter attempt: from 1 on.
    func pauses(before attempt: Int) -> Bool {
        switch self {
        case .serverError, .overloaded, .tokenUpdates: true
        case .expiredProviderToken, .unrelatedKey, .hostShutdown, .noReply: false
        case .lost: attempt > 3
        case .refusedStream: attempt > 100
        }
    }

    /// The outcome of a push that has reached the limit.
    var end: PushOutcome {
        switch self {
        case .serverError, .overloaded, .hostShutdown, .refusedStream, .lost, .noReply: .givenUp
        case .expiredProviderToken: .refused(.expiredProviderToken)
        case .tokenUpdates: .refused(.tooManyProviderTokenUpdates)
        case .unrelatedKey: .refused(.unrelatedKeyIdInToken)
        }
    }

    /// Whether the connection on which it happened is drained.
    var endsConnection: Bool {
        switch self {
        case .hostShutdown, .expiredProviderToken, .tokenUpdates, .unrelatedKey, .noReply: true
        case .serverError, .overloaded, .refusedStream, .lost: false
        }
    }
}
