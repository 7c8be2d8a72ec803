import AppAttest
import Certificates
import Crypto
import DevelopmentAttestation
import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

/// Attestations of a simulated Apple: what is as Apple's is accepted, and everything else is refused for its reason.
@Suite(.heavy) struct AttestationTests {
    @Test func `an attestation is accepted, and tells the key`() throws {
        let bench = try Bench()
        let attestation = try bench.device.attestation(
            by: bench.authority, clientDataHash: bench.clientDataHash, environment: .production, at: Bench.now)
        let key = try bench.verify(attestation)
        #expect(key.id == bench.device.keyID)
        #expect(key.publicKey == bench.device.publicKey)
        #expect(key.environment == .production)
    }

    @Test(arguments: AppAttestEnvironment.allCases)
    func `the environment of the key is told if the policy accepts both`(_ environment: AppAttestEnvironment) throws {
        let bench = try Bench.shared.get()
        let attestation = try bench.device.attestation(
            by: bench.authority, clientDataHash: bench.clientDataHash, environment: environment, at: Bench.now)
        let both = try bench.policy(environments: [.production, .development])
        #expect(try bench.verify(attestation, with: both).environment == environment)
        let other: AppAttestEnvironment = environment == .production ? .development : .production
        #expect(bench.flaw(attestation, with: try bench.policy(environments: [other])) == .environment)
    }

    @Test func `one of several apps and roots is enough`() throws {
        let bench = try Bench.shared.get()
        let other = try #require(AppID("ABCDE12345.org.example.other"))
        let attestation = try bench.authority.attest(bench.template()).bytes
        let roots = AppleAppAttestRoot.pem + "\n" + bench.authority.rootPEM
        let policy = try bench.policy(apps: [other, bench.app], rootPEM: roots)
        #expect(bench.flaw(attestation, with: policy) == nil)
        #expect(bench.flaw(attestation, with: try bench.policy(apps: [])) == .app)
    }

    // MARK: What the device says

    typealias Change = @Sendable (inout AttestationTemplate) throws -> Void

    private static let extensions = AuthenticatorDataTemplate.extensions(bundleVersion: "1", category: .appStore)

    /// What may differ, and is no flaw.
    static let variants: [(name: String, change: Change)] = [
        ("no flags", { $0.authenticatorData.flags = 0 }), ("all flags", { $0.authenticatorData.flags = 0xFF }),
        ("iOS 27, the flag clear", { $0.authenticatorData.extensions = extensions.encoded }),
        (
            "iOS 27, the flag set",
            {
                $0.authenticatorData.flags = 0xC0
                $0.authenticatorData.extensions = extensions.encoded
            }
        ),
        (
            "the category as a number",
            {
                $0.authenticatorData.extensions =
                    extensions.replacing("apple_validation_category_01", with: .unsigned(4)).encoded
            }
        ),
        ("another extension", { $0.authenticatorData.extensions = extensions.adding("new", .array([])).encoded }),
        ("an empty map", { $0.authenticatorData.extensions = [0xA0] }), ("an empty receipt", { $0.receipt = [] }),
    ]

    @Test(arguments: variants.map(\.name)) func `a variant is accepted`(_ name: String) throws {
        let bench = try Bench.shared.get()
        var template = try bench.template()
        try #require(Self.variants.first { $0.name == name }).change(&template)
        try bench.verify(bench.authority.attest(template).bytes)
    }

    private static func truncated(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropLast()) }

    static let flaws: [(name: String, flaw: AppAttestFlaw, change: Change)] = [
        ("another app", .app, { $0.authenticatorData.appHash[0] ^= 1 }),
        ("a counter that isn't 0", .counter, { $0.authenticatorData.counter = 1 }),
        ("a counter of 2^24", .counter, { $0.authenticatorData.counter = 1 << 24 }),
        (
            "a development key", .environment,
            { $0.authenticatorData.authenticatorID = AppAttestEnvironment.development.authenticatorID }
        ),
        (
            "another authenticator", .environment,
            { $0.authenticatorData.authenticatorID = [UInt8](repeating: 0, count: 16) }
        ),
        (
            "the environment that one page of Apple's names", .environment,
            { $0.authenticatorData.authenticatorID = Array("appattestsandbox".utf8) }
        ),
        ("another key's name", .credential, { $0.authenticatorData.credentialID?[31] ^= 1 }),
        ("a shorter name of the key", .unreadable, { $0.authenticatorData.credentialID?.removeLast() }),
        ("a longer name of the key", .unreadable, { $0.authenticatorData.credentialID?.append(0) }),
        (
            "another key than the leaf's", .credentialKey,
            {
                let other = AppAttestPublicKey(P256.Signing.PrivateKey().publicKey)
                $0.authenticatorData.publicKey = AuthenticatorDataTemplate.coseKey(of: other).encoded
            }
        ),
        ("a point off the curve", .unreadable, { $0.authenticatorData.publicKey[76] ^= 1 }),
        ("a key of another type", .unreadable, { $0.authenticatorData.publicKey[2] = 3 }),
        ("a key for another algorithm", .unreadable, { $0.authenticatorData.publicKey[4] = 0x27 }),
        ("a key on another curve", .unreadable, { $0.authenticatorData.publicKey[6] = 2 }),
        ("a key with a number more", .unreadable, { $0.authenticatorData.publicKey = keyWithMore($0) }),
        ("a key with bytes more", .unreadable, { $0.authenticatorData.publicKey = keyWithMore($0, 0x40) }),
        ("a key that is cut off", .unreadable, { $0.authenticatorData.publicKey.removeLast() }),
        ("no key", .unreadable, { $0.authenticatorData.publicKey = [] }),
        ("a category that isn't accepted", .category, { $0.authenticatorData.extensions = category(.development) }),
        (
            "TestFlight where only the App Store is accepted", .category,
            { $0.authenticatorData.extensions = category(.testFlight) }
        ),
        (
            "a category with its bytes the other way round", .category,
            {
                $0.authenticatorData.extensions =
                    extensions.replacing("apple_validation_category_01", with: .bytes([0, 0, 0, 4])).encoded
            }
        ),
        ("a category as text", .unreadable, { $0.authenticatorData.extensions = category(item: .text("4")) }),
        (
            "a category of three bytes", .unreadable,
            { $0.authenticatorData.extensions = category(item: .bytes([4, 0, 0])) }
        ),
        (
            "a category of five bytes", .unreadable,
            { $0.authenticatorData.extensions = category(item: .bytes([4, 0, 0, 0, 0])) }
        ),
        (
            "a category of 33 bits", .unreadable,
            { $0.authenticatorData.extensions = category(item: .unsigned(4 + 1 << 32)) }
        ),
        (
            "a version that is a number", .unreadable,
            {
                $0.authenticatorData.extensions =
                    extensions.replacing("apple_bundle_version_01", with: .unsigned(1)).encoded
            }
        ),
        (
            "extensions that are cut off", .unreadable,
            { $0.authenticatorData.extensions = truncated(extensions.encoded) }
        ),
        ("something after the extensions", .unreadable, { $0.authenticatorData.extensions = extensions.encoded + [0] }),
        ("extensions that are no map", .unreadable, { $0.authenticatorData.extensions = [0x80] }),
        ("a category twice", .unreadable, { $0.authenticatorData.extensions = twice() }),
    ]

    private static func category(_ category: ValidationCategory) -> [UInt8] {
        AuthenticatorDataTemplate.extensions(bundleVersion: "1", category: category).encoded
    }

    private static func category(item: CBORItem) -> [UInt8] {
        extensions.replacing("apple_validation_category_01", with: item).encoded
    }

    private static func twice() -> [UInt8] {
        extensions.adding("apple_validation_category_01", .bytes([3, 0, 0, 0])).encoded
    }

    private static func keyWithMore(_ template: AttestationTemplate, _ value: UInt8 = 0) -> [UInt8] {
        [0xA6] + template.authenticatorData.publicKey.dropFirst() + [0x04, value]
    }

    @Test(arguments: flaws.map(\.name)) func `what the device says is refused for its reason`(_ name: String) throws {
        let bench = try Bench.shared.get()
        let row = try #require(Self.flaws.first { $0.name == name })
        var template = try bench.template()
        try row.change(&template)
        #expect(bench.flaw(try bench.authority.attest(template).bytes, with: try bench.policy()) == row.flaw)
    }

    @Test func `authenticator data that end too early are refused`() throws {
        let bench = try Bench.shared.get()
        var minted = try bench.authority.attest(bench.template())
        let whole = minted.authenticatorData
        for count in 0..<whole.count {
            minted.authenticatorData = Array(whole.prefix(count))
            #expect(bench.flaw(minted.bytes, with: try bench.policy()) == .unreadable, "\(count) bytes")
        }
    }

    @Test func `authenticator data with another length of the key's name are refused`() throws {
        let bytes = try Bench.shared.get().template().authenticatorData.bytes
        #expect(AuthenticatorData(bytes, ofAttestation: true) != nil)
        for (place, value) in [(53, UInt8(1)), (54, 31), (54, 33), (54, 0)] {
            var changed = bytes
            changed[place] = value
            #expect(AuthenticatorData(changed, ofAttestation: true) == nil)
        }
    }

    // MARK: What the certificates say

    static let certificateFlaws: [(name: String, flaw: AppAttestFlaw, change: Change)] = [
        ("another challenge", .binding, { $0.clientDataHash[0] ^= 1 }),
        ("a longer hash of a challenge", .binding, { $0.clientDataHash.append(0) }),
        ("no statement", .statement, { $0.leaf.statements = [] }),
        ("two statements", .unreadable, { $0.leaf.statements = try [statement($0), statement($0)] }),
        (
            "two statements, one of them of another nonce", .unreadable,
            {
                $0.leaf.statements = try [statement($0), LeafTemplate.statement(of: [UInt8](repeating: 1, count: 32))]
            }
        ),
        (
            "a statement with another tag", .statement,
            { $0.leaf.statements = try [[0x30, 0x24, 0xA0] + statement($0).dropFirst(3)] }
        ),
        ("a statement that is longer", .statement, { $0.leaf.statements = try [statement($0) + [0]] }),
        ("a statement that is shorter", .statement, { $0.leaf.statements = try [truncated(statement($0))] }),
        ("a statement of the bare nonce", .statement, { $0.leaf.statements = try [Array(statement($0).suffix(32))] }),
        ("an empty statement", .statement, { $0.leaf.statements = [[]] }),
        (
            "a statement of another nonce", .binding,
            {
                $0.leaf.statements = [LeafTemplate.statement(of: [UInt8](repeating: 1, count: 32))]
            }
        ),
        ("a leaf that has expired", .chain, { $0.leaf.validity = Bench.now - 86_400...Bench.now - 1 }),
        ("a leaf that isn't valid yet", .chain, { $0.leaf.validity = Bench.now + 1...Bench.now + 86_400 }),
        ("a leaf that is an authority's", .chain, { $0.leaf.isAuthority = true }),
        ("a leaf that doesn't say that it isn't", .chain, { $0.leaf.isAuthority = nil }),
        (
            "a leaf that may sign certificates", .chain,
            { $0.leaf.keyUsage = KeyUsage(digitalSignature: true, keyCertSign: true) }
        ),
        ("a leaf that may sign nothing", .chain, { $0.leaf.keyUsage = KeyUsage(keyEncipherment: true) }),
        ("a leaf that doesn't say what it may", .chain, { $0.leaf.keyUsage = nil }),
        ("a leaf on P-384", .chain, { $0.leaf.key = .init(P384.Signing.PrivateKey().publicKey) }),
        ("a leaf for another key", .key, { $0.leaf.key = .init(P256.Signing.PrivateKey().publicKey) }),
    ]

    /// The right one.
    private static func statement(_ template: AttestationTemplate) throws -> [UInt8] {
        LeafTemplate.statement(
            of: Array(SHA256.hash(data: template.authenticatorData.bytes + template.clientDataHash)))
    }

    @Test(arguments: certificateFlaws.map(\.name))
    func `what the leaf says is refused for its reason`(_ name: String) throws {
        let bench = try Bench.shared.get()
        let row = try #require(Self.certificateFlaws.first { $0.name == name })
        var template = try bench.template()
        try row.change(&template)
        #expect(bench.flaw(try bench.authority.attest(template).bytes, with: try bench.policy()) == row.flaw)
    }

    @Test func `the first and the last moment of the leaf belong to it`() throws {
        let bench = try Bench.shared.get()
        var template = try bench.template()
        template.leaf.validity = Bench.now...Bench.now + 60
        let attestation = try bench.authority.attest(template).bytes
        try bench.verify(attestation)
        try bench.verify(attestation, at: Bench.now + 60)
        for time in [Bench.now - 1, Bench.now + 61] {
            #expect(throws: AppAttestFlaw.chain) { try bench.verify(attestation, at: time) }
        }
    }

    @Test func `an authority that has expired, or isn't valid yet, is refused`() throws {
        let (now, long) = (Bench.now, TimeInterval(10_000_000))
        let validities: [(root: ClosedRange<Date>, intermediate: ClosedRange<Date>, isAccepted: Bool)] = [
            (now - long...now + long, now - long...now + long, true), (now - long...now, now - long...now, true),
            (now - long...now + long, now - long...now - 1, false),
            (now - long...now + long, now + 1...now + long, false),
            (now - long...now - 1, now - long...now + long, false),
            (now + 1...now + long, now - long...now + long, false),
        ]
        for (number, row) in validities.enumerated() {
            let authority = try AppleAuthority(validity: row.root, intermediateValidity: row.intermediate)
            let bench = try Bench(authority: authority)
            let flaw = bench.flaw(try authority.attest(bench.template()).bytes, with: try bench.policy())
            #expect(flaw == (row.isAccepted ? nil : .chain), "row \(number)")
        }
    }

    @Test func `an intermediate certificate that may not issue, or not below its root, is refused`() throws {
        let validity = Bench.now - 60...Bench.now + 60
        let authorities: [(authority: AppleAuthority, flaw: AppAttestFlaw?)] = [
            (try AppleAuthority(validity: validity, constraints: .isCertificateAuthority(maxPathLength: nil)), nil),
            (try AppleAuthority(validity: validity, rootPathLength: 1), nil),
            (try AppleAuthority(validity: validity, rootPathLength: 0), .chain),
            (try AppleAuthority(validity: validity, constraints: .notCertificateAuthority), .chain),
            (try AppleAuthority(validity: validity, usage: KeyUsage(digitalSignature: true, cRLSign: true)), .chain),
        ]
        for (number, row) in authorities.enumerated() {
            let bench = try Bench(authority: row.authority)
            let flaw = bench.flaw(try row.authority.attest(bench.template()).bytes, with: try bench.policy())
            #expect(flaw == row.flaw, "row \(number)")
        }
    }

    @Test func `the certificates must be the leaf and the intermediate one`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let other = try AppleAuthority(at: Bench.now)
        var minted = try bench.authority.attest(bench.template())
        let (leaf, intermediate) = (minted.certificates[0], minted.certificates[1])
        let root = bench.authority.certificates.root
        let rows: [(name: String, certificates: [[UInt8]], flaw: AppAttestFlaw?)] = [
            ("right", [leaf, intermediate], nil), ("none", [], .unreadable), ("only the leaf", [leaf], .unreadable),
            ("the root, too", [leaf, intermediate, root], .unreadable),
            ("one twice", [leaf, intermediate, intermediate], .unreadable),
            ("the other way round", [intermediate, leaf], .chain),
            ("the leaf as its own issuer", [leaf, leaf], .chain),
            ("the intermediate one as leaf", [intermediate, intermediate], .chain),
            ("an intermediate one of the same name", [leaf, other.certificates.intermediate], .chain),
            ("the root as the intermediate one", [leaf, root], .chain),
            ("the intermediate one as leaf of the root", [intermediate, root], .chain),
            ("no certificates", [[], []], .unreadable),
            ("something after the leaf", [leaf + [0], intermediate], .unreadable),
            ("something after the intermediate one", [leaf, intermediate + [0]], .unreadable),
            ("a leaf that is cut off", [Array(leaf.dropLast()), intermediate], .unreadable),
            (
                "the leaf in PEM",
                [Array(PEMDocument(type: "CERTIFICATE", derBytes: leaf).pemString.utf8), intermediate], .unreadable
            ),
        ]
        for row in rows {
            minted.certificates = row.certificates
            #expect(bench.flaw(minted.bytes, with: policy) == row.flaw, "\(row.name)")
        }
    }

    @Test func `a leaf by the pinned root itself is refused`() throws {
        // An authority whose intermediate certificate somebody pinned.
        let bench = try Bench.shared.get()
        let intermediate = PEMDocument(type: "CERTIFICATE", derBytes: bench.authority.certificates.intermediate)
            .pemString
        let attestation = try bench.authority.attest(bench.template()).bytes
        #expect(bench.flaw(attestation, with: try bench.policy(rootPEM: intermediate)) == .chain)
        let both = intermediate + "\n" + bench.authority.rootPEM
        #expect(bench.flaw(attestation, with: try bench.policy(rootPEM: both)) == .chain)
    }

    @Test func `other roots are refused, also Apple's`() throws {
        let bench = try Bench.shared.get()
        let attestation = try bench.authority.attest(bench.template()).bytes
        let sample = try #require(Vectors.all.attestations.last)
        // "Apple Root CA - G3", which signs receipts, is in the receipt of Apple's sample.
        let start = try #require(sample.attestation.firstRange(of: Data(bytes("30820243308201c9")))?.lowerBound)
        let der = Array(sample.attestation[start..<(start + 0x243 + 4)])
        #expect(
            Array(SHA256.hash(data: der)) == bytes("63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179"))
        let receipts = PEMDocument(type: "CERTIFICATE", derBytes: der).pemString
        for pem in [try AppleAuthority(at: Bench.now).rootPEM, AppleAppAttestRoot.pem, receipts] {
            #expect(bench.flaw(attestation, with: try bench.policy(rootPEM: pem)) == .chain)
        }
        let roots = try #require(PinnedRoots(pem: receipts))
        #expect(throws: AppAttestFlaw.chain) { try sample.verify(with: sample.policy(roots: roots)) }
    }

    // MARK: The form

    @Test func `an attestation has these parts and no others`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let item = try bench.authority.attest(bench.template()).item
        try bench.verify(item.encoded)
        func statement(_ change: (CBORItem) -> CBORItem) -> CBORItem {
            guard case .map(let pairs) = item else { return item }
            return .map(
                pairs.enumerated().map { $0.offset == 1 ? ($0.element.key, change($0.element.value)) : $0.element })
        }
        let rows: [(name: String, item: CBORItem)] = [
            ("another format", item.replacing("fmt", with: .text("packed"))),
            ("the format as bytes", item.replacing("fmt", with: .bytes(Array("apple-appattest".utf8)))),
            ("a part more", item.adding("more", .unsigned(0))), ("no format", item.removing("fmt")),
            ("no statement", item.removing("attStmt")), ("no data", item.removing("authData")),
            ("a part of another name", item.removing("fmt").adding("FMT", .text("apple-appattest"))),
            ("no certificates", statement { $0.removing("x5c") }), ("no receipt", statement { $0.removing("receipt") }),
            ("another statement", statement { $0.adding("more", .unsigned(0)) }),
            ("a receipt that is text", statement { $0.replacing("receipt", with: .text("")) }),
            ("certificates that are bytes", statement { $0.replacing("x5c", with: .bytes([])) }),
            ("certificates that are texts", statement { $0.replacing("x5c", with: .array([.text("a"), .text("b")])) }),
            ("data that are text", item.replacing("authData", with: .text("data"))),
            ("a part twice", item.adding("fmt", .text("apple-appattest"))), ("an array", .array([item])),
        ]
        for row in rows {
            #expect(bench.flaw(row.item.encoded, with: policy) == .unreadable, "\(row.name)")
        }
    }

    @Test func `the parts may come in any order`() throws {
        let bench = try Bench.shared.get()
        guard case .map(let pairs) = try bench.authority.attest(bench.template()).item else { return }
        try bench.verify(CBORItem.map(pairs.reversed()).encoded)
    }

    @Test func `only one form of the bytes is accepted`() throws {
        let bench = try Bench.shared.get()
        let policy = try bench.policy()
        let attestation = try bench.authority.attest(bench.template()).bytes
        let rows: [(name: String, bytes: [UInt8])] = [
            ("nothing", []), ("a byte more", attestation + [0]), ("twice", attestation + attestation),
            ("a byte less", Array(attestation.dropLast())), ("a long head", [0xB8, 3] + attestation.dropFirst()),
            ("an indefinite length", [0xBF] + attestation.dropFirst() + [0xFF]),
            ("a tag", [0xD9, 0xD9, 0xF7] + attestation),
            ("2^32 parts", [0xBB, 0, 0, 0, 1, 0, 0, 0, 0] + attestation.dropFirst()),
            ("zeros", [UInt8](repeating: 0, count: 16_384)), ("deep arrays", [UInt8](repeating: 0x81, count: 16_384)),
        ]
        for row in rows { #expect(bench.flaw(row.bytes, with: policy) == .unreadable, "\(row.name)") }
    }

    @Test func `the longest attestation is accepted, and no longer one`() throws {
        let bench = try Bench.shared.get()
        var minted = try bench.authority.attest(bench.template())
        minted.receipt = []
        // The longer head of the receipt has two bytes more.
        let room = AppAttestPolicy.longestAttestation - minted.bytes.count - 2
        minted.receipt = [UInt8](repeating: 0, count: room)
        #expect(minted.bytes.count == AppAttestPolicy.longestAttestation)
        try bench.verify(minted.bytes)
        minted.receipt.append(0)
        #expect(bench.flaw(minted.bytes, with: try bench.policy()) == .unreadable)
    }

    // MARK: The order

    @Test func `the flaw that is told is the first one`() throws {
        let bench = try Bench.shared.get()
        // From the last check to the first, each one more flaw.
        let changes: [(flaw: AppAttestFlaw, change: Change)] = [
            (.category, { $0.authenticatorData.extensions = Self.category(.enterprise) }),
            (
                .credentialKey,
                {
                    let other = AppAttestPublicKey(P256.Signing.PrivateKey().publicKey)
                    $0.authenticatorData.publicKey = AuthenticatorDataTemplate.coseKey(of: other).encoded
                }
            ), (.credential, { $0.authenticatorData.credentialID?[0] ^= 1 }),
            (.environment, { $0.authenticatorData.authenticatorID[0] ^= 1 }),
            (.counter, { $0.authenticatorData.counter = 7 }),
            (.app, { $0.authenticatorData.appHash[31] ^= 1 }),
            (.key, { $0.leaf.key = .init(P256.Signing.PrivateKey().publicKey) }),
            (.binding, { $0.clientDataHash = [] }), (.statement, { $0.leaf.statements = [] }),
            (.chain, { $0.leaf.isAuthority = true }), (.unreadable, { $0.authenticatorData.extensions = [0] }),
        ]
        var template = try bench.template()
        for row in changes {
            try row.change(&template)
            #expect(bench.flaw(try bench.authority.attest(template).bytes, with: try bench.policy()) == row.flaw)
        }
        // An assertion's own is the other one.
        #expect(Set(changes.map(\.flaw)) == Set(AppAttestFlaw.allCases).subtracting([.forged]))
        let order = AppAttestFlaw.allCases.filter { $0 != .forged }
        #expect(changes.map(\.flaw).reversed() == order)
    }

    @Test func `an attestation of one key isn't another's`() throws {
        let bench = try Bench.shared.get()
        let other = AppAttestDevice(app: bench.app)
        let attestation = try bench.authority.attest(bench.template()).bytes
        #expect(throws: AppAttestFlaw.key) { try bench.verify(attestation, keyID: other.keyID) }
    }
}
