/// An answer without its body (RFC 9110, section 3).
package struct HTTPResponse: Hashable, Sendable {
    /// What became of the request.
    package var status: Status

    /// The header fields.
    package var headerFields: HTTPFields

    /// An answer with both its parts.
    package init(status: Status, headerFields: HTTPFields = [:]) {
        self.status = status
        self.headerFields = headerFields
    }

    /// A status code of three digits.
    package struct Status: Hashable, Sendable {
        /// The code, from 0 to 999.
        package var code: Int { Int(number) }

        private let number: UInt16

        /// A status.
        ///
        /// - Parameter code: from 0 to 999; another one is a programming error, so a parser checks before.
        package init(code: Int) {
            precondition((0...999).contains(code), "a status has three digits")
            number = UInt16(code)
        }

        /// The first digit's meaning (RFC 9110, section 15).
        package var kind: Kind {
            switch code {
            case 100...199: .informational
            case 200...299: .successful
            case 300...399: .redirection
            case 400...499: .clientError
            case 500...599: .serverError
            default: .invalid
            }
        }

        /// A class of statuses.
        package enum Kind: Sendable {
            case informational, successful, redirection, clientError, serverError, invalid
        }
    }
}

extension HTTPResponse.Status: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The status with this code.
    package init(integerLiteral value: Int) {
        self.init(code: value)
    }

    package var description: String { reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)" }
}
