import ExposureFormat
import ObjectStore
import PublishedTree

/// Encodes, signs and writes files of a package.
struct KeyFileWriter: Sendable {
    let publisher: Publisher
    let package: KeyPackage
    /// Those that may have to be written.
    let files: [KeyFile]
    /// The objects in the tree.
    let stored: [TreeKey: StoredObject]

    /// How many sets of keys are in memory and encoded at a time, besides all keys of the package.
    private static let width = 2

    /// A file that was written, with its size.
    typealias Written = (key: TreeKey, size: Int)

    /// Writes the files that the tree doesn't hold already. What several regions have is encoded once.
    func write(_ keys: PackageKeys) async throws -> [Written] {
        var keys = keys
        keys.leaveOutDuplicates()
        let all = keys
        return try await withThrowingTaskGroup(of: [Written].self) { group in
            var written: [Written] = []
            for (number, (share, regions)) in all.shares(of: publisher.regions).enumerated() {
                let needed = files.filter { regions.contains($0.region) }
                if number >= Self.width, let finished = try await group.next() { written += finished }
                group.addTask { try await write(all.keys(of: share), to: needed) }
            }
            for try await finished in group { written += finished }
            return written
        }
    }

    /// Writes the keys of regions that have the same.
    private func write(_ keys: [PublishedKey], to needed: [KeyFile]) async throws -> [Written] {
        guard !needed.isEmpty else { return [] }
        var written: [Written] = []
        let batches = KeySet.batches(of: keys, count: package.fileCount(keysPerFile: publisher.keysPerFile))
        for (index, batch) in batches.enumerated() {
            written += try await write(batch, to: needed.filter { Int($0.batch.number) == index + 1 })
        }
        return written
    }

    /// Writes the same keys to files of several regions. Parts shared by them are encoded once.
    private func write(_ keys: KeySet, to files: [KeyFile]) async throws -> [Written] {
        guard !files.isEmpty else { return [] }
        let exports = try KeyExport.files(
            of: keys, headers: files.map { $0.header(of: package) }, signers: publisher.packages.signers)
        // Never publish what phones couldn't read. Signatures are verified when they are made.
        try exports.first?.readBack()
        return try await withThrowingTaskGroup(of: Written?.self) { group in
            for (file, export) in zip(files, exports) {
                group.addTask {
                    let archive = try await publisher.packages.build(export)
                    if try await publisher.holds(archive, at: file.key, stored[file.key]) { return nil }
                    try await publisher.tree.write(archive, to: file.key)
                    return (file.key, archive.count)
                }
            }
            return try await group.reduce(into: []) { if let file = $1 { $0.append(file) } }
        }
    }
}
