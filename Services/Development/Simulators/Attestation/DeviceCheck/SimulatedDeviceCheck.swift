package import Crypto
package import DeviceCheck
import FoundationEssentials
package import Running
import StrictJSON
import Synchronization

/// Apple's DeviceCheck service for one team, for any listener: it refuses what the real one refuses.
package final class SimulatedDeviceCheck: Sendable {
    private let authorization: AuthorizationCheck
    private let wording: DeviceCheckReply.Wording
    private let clock: WallClock
    private let register = Mutex(DeviceRegister())

    /// Seconds by which a request's time may differ from the service's. Apple states none.
    private static let tolerance: TimeInterval = 3600

    /// What a request asks for.
    package enum Operation: String, Sendable, CaseIterable {
        /// Tells the bits.
        case query = "/v1/query_two_bits"
        /// Sets the bits.
        case update = "/v1/update_two_bits"
        /// Says whether the token is one.
        case validate = "/v1/validate_device_token"
    }

    /// - Parameters:
    ///   - keys: the team's, by their identifiers.
    ///   - clock: it sets the month of bits, too.
    package init(
        team: String, keys: [String: P256.Signing.PublicKey], wording: DeviceCheckReply.Wording = .live,
        clock: WallClock
    ) {
        authorization = AuthorizationCheck(team: team, keys: keys)
        self.wording = wording
        self.clock = clock
    }

    // MARK: What tests and developers do

    /// A new token of a device; nil if too many are out.
    package func token(of device: String) -> String? {
        let now = clock.now
        return register.withLock { $0.token(of: device, at: now) }
    }

    /// Sets what is kept of a device, or forgets it.
    /// - Returns: false if too many devices have bits.
    package func set(_ bits: DeviceBits?, of device: String) -> Bool {
        register.withLock { $0.set(bits, of: device) }
    }

    /// What is kept of a device.
    package func bits(of device: String) -> DeviceBits? { register.withLock { $0.bits(of: device) } }

    // MARK: What callers do

    private struct Request: Decodable {
        let deviceToken: String?
        let transaction: String?
        /// Nil for what isn't a whole number, too.
        let milliseconds: Int64?
        /// Nil for what isn't true or false, too.
        let first: Bool?
        let second: Bool?

        enum CodingKeys: String, CodingKey {
            case deviceToken = "device_token"
            case transaction = "transaction_id"
            case milliseconds = "timestamp"
            case first = "bit0"
            case second = "bit1"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            deviceToken = try? members.decode(String.self, forKey: .deviceToken)
            transaction = try? members.decode(String.self, forKey: .transaction)
            milliseconds = try? members.decode(Int64.self, forKey: .milliseconds)
            first = try? members.decode(Bool.self, forKey: .first)
            second = try? members.decode(Bool.self, forKey: .second)
        }
    }

    private struct Answer: Encodable {
        let bit0: Bool
        let bit1: Bool
        let month: String

        enum CodingKeys: String, CodingKey {
            case bit0, bit1
            case month = "last_update_time"
        }
    }

    /// Answers a request. The order of checks is unknown outside Apple.
    /// - Parameter header: the field `Authorization`; nil if there is none.
    package func answer(_ operation: Operation, authorization header: String?, body: [UInt8]) -> DeviceCheckReply {
        let now = clock.now
        do throws(DeviceCheckReply) {
            if let refusal = authorization.refusal(of: header, at: now) { throw DeviceCheckReply(refusal, wording) }
            return try answer(operation, body, at: now)
        } catch {
            return error
        }
    }

    private func answer(
        _ operation: Operation, _ body: [UInt8], at now: Date
    ) throws(DeviceCheckReply) -> DeviceCheckReply {
        func refusal(_ refusal: DeviceCheckReply.Refusal) -> DeviceCheckReply { DeviceCheckReply(refusal, wording) }
        guard let request = try? StrictJSON.decode(Request.self, from: Data(body)),
            request.transaction?.isEmpty == false
        else { throw refusal(.payload) }
        guard let milliseconds = request.milliseconds,
            abs(Double(milliseconds) / 1000 - now.timeIntervalSince1970) <= Self.tolerance
        else { throw refusal(.timestamp) }
        let outcome = register.withLock { register -> DeviceCheckReply? in
            guard let device = request.deviceToken.flatMap({ register.device(of: $0, at: now) }) else {
                return refusal(.deviceToken)
            }
            switch operation {
            case .query: return register.bits(of: device).map(Self.told) ?? refusal(.neverSet)
            case .update:
                guard let first = request.first, let second = request.second else { return refusal(.bits) }
                let bits = DeviceBits(first: first, second: second, changed: DeviceBits.Month(of: now))
                return register.set(bits, of: device) ? nil : DeviceCheckReply(status: 503, body: "Service Unavailable")
            case .validate: return nil
            }
        }
        return outcome ?? DeviceCheckReply(status: 200, body: "")
    }

    private static func told(_ bits: DeviceBits) -> DeviceCheckReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let answer = Answer(bit0: bits.first, bit1: bits.second, month: bits.changed.text)
        guard let json = try? encoder.encode(answer) else { return DeviceCheckReply(status: 500, body: "Server Error") }
        return DeviceCheckReply(status: 200, body: String(decoding: json, as: UTF8.self))
    }
}
