package import ExposureKeys
package import FederationFormat
package import HTTPContract
package import HTTPTypes

/// What a gateway asks of a country's federation service (efgs-federation-gateway, `CallbackTaskExecutorService`).
package enum FederationAPI {
    /// Tells that there is a batch to download. It answers at once, and the batch is read later.
    ///
    /// The gateway gives up a country's callback after six answers other than 2xx.
    package static let callback = Endpoint<BatchAnnouncement, NoContent>(
        .get, "/version/v1/callback", callers: [.gateway], bodyLimit: 0, success: .accepted,
        summary: "Tells that the gateway has a new batch.",
        refusals: [
            .badRequest:
                "The tag isn't 1 to 64 letters, digits, hyphens, underscores and full stops, or the date is none.",
            .forbidden: "The certificate isn't the gateway's.",
        ])
}

/// A batch that the gateway has. A repeat changes nothing.
package struct BatchAnnouncement: ParameterizedMessage, Equatable {
    /// The batch's name.
    package let tag: BatchTag
    /// The gateway's day.
    package let day: Day

    /// An announcement as its parts.
    package init(tag: BatchTag, day: Day) {
        self.tag = tag
        self.day = day
    }

    package static var mediaType: MediaType? { nil }
    package static var headerNames: [HTTPField.Name] { [] }
    package static var parameterSchemas: [String: FieldSchema] {
        [
            "batchTag": .required(.text(pattern: "[A-Za-z0-9._-]{1,64}", examples: ["20261124-1"])),
            "date": .required(.text(pattern: "[0-9]{4}-[0-9]{2}-[0-9]{2}", examples: ["2026-11-24"])),
        ]
    }

    /// Reads tag and date.
    package init(_ message: EncodedMessage) throws(MalformedMessage) {
        guard let tag = message.parameters["batchTag"].flatMap({ BatchTag($0) }),
            let day = message.parameters["date"].flatMap({ Day(name: $0) })
        else { throw MalformedMessage() }
        self.init(tag: tag, day: day)
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(parameters: ["batchTag": tag.text, "date": day.name])
    }
}
