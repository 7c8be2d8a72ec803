import Dispatch
import Glibc

/// A TCP connection over which a test writes what an HTTP client wouldn't.
package final class RawConnection: Sendable {
    private let descriptor: Int32
    /// Its calls block, so they have a thread of their own.
    private let queue = DispatchQueue(label: "raw connection")

    private init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectionFailure(code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // A test that waits longer has failed.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard status == 0 else { throw ConnectionFailure(code: errno) }
    }

    deinit { close(descriptor) }

    /// Writes text.
    package func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    /// Writes bytes.
    ///
    /// - Throws: ``ConnectionFailure`` if the server has closed the connection.
    package func write(_ bytes: [UInt8]) async throws {
        try await run { descriptor in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw ConnectionFailure(code: errno) }
                sent += count
            }
        }
    }

    /// Sends nothing more.
    package func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection with a reset, as a client that disappears does.
    package func reset() async throws {
        try await run { descriptor in
            dissolve(descriptor)
        }
    }

    /// The next bytes that the server sends; none at the end.
    package func read() async -> [UInt8] {
        let bytes = try? await run { descriptor in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            return Array(buffer.prefix(max(0, count)))
        }
        return bytes ?? []
    }

    /// Everything the server sends until it closes the connection. A reset also ends it.
    package func readToEnd() async -> String {
        var all: [UInt8] = []
        while true {
            let bytes = await read()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    private func run<R: Sendable>(_ work: @escaping @Sendable (Int32) throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try work(descriptor) }) }
        }
    }

    /// Calls `body` with a connection, which ends afterwards.
    package static func open<Result>(
        port: Int, _ body: (RawConnection) async throws -> Result
    ) async throws -> Result {
        try await body(RawConnection(port: port))
    }
}

/// Dissolves a socket's connection at once, with a reset; closing the socket comes later.
func dissolve(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    var nobody = sockaddr()
    nobody.sa_family = sa_family_t(AF_UNSPEC)
    _ = connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
}

/// A connection that the server has refused or closed.
package struct ConnectionFailure: Error {
    /// The `errno`.
    package let code: Int32
}
