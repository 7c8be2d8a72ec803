import FoundationEssentials
import HTTP2
import HTTPMessage
import HTTPTypes

/// The header of a push: built once, and only token and id change from push to push.
struct PushRequest {
    private let pattern: HTTP2RequestPattern

    private static let names = (
        topic: HTTPField.Name("apns-topic"), type: HTTPField.Name("apns-push-type"),
        priority: HTTPField.Name("apns-priority"), expiration: HTTPField.Name("apns-expiration"),
        collapseID: HTTPField.Name("apns-collapse-id"), id: HTTPField.Name("apns-id")
    )
    private static let body = Array(SilentPush.payload.utf8)

    /// - Parameters:
    ///   - authority: the service's host.
    ///   - authorization: the provider token; nil with a client certificate.
    ///   - expiration: in seconds since the epoch.
    /// - Throws: if the authority is malformed.
    init(
        authority: String, topic: String, collapseID: String, authorization: ProviderToken?, expiration: Int
    ) throws(InvalidField) {
        var fields = FieldLines()
        func add(_ name: HTTPField.Name?, _ value: String) {
            if let name { fields.append(name, value) }
        }
        add(Self.names.topic, topic)
        add(Self.names.type, "background")
        add(Self.names.priority, "5")
        add(Self.names.expiration, String(expiration))
        add(Self.names.collapseID, collapseID)
        // The following are secret or unique: in the connection's table, ids would evict everything else.
        if let authorization { add(.authorization, "bearer \(authorization.text)") }
        add(Self.names.id, UUID().uuidString)
        pattern = try HTTP2RequestPattern(
            .post, authority: authority, target: "/3/device/", targetRoom: PushToken.longest, fields: fields,
            unique: authorization == nil ? 1 : 2)
    }

    /// Queues a push.
    ///
    /// - Returns: its stream; nil if the connection takes none now.
    func submit(_ push: SilentPush, to session: HTTP2Session) -> Int32? {
        let id = Self.text(of: push.id)
        // A token's digits and an id have no byte that could be refused.
        return try? session.submitRequest(
            pattern, targetEnd: push.token.hex.utf8Span.span, lastValue: id.span, body: .bytes(Self.body))
    }

    /// The canonical form, in lower case.
    private static func text(of id: UUID) -> InlineArray<36, UInt8> {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        withUnsafeBytes(of: id.uuid) { octets in
            var place = 0
            for (number, octet) in octets.enumerated() {
                if number == 4 || number == 6 || number == 8 || number == 10 { place += 1 }
                text[place] = digit(octet >> 4)
                text[place + 1] = digit(octet & 15)
                place += 2
            }
        }
        return text
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
