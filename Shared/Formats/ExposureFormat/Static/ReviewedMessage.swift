import SwiftProtobuf

/// A message with rules of its own, which is published alone in an archive.
protocol ReviewedMessage: Message {
    /// Notes what would break phones.
    func review(_ review: inout MessageReview)
}
