/// An error that maps to an answer, such as "the database does not answer" (503).
///
/// Any other error is answered with 500, and only the name of its type is logged.
package protocol ProblemConvertible: Error {
    /// The answer for the caller.
    var problem: Problem { get }
}

extension Problem: ProblemConvertible {
    package var problem: Problem { self }
}

extension MalformedMessage: ProblemConvertible {
    package var problem: Problem { .badRequest }
}
