package import FoundationEssentials

/// What SafetyNet would say. Tests change any part.
package struct SimulatedStatement: Encodable, Hashable, Sendable {
    /// In Base64.
    package var nonce: String?
    /// Milliseconds since 1970.
    package var timestampMs: Int64
    /// The app; nil if it wasn't evaluated.
    package var apkPackageName: String?
    /// SHA-256 of its certificates, in Base64; nil if it wasn't evaluated.
    package var apkCertificateDigestSha256: [String]?
    /// Whether the device passed Android's compatibility tests.
    package var ctsProfileMatch: Bool
    /// Whether nothing shows that the device was tampered with.
    package var basicIntegrity: Bool
    /// `BASIC`, `HARDWARE_BACKED`, or both with a comma between them.
    package var evaluationType: String?

    /// The statement about a good device.
    /// - Parameters:
    ///   - nonce: in Base64.
    ///   - certificateDigests: each in Base64.
    package init(nonce: String, packageName: String, certificateDigests: [String], at instant: Date) {
        self.nonce = nonce
        timestampMs = Int64((instant.timeIntervalSince1970 * 1000).rounded())
        apkPackageName = packageName
        apkCertificateDigestSha256 = certificateDigests
        ctsProfileMatch = true
        basicIntegrity = true
        evaluationType = "BASIC,HARDWARE_BACKED"
    }

    /// Its JSON.
    package var json: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return Array(try encoder.encode(self))
        }
    }
}
