/// Builds ZIP archives entry by entry, malformed ones too, independently of the writer under test, without compression.
struct TestZip {
    struct Entry {
        var name: String
        var content: [UInt8]
        var method: UInt16 = 0
        var flags: UInt16 = 0
        /// The claimed size; correct unless a test sets it.
        var announcedSize: UInt32?
        var announcedChecksum: UInt32?
    }

    var entries: [Entry]

    var bytes: [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let name = Array(entry.name.utf8)
            let facts =
                le16(20) + le16(entry.flags) + le16(entry.method) + le16(0) + le16(0x21)
                + le32(entry.announcedChecksum ?? Self.checksum(entry.content)) + le32(UInt32(entry.content.count))
                + le32(entry.announcedSize ?? UInt32(entry.content.count)) + le16(UInt16(name.count)) + le16(0)
            directory += le32(0x0201_4b50) + le16(20) + facts + le16(0) + le16(0) + le16(0) + le32(0)
            directory += le32(UInt32(body.count)) + name
            body += le32(0x0403_4b50) + facts + name + entry.content
        }
        let count = UInt16(entries.count)
        return body + directory + le32(0x0605_4b50) + le16(0) + le16(0) + le16(count) + le16(count)
            + le32(UInt32(directory.count)) + le32(UInt32(body.count)) + le16(0)
    }

    /// CRC-32, bit by bit.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xffff_ffff as UInt32) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
    }
}

private func le16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }
private func le32(_ value: UInt32) -> [UInt8] { le16(UInt16(value & 0xffff)) + le16(UInt16(value >> 16)) }
