import InMemoryLogging
import Logging
import Testing

struct InMemoryLogHandlerTests {
    @Test("copies share lines, which have the handler's metadata and their own")
    func shared() {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger[metadataKey: "a"] = "handler"
        logger[metadataKey: "b"] = "handler"
        logger.error("first", metadata: ["b": "line"])
        logger.debug("below the level")
        logger.logLevel = .trace
        logger.trace("second")
        #expect(handler.entries.map { "\($0.level) \($0.message)" } == ["error first", "trace second"])
        #expect(handler.entries[0].metadata.mapValues(\.description) == ["a": "handler", "b": "line"])
    }
}
