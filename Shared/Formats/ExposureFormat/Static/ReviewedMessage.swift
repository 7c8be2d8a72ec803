import SwiftProtobuf

/// A message with rules, which is published in an archive of its own.
protocol ReviewedMessage: Message {
    /// Adds a finding for every value that would break phones.
    func review(_ review: inout MessageReview)
}
