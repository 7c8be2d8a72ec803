import Glibc
import Running

/// Why a command can't continue: one sentence for the operator that includes what to do about it.
package struct CommandFailure: OperatorProblem, Equatable {
    /// The sentence.
    package let description: String
    /// The exit status of the process.
    package let exitStatus: Int32

    /// - Parameters:
    ///   - sentence: must never quote a secret.
    ///   - exitStatus: the exit status of the process.
    package init(_ sentence: String, exitStatus: Int32 = 1) {
        description = sentence
        self.exitStatus = exitStatus
    }

    /// The system's reason for the call that just failed (`errno`), as part of a sentence.
    package static var systemReason: String {
        String(cString: strerror(errno)).lowercased()
    }
}
