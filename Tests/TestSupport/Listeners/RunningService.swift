import Glibc
package import Logging
package import Running
import Synchronization

/// Runs a service through its front door while `body` runs.
///
/// - Parameters:
///   - settings: as in a configuration file, with dotted keys; ports from ``TestPort``.
///   - serve: the front door, such as `VerificationServer.serve`.
///   - logger: by default nothing is logged.
package func withRunningService<Result: Sendable>(
    _ name: String, settings: [String: String], clock: WallClock = .system,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    serve: @escaping @Sendable (ServiceRuntime) async throws -> Void,
    _ body: (ServiceRuntime) async throws -> Result
) async throws -> Result {
    let runtime = ServiceRuntime(name: name, settings: settings, clock: clock, logger: logger)
    return try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await serve(runtime)
            return false
        }
        group.addTask {
            try await runtime.opened()
            return true
        }
        // Whichever comes first: the ports are open, or the service fails.
        guard try await group.next() == true else { throw ServiceEndedEarly(name: name) }
        let result = try await body(runtime)
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}

/// A service returned before its ports were open.
package struct ServiceEndedEarly: Error {
    package let name: String
}

/// Ports for listeners whose callers must know them in advance.
package enum TestPort {
    /// Below the range of ephemeral ports, so that the system gives them to nobody else.
    ///
    /// Each process starts at another place in the range.
    private static let range = 20_000..<32_000
    private static let next = Mutex(range.lowerBound + Int(getpid()) * 97 % range.count)

    /// A free port.
    package static func free() -> Int {
        for _ in range {
            let candidate = next.withLock { next in
                next = next + 1 < range.upperBound ? next + 1 : range.lowerBound
                return next
            }
            if isFree(candidate) { return candidate }
        }
        preconditionFailure("all ports are taken")
    }

    /// The first of several consecutive free ports.
    package static func free(_ count: Int) -> Int {
        while true {
            let first = next.withLock { next in
                let first = next + count < range.upperBound ? next + 1 : range.lowerBound
                next = first + count - 1
                return first
            }
            if (first..<first + count).allSatisfy(isFree) { return first }
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
