import CHardening
import Glibc

/// The system's metadata of an open file.
package struct FileFacts: Sendable {
    /// The size in bytes.
    package let size: Int
    /// The modification time, in seconds since 1970.
    package let modified: Int
    /// Whether it is a regular file, not a folder, pipe or device.
    package let isRegular: Bool
    /// The permission bits, as for `chmod`.
    package let permissions: UInt32

    /// Nil if the system doesn't report them.
    package init?(of descriptor: Int32) {
        var (size, modified, mode): (Int64, Int64, UInt32) = (0, 0, 0)
        guard vigil_file_facts(descriptor, &size, &modified, &mode) == 0 else { return nil }
        self.size = Int(size)
        self.modified = Int(modified)
        isRegular = mode & S_IFMT == S_IFREG
        permissions = mode & 0o7777
    }
}
