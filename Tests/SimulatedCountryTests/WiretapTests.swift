import Loop
import Synchronization
import Testing

@testable import SimulatedCountry

/// The relay that watches a phone's network.
@Suite("A wiretap", .timeLimit(.minutes(1))) struct WiretapTests {
    /// Sends back what comes.
    private final class Echo: ConnectionHandler {
        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            connection.write(bytes)
            return bytes.count
        }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) {}
    }

    /// Says what comes back.
    private final class Caller: ConnectionHandler {
        private let came: AsyncStream<[UInt8]>.Continuation

        init(_ came: AsyncStream<[UInt8]>.Continuation) { self.came = came }

        func received(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
            came.yield(bytes.withUnsafeBufferPointer { Array($0) })
            return bytes.count
        }
        func closed(_ connection: Connection, _ reason: ConnectionEnd) { came.finish() }
    }

    private static func record(_ type: UInt8, _ length: Int) -> [UInt8] {
        [type, 3, 3, UInt8(length >> 8), UInt8(length & 255)] + Array(repeating: 7, count: length)
    }

    @Test(
        "passes everything on, and counts encrypted records behind the handshake, however they are cut",
        arguments: [1, 5, 700, 100_000])
    func counts(pieces size: Int) async throws {
        let core = Cores.shared.next()
        let echo = Acceptor(ListenOptions(host: "127.0.0.1", port: 0, maxConnections: 4), on: [core]) { _ in Echo() }
        let tap = try Wiretap(to: try echo.open())
        // A hello, the record that ends the handshake, two of a request, and an alert.
        let handshake = Self.record(22, 300) + Self.record(23, 53)
        let sent = handshake + Self.record(23, 4000) + Self.record(23, 40_000) + Self.record(21, 2)
        let (stream, came) = AsyncStream.makeStream(of: [UInt8].self)
        let port = tap.port
        let connection = await core.submit {
            let made = Connection.open(
                to: "127.0.0.1", port: port, on: core, within: .seconds(10), handler: Caller(came))
            for start in stride(from: 0, to: sent.count, by: size) {
                made.write(sent[start..<min(start + size, sent.count)])
            }
            return LocalTo(made, on: core)
        }
        var back: [UInt8] = []
        for await bytes in stream {
            back += bytes
            if back.count == sent.count { break }
        }
        #expect(back == sent)
        // The echo of the handshake's end counts: it is the second encrypted record.
        #expect(tap.take() == Wiretap.Lengths(sent: 44_000, received: 44_053))
        #expect(tap.take() == Wiretap.Lengths())
        await core.submit { connection.value.abort() }
        await tap.close()
        await echo.stopAccepting()
    }
}
