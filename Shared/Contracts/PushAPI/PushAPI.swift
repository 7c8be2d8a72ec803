package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// The operations that the push dispatcher offers to apps and to other services.
package enum PushAPI {
    /// A phone registers for silent pushes or deregisters, in the form of SwissCovid's phones (swisscovid-cn-backend).
    ///
    /// The answer is the same in both cases, whether or not anything changed.
    package static let register = Endpoint<PushRegistrationRequest, NoContent>(
        .post, "/v3/register", callers: [.metadataProxy], bodyLimit: 4096, summary: summary, refusals: refusals)

    /// The same operation under the path that NotifyMe's phones use.
    package static let registerV1 = Endpoint<PushRegistrationRequest, NoContent>(
        .post, "/v1/register", callers: [.metadataProxy], bodyLimit: 4096, summary: summary, refusals: refusals)

    /// Announces that something new is published, so that sleeping phones are woken.
    ///
    /// The announcement doesn't say what is new, and may be repeated: the dispatcher merges announcements that come close
    /// together.
    package static let announce = Endpoint<NoContent, NoContent>(
        .post, "/version/v1/announcement", callers: [.distribution], bodyLimit: 0, success: .accepted,
        summary: "Says that something new was published.")

    private static let summary = "Registers a phone for silent pushes, or takes its registration back."
    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest: "The body is no registration, or its push token or device id can't be one."
    ]
}

/// A registration as it arrives. Only the dispatcher reads its content; the metadata proxy passes it on.
package struct PushRegistrationRequest: WireMessage, Equatable {
    /// A serialised `PushRegistration`.
    package let payload: Data

    /// Creates a registration as a phone sends it.
    package init(payload: Data) {
        self.payload = payload
    }

    package static var mediaType: MediaType? { .protobufOfEitherName }
    package static var headerNames: [HTTPField.Name] { [] }

    package init(fields: HTTPFields, body: Data) throws(MalformedMessage) {
        payload = body
    }

    package func encoded() -> EncodedMessage {
        EncodedMessage(body: payload)
    }
}
