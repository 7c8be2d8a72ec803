import Crypto
package import FoundationEssentials
import SwiftASN1
import X509

/// The certificate of the root that stands where Apple's and Google's do, when `development-attestation` vouches for phones.
///
/// It is for development only: a data-donation that pins it admits whatever that simulator vouches for.
package enum EvidenceCertificate {
    /// The base name of the files of certificate and key.
    package static let name = "evidence-root"

    private static let lifetime: TimeInterval = 3650 * 86_400

    /// Makes the certificate, unless there is one for the key among the secrets.
    package static func prepare(in folder: StateFolder, now: Date) throws {
        let key = Certificate.PrivateKey(try SuiteSecrets.privateKey("\(name).key", in: folder))
        let file = folder.certificate(name)
        if let pem = try folder.read(file), let known = try? Certificate(pemEncoded: pem),
            known.publicKey == key.publicKey
        {
            return
        }
        let subject = try DistinguishedName { CommonName("Simulated evidence root") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            // From ten years back, for rehearsals in the past.
            notValidBefore: now - lifetime, notValidAfter: now + lifetime, issuer: subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }, issuerPrivateKey: key)
        try folder.write(try certificate.serializeAsPEM().pemString + "\n", to: file, mode: 0o644)
    }
}
