import FoundationEssentials
import Phone
import Running

/// A phone whose app wants to be woken, with its operating system.
struct Sleeper: Sendable {
    /// The app's token at APNs: 64 hexadecimal digits.
    let token: String
    private let instance = AppInstanceToken()
    /// What the app knows about its registration.
    private(set) var app = PushRegistrationState(areEncountersOn: true)
    /// How often it had been woken when it began to sleep. A new suite publishes at its start, so that a wave may be under way.
    var wakesBefore = 0

    /// A phone that was never registered.
    init() {
        token = (0..<64).map { _ in String(UInt8.random(in: 0..<16), radix: 16) }.joined()
    }

    /// Whether the server has confirmed that this token is registered.
    var isRegistered: Bool {
        if case .confirmed(token, _) = app.registration { true } else { false }
    }

    /// Sends events to the app, and carries out its requests to the system and the network.
    /// - Returns: what the app requested.
    @discardableResult
    mutating func live(
        _ events: [PushRegistrationState.Event], on stage: StoryStage
    ) async throws -> [PushRegistrationState.Action] {
        var waiting = events
        var done: [PushRegistrationState.Action] = []
        while !waiting.isEmpty {
            for action in app.handle(waiting.removeFirst(), at: stage.clock.now) {
                done.append(action)
                switch action {
                case .askForToken: waiting.append(.tokenArrived(token))
                case .send(let request):
                    try await stage.apps.ask(for: request.wish, as: instance)
                    waiting.append(.ended(request, isSuccess: true))
                case .cancel, .wake, .synchronise, .deleteCheckIns: break
                }
            }
        }
        return done
    }
}
