import FoundationEssentials

/// Three requests to the proxy, one after the other: whatever a user does, and what only looks like it.
struct Flow: Hashable, Sendable {
    /// What a flow is for.
    enum Purpose: Hashable, Sendable {
        case registration(UInt16)
        case result(UInt16)
        case upload(UInt16)
        case dummy
    }

    /// What is real in it.
    let purpose: Purpose
    /// What each request looks like.
    let steps: [FlowStep]
    /// When the next request is sent, at the earliest.
    private(set) var due: Date
    /// How many requests were sent.
    private(set) var sent = 0

    /// - Parameter opening: what an upload or a dummy flow begins with.
    init(_ purpose: Purpose, opening: FlowStep, at now: Date) {
        self.purpose = purpose
        let first: FlowStep =
            switch purpose {
            case .registration: .registration
            case .result: .result
            case .upload, .dummy: opening
            }
        // A registration is followed by the first question for the result.
        steps = [first, first == .registration ? .result : .tan, .upload]
        due = now
    }

    /// The request that comes next; nil if all were sent.
    var next: FlowStep? { steps.dropFirst(sent).first }

    /// Whether the next request is what the flow is for, and not a dummy.
    var isReal: Bool {
        switch purpose {
        case .registration: sent < 2
        case .result: sent == 0
        case .upload: sent > 0
        case .dummy: false
        }
    }

    /// The test that it is about.
    var test: UInt16? {
        switch purpose {
        case .registration(let test), .result(let test), .upload(let test): test
        case .dummy: nil
        }
    }

    /// A request is sent. The distance to the next one is drawn now, so that it doesn't depend on the answer.
    mutating func send(at now: Date, gap: TimeInterval) {
        sent += 1
        due = now + gap
    }
}
