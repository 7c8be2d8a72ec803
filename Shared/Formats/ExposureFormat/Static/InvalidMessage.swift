/// Why a file can't be published as the message that its path requires.
package struct InvalidMessage: Error, Equatable, CustomStringConvertible {
    /// Plain sentences, at least one, that name fields as JSON has them.
    package let findings: [String]

    /// - Parameter findings: plain sentences, at least one.
    package init(_ findings: [String]) {
        self.findings = findings
    }

    package var description: String { findings.joined(separator: " ") }
}
