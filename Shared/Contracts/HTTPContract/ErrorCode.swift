/// What an app learns of a refusal beyond its status, where published apps read it: one of the few codes that its route lists.
///
/// The listener sends no other, and the metadata proxy passes no other on, so that a body can't say anything else.
package struct ErrorCode: RawRepresentable, Hashable, Sendable {
    /// Capital letters and underscores, such as `API_TOKEN_EXPIRED`.
    package let rawValue: String

    /// Creates a code with its text.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The body: `{"errorCode":"API_TOKEN_EXPIRED"}` (cwa-ppa-server, `DataSubmissionResponse`).
    package var body: String { "{\"errorCode\":\"\(rawValue)\"}" }

    /// The schema of ``body``, for one of these codes.
    package static func schema(of codes: Set<ErrorCode>) -> JSONSchema {
        .object(["errorCode": .name(in: codes.map(\.rawValue).sorted())])
    }
}
