import Foundation

/// The output of a command to the person who ran it.
///
/// Output isn't buffered, even into a pipe, so that progress is visible at once.
package enum Console {
    /// Writes one or more lines to standard output.
    package static func say(_ text: String) {
        // A closed pipe must not stop a running suite.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Writes one line to standard error.
    package static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8))
    }
}
