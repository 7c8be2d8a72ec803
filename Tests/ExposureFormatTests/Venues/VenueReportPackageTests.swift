import Crypto
import ExposureFormat
import ExposureKeys
import FoundationEssentials
import TestSupport
import Testing
import Venues

@Suite struct VenueReportPackageTests {
    private let hour = Hour(number: 490_000)

    private func package(_ count: Int) throws -> VenueReportPackage {
        VenueReportPackage(containing: hour, reports: try VenueUploadTests.reports(count))
    }

    private func file(_ bundle: [UInt8]) throws -> [UInt8] {
        try VenueReportPackage.file(of: bundle, signatures: [try Fixtures.signingKey().sign(bundle)])
    }

    private func read(_ file: [UInt8]) throws(ArchiveDamage) -> VenueReportPackage {
        guard let key = try? Fixtures.verificationKey() else { throw .noSignatures }
        return try VenueReportPackage(reading: file, signedBy: [key])
    }

    @Test("a package is read as it was written", arguments: [0, 1, 2, 200])
    func roundTrip(count: Int) throws {
        let package = try package(count)
        #expect(try read(file(package.bundle())) == package)
        #expect(package.reports.count == count)
    }

    @Test(
        "each report takes 57 bytes; the rest of a file with one signature has at most 200",
        arguments: [0, 1, 140, 2000])
    func size(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        let reports = (0..<count).compactMap { _ in
            VenueReport((0..<57).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        let bundle = try VenueReportPackage(containing: hour, reports: reports).bundle()
        #expect(try file(bundle).count <= 57 * count + 200)
    }

    @Test("a bundle's bytes are those of the schema, and don't depend on the order of the reports")
    func wireNumbers() throws {
        let (one, two) = ([UInt8](repeating: 1, count: 57), [UInt8](repeating: 2, count: 57))
        let expected: [UInt8] =
            [0x08, 1] + [0x10, 0x80, 0x82, 0x92, 0xc9, 0x06] + [0x18, 0xa0, 0x38] + [0x22, 114] + one + two
        for order in [[one, two], [two, one], [two, one, one]] {
            let package = VenueReportPackage(containing: hour, reports: order.compactMap { VenueReport($0) })
            #expect(try package.bundle() == expected)
        }
    }

    @Test("both hours of a package have the same name", arguments: [-4, -3, 0, 1, 490_000, 490_001] as [Int32])
    func hours(number: Int32) {
        let first = VenueReportPackage.firstHour(of: Hour(number: number))
        #expect(first.number.isMultiple(of: 2) && (0...1).contains(number - first.number))
    }

    @Test("a bundle without a trusted key's signature isn't read")
    func signatures() throws {
        let bundle = try package(3).bundle()
        let other = SigningKey(P256.Signing.PrivateKey(), identity: Fixtures.identity)
        #expect(throws: ArchiveDamage.noSignatures) { try read(VenueReportPackage.file(of: bundle, signatures: [])) }
        #expect(throws: ArchiveDamage.signatureDoesNotMatch) {
            try read(VenueReportPackage.file(of: bundle, signatures: [try other.sign(bundle)]))
        }
        #expect(throws: ArchiveDamage.signatureDoesNotMatch) {
            let foreign = try Fixtures.signingKey().sign(package(4).bundle())
            return try read(VenueReportPackage.file(of: bundle, signatures: [foreign]))
        }
        // One of several is enough, so that a signing key can be replaced.
        let both = [try other.sign(bundle), try Fixtures.signingKey().sign(bundle)]
        #expect(try read(VenueReportPackage.file(of: bundle, signatures: both)) == package(3))
    }

    @Test("a signed bundle that no encoder makes is refused: this also finds a signer's faults")
    func strict() throws {
        let (one, two) = ([UInt8](repeating: 1, count: 57), [UInt8](repeating: 2, count: 57))
        let start: [UInt8] = [0x10, 0x80, 0x82, 0x92, 0xc9, 0x06]
        let seconds: [UInt8] = [0x18, 0xa0, 0x38]
        func bundle(_ fields: [UInt8]..., reports: [UInt8]) -> [UInt8] {
            [0x08, 1] + fields.joined() + [0x22, UInt8(reports.count)] + reports
        }
        #expect(try read(file(bundle(start, seconds, reports: one + two))).reports.count == 2)
        let refused: [(String, [UInt8])] = [
            ("not sorted", bundle(start, seconds, reports: two + one)),
            ("repeated", bundle(start, seconds, reports: one + one)),
            ("cut off", bundle(start, seconds, reports: one + two.dropLast())),
            ("an odd hour", bundle([0x10, 0x90, 0x9e, 0x92, 0xc9, 0x06], seconds, reports: one)),
            ("a second late", bundle([0x10, 0x81, 0x82, 0x92, 0xc9, 0x06], seconds, reports: one)),
            ("after the end of time", bundle([0x10] + [UInt8](repeating: 0xff, count: 9) + [1], seconds, reports: one)),
            ("an hour long", bundle(start, [0x18, 0x90, 0x1c], reports: one)),
            ("without a length", bundle(start, reports: one)),
            ("with another field", bundle(start, seconds, [0x28, 1], reports: one)),
            ("version 2", [0x08, 2] + start + seconds + [0x22, 57] + one),
            ("empty", []), ("no message", [0xff]),
        ]
        for (fault, bytes) in refused {
            #expect(throws: ArchiveDamage.unreadableContent, "\(fault)") { try read(file(bytes)) }
        }
    }

    @Test("whatever byte of a file is changed, it is refused, or the same reports are read")
    func mutations() throws {
        let package = try package(4)
        let file = try file(package.bundle())
        for position in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[position] ^= 1 << bit
                if let read = try? read(changed) { #expect(read == package, "byte \(position)") }
            }
        }
        for count in file.indices {
            if let read = try? read(Array(file.prefix(count))) { #expect(read == package, "\(count) bytes") }
        }
    }
}
