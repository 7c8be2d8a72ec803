import HTTPMessage
import HTTPTypes

/// One stream: the message that arrives, and the body that leaves.
final class HTTP2Stream {
    enum Input {
        /// The fields are arriving; of a response, also behind interim ones.
        case head
        case body
        /// The message is complete.
        case ended
    }

    let id: Int32
    var input = Input.head
    /// Whether the delegate knows of it.
    var isAnnounced = false
    /// Whether it has ended before its messages were complete.
    var isAborted = false

    // The head that arrives.
    var method: [UInt8] = []
    var scheme: [UInt8] = []
    var authority: [UInt8] = []
    var path: [UInt8] = []
    var host: [UInt8] = []
    var hostCount = 0
    var cookie: [UInt8] = []
    var status = 0
    var length: Int?
    var expectsContinue = false
    var fields = FieldLines()
    /// The size of RFC 9113, section 6.5.2, and the number, of all fields: trailers count as well.
    var listBytes = 0
    var listCount = 0
    var interims = 0
    /// Set when the fields exceed a limit.
    var excess: Violation?

    // The body that arrives.
    /// What the owner holds of it, and of our own body.
    var held = 0
    /// For how many bytes the peer has no credit yet.
    var owed = 0
    var hasCredit = true

    // The message that leaves.
    /// Whether the request is HEAD, whose answer has no body.
    var isHead = false
    var body = HTTP2Body.bytes([])
    var sent = 0
    /// What a source has given for the frame that is written.
    var piece: [UInt8] = []
    /// Whether the final answer is queued.
    var isAnswered = false
    /// Whether our side ended it with a reset of its own accord.
    var isReset = false

    init(_ id: Int32) { self.id = id }

    /// Makes room for the fields that follow an interim answer.
    func forgetHead() {
        fields = FieldLines()
        length = nil
        status = 0
    }
}
