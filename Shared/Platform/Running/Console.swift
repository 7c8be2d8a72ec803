import Glibc

/// The output of a command to the person who ran it.
///
/// Output isn't buffered, even into a pipe, so that progress is visible at once.
package enum Console {
    /// Writes one or more lines to standard output.
    package static func say(_ text: String) { write("\(text)\n", to: STDOUT_FILENO) }

    /// Writes one line to standard error.
    package static func complain(_ text: String) { write("\(text)\n", to: STDERR_FILENO) }

    /// Writes a text in one system call if the system takes it at once, so that lines of several threads don't mix.
    ///
    /// Errors are ignored: a closed pipe must not stop a running suite.
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
