import HTTPContract
import HTTPMessage
import HTTPTypes
import Loop

/// A request of a listener with routes: its body, then the task that answers it. The level with `await`.
///
/// If the route says how large a body may be, the task starts when the request is complete, which often needs no suspension at
/// all. Otherwise it starts at the header, and the body waits with the client until the responder reads it.
final class RequestTask: ExchangeHandler {
    typealias Reader = CheckedContinuation<[UInt8], any Error>

    private let exchange: ServerExchange
    private let target: Dispatcher.Target
    private let dispatcher: Dispatcher
    private let listener: ListenerCore
    private let connection: ServerConnection
    private var received: [UInt8] = []
    private var limit: Int?
    private var isComplete = false
    private var reader: Reader?
    private var task: Task<Void, Never>?

    init(
        _ exchange: ServerExchange, _ target: Dispatcher.Target, of dispatcher: Dispatcher,
        on connection: ServerConnection
    ) {
        self.exchange = exchange
        self.target = target
        self.dispatcher = dispatcher
        self.connection = connection
        listener = connection.listener
        limit = target.bodyLimit
        if limit == nil, exchange.head.hasBody { exchange.pauseBody() }
    }

    // MARK: The body

    func body(_ bytes: Span<UInt8>) {
        guard received.count + bytes.count <= limit ?? 0 else { return tooLarge() }
        bytes.withUnsafeBufferPointer { received.append(contentsOf: $0) }
    }

    private func tooLarge() {
        received = []
        if let reader {
            self.reader = nil
            limit = 0
            reader.resume(throwing: Problem.contentTooLarge)
        } else if task == nil {
            dispatcher.refuse(exchange, Problem.contentTooLarge, at: target, reading: 0)
        }
    }

    func end() {
        isComplete = true
        if let reader {
            self.reader = nil
            reader.resume(returning: received)
        } else if task == nil {
            start()
        }
    }

    /// The body, if all of it is there.
    func completeBody(upTo limit: Int) throws(Problem) -> [UInt8]? {
        if isComplete || !exchange.head.hasBody {
            guard received.count <= limit else { throw .contentTooLarge }
            return received
        }
        return nil
    }

    /// Reads the body for the responder.
    func read(upTo limit: Int, _ reader: Reader) {
        guard self.reader == nil, exchange.isOpen else { return reader.resume(throwing: ConnectionLost()) }
        do throws(Problem) {
            if let body = try completeBody(upTo: limit) { return reader.resume(returning: body) }
            if case .length(let length) = exchange.head.framing, length > limit { throw .contentTooLarge }
        } catch {
            return reader.resume(throwing: error)
        }
        self.limit = limit
        self.reader = reader
        exchange.resumeBody()
    }

    // MARK: The task

    /// Starts the task. It runs on the connection's core, at once until it first suspends.
    func start() {
        let request = LocalTo(self, on: exchange.core)
        let (dispatcher, target) = (dispatcher, target)
        let exchange = Exchange(exchange, self)
        listener.taskBegan()
        connection.tasks += 1
        let task = Task.immediate(executorPreference: self.exchange.core) {
            let answer = await dispatcher.answer(to: exchange, at: target)
            await request.value.finish(answer)
        }
        if self.exchange.isOpen { self.task = task }
    }

    /// - Parameter answer: nil to close the connection.
    private func finish(_ answer: ServerAnswer?) async {
        defer {
            task = nil
            connection.tasks -= 1
            listener.taskEnded()
        }
        // Too late if the listener has answered instead, or the caller is gone.
        guard exchange.isOpen else { return }
        guard var answer else { return exchange.hangUp() }
        if let stream = answer.body.stream {
            guard let body = await write(answer, stream) else { return }
            answer.body = ResponseBody(body)
        }
        dispatcher.respond(exchange, with: answer, at: target)
    }

    /// Writes a body of unknown length.
    ///
    /// - Returns: the body, if it has to be sent as a whole.
    private func write(
        _ answer: ServerAnswer, _ stream: @Sendable (inout ResponseWriter) async throws -> Void
    ) async -> [UInt8]? {
        let isStreamed = exchange.beginStream(answer)
        connection.schedule()
        var writer = ResponseWriter(exchange, collects: !isStreamed)
        try? await stream(&writer)
        guard writer.isFinished else {
            exchange.hangUp()
            return nil
        }
        if isStreamed {
            exchange.endStream()
            dispatcher.record(answer.status, exchange, at: target)
            return nil
        }
        return writer.collected
    }

    // MARK: The listener ends it

    func overruled(_ status: HTTPResponse.Status) -> ServerAnswer {
        dispatcher.record(status, exchange, at: target)
        cancel()
        return Dispatcher.refusal(status)
    }

    func gone() { cancel() }

    private func cancel() {
        let reader = reader
        self.reader = nil
        reader?.resume(throwing: ConnectionLost())
        task?.cancel()
    }
}
