import ExposureFormat
import ExposureKeys
import Testing

/// Fixed keys, a fixed signing key and a kept signature give committed files, byte for byte. The message files were
/// made by protoc and the signature by openssl, so that they don't just repeat what our encoder does.
///
/// A change here is a change of what phones get.
@Suite("Golden export")
struct GoldenExportTests {
    private func export() throws -> KeyExport {
        try Fixtures.export(Fixtures.goldenKeys())
    }

    private func archive() throws -> [UInt8] {
        try export().archive(signatures: [Fixtures.bytes("golden.der")])
    }

    @Test("export.bin is the header and what protoc encodes from the same content")
    func exportBytes() throws {
        #expect(try Fixtures.encoded(export()) == Fixtures.bytes("golden.bin"))
    }

    @Test("the archive equals the committed fixture")
    func archiveBytes() throws {
        #expect(try archive() == Fixtures.bytes("golden.zip"))
    }

    @Test("the committed archive holds the committed entries, and its signature matches")
    func readBack() throws {
        let read = try ExportArchive.read(try Fixtures.bytes("golden.zip"))
        #expect(try read.archive.export == Fixtures.encoded(export()))
        #expect(read.header == Fixtures.header)
        #expect(read.header.startTimestamp == 1_593_511_200)
        #expect(read.header.endTimestamp == 1_593_514_800)
        #expect(read.signers == [Fixtures.identity])
        #expect(try Set(read.keys) == Set(Fixtures.goldenKeys().map(ExportedKey.init)))
        #expect(try read.verify([Fixtures.verificationKey()]).map(\.outcome) == [.matches])
    }

    @Test("export.sig is stored uncompressed, and is what protoc encodes from the same signature")
    func signatureBytes() throws {
        let list = try Fixtures.bytes("golden.sig")
        let zip = try archive()
        let directory = zip.count - 22 - 2 * (46 + 10)
        #expect(Array(zip[(directory - list.count)..<directory]) == list)
    }
}
