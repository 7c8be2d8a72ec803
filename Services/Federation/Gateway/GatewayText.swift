import FoundationEssentials
import StrictJSON

/// What a gateway says about an answer that isn't the wished one, for the operator.
///
/// It is foreign input: one line of ASCII, and no page of something in front of the gateway. Gateways write fixed sentences
/// (efgs-federation-gateway, `ProblemReportException` and its callers), never keys.
enum GatewayText {
    /// Characters that are kept and shown.
    static let longest = 200

    /// The members in which gateways and their framework write (RFC 9457), the most telling first.
    private struct Message: Decodable {
        let detail: String?
        let message: String?
        let title: String?
    }

    /// Nil if the body has no text.
    static func read(_ body: [UInt8]) -> String? {
        guard let message = try? StrictJSON.decode(Message.self, from: Data(body)) else { return nil }
        let text = [message.detail, message.message, message.title].compactMap(\.self).first { !$0.isEmpty }
        let line = (text ?? "").unicodeScalars.prefix(longest).map { scalar in
            (0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?"
        }
        return line.isEmpty ? nil : String(line)
    }
}
