import Calling
import DeviceCheck
import FoundationEssentials
import HTTPTypes
import Logging
import OutsideCalls
import Running
import ServiceLifecycle

/// Asks Apple's DeviceCheck service, by an operator's proxy where `HTTPS_PROXY` names one.
///
/// Each call has a deadline and a limit for the answer, and follows no redirect. Connections are kept, so a call may be sent again if its
/// connection ends: both operations bear that. Neither token nor answer is ever logged.
struct DeviceCheckClient: Service {
    private let base: String
    private let key: DeviceCheckKey
    private let calls: KeptCalls
    private let clock: WallClock
    private let deadline: Duration
    /// A revoked key, a wrong team or clock, or a way that is closed would otherwise show in 503s alone.
    private let refusals: RefusalLog

    /// From `deviceCheck.key`, `.keyID`, `.teamID`, `.url`, `.authorities` and `.milliseconds`; nil if the first isn't set.
    init?(_ settings: Settings, clock: WallClock, _ logger: Logger) throws(ConfigurationProblem) {
        guard settings.optionalString("deviceCheck.key") != nil else { return nil }
        let pem = try settings.text("deviceCheck.key")
        let (keyID, team) = (try settings.string("deviceCheck.keyID"), try settings.string("deviceCheck.teamID"))
        do throws(UnusableDeviceCheckKey) {
            key = try DeviceCheckKey(pem: pem, keyID: keyID, team: team)
        } catch {
            throw settings.wrong("deviceCheck.key", "names a file that can't be used. \(error)")
        }
        base = try settings.url("deviceCheck.url", default: "https://api.devicecheck.apple.com")
        // Two calls fit into the two seconds that the metadata proxy waits for an answer.
        deadline = .milliseconds(try settings.int("deviceCheck.milliseconds", default: 800, in: 50...60_000))
        let authorities =
            settings.optionalString("deviceCheck.authorities") == nil
            ? nil : try settings.path("deviceCheck.authorities")
        calls = try KeptCalls(authorities: authorities, reach: .everywhere)
        self.clock = clock
        refusals = RefusalLog(peer: "devicecheck", logger)
    }

    func run() async throws {
        try? await gracefulShutdown()
        await calls.close()
    }

    /// What Apple answers; `.tryLater` without an answer in time.
    func ask(_ operation: DeviceCheckRequest.Operation, of token: DeviceToken) async -> DeviceCheckAnswer {
        let now = clock.now
        guard let bearer = try? key.token(at: now),
            let body = try? DeviceCheckRequest(operation, token: token, transaction: UUID()).json(at: now)
        else { return .ourFault }
        let request = OutsideRequest(
            base + operation.path,
            fields: [.contentType: "application/json", .authorization: "Bearer \(bearer)"], body: body)
        let answer: OutsideResponse
        do {
            answer = try await calls.send(request, within: deadline, limit: DeviceCheckAnswer.longest)
        } catch {
            if error != .cancelled { refusals.unanswered(error.rawValue, at: operation.path) }
            return .tryLater
        }
        let meaning = DeviceCheckAnswer(to: operation, status: answer.status.code, body: answer.body)
        switch meaning {
        case .tryLater where answer.status == .ok: refusals.malformed(at: operation.path)
        case .ourFault, .tryLater:
            refusals.refused(answer.status, at: operation.path, reason: DeviceCheckAnswer.subject(of: answer.body))
        case .bits, .neverSet, .done, .badToken: break
        }
        return meaning
    }
}
