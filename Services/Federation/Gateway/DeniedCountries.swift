import Crypto
import FederationFormat
import FoundationEssentials
import Running
import TLS

/// The countries' certificates that aren't believed, from the file that `gateway.denied` names.
///
/// The gateway's audit goes on to show certificates that were revoked after an upload, with the trust anchor's signature. So whoever stole
/// one could sign keys that other countries believe until it expires. The file has the form of `tls.denied`, and is read for each batch.
struct DeniedCountries: Sendable {
    private let path: String?

    /// The list names nobody.
    static let none = DeniedCountries(path: nil)

    private init(path: String?) { self.path = path }

    /// - Throws: unless the file is in order now.
    init(_ settings: Settings) throws(ConfigurationProblem) {
        guard settings.optionalString("gateway.denied") != nil else {
            self = .none
            return
        }
        path = try settings.path("gateway.denied")
        guard current != nil else {
            throw settings.wrong(
                "gateway.denied",
                "names \(path ?? ""), in which each line must be a certificate's SHA-256 fingerprint or begin with #")
        }
    }

    /// What the file says now; nil if it can't be read, or is half-written. Then nothing may be believed.
    var current: DeniedCertificates? {
        guard let path else { return DeniedCertificates.none }
        return FileManager.default.contents(atPath: path).flatMap { try? DeniedCertificates(Array($0)) }
    }
}

extension DeniedCertificates {
    /// Whether a country's certificate is denied.
    func contains(_ certificate: FederationCertificate) -> Bool { contains(Array(SHA256.hash(data: certificate.der))) }
}
