import Glibc

/// Every port the suite listens on: its place after the first port, whose it is, the key that sets it, and for whom.
package enum SuitePort: Int, CaseIterable, Sendable {
    case proxy = 0
    case proxyAdmin = 9
    case verificationApp = 10
    case verificationPortal = 11
    case verificationInternal = 12
    case verificationAdmin = 19
    case laboratories = 20
    case testResults = 21
    case testResultsAdmin = 29
    case submission = 30
    case submissionAdmin = 39
    case downloads = 40
    case distributionAdmin = 48
    case downloadsAdmin = 49
    case push = 50
    case pushAdmin = 59
    case apnsProduction = 61
    case apnsSandbox = 62
    case apnsControl = 63
    case apnsAdmin = 69

    /// The first port of a suite that was not told otherwise.
    package static let defaultFirst = 8000
    /// All are bound to this address only.
    static let host = "127.0.0.1"

    /// The port of a suite that begins at `first`.
    package func number(first: Int) -> Int { first + rawValue }

    /// The configuration key that sets the port.
    package var key: String {
        switch self {
        case .verificationApp: "app.port"
        case .verificationPortal: "portal.port"
        case .laboratories: "laboratories.port"
        case .verificationInternal, .testResults: "internal.port"
        case .proxy, .submission, .downloads, .push: "listen.port"
        case .apnsProduction: "production.port"
        case .apnsSandbox: "sandbox.port"
        case .apnsControl: "control.port"
        case .proxyAdmin, .verificationAdmin, .testResultsAdmin, .submissionAdmin, .distributionAdmin,
            .downloadsAdmin, .pushAdmin, .apnsAdmin:
            "admin.port"
        }
    }

    /// For whom it is, as the closing table says it.
    var purpose: String {
        switch self {
        case .proxy: "apps: tests, TANs, uploads"
        case .verificationApp: "metadata-proxy only (mutual TLS)"
        case .verificationPortal: "portal and certificate server (mutual TLS)"
        case .verificationInternal: "submission-server only (mutual TLS)"
        case .laboratories: "labs and test centres (mutual TLS)"
        case .testResults: "verification-server only (mutual TLS)"
        case .submission: "metadata-proxy only (mutual TLS)"
        case .downloads: "apps: what is published"
        case .push: "metadata-proxy and distribution (mutual TLS)"
        case .apnsProduction, .apnsSandbox: "push-dispatcher, in place of Apple's service"
        case .apnsControl: "operator: tells which phones were woken"
        case .proxyAdmin, .verificationAdmin, .testResultsAdmin, .submissionAdmin, .distributionAdmin,
            .downloadsAdmin, .pushAdmin, .apnsAdmin:
            "operator: /health /ready /metrics"
        }
    }

    /// Published files are public; admin ports never leave the machine; all else is TLS.
    private var scheme: String {
        switch self {
        case .proxy, .verificationApp, .verificationPortal, .verificationInternal, .laboratories, .testResults,
            .submission, .push, .apnsProduction, .apnsSandbox:
            "https"
        case .downloads, .proxyAdmin, .verificationAdmin, .testResultsAdmin, .submissionAdmin,
            .distributionAdmin, .downloadsAdmin, .pushAdmin, .apnsControl, .apnsAdmin:
            "http"
        }
    }

    /// Where to reach it.
    package func url(first: Int) -> String { "\(scheme)://\(Self.host):\(number(first: first))" }

    /// Whether somebody already listens there.
    static func isTaken(_ number: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Connections of an earlier run that are still closing are no obstacle to the services either.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: number).bigEndian)
        inet_pton(AF_INET, host, &address.sin_addr)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result != 0 && errno == EADDRINUSE
    }
}
