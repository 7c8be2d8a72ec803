package import FoundationEssentials
package import HTTPContract
package import HTTPTypes

/// What the push dispatcher offers to apps and to other services.
package enum PushAPI {
    /// A phone says where silent pushes reach it, or that it wants none any more; as SwissCovid's phones send it
    /// (swisscovid-cn-backend).
    ///
    /// The answer is the same for both, and whether or not there was something to change.
    package static let register = Endpoint<PushRegistrationRequest, NoContent>(
        .post, "/v3/register", callers: [.metadataProxy], bodyLimit: 4096, summary: summary, refusals: refusals)

    /// The same under the path of NotifyMe's phones.
    package static let registerV1 = Endpoint<PushRegistrationRequest, NoContent>(
        .post, "/v1/register", callers: [.metadataProxy], bodyLimit: 4096, summary: summary, refusals: refusals)

    /// Something new was published: phones that sleep should be woken.
    ///
    /// It says nothing about what is new, and it may be repeated: the dispatcher joins announcements that come close together.
    package static let announce = Endpoint<NoContent, NoContent>(
        .post, "/version/v1/announcement", callers: [.distribution], bodyLimit: 0, success: .accepted,
        summary: "Says that something new was published.")

    private static let summary = "Registers a phone for silent pushes, or takes its registration back."
    private static let refusals: [HTTPResponse.Status: String] = [
        .badRequest: "The body is no registration, or its push token or device id can't be one."
    ]
}

/// A registration as it arrives. What it says only the dispatcher reads; the metadata proxy passes it on.
package struct PushRegistrationRequest: WireMessage, Equatable {
    /// A serialised `PushRegistration`.
    package let payload: Data

    /// A registration as a phone sends it.
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
