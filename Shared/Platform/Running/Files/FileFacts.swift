import CHardening
import Glibc

/// What the system says of an open file.
package struct FileFacts: Sendable {
    /// In bytes.
    package let size: Int
    /// Seconds since 1970.
    package let modified: Int
    /// Whether it is a file, and no folder, pipe or device.
    package let isRegular: Bool
    /// Who may read, write and execute it, as `chmod` has it.
    package let permissions: UInt32

    /// Nil when the system doesn't say.
    package init?(of descriptor: Int32) {
        var (size, modified, mode): (Int64, Int64, UInt32) = (0, 0, 0)
        guard vigil_file_facts(descriptor, &size, &modified, &mode) == 0 else { return nil }
        self.size = Int(size)
        self.modified = Int(modified)
        isRegular = mode & S_IFMT == S_IFREG
        permissions = mode & 0o7777
    }
}
