import ArgumentParser
import FoundationEssentials
import Running

/// `push-dispatcher test-token TOKEN`.
struct TestTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-token", abstract: "Send one silent push, and explain the reply.",
        discussion: "Ends with 0 if the push was accepted.")

    @OptionGroup var options: ServiceOptions

    @Argument(help: "The push token: hexadecimal digits.")
    var token: String

    @Flag(help: "The token belongs to a development build.")
    var sandbox = false

    /// Seconds for which APNs may store it for a phone that is off.
    private static let expiration: TimeInterval = 3600

    func run() async throws {
        guard let token = PushToken(token) else {
            throw ValidationError("A push token has 2 to 200 hexadecimal digits, in pairs.")
        }
        let runtime = try ServiceRuntime(name: "push-dispatcher", options: options)
        let environment: APNsEnvironment = sandbox ? .sandbox : .production
        let client = APNsClient(
            try APNsPlan(runtime.configuration, clock: runtime.clock), clock: runtime.clock, metrics: runtime.metrics,
            logger: runtime.logger)
        let outcomes = await client.send(
            [SilentPush(token: token, environment: environment, id: UUID(), isSuspect: true)],
            expiration: runtime.clock.now.addingTimeInterval(Self.expiration))
        await client.close()
        let outcome = outcomes.first ?? .givenUp
        Console.say(outcome.explanation(in: environment))
        guard outcome == .accepted else { throw ExitCode(1) }
    }
}

extension PushOutcome {
    /// What the outcome means, and what to do about it.
    func explanation(in environment: APNsEnvironment) -> String {
        switch self {
        case .accepted:
            "APNs accepted the push. Whether it is delivered is unknown: the phone may be off, in Low Power Mode, or have "
                + "received too many pushes, and an app that its user has force-quit receives none."
        case .unregistered(let instant):
            "APNs says that the token has not been in use since \(instant.formatted(.iso8601)): the app was removed, or "
                + "has another token. The dispatcher removes such a registration."
        case .wrongToken:
            "APNs does not know the token in its \(environment.rawValue) environment, or it is not this app's. "
                + (environment == .production
                    ? "A token of a development build needs --sandbox. "
                    : "A token of a published app needs no --sandbox. ") + "Otherwise compare apns.topic with the app."
        case .givenUp:
            "There was no usable reply after all retries, or this token has received too many pushes. APNs was reachable."
        case .unreachable:
            "No connection could be made. Check that the hosts in apns.production and apns.sandbox can be reached from here, "
                + "and that apns.authorities contains the issuer of their certificates."
        case .refused(let reason):
            "APNs refuses our requests (\(reason.rawValue)), whatever the token: \(reason.remedy)"
        }
    }
}

extension APNsReason {
    /// What to check when the cause isn't a phone.
    fileprivate var remedy: String {
        switch self {
        case .invalidProviderToken, .missingProviderToken, .expiredProviderToken, .unrelatedKeyIdInToken, .forbidden:
            "check apns.teamID, apns.keyID and apns.key, and this machine's clock."
        case .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken:
            "the key in apns.key is for the other environment only."
        case .tooManyProviderTokenUpdates: "provider tokens are made too often with this key; wait 20 minutes."
        case .badCertificate, .badCertificateEnvironment:
            "check apns.certificate: it must be valid, and for this host."
        case .badTopic, .missingTopic, .topicDisallowed:
            "check apns.topic: the key must be allowed to push to this app."
        case .badCollapseId, .badDeviceToken, .badExpirationDate, .badMessageId, .badPriority, .deviceTokenNotForTopic,
            .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath,
            .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge, .tooManyRequests, .internalServerError,
            .serviceUnavailable, .shutdown, .unknown:
            "this is a defect of Vigil, or a change at Apple."
        }
    }
}
