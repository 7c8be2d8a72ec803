import CHardening
import Glibc

/// The system's metadata of a file.
package struct FileFacts: Sendable {
    /// The size in bytes.
    package let size: Int
    /// The modification time, in seconds since 1970.
    package let modified: Int
    /// Whether it is a regular file, not a folder, pipe or device.
    package let isRegular: Bool
    /// The permission bits, as for `chmod`.
    package let permissions: UInt32

    /// Of an open file; nil if the system doesn't report them.
    package init?(of descriptor: Int32) {
        self.init { vigil_file_facts(descriptor, $0, $1, $2) }
    }

    /// Of the file of a path, or of a symbolic link itself; nil if there is none.
    package init?(at path: String) {
        self.init { vigil_path_facts(path, $0, $1, $2) }
    }

    private init?(
        _ read: (UnsafeMutablePointer<Int64>, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<UInt32>) -> Int32
    ) {
        var (size, modified, mode): (Int64, Int64, UInt32) = (0, 0, 0)
        guard read(&size, &modified, &mode) == 0 else { return nil }
        self.size = Int(size)
        self.modified = Int(modified)
        isRegular = mode & S_IFMT == S_IFREG
        permissions = mode & 0o7777
    }
}
