import FoundationEssentials
import TLS

/// A name or an address under which callers outside reach a service: `test-result-server=labs.example.org`.
package struct OutsideName: Hashable, Sendable, CustomStringConvertible {
    /// The service, which serves others.
    let service: String
    /// The name in lower case, or the address.
    let host: String
    /// Whether ``host`` is an IP address.
    let isAddress: Bool

    /// - Parameter text: `SERVICE=NAME`.
    /// - Throws: ``CommandFailure``.
    package init(_ text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw CommandFailure(
                "\(text) names no service: write SERVICE=NAME, such as test-result-server=labs.example.org.")
        }
        service = String(parts[0])
        host = parts[1].lowercased()
        isAddress = IPAddress.bytes(host) != nil
        let servers = SuiteCertificates.holders.filter(\.isServer).map(\.name)
        guard servers.contains(service) else {
            throw CommandFailure(
                "\(service) is no service with a certificate: it must be one of \(servers.joined(separator: ", ")).")
        }
        // With another's name a service could pose as it.
        guard !SuiteCertificates.holders.contains(where: { $0.name == host }) else {
            throw CommandFailure(
                "\(host) is a name within the suite: \(service) needs the one that outside callers use.")
        }
        guard isAddress || Self.isDNSName(host) else {
            throw CommandFailure(
                "\(parts[1]) is neither a DNS name, such as labs.example.org, nor an IP address: letters, digits and hyphens "
                    + "between dots are allowed, no port, no address of a page and no wildcard.")
        }
    }

    /// `SERVICE=NAME`.
    package var description: String { "\(service)=\(host)" }

    /// Labels of letters, digits and hyphens (RFC 1123, section 2.1). The last one isn't a number, or it would be a mistyped address.
    private static func isDNSName(_ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isDigit: (UInt8) -> Bool = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains
        return text.utf8.count <= 253 && labels.last?.allSatisfy(isDigit) == false
            && labels.allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy {
                        isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }
}
