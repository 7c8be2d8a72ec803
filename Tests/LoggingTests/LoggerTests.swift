import Logging
import Synchronization
import Testing

struct LoggerTests {
    private struct Refusal: Error {}

    /// Keeps what it is given.
    private struct Handler: LogHandler {
        final class Events: Sendable {
            let all = Mutex<[LogEvent]>([])
        }

        let events: Events
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { events.all.withLock { $0.append(event) } }
    }

    @Test("each level writes at its level")
    func levels() {
        let events = Handler.Events()
        var logger = Logger(label: "test") { _ in Handler(events: events) }
        logger.logLevel = .trace
        logger.trace("a")
        logger.debug("a")
        logger.info("a")
        logger.notice("a")
        logger.warning("a")
        logger.error("a")
        logger.critical("a")
        #expect(events.all.withLock { $0.map(\.level) } == Logger.Level.allCases)
        #expect(Logger.Level.allCases == Logger.Level.allCases.sorted())
        #expect(Logger.Level(rawValue: "notice") == .notice)
        #expect(Logger.Level(rawValue: "loud") == nil)
    }

    @Test("below the level, neither message nor metadata are computed")
    func lazily() {
        let events = Handler.Events()
        let logger = Logger(label: "test") { _ in Handler(events: events) }
        var computed = 0
        func counted() -> String {
            computed += 1
            return "a"
        }
        logger.debug("\(counted())", metadata: ["a": "\(counted())"])
        #expect(computed == 0)
        logger.info("\(counted())", metadata: ["a": "\(counted())"])
        #expect(computed == 2)
        #expect(events.all.withLock { $0.count } == 1)
    }

    @Test("a line carries its error and its metadata")
    func event() throws {
        let events = Handler.Events()
        let logger = Logger(label: "test") { _ in Handler(events: events) }
        logger.error("failed", error: Refusal(), metadata: ["a": ["b", "\(1)"], "c": ["d": .stringConvertible(2.5)]])
        let event = try #require(events.all.withLock { $0.first })
        #expect(event.message.description == "failed")
        #expect(event.error is Refusal)
        #expect(event.metadata?["a"]?.description == #"["b", "1"]"#)
        #expect(event.metadata?["c"]?.description == #"["d": "2.5"]"#)
    }

    @Test("a copy has its own level and metadata")
    func values() {
        let logger = Logger(label: "test") { _ in Handler(events: Handler.Events()) }
        var copy = logger
        copy.logLevel = .critical
        copy[metadataKey: "a"] = "b"
        #expect(logger.logLevel == .info)
        #expect(logger[metadataKey: "a"]?.description == nil)
        #expect(copy[metadataKey: "a"]?.description == "b")
    }

    @Test("the handler without effect writes nothing and keeps nothing")
    func nothing() {
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .trace
        logger[metadataKey: "a"] = "b"
        #expect(logger[metadataKey: "a"]?.description == nil)
        logger.critical("a")
    }
}
