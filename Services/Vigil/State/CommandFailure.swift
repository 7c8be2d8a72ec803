import Glibc
import Running

/// Why a command can't go on: one sentence for the operator, with what to do about it.
package struct CommandFailure: OperatorProblem, Equatable {
    /// The sentence.
    package let description: String
    /// What the process ends with.
    package let exitStatus: Int32

    /// - Parameters:
    ///   - sentence: it never quotes a secret.
    ///   - exitStatus: what the process ends with.
    package init(_ sentence: String, exitStatus: Int32 = 1) {
        description = sentence
        self.exitStatus = exitStatus
    }

    /// The system's reason for the call that has just failed (`errno`), as part of a sentence.
    package static var systemReason: String {
        String(cString: strerror(errno)).lowercased()
    }
}
