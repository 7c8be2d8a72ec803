/// What a reply means for its push: an outcome, or a retry
/// (<https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns>).
enum APNsVerdict: Sendable, Equatable {
    case outcome(PushOutcome)
    case again(RetryCause)

    init(_ reply: APNsReply) {
        guard let reason = reply.reason else {
            self = reply.status == 200 ? .outcome(.accepted) : .outcome(.refused(.unknown))
            return
        }
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic, .missingDeviceToken:
            self = .outcome(.wrongToken)
        case .unregistered, .expiredToken:
            // Without the time it is unknown whether the phone has registered again since.
            self = .outcome(reply.timestamp.map { .unregistered($0) } ?? .givenUp)
        case .tooManyRequests:
            self = .outcome(.givenUp)
        case .idleTimeout, .shutdown:
            self = .again(.hostShutdown)
        case .expiredProviderToken:
            self = .again(.expiredProviderToken)
        case .unrelatedKeyIdInToken:
            self = .again(.unrelatedKey)
        case .tooManyProviderTokenUpdates:
            self = .again(.tokenUpdates)
        case .internalServerError:
            self = .again(.serverError)
        case .serviceUnavailable:
            self = .again(.overloaded)
        case .badTopic, .missingTopic, .topicDisallowed, .badPriority, .invalidPushType, .badExpirationDate,
            .badCollapseId, .badMessageId, .duplicateHeaders, .payloadEmpty, .invalidProviderToken,
            .missingProviderToken, .forbidden, .badCertificate, .badCertificateEnvironment,
            .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken, .badPath, .methodNotAllowed, .payloadTooLarge:
            self = .outcome(.refused(reason))
        case .unknown:
            self.init(status: reply.status, timestamp: reply)
        }
    }

    /// Decides by the status alone, because the reason is unknown or missing.
    private init(status: Int, timestamp reply: APNsReply) {
        switch status {
        case 410: self = .outcome(reply.timestamp.map { .unregistered($0) } ?? .givenUp)
        case 429: self = .outcome(.givenUp)
        case 503: self = .again(.overloaded)
        case 500...599: self = .again(.serverError)
        default: self = .outcome(.refused(.unknown))
        }
    }

    /// Whether an operator should know: it says nothing of one phone's token.
    var isTrouble: Bool {
        switch self {
        case .outcome(.accepted), .outcome(.unregistered), .outcome(.wrongToken): false
        case .outcome(.unreachable), .outcome(.givenUp), .outcome(.refused), .again: true
        }
    }
}
