import Crypto
import FederationFormat
import FoundationEssentials
import PKCS11
import Running

/// The key that signs this country's batches, and its certificate, from `signing.key` and `signing.certificate`.
struct BatchSigning: Sendable {
    let signer: any BatchSigner

    static let keys = ["signing.certificate", "signing.key"]

    /// Reads key and certificate, or opens a session with the key's token, and signs once.
    ///
    /// Blocks until the token answers; call it before anything else runs.
    /// - Throws: `ConfigurationProblem`, which says what to do.
    init(_ settings: Settings) async throws {
        let certificate = try Self.certificate(settings)
        let signer = try Self.signer(settings, certificate)
        self.signer = signer
        do {
            _ = try await BatchSignature.make(over: Array("Vigil tries this key.".utf8), by: signer)
        } catch SignatureFlaw.key {
            throw settings.wrong(
                "signing.certificate",
                "is for a key that no other country accepts: make a key on P-256 or P-384, or for RSA with 3072 to 8192 bits"
            )
        } catch SignatureFlaw.mismatch {
            throw settings.wrong(
                "signing.key", "names a key that doesn't belong to the certificate that signing.certificate names")
        } catch let problem as PKCS11Problem {
            throw settings.wrong("signing.key", "names a key that can't be used: \(problem)")
        } catch SignatureFlaw.unreadable {
            throw settings.wrong(
                "signing.certificate",
                "is too long: with it, a signature has more than \(BatchSignature.longest) bytes, and gateways store no more"
            )
        }
    }

    private static func certificate(_ settings: Settings) throws(ConfigurationProblem) -> FederationCertificate {
        let path = try settings.path("signing.certificate")
        guard let certificate = try? FederationCertificate(pem: try settings.text("signing.certificate")) else {
            throw settings.wrong("signing.certificate", "names \(path), which must hold one certificate in PEM")
        }
        let origin = try GatewayPlan.origin(settings)
        guard certificate.country == origin else {
            throw settings.wrong(
                "signing.certificate",
                "is \(certificate.country.map { "one of \($0)" } ?? "one without a country") and must be one of \(origin), "
                    + "the setting origin, with C=\(origin) in its subject once")
        }
        return certificate
    }

    private static func signer(
        _ settings: Settings, _ certificate: FederationCertificate
    ) throws(ConfigurationProblem) -> any BatchSigner {
        let place = try settings.string("signing.key")
        do {
            guard !place.hasPrefix(PKCS11URI.scheme) else {
                return TokenBatchSigner(
                    certificate: certificate, key: try PKCS11Key(PKCS11URI(place), kinds: PKCS11KeyKind.allCases))
            }
            let pem = String(decoding: try PrivateFile.read(place), as: UTF8.self)
            return try BatchSigningKey(pem: pem, certificate: certificate)
        } catch let flaw as PKCS11URIFlaw {
            throw settings.wrong("signing.key", "\(flaw)")
        } catch let problem as PKCS11Problem {
            throw settings.wrong("signing.key", "names a key that can't be used: \(problem)")
        } catch let problem as PrivateFileProblem {
            throw settings.wrong("signing.key", "names a file that isn't used: \(problem)")
        } catch {
            throw settings.wrong(
                "signing.key",
                "names \(place), which must hold a private key on P-256 or P-384, or for RSA with 3072 to 8192 bits, in PEM"
            )
        }
    }
}

/// A key on a token, with its certificate.
private struct TokenBatchSigner: BatchSigner {
    let certificate: FederationCertificate
    let key: PKCS11Key

    /// - Throws: ``PKCS11Problem``.
    func sign(_ digest: SHA256Digest) async throws -> [UInt8] { try await key.sign(digest) }
}
