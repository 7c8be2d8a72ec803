import Foundation

/// What a command says to the person who ran it.
///
/// Lines leave at once, also into a pipe, so that progress is seen when it happens.
package enum Console {
    /// Writes one line, or several, to standard output.
    package static func say(_ text: String) {
        // A reader that has gone away is no reason to stop a running suite.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Writes one line to standard error.
    package static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
}
