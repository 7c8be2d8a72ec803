/// Reads a file with a secret, if only its owner, and perhaps a group, may read it.
package enum PrivateFile {
    /// Larger than any key or PIN.
    private static let limit = 64 << 10

    /// The file's bytes. The open file is checked, so replacing the file meanwhile has no effect.
    package static func read(_ path: String) throws(PrivateFileProblem) -> [UInt8] {
        let result = try RegularFile.read(path, limit: limit) { facts throws(PrivateFileProblem) in
            if facts.permissions & 0o007 != 0 { throw .openToAll(path) }
            if facts.permissions & 0o020 != 0 { throw .changeableByGroup(path) }
        }
        switch result {
        case .success(let bytes): return bytes
        case .failure(.tooLarge): throw .tooLarge(path)
        case .failure(.unreadable), .failure(.irregular): throw .unreadable(path)
        }
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
