/// The configuration is wrong: one sentence that names the key, what is wrong and what to set.
package struct ConfigurationProblem: OperatorProblem, Equatable {
    package let description: String

    /// - Parameter sentence: it never quotes the value of a secret.
    package init(_ sentence: String) {
        description = sentence
    }

    /// `EX_CONFIG` of sysexits.h.
    package var exitStatus: Int32 { 78 }
}
