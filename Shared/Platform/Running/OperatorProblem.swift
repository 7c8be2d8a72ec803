/// An error that an operator can act on: one sentence that names the cause and the remedy.
///
/// Only these errors are printed when a program ends. Of any other error only the type's name is printed, because descriptions
/// of drivers and libraries may quote passwords or a phone's data.
package protocol OperatorProblem: Error, CustomStringConvertible {
    /// The exit status of the program.
    var exitStatus: Int32 { get }
}

extension OperatorProblem {
    package var exitStatus: Int32 { 1 }
}
