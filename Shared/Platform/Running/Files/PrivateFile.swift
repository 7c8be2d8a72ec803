import Glibc

/// Reads a file with a secret, if only its owner, and perhaps a group, may read it.
package enum PrivateFile {
    /// Larger than any key or PIN.
    private static let limit = 64 << 10

    /// The file's bytes. The open file is checked, so replacing the file meanwhile has no effect.
    package static func read(_ path: String) throws(PrivateFileProblem) -> [UInt8] {
        // O_NONBLOCK: don't wait for the writer of a named pipe, which is refused below.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path) }
        defer { close(descriptor) }
        guard let facts = FileFacts(of: descriptor), facts.isRegular else { throw .unreadable(path) }
        if facts.permissions & 0o007 != 0 { throw .openToAll(path) }
        if facts.permissions & 0o020 != 0 { throw .changeableByGroup(path) }

        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path) }
            if count == 0 { return bytes }
            bytes += block.prefix(count)
        }
        throw .tooLarge(path)
    }
}

/// Why a file with a secret wasn't read. The sentences name the file and what to do, never its content.
package enum PrivateFileProblem: Error, Equatable, CustomStringConvertible {
    /// It can't be opened or read, or it is no file.
    case unreadable(String)
    /// Others than its owner and group may use it.
    case openToAll(String)
    /// Its group may write to it.
    case changeableByGroup(String)
    /// It has more bytes than any key.
    case tooLarge(String)

    package var description: String {
        switch self {
        case .unreadable(let path):
            "\(path) can't be read: check that it is a file, and that the user of this service may read it"
        case .openToAll(let path):
            "everybody on this machine has access to \(path): run chmod 600 \(path), or chmod 640 if it is for a group"
        case .changeableByGroup(let path): "the group of \(path) may change it: run chmod g-w \(path)"
        case .tooLarge(let path): "\(path) is larger than 64 KiB: name the right file"
        }
    }
}
