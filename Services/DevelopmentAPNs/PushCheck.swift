import FoundationEssentials
import NIOCore
import NIOHPACK

/// Looks at one request as Apple's service does (push sheet, 1.6.3 and 1.6.4); who sent it is checked elsewhere.
struct PushCheck {
    /// What is needed of a request that is in order.
    struct Push: Equatable {
        let token: String
        /// In lower case; nil if the service would have to make one.
        let id: String?
    }

    let topic: String
    /// A connection that showed a certificate needs no topic.
    let needsTopic: Bool

    private static let types: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    private static let single = [
        "authorization", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-id",
        "apns-collapse-id",
    ]
    private static let pathPrefix = "/3/device/"
    private static let silent = Array(#"{"aps":{"content-available":1}}"#.utf8)
    /// In bytes.
    static let payloadLimit = 4096

    func check(_ headers: HPACKHeaders, body: ByteBuffer) throws(Rejection) -> Push {
        guard headers.first(name: ":method") == "POST" else { throw Rejection(405, "MethodNotAllowed") }
        let path = headers.first(name: ":path") ?? ""
        guard path.hasPrefix(Self.pathPrefix) else { throw Rejection(404, "BadPath") }
        let token = String(path.dropFirst(Self.pathPrefix.count))
        guard !token.isEmpty else { throw Rejection(400, "MissingDeviceToken") }
        for name in Self.single where headers[name].count > 1 { throw Rejection(400, "DuplicateHeaders") }
        try checkTopic(headers)
        let id = try checkFields(headers)
        try checkPayload(headers, body)
        guard token.utf8.count.isMultiple(of: 2), (2...200).contains(token.utf8.count),
            token.utf8.allSatisfy(Self.isDigit)
        else { throw Rejection(400, "BadDeviceToken") }
        return Push(token: token.lowercased(), id: id)
    }

    private func checkTopic(_ headers: HPACKHeaders) throws(Rejection) {
        switch headers.first(name: "apns-topic") {
        case nil: if needsTopic { throw Rejection(400, "MissingTopic") }
        case "": throw Rejection(400, "BadTopic")
        case topic: break
        default: throw Rejection(400, "TopicDisallowed")
        }
    }

    /// - Returns: the push's id.
    private func checkFields(_ headers: HPACKHeaders) throws(Rejection) -> String? {
        let type = headers.first(name: "apns-push-type") ?? ""
        guard Self.types.contains(type) else { throw Rejection(400, "InvalidPushType") }
        let priority = headers.first(name: "apns-priority") ?? "10"
        guard ["1", "5", "10"].contains(priority), type != "background" || priority == "5" else {
            throw Rejection(400, "BadPriority")
        }
        if let expiration = headers.first(name: "apns-expiration") {
            guard let seconds = Int(expiration), seconds >= 0 else { throw Rejection(400, "BadExpirationDate") }
        }
        guard (headers.first(name: "apns-collapse-id") ?? "").utf8.count <= 64 else {
            throw Rejection(400, "BadCollapseId")
        }
        guard let id = headers.first(name: "apns-id") else { return nil }
        guard let uuid = UUID(uuidString: id), uuid.uuidString.lowercased() == id else {
            throw Rejection(400, "BadMessageId")
        }
        return id
    }

    private func checkPayload(_ headers: HPACKHeaders, _ body: ByteBuffer) throws(Rejection) {
        guard body.readableBytes > 0 else { throw Rejection(400, "PayloadEmpty") }
        guard body.readableBytes <= Self.payloadLimit else { throw Rejection(413, "PayloadTooLarge") }
        guard !body.readableBytesView.elementsEqual(Self.silent) else { return }
        let payload = try? JSONDecoder().decode(Payload.self, from: Data(body.readableBytesView))
        guard let payload else { throw Rejection(400, "PayloadEmpty") }
        if headers.first(name: "apns-push-type") == "background", payload.aps.contentAvailable != 1 {
            throw Rejection(400, "PayloadEmpty")
        }
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
