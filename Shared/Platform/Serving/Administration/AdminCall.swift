import Glibc
import HTTP1
import HTTPMessage
import HTTPTypes

/// One request to an admin port of this machine, on a blocking socket: a health check needs neither a pool nor a core.
enum AdminCall {
    /// Nothing answers there, or not in time, or not HTTP.
    struct Failure: Error {}

    /// Returns the body of the answer, whatever its status.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a body.
    ///   - patience: from the connection's start to the last byte.
    static func get(_ path: String, port: Int, limit: Int, within patience: Duration) throws(Failure) -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        let end = ContinuousClock.now + patience
        try wait(descriptor, until: end)
        try connect(descriptor, port)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: \(Listener.loopback)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { throw Failure() }
        return try receive(descriptor, limit: limit, until: end)
    }

    private static func connect(_ descriptor: Int32, _ port: Int) throws(Failure) {
        guard let port = UInt16(exactly: port) else { throw Failure() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure() }
    }

    /// Limits the next system calls on a socket to the time that is left.
    private static func wait(_ descriptor: Int32, until end: ContinuousClock.Instant) throws(Failure) {
        let left = ContinuousClock.now.duration(to: end).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { throw Failure() }
        // Zero would be no limit at all.
        var time = timeval(tv_sec: Int(left.seconds), tv_usec: Int(left.attoseconds / 1_000_000_000_000) + 1)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    private static func receive(
        _ descriptor: Int32, limit: Int, until end: ContinuousClock.Instant
    ) throws(Failure) -> [UInt8] {
        var parser = ResponseParser(headBytes: 16 << 10)
        parser.expect(.get)
        var body: [UInt8] = []
        var received: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            try wait(descriptor, until: end)
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { throw Failure() }
            received.append(contentsOf: piece[..<count])
            var position = 0
            do {
                while let part = try parser.next(received.span, &position) {
                    switch part {
                    case .head: break
                    case .body(let range): body.append(contentsOf: received[range])
                    case .end: return body
                    }
                    guard body.count <= limit else { throw Failure() }
                }
            } catch {
                throw Failure()
            }
            received.removeFirst(position)
        }
    }
}
