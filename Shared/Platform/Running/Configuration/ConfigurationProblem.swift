/// A configuration error, as one sentence that names the key, what is wrong and what to set.
package struct ConfigurationProblem: OperatorProblem, Equatable {
    package let description: String

    /// - Parameter sentence: must never quote the value of a secret.
    package init(_ sentence: String) {
        description = sentence
    }

    /// `EX_CONFIG` of sysexits.h.
    package var exitStatus: Int32 { 78 }
}
