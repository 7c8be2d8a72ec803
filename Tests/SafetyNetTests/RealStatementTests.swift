import CompactJOSE
import Foundation
import SafetyNet
import Testing

/// What Google itself signed, in 2021.
@Suite struct RealStatementTests {
    private static func fixture(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// 2021-09-03.
    private static let then = Date(timeIntervalSince1970: 1_630_703_240.057)

    @Test func `it is read, at its time`() throws {
        let roots = try Sample.pinned(Self.fixture("gts-root-r1.pem"))
        let statement = try SafetyNetStatement(Self.fixture("statement.jws"), roots: roots, now: Self.then)
        #expect(statement.nonce == "2r5Uc401o/ubuyxZ6MStNAdemHu8xAT2qoPXh9ehrY8=")
        #expect(statement.instant == Self.then)
        #expect(statement.packageName == "com.google.android.gms")
        #expect(statement.certificateDigests == ["8P1sW0EPJcslw7UzRsiXL64w+O50Ed+RBICtay1g24M="])
        #expect(statement.hasBasicIntegrity)
        #expect(statement.matchesProfile)
        #expect(statement.evaluations == ["BASIC"])
    }

    /// The signer's certificate is valid from 2021-07-19, 13:13:42, to 2021-10-17, 13:13:41.
    @Test(
        arguments: [(1_626_700_422, nil), (1_626_700_421, .chain), (1_634_476_421, nil), (1_634_476_422, .chain)]
            as [(TimeInterval, SafetyNetFlaw?)])
    func `its certificates are valid from their first second to their last`(
        _ seconds: TimeInterval, _ flaw: SafetyNetFlaw?
    ) throws {
        let roots = try Sample.pinned(Self.fixture("gts-root-r1.pem"))
        let instant = Date(timeIntervalSince1970: seconds)
        #expect(try Sample.flaw(of: Self.fixture("statement.jws"), roots: roots, at: instant) == flaw)
    }

    @Test func `another root doesn't vouch for it`() throws {
        #expect(try Sample.flaw(of: Self.fixture("statement.jws"), at: Self.then) == .chain)
    }

    @Test func `a payload or signature with any byte changed is refused`() throws {
        let roots = try Sample.pinned(Self.fixture("gts-root-r1.pem"))
        let parts = try Self.fixture("statement.jws").split(separator: ".").map(String.init)
        for part in [1, 2] {
            let bytes = try #require(Base64URL.bytes(parts[part]))
            for place in bytes.indices.filter({ $0 % 7 == 0 }) {
                var changed = (bytes, parts)
                changed.0[place] ^= 1
                changed.1[part] = Base64URL.text(changed.0)
                let token = changed.1.joined(separator: ".")
                #expect(try Sample.flaw(of: token, roots: roots, at: Self.then) == .forged)
            }
        }
    }
}
