/// An error that an operator can act on: one sentence that names the cause and the remedy.
///
/// Only such errors are printed when a program ends; of any other error just the type's name is, because descriptions of
/// drivers and libraries may quote passwords or what a phone sent.
package protocol OperatorProblem: Error, CustomStringConvertible {
    /// The status with which the program ends.
    var exitStatus: Int32 { get }
}

extension OperatorProblem {
    package var exitStatus: Int32 { 1 }
}
