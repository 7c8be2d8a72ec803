import CCurl
package import TLS

/// How a test's client speaks TLS: files in PEM, and versions.
package struct ClientTLS: Sendable {
    /// A version of TLS.
    package enum Version: Int, Sendable {
        case tlsv1 = 4
        case tlsv11 = 5
        case tlsv12 = 6
        case tlsv13 = 7
    }

    /// The client's certificate with its chain; nil for none.
    package var certificate: String?
    /// Its key.
    package var key: String?
    /// Whose certificates the server may have.
    package var authorities: String
    package var minimumVersion = Version.tlsv12
    package var maximumVersion = Version.tlsv13
    /// The suites of TLS 1.2, in OpenSSL's words; nil for libcurl's.
    package var suites: String?

    /// A client without a certificate.
    ///
    /// - Parameter authorities: the path of the file with the certificates to trust.
    package init(trusting authorities: String) {
        self.authorities = authorities
    }

    /// Sets libcurl's options.
    func configure(_ handle: UnsafeMutableRawPointer) {
        vigil_curl_set_text(handle, CURLOPT_CAINFO, authorities)
        vigil_curl_set_pointer(handle, CURLOPT_CAPATH, nil)
        if let certificate, let key {
            vigil_curl_set_text(handle, CURLOPT_SSLCERT, certificate)
            vigil_curl_set_text(handle, CURLOPT_SSLKEY, key)
        }
        vigil_curl_set_number(handle, CURLOPT_SSLVERSION, minimumVersion.rawValue | maximumVersion.rawValue << 16)
        if let suites { vigil_curl_set_text(handle, CURLOPT_SSL_CIPHER_LIST, suites) }
    }
}

extension TLSFiles {
    /// A client with this certificate, which trusts these authorities.
    package var caller: ClientTLS {
        var client = ClientTLS(trusting: authorities ?? "")
        client.certificate = certificate
        client.key = key
        return client
    }
}
