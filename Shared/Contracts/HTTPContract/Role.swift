/// A caller's role, as its certificate names it.
///
/// The development CA (`vigil certificates`) writes the role into a certificate as a URI subject alternative name,
/// `vigil:role:<raw value>`. A route names the roles that may call it; a listener answers any other with 403.
package enum Role: String, Hashable, Sendable, CaseIterable {
    /// A laboratory that posts PCR results.
    case lab
    /// A rapid-antigen test centre.
    case quickTest = "quick-test"
    /// A centre for point-of-care PCR tests.
    case pocnat
    /// The server that issues test certificates. It requests results on behalf of phones that gave it their token.
    case certificateServer = "certificate-server"
    /// An authority's own web portal through which health officers ask for teleTANs.
    case portal
    /// A health authority's contact tracing system, which uploads trace keys.
    case contactTracing = "contact-tracing"
    /// The server of a survey, which redeems the passwords of its participants.
    case surveyServer = "survey-server"
    /// The server that takes error logs, which redeems the passwords of their senders.
    case logServer = "log-server"
    /// The gateway through which countries exchange keys. It calls back when there is something to download.
    case gateway
    case healthPortal = "health-portal"
    case metadataProxy = "metadata-proxy"
    case verificationServer = "verification-server"
    case testResultServer = "test-result-server"
    case submissionServer = "submission-server"
    case distribution
    case federation
    case pushDispatcher = "push-dispatcher"
    case dataDonation = "data-donation"
    case further
    /// The scraper of the admin ports.
    case prometheus

    /// The URI of this role in a certificate.
    package var certificateURI: String { "vigil:role:\(rawValue)" }

    /// The role that a certificate's URI names; nil for any other URI.
    package init?(certificateURI: String) {
        let prefix = "vigil:role:"
        guard certificateURI.hasPrefix(prefix) else { return nil }
        self.init(rawValue: String(certificateURI.dropFirst(prefix.count)))
    }
}
