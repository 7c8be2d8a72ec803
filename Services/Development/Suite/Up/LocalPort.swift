import Glibc

/// A port of a suite on one machine.
package struct LocalPort: Sendable {
    /// The configuration key that sets it.
    package let key: String
    /// The port's number.
    package let number: Int
    /// The URL's scheme.
    let scheme: String
    /// The users of the port, in the words of the closing table.
    let purpose: String

    /// All are bound to this address only.
    static let host = "127.0.0.1"

    /// The port's URL.
    package var url: String { "\(scheme)://\(Self.host):\(number)" }

    /// Whether another process listens there.
    var isTaken: Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Connections of an earlier run that are still closing are no obstacle to the services either.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: number).bigEndian)
        inet_pton(AF_INET, Self.host, &address.sin_addr)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result != 0 && errno == EADDRINUSE
    }
}
