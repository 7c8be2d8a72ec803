import ArgumentParser
import FoundationEssentials
import Running

/// `push-dispatcher test-token TOKEN`.
struct TestTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-token", abstract: "Send one silent push, and explain the answer.",
        discussion: "Ends with 0 if the push was accepted.")

    @OptionGroup var options: ServiceOptions

    @Argument(help: "The push token: hexadecimal digits.")
    var token: String

    @Flag(help: "The token is of a development build.")
    var sandbox = false

    /// Seconds for which APNs may keep it for a phone that is off.
    private static let expiration: TimeInterval = 3600

    func run() async throws {
        guard let token = PushToken(token) else {
            throw ValidationError("A push token has 2 to 200 hexadecimal digits, in pairs.")
        }
        let runtime = try ServiceRuntime(name: "push-dispatcher", options: options)
        let environment: APNsEnvironment = sandbox ? .sandbox : .production
        let client = APNsClient(
            try APNsPlan(runtime.configuration, clock: runtime.clock), clock: runtime.clock, metrics: runtime.metrics)
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
    /// What it means, and what to do about it.
    func explanation(in environment: APNsEnvironment) -> String {
        switch self {
        case .accepted:
            "APNs accepted the push. Nobody learns whether the phone got it: it may be off, short of power, or have had "
                + "too many, and an app that its user has ended by force gets none."
        case .unregistered(let instant):
            "APNs says that the token has not been in use since \(instant.formatted(.iso8601)): the app was removed, or "
                + "has got another token. The dispatcher removes such a registration."
        case .wrongToken:
            "APNs does not know the token in its \(environment.rawValue) environment, or it is not this app's. "
                + (environment == .production
                    ? "A token of a development build needs --sandbox. "
                    : "A token of a published app needs no --sandbox. ") + "Otherwise compare apns.topic with the app."
        case .givenUp:
            "There was no usable answer, in spite of repetitions, or this token has had too many pushes. Apple's service was "
                + "reached."
        case .unreachable:
            "No connection could be made. Can the hosts in apns.production and apns.sandbox be reached from here, and does "
                + "apns.authorities have who issued their certificates?"
        case .refused(let reason):
            "APNs refuses our requests (\(reason.rawValue)), whatever the token: \(reason.remedy)"
        }
    }
}

extension APNsReason {
    /// Where to look when it is not a phone's fault.
    fileprivate var remedy: String {
        switch self {
        case .invalidProviderToken, .missingProviderToken, .expiredProviderToken, .unrelatedKeyIdInToken, .forbidden:
            "look at apns.teamID, apns.keyID and apns.key, and at this machine's clock."
        case .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken:
            "the key in apns.key is for the other environment only."
        case .tooManyProviderTokenUpdates: "somebody makes provider tokens too often with this key; wait 20 minutes."
        case .badCertificate, .badCertificateEnvironment:
            "look at apns.certificate: it must be valid, and for this host."
        case .badTopic, .missingTopic, .topicDisallowed:
            "look at apns.topic: the key must be allowed to push to this app."
        case .badCollapseId, .badDeviceToken, .badExpirationDate, .badMessageId, .badPriority, .deviceTokenNotForTopic,
            .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath,
            .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge, .tooManyRequests, .internalServerError,
            .serviceUnavailable, .shutdown, .unknown:
            "this is a defect of ours, or something new at Apple's."
        }
    }
}
