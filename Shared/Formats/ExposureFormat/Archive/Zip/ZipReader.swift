import CLibZip

/// Reads the two entries of an archive from memory with libzip, and refuses archives with anything else.
struct ZipReader {
    let limits: ArchiveLimits

    /// The content of `export.bin` and `export.sig`.
    ///
    /// Uses no more memory than the limits allow, whatever the archive claims.
    func read(_ archive: [UInt8]) throws(ArchiveDamage) -> (export: [UInt8], signature: [UInt8]) {
        guard archive.count <= limits.archiveBytes else { throw .archiveTooLarge(limit: limits.archiveBytes) }
        // libzip would take an empty file for a new archive.
        guard !archive.isEmpty else { throw .notAZip }
        // Check the number of entries before libzip reads the directory into memory, which takes several times the
        // directory's size.
        if let count = Self.announcedEntries(archive), count > 2 { throw .extraEntries(count: count) }
        let result = archive.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Result<Contents, ArchiveDamage> in
            do throws(ArchiveDamage) {
                return .success(try read(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private typealias Contents = (export: [UInt8], signature: [UInt8])

    /// The number of entries that the last end-of-directory record claims, if there is one.
    private static func announcedEntries(_ archive: [UInt8]) -> Int? {
        let recordSize = 22
        let longestComment = Int(UInt16.max)
        guard archive.count >= recordSize else { return nil }
        let last = archive.count - recordSize
        let signature = withUnsafeBytes(of: Zip.endSignature.littleEndian) { Array($0) }
        let position = stride(from: last, through: max(0, last - longestComment), by: -1).first {
            archive[$0] == signature[0] && archive[$0..<$0 + 4].elementsEqual(signature)
        }
        return position.map { Int(archive[$0 + 10]) | Int(archive[$0 + 11]) << 8 }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) throws(ArchiveDamage) -> Contents {
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        // 0: libzip doesn't free the bytes. They outlive the archive, which is discarded before this function returns.
        guard let source = zip_source_buffer_create(bytes.baseAddress, zip_uint64_t(bytes.count), 0, &error) else {
            throw .notAZip
        }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) else {
            zip_source_free(source)
            throw zip_error_code_zip(&error) == ZIP_ER_INCONS ? .inconsistentZip : .notAZip
        }
        defer { zip_discard(archive) }

        try checkEntries(of: archive)
        return (try content(of: .export, at: 0, in: archive), try content(of: .signature, at: 1, in: archive))
    }

    /// Exactly the two entries, in order.
    private func checkEntries(of archive: OpaquePointer) throws(ArchiveDamage) {
        let count = zip_get_num_entries(archive, 0)
        guard count <= 2 else { throw .extraEntries(count: Int(count)) }
        let names = (0..<max(0, count)).map { index in
            zip_get_name(archive, zip_uint64_t(index), zip_flags_t(ZIP_FL_ENC_RAW)).map { String(cString: $0) }
        }
        let expected = ArchiveEntry.allCases
        if let missing = expected.first(where: { !names.contains($0.rawValue) }) { throw .missingEntry(missing) }
        guard names == expected.map(\.rawValue) else { throw .wrongEntryOrder }
    }

    private func content(
        of entry: ArchiveEntry, at index: zip_uint64_t, in archive: OpaquePointer
    ) throws(ArchiveDamage) -> [UInt8] {
        let limit = limits.bytes(of: entry)
        var facts = zip_stat_t()
        zip_stat_init(&facts)
        let needed = zip_uint64_t(ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD)
        guard zip_stat_index(archive, index, 0, &facts) == 0, facts.valid & needed == needed,
            facts.encryption_method == ZIP_EM_NONE,
            facts.comp_method == Zip.storedMethod || facts.comp_method == Zip.deflatedMethod
        else { throw .unreadableEntry(entry) }
        guard let size = Int(exactly: facts.size), size <= limit else { throw .entryTooLarge(entry, limit: limit) }
        guard let file = zip_fopen_index(archive, index, 0) else { throw .unreadableEntry(entry) }
        defer { zip_fclose(file) }

        // Read one byte more than announced: if there is one, the archive's size was wrong; if not, reaching the end makes
        // libzip compare the checksum.
        var complete = true
        let content = [UInt8](unsafeUninitializedCapacity: size + 1) { target, filled in
            while complete, filled <= size {
                let got = zip_fread(file, target.baseAddress?.advanced(by: filled), zip_uint64_t(size + 1 - filled))
                guard got != 0 else { break }
                if got < 0 { complete = false } else { filled += Int(got) }
            }
        }
        guard complete else {
            let failure = zip_error_code_zip(zip_file_get_error(file))
            throw failure == ZIP_ER_CRC ? .checksumMismatch(entry) : .unreadableEntry(entry)
        }
        guard content.count == size else { throw .unreadableEntry(entry) }
        return content
    }
}
