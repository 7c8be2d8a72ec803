import FoundationEssentials
import X509

/// What laboratories send to whoever signs certificates.
extension DecoderTarget {
    /// In PEM or DER. What is accepted has a signature of its own key, so there is nothing to write again.
    static func certificateRequest(_ bytes: Data) -> Verdict {
        do {
            _ = try CertificateRequest(Array(bytes))
            return .value
        } catch {
            return .refused
        }
    }
}
