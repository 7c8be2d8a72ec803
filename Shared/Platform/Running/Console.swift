import Foundation

/// What a command says to the person who ran it.
///
/// Output isn't buffered, even into a pipe, so that progress shows when it happens.
package enum Console {
    /// Writes one line, or several, to standard output.
    package static func say(_ text: String) {
        // A closed pipe must not stop a running suite.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Writes one line to standard error.
    package static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
}
