internal import CLinux
internal import Glibc

/// Addresses of hosts, as the system's resolver gives them (getaddrinfo(3)).
package enum NameLookup {
    /// An address to connect to, or to listen at.
    package struct Address: Sendable {
        fileprivate(set) var storage = sockaddr_storage()
        fileprivate(set) var length: socklen_t = 0

        /// The address of a listening socket, with the port that the system chose.
        init(of descriptor: Int32) {
            length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            withUnsafeMutablePointer(to: &storage) { storage in
                _ = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length)
                }
            }
        }

        fileprivate init() {}

        /// As ``SocketAddress/bytes``.
        package var bytes: [UInt8] { SocketAddress(storage)?.bytes ?? [] }

        var port: Int { SocketAddress(storage)?.port ?? 0 }

        var family: Int32 { Int32(storage.ss_family) }

        func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
            withUnsafePointer(to: storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
            }
        }
    }

    /// The address that a text such as `127.0.0.1` or `::1` is; nil for a name.
    package static func literal(_ host: String, port: Int) -> Address? {
        look(host, port, AI_NUMERICHOST).first
    }

    /// The addresses of a name, the best first; none if it has none. This may wait for seconds.
    package static func addresses(of host: String, port: Int) -> [Address] {
        look(host, port, AI_ADDRCONFIG)
    }

    private static func look(_ host: String, _ port: Int, _ flags: Int32) -> [Address] {
        var hints = addrinfo()
        hints.ai_flags = flags | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [Address] = []
        var next = list
        while let info = next?.pointee {
            if let address = info.ai_addr, Int(info.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size {
                var copy = Address()
                copy.length = info.ai_addrlen
                withUnsafeMutableBytes(of: &copy.storage) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
                }
                addresses.append(copy)
            }
            next = info.ai_next
        }
        return addresses
    }
}
