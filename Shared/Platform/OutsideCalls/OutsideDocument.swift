package import FoundationEssentials
package import HTTPContract
package import HTTPTypes
package import Running

/// A small document on a third party's server, such as the keys of an identity provider, or one that answers a form.
///
/// The server must authenticate, redirects aren't followed, nothing is decompressed, and the answer has a size limit and a
/// deadline. Each read opens a new connection with the current authorities: documents are read every few minutes, and renewed
/// authorities need no restart.
package struct OutsideDocument: Sendable {
    private let url: String
    private let calls: OutsideCalls
    private let limit: Int
    private let deadline: Duration

    /// - Parameters:
    ///   - url: the URL of the document.
    ///   - authorities: path of a PEM file with those that may have issued the server's certificate; nil for the system's.
    ///   - limit: the maximum size in bytes.
    ///   - deadline: for everything, from the connection to the last byte.
    /// - Throws: if the file has no authority now.
    package init(
        url: String, authorities: String?, limit: Int = 256 << 10, deadline: Duration = .seconds(3)
    ) throws(ConfigurationProblem) {
        self.url = url
        self.limit = limit
        self.deadline = deadline
        calls = try OutsideCalls(authorities: authorities)
    }

    /// Reads the document once.
    ///
    /// - Throws: `.status` for another status than 200.
    package func read() async throws(DocumentProblem) -> Data {
        let answer = try await answer(to: OutsideRequest(url))
        guard answer.status == .ok else { throw .status(answer.status) }
        return Data(answer.body)
    }

    /// Posts a form once.
    ///
    /// - Parameter authorization: the field's value; nil omits it.
    /// - Returns: the status and the document, whatever the status is.
    /// - Throws: if there is no answer.
    package func post(
        _ form: URLEncodedValues, authorization: String? = nil
    ) async throws(DocumentProblem) -> (status: HTTPResponse.Status, body: Data) {
        var request = OutsideRequest(url, body: Array(form.encoded.utf8))
        request.fields[.contentType] = MediaType.form.text
        request.fields[.authorization] = authorization
        let answer = try await answer(to: request)
        return (answer.status, Data(answer.body))
    }

    private func answer(to request: OutsideRequest) async throws(DocumentProblem) -> OutsideResponse {
        var request = request
        request.fields[.accept] = "application/json"
        do {
            return try await calls.send(request, within: deadline, limit: limit)
        } catch {
            throw .call(error)
        }
    }
}

/// Why there is no document.
package enum DocumentProblem: Error, Equatable, Sendable {
    /// The call has no answer.
    case call(OutsideProblem)
    /// The answer isn't the document.
    case status(HTTPResponse.Status)
}
