internal import FoundationEssentials
package import Running
internal import SwiftASN1
internal import X509

/// The TLS context of a listener for our own services and partners.
package struct MutualServer: Sendable {
    /// The context for every handshake from now on.
    package let context: TLSContext
    private let denied: DeniedCertificates

    init(context: TLSContext, denied: DeniedCertificates) {
        self.context = context
        self.denied = denied
    }

    /// Whether a caller's certificate is denied, by its fingerprint.
    ///
    /// A nil fingerprint is denied, although no handshake allows it.
    package func denies(_ fingerprint: [UInt8]?) -> Bool {
        fingerprint.map { denied.contains($0) } ?? true
    }
}

/// A certificate, its key and the trusted authorities, as the files had them at one time.
package struct TLSMaterial: Sendable {
    private let identity: TLSIdentity
    private let authorities: [[UInt8]]?
    private let denied: DeniedCertificates

    /// When the certificate itself expires, in seconds since the epoch.
    let expiry: Int

    init(_ contents: TLSContents) throws(TLSFlaw) {
        guard let chain = Self.certificates(in: contents.certificate), let own = chain.first else {
            throw .certificate
        }
        guard let key = Self.key(in: contents.key) else { throw .key }
        identity = TLSIdentity(chain: chain.map(\.bytes), key: key)
        expiry = Int(own.certificate.notValidAfter.timeIntervalSince1970)
        if let bytes = contents.authorities {
            guard let trusted = Self.certificates(in: bytes) else { throw .authorities }
            authorities = trusted.map(\.bytes)
        } else {
            authorities = nil
        }
        denied = try contents.denied.map { bytes throws(TLSFlaw) in try DeniedCertificates(bytes) } ?? .none
    }

    /// A server for our own services: TLS 1.3, and client certificates of our authority.
    package func mutualServer(protocols: [String] = []) throws(TLSFlaw) -> MutualServer {
        // Roles are checked per route.
        MutualServer(
            context: try TLSContext.server(
                identity, clients: .required(try trusted()), minimum: .tls13, protocols: protocols),
            denied: denied)
    }

    /// A public server: TLS 1.2 and 1.3, without client certificates.
    package func publicServer(protocols: [String]) throws(TLSFlaw) -> TLSContext {
        try TLSContext.server(identity, clients: .none, minimum: .tls12, protocols: protocols)
    }

    /// A server that asks for a client certificate if there are authorities, and goes on without: TLS 1.2 and 1.3.
    package func optionalServer(protocols: [String]) throws(TLSFlaw) -> TLSContext {
        try TLSContext.server(
            identity, clients: authorities.map { .optional($0) } ?? .none, minimum: .tls12, protocols: protocols)
    }

    /// A client of our own services: TLS 1.3 with a client certificate; the server's name is verified against our authority
    /// only.
    package func client(protocols: [String] = []) throws(TLSFlaw) -> TLSContext {
        try TLSContext.client(
            identity, trusting: .certificates(try trusted()), minimum: .tls13, protocols: protocols)
    }

    /// A client of a third party's server: TLS 1.2 and 1.3 with a client certificate; the server's name is verified.
    package func outsideClient(protocols: [String] = []) throws(TLSFlaw) -> TLSContext {
        try TLSContext.client(
            identity, trusting: authorities.map { .certificates($0) } ?? .system, minimum: .tls12,
            protocols: protocols)
    }

    /// A client without a certificate that trusts one file of authorities.
    static func anonymousClient(trusting contents: [UInt8], protocols: [String]) throws(TLSFlaw) -> TLSContext {
        guard let authorities = certificates(in: contents) else { throw .authorities }
        return try TLSContext.client(
            nil, trusting: .certificates(authorities.map(\.bytes)), minimum: .tls12, protocols: protocols)
    }

    private func trusted() throws(TLSFlaw) -> [[UInt8]] {
        guard let authorities else { throw .authorities }
        return authorities
    }

    // MARK: Files

    /// Nil unless there is at least one certificate, and everything between PEM's lines is complete.
    ///
    /// OpenSSL would read certificates in other encodings than DER, and bytes after them; this doesn't.
    private static func certificates(in pem: [UInt8]) -> [(certificate: Certificate, bytes: [UInt8])]? {
        guard let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self)) else {
            return nil
        }
        var found: [(Certificate, [UInt8])] = []
        for document in documents where document.discriminator == Certificate.defaultPEMDiscriminator {
            guard let certificate = try? Certificate(pemDocument: document) else { return nil }
            found.append((certificate, document.derBytes))
        }
        return found.isEmpty ? nil : found
    }

    /// The first private key without a passphrase, in DER.
    private static func key(in pem: [UInt8]) -> [UInt8]? {
        let documents = try? PEMDocument.parseMultiple(pemString: String(decoding: pem, as: UTF8.self))
        let kinds = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]
        guard let document = documents?.first(where: { kinds.contains($0.discriminator) }),
            (try? DER.parse(document.derBytes)) != nil
        else { return nil }
        return document.derBytes
    }
}
