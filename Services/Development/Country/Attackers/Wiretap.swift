import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A relay in front of the metadata proxy that measures what passes, as somebody does who watches a phone's network.
///
/// It sees TLS records and their lengths. Those of the handshake, which every connection begins with, don't count.
final class Wiretap: Sendable {
    /// The lengths of encrypted records that passed, in bytes.
    struct Lengths: Sendable, Equatable {
        var sent = 0
        var received = 0
    }

    /// The port that it listens on, on this machine.
    let port: Int
    private let listener: any Channel
    private let meter = Meter()

    /// Relays connections to a port of this machine.
    init(to port: Int) async throws {
        let meter = meter
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { caller in
                ClientBootstrap(group: caller.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { proxy in
                        // Both channels have one event loop.
                        caller.eventLoop.makeCompletedFuture {
                            let line = Line(meter)
                            try caller.pipeline.syncOperations.addHandler(Passage(to: proxy, line, isSent: true))
                            try proxy.pipeline.syncOperations.addHandler(Passage(to: caller, line, isSent: false))
                            for channel in [caller, proxy] { _ = channel.setOption(.autoRead, value: true) }
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let own = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.port = own
    }

    /// What has passed since the last call.
    func take() -> Lengths { meter.take() }

    /// Stops listening.
    func close() async { try? await listener.close() }

    // MARK: Counting

    private final class Meter: Sendable {
        private let lengths = Mutex(Lengths())

        func add(_ length: Int, isSent: Bool) {
            lengths.withLock { if isSent { $0.sent += length } else { $0.received += length } }
        }

        func take() -> Lengths {
            lengths.withLock { lengths in
                defer { lengths = Lengths() }
                return lengths
            }
        }
    }

    /// One connection's records in both directions (RFC 8446, section 5.1). The caller's first encrypted one ends the handshake.
    private final class Line {
        private let meter: Meter
        private var isOpen = false

        init(_ meter: Meter) { self.meter = meter }

        func saw(_ type: UInt8, length: Int, isSent: Bool) {
            guard type == Self.encrypted else { return }
            if isOpen {
                meter.add(length, isSent: isSent)
            } else if isSent {
                isOpen = true
            }
        }

        private static let encrypted: UInt8 = 23
    }

    /// Passes on the bytes of one direction, and finds the records in them.
    private final class Passage: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let line: Line
        private let isSent: Bool
        /// The beginning of a record's header, and the bytes of a record that haven't come yet.
        private var header: [UInt8] = []
        private var missing = 0

        init(to other: any Channel, _ line: Line, isSent: Bool) {
            self.other = other
            self.line = line
            self.isSent = isSent
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            // Counted before it is passed on: whoever has an answer finds it counted.
            count(bytes.readableBytesView)
            other.write(bytes, promise: nil)
        }

        func channelReadComplete(context: ChannelHandlerContext) { other.flush() }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private func count(_ bytes: ByteBufferView) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(missing > 0 ? missing : Self.headerSize - header.count)
                rest = rest.dropFirst(part.count)
                if missing > 0 {
                    missing -= part.count
                    continue
                }
                header += part
                guard header.count == Self.headerSize else { return }
                missing = Int(header[3]) << 8 | Int(header[4])
                line.saw(header[0], length: missing, isSent: isSent)
                header.removeAll(keepingCapacity: true)
            }
        }

        private static let headerSize = 5
    }
}
