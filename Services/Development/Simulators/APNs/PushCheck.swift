import FoundationEssentials
import HTTPMessage
import HTTPTypes
import StrictJSON

/// Checks one request as APNs does, except for its authentication
/// (<https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns>).
struct PushCheck {
    /// The parts of a valid request that are used.
    struct Push: Equatable {
        let token: String
        /// In lower case; nil if APNs would have to generate one.
        let id: String?
    }

    let topic: String
    /// A connection with a client certificate needs no topic.
    let needsTopic: Bool

    private static let types: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    private static let pathPrefix = "/3/device/"
    private static let silent = Array(#"{"aps":{"content-available":1}}"#.utf8)
    /// The maximum size in bytes.
    static let payloadLimit = 4096

    func check(_ head: RequestHead, body: [UInt8]) throws(Rejection) -> Push {
        let fields = PushFields(head.fields)
        guard head.method == .post else { throw Rejection(405, "MethodNotAllowed") }
        guard head.target.hasPrefix(Self.pathPrefix) else { throw Rejection(404, "BadPath") }
        let token = String(head.target.dropFirst(Self.pathPrefix.count))
        guard !token.isEmpty else { throw Rejection(400, "MissingDeviceToken") }
        guard !fields.hasDuplicates else { throw Rejection(400, "DuplicateHeaders") }
        try checkTopic(fields.topic)
        try checkFields(fields)
        try checkPayload(fields, body)
        guard token.utf8.count.isMultiple(of: 2), (2...200).contains(token.utf8.count),
            token.utf8.allSatisfy(Self.isDigit)
        else { throw Rejection(400, "BadDeviceToken") }
        return Push(token: token.lowercased(), id: fields.id)
    }

    private func checkTopic(_ sent: String?) throws(Rejection) {
        switch sent {
        case nil: if needsTopic { throw Rejection(400, "MissingTopic") }
        case "": throw Rejection(400, "BadTopic")
        case topic: break
        default: throw Rejection(400, "TopicDisallowed")
        }
    }

    private func checkFields(_ fields: PushFields) throws(Rejection) {
        let type = fields.type ?? ""
        guard type == "background" || Self.types.contains(type) else { throw Rejection(400, "InvalidPushType") }
        let priority = fields.priority ?? "10"
        guard ["1", "5", "10"].contains(priority), type != "background" || priority == "5" else {
            throw Rejection(400, "BadPriority")
        }
        if let expiration = fields.expiration {
            guard let seconds = Int(expiration), seconds >= 0 else { throw Rejection(400, "BadExpirationDate") }
        }
        guard (fields.collapseID ?? "").utf8.count <= 64 else { throw Rejection(400, "BadCollapseId") }
        if let id = fields.id, !Self.isCanonical(id) { throw Rejection(400, "BadMessageId") }
    }

    private func checkPayload(_ fields: PushFields, _ body: [UInt8]) throws(Rejection) {
        guard !body.isEmpty else { throw Rejection(400, "PayloadEmpty") }
        guard body.count <= Self.payloadLimit else { throw Rejection(413, "PayloadTooLarge") }
        guard body != Self.silent else { return }
        let payload = try? StrictJSON.decode(Payload.self, from: Data(body))
        guard let payload else { throw Rejection(400, "PayloadEmpty") }
        if fields.type == "background", payload.aps.contentAvailable != 1 { throw Rejection(400, "PayloadEmpty") }
    }

    /// Whether it is a UUID in the form of RFC 9562, in lower case.
    private static func isCanonical(_ id: String) -> Bool {
        guard id.utf8.count == 36 else { return false }
        for (place, byte) in id.utf8.enumerated() {
            let isHyphen = place == 8 || place == 13 || place == 18 || place == 23
            let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
            guard isHyphen ? byte == UInt8(ascii: "-") : isDigit(byte) && !isUpperCase else { return false }
        }
        return true
    }

    private struct Payload: Decodable {
        struct Content: Decodable {
            let contentAvailable: Int?

            private enum CodingKeys: String, CodingKey {
                case contentAvailable = "content-available"
            }
        }

        let aps: Content
    }

    private static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

/// The fields of a request that APNs uses, read in one pass because a wave has many requests.
private struct PushFields {
    private(set) var topic: String?
    private(set) var type: String?
    private(set) var priority: String?
    private(set) var expiration: String?
    private(set) var collapseID: String?
    private(set) var id: String?
    private(set) var hasDuplicates = false
    private var authorization: String?

    init(_ fields: FieldLines) {
        fields.forEach { name, value in
            var isRepeated = false
            switch name {
            case "apns-topic": isRepeated = Self.set(&topic, value)
            case "apns-push-type": isRepeated = Self.set(&type, value)
            case "apns-priority": isRepeated = Self.set(&priority, value)
            case "apns-expiration": isRepeated = Self.set(&expiration, value)
            case "apns-collapse-id": isRepeated = Self.set(&collapseID, value)
            case "apns-id": isRepeated = Self.set(&id, value)
            case "authorization": isRepeated = Self.set(&authorization, value)
            default: break
            }
            if isRepeated { hasDuplicates = true }
        }
    }

    /// - Returns: whether it was set before.
    private static func set(_ field: inout String?, _ value: String) -> Bool {
        defer { field = value }
        return field != nil
    }
}
