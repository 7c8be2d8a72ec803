import DequeModule
import FoundationEssentials
import HTTP2
import HTTPMessage
import HTTPTypes
import Loop

/// One connection of the simulated service, which can misbehave in any way that an instruction asks for.
final class SimulatedConnection: ConnectionHandler {
    private let service: SimulatedAPNs
    private let connection: Connection
    private var memory = ConnectionMemory(hasCertificate: false)
    private var session: HTTP2Session?
    /// Incomplete requests.
    private var arriving: [Int32: Arriving] = [:]
    /// Unanswered requests.
    private var waiting: Set<Int32> = []
    private var answers: Deque<Due> = []
    private var timer: ScheduledWork?
    private var limit = 0
    private var mostStreams = 0
    private var frames: [UInt8] = []
    /// The last processed stream; newer streams are ignored once it is set.
    private var lastStream: Int32?

    private struct Arriving {
        let head: RequestHead
        var body: [UInt8] = []
    }

    private struct Due {
        let stream: Int32
        let answer: SimulatedAnswer
        let push: PushCheck.Push?
        let moment: Moment
    }

    private static let apnsID = HTTPField.Name("apns-id")
    private static let addedLater = HTTPField.Name("x-added-later")

    init(_ service: SimulatedAPNs, _ connection: Connection) {
        self.service = service
        self.connection = connection
        // It reads on while its answers wait; the limit of streams bounds them.
        connection.outputMark = (high: .max, low: .max)
    }

    // MARK: Events

    func opened(_ connection: Connection) {
        guard connection.negotiatedProtocol == "h2" else { return connection.close() }
        let rules = service.rules
        memory = ConnectionMemory(hasCertificate: connection.peerCertificate != nil)
        limit = memory.hasCertificate ? rules.streams : rules.firstStreams
        var limits = HTTP2Limits()
        limits.streams = limit
        limits.headBytes = 8000
        if let window = rules.window { limits.streamWindow = window }
        // A client acknowledges each change of the limit, and is reset as often as an instruction says.
        limits.effort = 100_000_000
        limits.effortPerSecond = 100_000_000
        session = try? HTTP2Session(.server, limits: limits)
        session?.delegate = self
        service.opened()
        send()
        if session == nil { connection.abort() }
    }

    func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
        do {
            try session?.receive(bytes)
            send()
        } catch {
            send()
            connection.close()
        }
        if session?.isFinished == true { connection.close() }
        return bytes.count
    }

    func closed(_ connection: Connection, _ reason: ConnectionEnd) {
        timer?.cancel()
    }

    /// Writes what is queued.
    private func send() {
        session?.drain(into: &frames)
        if !frames.isEmpty { connection.write(frames.span) }
        frames.removeAll(keepingCapacity: true)
    }

    // MARK: What is to be done

    private func complete(_ stream: Int32) {
        guard let request = arriving.removeValue(forKey: stream) else { return }
        waiting.insert(stream)
        let judged = service.judge(request.head, request.body, &memory)
        if judged.delay > .zero, case .reply = judged.answer {
            let moment = connection.core.now + judged.delay
            answers.append(Due(stream: stream, answer: judged.answer, push: judged.push, moment: moment))
            setTimer()
        } else {
            carryOut(judged.answer, stream, judged.push)
        }
    }

    private func setTimer() {
        guard timer == nil, let first = answers.first else { return }
        timer = connection.core.at(first.moment) { [unowned self] in
            timer = nil
            while let due = answers.first, due.moment <= connection.core.now {
                answers.removeFirst()
                carryOut(due.answer, due.stream, due.push)
            }
            send()
            setTimer()
        }
    }

    private func carryOut(_ answer: SimulatedAnswer, _ stream: Int32, _ push: PushCheck.Push?) {
        guard waiting.contains(stream) else { return }
        switch answer {
        case .reply(let status, let reason, let timestamp, let retryAfter):
            waiting.remove(stream)
            reply(stream, status, reason, timestamp, retryAfter, push)
            closeIfDone()
        case .silence: break
        case .late: _ = service.count(accepted: push)
        case .reset(let code):
            waiting.remove(stream)
            session?.reset(stream, HTTP2Code(rawValue: code))
        case .goAway(let goAway): sendGoAway(goAway, stream, push)
        case .hangUp: connection.abort()
        }
    }

    // MARK: Answers

    private func reply(
        _ stream: Int32, _ status: Int, _ reason: String?, _ timestamp: Date?, _ retryAfter: Int?,
        _ push: PushCheck.Push?
    ) {
        var fields = FieldLines()
        if let id = push?.id, let name = Self.apnsID { fields.append(name, id) }
        if let retryAfter { fields.append(.retryAfter, String(retryAfter)) }
        let addsFields = service.rules.addsFields
        if addsFields, let name = Self.addedLater { fields.append(name, "1") }
        let status = HTTPResponse.Status(code: status)
        guard status != .ok else {
            session?.submitResponse(stream, status: status, fields: fields, body: nil)
            setLimit(service.count(accepted: push))
            return
        }
        fields.append(.contentType, "application/json")
        let json = Self.json(reason, timestamp)
        let body = Array((addsFields ? json.replacing("{", with: #"{"addedLater":[1],"#) : json).utf8)
        session?.submitResponse(stream, status: status, fields: fields, body: .bytes(body))
        service.count(rejection: reason ?? "")
        if (400..<500).contains(status.code), lastStream == nil {
            setLimit(service.rules.firstStreams)
            if service.rules.refusesInFlight { refuseInFlight() }
        }
    }

    private static func json(_ reason: String?, _ timestamp: Date?) -> String {
        let time = timestamp.map { #","timestamp":\#(Int(($0.timeIntervalSince1970 * 1000).rounded()))"# } ?? ""
        return reason.map { #"{"reason":"\#($0)"\#(time)}"# } ?? ""
    }

    private func setLimit(_ streams: Int) {
        guard limit != streams else { return }
        limit = streams
        session?.setStreamLimit(streams)
    }

    private func refuseInFlight() {
        for stream in waiting.sorted() { session?.reset(stream, .refusedStream) }
        for _ in waiting { service.refusedStream() }
        waiting = []
        answers = []
    }

    // MARK: The end

    private func sendGoAway(_ goAway: SimulatedGoAway, _ stream: Int32, _ push: PushCheck.Push?) {
        let last =
            switch goAway.last {
            case .this: stream
            case .previous: max(0, stream - 2)
            case .number(let number): Int32(clamping: number)
            }
        lastStream = last
        session?.goAway(.noError, lastStream: last, data: Array((goAway.reason.map { Self.json($0, nil) } ?? "").utf8))
        waiting = waiting.filter { $0 <= last }
        arriving = arriving.filter { $0.key <= last }
        guard goAway.answersRest else { return close() }
        if waiting.contains(stream) { carryOut(.accepted, stream, push) }
        closeIfDone()
    }

    private func closeIfDone() {
        guard lastStream != nil, waiting.isEmpty, arriving.isEmpty else { return }
        close()
    }

    /// Closes it behind what is queued.
    private func close() {
        send()
        connection.close()
    }
}

// MARK: - Requests

extension SimulatedConnection: HTTP2SessionDelegate {
    func request(_ stream: Int32, _ head: RequestHead, ends: Bool) {
        if let lastStream, stream > lastStream { return }
        arriving[stream] = Arriving(head: head)
        guard let open = session?.openStreams, open > mostStreams else { return }
        mostStreams = open
        service.mostStreams(open)
    }

    func refused(_ stream: Int32, _ violation: Violation) { session?.reset(stream, .protocolError) }

    func refusedOverLimit() { service.refusedStream() }

    func body(_ stream: Int32, _ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { arriving[stream]?.body.append(contentsOf: $0) }
    }

    func end(_ stream: Int32) { complete(stream) }

    func closed(_ stream: Int32, _ code: HTTP2Code) {
        arriving[stream] = nil
        waiting.remove(stream)
    }
}
