import SwiftProtobuf

/// Why an upload's body can't be read. It reveals nothing of the body's content.
package enum UnreadableSubmission: Error, Equatable, CustomStringConvertible {
    /// The body has more bytes than allowed and was not decoded.
    case tooLarge(maximum: Int)
    /// The body isn't a `SubmissionPayload`.
    case malformed

    /// A plain sentence.
    package var description: String {
        switch self {
        case .tooLarge(let maximum): "The upload is larger than \(maximum) bytes."
        case .malformed: "The upload is not a submission payload."
        }
    }
}

extension SubmissionPayload {
    /// Decodes an upload's body.
    ///
    /// Unknown fields are dropped, so nothing that a phone adds by mistake is kept. Decoding takes at most about forty times
    /// `maximum` bytes of memory: two bytes are enough for an empty key.
    package init(decoding bytes: [UInt8], maximum: Int) throws(UnreadableSubmission) {
        guard bytes.count <= maximum else { throw .tooLarge(maximum: maximum) }
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        // A payload nests two levels deep.
        options.messageDepthLimit = 4
        do {
            try self.init(serializedBytes: bytes, options: options)
        } catch {
            throw .malformed
        }
    }

    /// The body a phone uploads.
    package func encoded() throws -> [UInt8] {
        try serializedBytes()
    }
}
