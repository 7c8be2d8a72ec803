/// An error that knows its answer, such as "the database does not answer" (503).
///
/// An error without it is answered with 500, and only the name of its type is logged.
package protocol ProblemConvertible: Error {
    /// What the caller is told.
    var problem: Problem { get }
}

extension Problem: ProblemConvertible {
    package var problem: Problem { self }
}

extension MalformedMessage: ProblemConvertible {
    package var problem: Problem { .badRequest }
}
