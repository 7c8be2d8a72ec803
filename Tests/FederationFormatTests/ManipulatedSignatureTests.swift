import Crypto
import FederationFormat
import Foundation
import TestPrograms
import TestSupport
import Testing

/// Structures that somebody has changed, also the signer himself: what `openssl cms` refuses, this module never accepts.
@Suite(.heavy, .timeLimit(.minutes(10)))
struct ManipulatedSignatureTests {
    /// A signature by openssl, ready to be changed and signed anew.
    private struct Signed {
        let openssl: OpenSSLProgram
        let key: BatchSigningKey
        let other: FederationCertificate
        let content: [UInt8]
        let attributes: Node
        let bare: Node

        /// What openssl and this module say of a structure.
        func verdicts(of bytes: [UInt8]) throws -> (openssl: Bool, ours: String) {
            try openssl.write(bytes, "signature")
            let isVerified = try openssl.verifies()
            do throws(SignatureFlaw) {
                try BatchSignature(bytes).verify(content, by: key.certificate)
                return (isVerified, "accepted")
            } catch {
                return (isVerified, error.rawValue)
            }
        }

        /// Signs the attributes as they stand, or in their order.
        func sign(_ root: inout Node, sorted: Bool = false) throws {
            var attributes = root.attributes
            attributes.tag = 0x31
            if sorted {
                attributes.children.sort { $0.encoded.lexicographicallyPrecedes($1.encoded) }
            }
            root.signature = .init(0x04, try key.sign(SHA256.hash(data: attributes.encoded)))
        }
    }

    private typealias Change = (inout Node, Signed) throws -> Void

    /// A change of a signature, with or without attributes, and what this module says of it.
    private struct Row {
        let name: String
        let verdict: String
        /// Another verdict with RSA, whose signatures may name the key alone.
        var withRSA: String?
        var isBare = false
        let change: Change
    }

    private static func resigned(_ name: String, _ verdict: String, _ change: @escaping (inout Node) -> Void) -> Row {
        Row(name: name, verdict: verdict) { root, signed in
            change(&root.attributes)
            try signed.sign(&root)
        }
    }

    private static let sha512 = Node(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03])
    private static let sha1 = Node(0x06, [0x2B, 0x0E, 0x03, 0x02, 0x1A])
    private static let null = Node(0x05, [])
    /// An attribute of a private enterprise.
    private static let unknown = Node(
        0x30, children: [Node(0x06, [0x2B, 0x06, 0x01, 0x04, 0x01]), Node(0x31, children: [Node(0x05, [])])])

    private static var rows: [Row] {
        [
            Row(name: "nothing", verdict: "accepted") { _, _ in },
            Row(name: "nothing, without attributes", verdict: "accepted", isBare: true) { _, _ in },

            // The signer's attributes.
            Row(name: "another digest", verdict: "mismatch") { root, _ in root.attributes[.digest][1][0].bytes[0] ^= 1
            },
            Row(name: "no attributes, though they were signed", verdict: "mismatch") { root, _ in
                root.signer.children.remove(at: 3)
            },
            resigned("another digest, signed", "mismatch") { $0[.digest][1][0].bytes[0] ^= 1 },
            resigned("a digest that is cut off", "mismatch") { $0[.digest][1][0].bytes.removeLast() },
            resigned("no digest", "attributes") { $0.children.removeAll { $0.isAttribute(.digest) } },
            resigned("no type of content", "attributes") { $0.children.removeAll { $0.isAttribute(.type) } },
            resigned("another type of content", "attributes") { $0[.type][1][0].bytes[8] = 2 },
            resigned("the digest twice", "attributes") { $0.children.append($0[.digest]) },
            resigned("the digest twice, the first one false", "attributes") { attributes in
                var other = attributes[.digest]
                other[1][0].bytes[0] ^= 1
                attributes.children.insert(other, at: 0)
            },
            resigned("a digest with two values", "attributes") { $0[.digest][1].children.append($0[.digest][1][0]) },
            resigned("a digest without a value", "attributes") { $0[.digest][1].children = [] },
            resigned("the type of content twice", "attributes") { $0.children.append($0[.type]) },
            resigned("the time twice", "attributes") { $0.children.append($0[.time]) },
            resigned("no time", "accepted") { $0.children.removeAll { $0.isAttribute(.time) } },
            resigned("a time in a month that isn't", "unreadable") { attributes in
                attributes[.time][1][0] = Node(0x17, Array("269901000000Z".utf8))
            },
            Row(name: "one attribute more, in its place", verdict: "accepted") { root, signed in
                root.attributes.children.append(unknown)
                root.attributes.children.sort { $0.encoded.lexicographicallyPrecedes($1.encoded) }
                try signed.sign(&root)
            },
            resigned("one attribute more, in pieces", "attributes") { attributes in
                var other = unknown
                other[1][0] = Node(0x24, children: [Node(0x04, [1]), Node(0x04, [2])])
                attributes.children.append(other)
                attributes.children.sort { $0.encoded.lexicographicallyPrecedes($1.encoded) }
            },
            Row(name: "attributes in another order than DER's, signed in DER's", verdict: "attributes") {
                root, signed in
                root.attributes.children.reverse()
                try signed.sign(&root, sorted: true)
            },
            resigned("attributes in another order, signed so", "attributes") { $0.children.reverse() },
            resigned("no attribute at all", "attributes") { $0.children = [] },

            // The signer.
            Row(name: "another serial number", verdict: "other_signer") { root, _ in root.signer[1][1].bytes[3] ^= 1 },
            Row(name: "another's certificate", verdict: "other_signer") { root, signed in
                root.certificates.children = [try Node(signed.other.der)]
            },
            Row(name: "another's certificate as well", verdict: "accepted") { root, signed in
                root.certificates.children.append(try Node(signed.other.der))
            },
            Row(name: "no certificate", verdict: "other_signer") { root, _ in root.certificates.children = [] },
            Row(name: "no signer", verdict: "unreadable") { root, _ in root.signers.children = [] },
            Row(name: "the signer twice", verdict: "unreadable") { root, _ in
                root.signers.children.append(root.signer)
            },
            Row(name: "a version for key identifiers", verdict: "unreadable") { root, _ in root.signer[0].bytes = [3] },
            Row(name: "version 0", verdict: "unreadable") { root, _ in root.data[0].bytes = [0] },

            // Content.
            Row(name: "the content attached", verdict: "accepted") { root, signed in
                root.data[2].children.append(Node(0xA0, children: [Node(0x04, signed.content)]))
            },
            Row(name: "the content attached, without attributes", verdict: "accepted", isBare: true) { root, signed in
                root.data[2].children.append(Node(0xA0, children: [Node(0x04, signed.content)]))
            },
            Row(name: "the content attached in pieces", verdict: "accepted") { root, signed in
                let pieces = [Node(0x04, Array(signed.content[..<9])), Node(0x04, Array(signed.content[9...]))]
                root.data[2].children.append(Node(0xA0, children: [Node(0x24, children: pieces)]))
            },
            Row(name: "the content attached twice", verdict: "unreadable") { root, signed in
                root.data[2].children.append(Node(0xA0, children: [Node(0x04, signed.content), Node(0x04, [])]))
            },
            Row(name: "no content attached where there should be some", verdict: "unreadable") { root, _ in
                root.data[2].children.append(Node(0xA0, children: []))
            },
            Row(name: "content of another type attached", verdict: "unreadable") { root, signed in
                root.data[2].children.append(Node(0xA0, children: [Node(0x0C, signed.content)]))
            },
            Row(name: "other content attached", verdict: "attached") { root, _ in
                root.data[2].children.append(Node(0xA0, children: [Node(0x04, [1, 2, 3])]))
            },
            Row(name: "content that isn't data", verdict: "unreadable") { root, _ in root.data[2][0].bytes[8] = 2 },
            Row(name: "an enveloped structure", verdict: "unreadable") { root, _ in root[0].bytes[8] = 3 },

            // Algorithms.
            Row(name: "SHA-512 named for a digest of SHA-256", verdict: "algorithm", withRSA: "mismatch") { root, _ in
                root.data[1][0][0] = sha512
                root.signer[2][0] = sha512
            },
            Row(name: "the same, without attributes", verdict: "algorithm", withRSA: "mismatch", isBare: true) {
                root, _ in
                root.data[1][0][0] = sha512
                root.signer[2][0] = sha512
            },
            Row(name: "SHA-512 announced", verdict: "algorithm") { root, _ in root.data[1][0][0] = sha512 },
            Row(name: "SHA-512 announced as well", verdict: "accepted") { root, _ in
                root.data[1].children.append(Node(0x30, children: [sha512]))
            },
            Row(name: "no digest announced", verdict: "algorithm") { root, _ in root.data[1].children = []
            },
            Row(name: "SHA-1 named", verdict: "algorithm") { root, _ in root.signer[2][0] = sha1 },
            Row(name: "parameters of the digest that are none", verdict: "algorithm") { root, _ in
                root.signer[2].children = [root.signer[2][0], Node(0x02, [1])]
            },
            Row(name: "a member too many of an algorithm", verdict: "unreadable") { root, _ in
                root.signer[2].children = [root.signer[2][0], null, null]
            },

            // Encodings.
            Row(name: "indefinite lengths outside", verdict: "accepted") { root, _ in
                root.isIndefinite = true
                root[1].isIndefinite = true
                root.data.isIndefinite = true
                root.certificates.isIndefinite = true
            },
            Row(name: "indefinite lengths everywhere but in certificates, names and attributes", verdict: "accepted") {
                root, _ in
                let (certificates, name, attributes) = (root.certificates, root.signer[1], root.attributes)
                root.makeIndefinite()
                root.certificates = certificates
                root.signer[1] = name
                root.attributes = attributes
            },
            Row(name: "indefinite lengths of attributes", verdict: "attributes") { root, _ in
                root.attributes.makeIndefinite()
            },
            resigned("a digest in pieces", "attributes") { attributes in
                let bytes = attributes[.digest][1][0].bytes
                attributes[.digest][1][0] = Node(
                    0x24, children: [Node(0x04, Array(bytes[..<10])), Node(0x04, Array(bytes[10...]))])
            },
            Row(name: "the signature in pieces", verdict: "accepted") { root, _ in
                let bytes = root.signature.bytes
                root.signature = Node(
                    0x24, children: [Node(0x04, Array(bytes[..<20])), Node(0x04, Array(bytes[20...]))])
            },
            Row(name: "a member too many outside", verdict: "unreadable") { root, _ in root.children.append(null) },
            Row(name: "a member too many inside", verdict: "unreadable") { root, _ in root.data.children.append(null) },
            Row(name: "a member too many beside the data", verdict: "unreadable") { root, _ in
                root[1].children.append(null)
            },
            Row(name: "a member too many of the signer", verdict: "unreadable") { root, _ in
                root.signer.children.append(null)
            },
            Row(name: "a member too many of an attribute", verdict: "unreadable") { root, _ in
                root.attributes[.digest].children.append(null)
            },
            Row(name: "unsigned attributes", verdict: "accepted") { root, _ in
                root.signer.children.append(Node(0xA1, children: [unknown]))
            },

            // The signature itself.
            Row(name: "one bit of the signature", verdict: "mismatch") { root, _ in
                root.signature.bytes[root.signature.bytes.count - 1] ^= 1
            },
            Row(name: "a byte behind the signature", verdict: "mismatch") { root, _ in root.signature.bytes.append(0) },
            Row(name: "a signature of nothing", verdict: "mismatch") { root, _ in root.signature.bytes = [] },
        ]
    }

    private static func signed(_ kind: SigningKind) throws -> Signed {
        let openssl = try OpenSSLProgram()
        for prefix in ["", "other-"] { try openssl.makeKey(kind.rawValue, named: prefix) }
        let content = try #require(KeyBatch(try Sample.keys(3, seed: 1))).records.signedBytes
        try openssl.write(content, "content")
        return Signed(
            openssl: openssl, key: try openssl.signingKey(),
            other: try FederationCertificate(pem: openssl.text("other-certificate.pem")), content: content,
            attributes: try Node(openssl.sign("", to: "made")), bare: try Node(openssl.sign("-noattr", to: "made")))
    }

    @Test(
        "a changed structure has its verdict, and openssl never refuses what is accepted",
        arguments: SigningKind.allCases)
    func table(kind: SigningKind) throws {
        let signed = try Self.signed(kind)
        var refused = 0
        for row in Self.rows {
            var root = row.isBare ? signed.bare : signed.attributes
            try row.change(&root, signed)
            let (openssl, ours) = try signed.verdicts(of: root.encoded)
            #expect(ours == (kind == .rsa ? row.withRSA : nil) ?? row.verdict, "\(row.name)")
            #expect(ours != "accepted" || openssl, "\(row.name)")
            if !openssl { refused += 1 }
        }
        // Openssl is an opinion, and no echo.
        #expect(refused > 15)
        for tail in [[0], [0, 0], [0x30, 0x00]] as [[UInt8]] {
            let verdicts = try signed.verdicts(of: signed.bare.encoded + tail)
            #expect(verdicts.ours == "unreadable")
        }
    }

    @Test("of signatures with random changes, openssl refuses none that is accepted", arguments: SigningKind.allCases)
    func mutations(kind: SigningKind) throws {
        let signed = try Self.signed(kind)
        var random = SeededGenerator(seed: 53)
        var accepted = 0
        for bytes in [signed.attributes.encoded, signed.bare.encoded] {
            for _ in 0..<2000 {
                let changed = Array(Data(bytes).mutated(using: &random))
                guard let signature = try? BatchSignature(changed),
                    (try? signature.verify(signed.content, by: signed.key.certificate)) != nil, changed != bytes
                else { continue }
                accepted += 1
                let verdicts = try signed.verdicts(of: changed)
                #expect(verdicts.openssl, "\(Data(changed).base64EncodedString())")
                if accepted > 200 { return }
            }
        }
    }
}

/// A tree of BER, to be changed.
private struct Node {
    var tag: UInt8
    /// Of a primitive node.
    var bytes: [UInt8] = []
    /// Of a constructed node.
    var children: [Node] = []
    var isIndefinite = false

    init(_ tag: UInt8, _ bytes: [UInt8]) {
        self.tag = tag
        self.bytes = bytes
    }

    init(_ tag: UInt8, children: [Node]) {
        self.tag = tag
        self.children = children
    }

    /// Reads DER.
    init(_ der: [UInt8]) throws {
        var place = 0
        self = try Node(der, &place)
        try #require(place == der.count)
    }

    private init(_ der: [UInt8], _ place: inout Int) throws {
        tag = der[place]
        var length = Int(der[place + 1])
        place += 2
        if length > 127 {
            let count = length & 127
            length = der[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
            place += count
        }
        let end = place + length
        guard isConstructed else {
            bytes = Array(der[place..<end])
            place = end
            return
        }
        while place < end { children.append(try Node(der, &place)) }
    }

    private var isConstructed: Bool { tag & 0x20 != 0 }

    var encoded: [UInt8] {
        let inside = isConstructed ? children.flatMap(\.encoded) : bytes
        if isIndefinite { return [tag, 0x80] + inside + [0, 0] }
        guard inside.count > 127 else { return [tag, UInt8(inside.count)] + inside }
        let length = withUnsafeBytes(of: UInt32(inside.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + inside
    }

    mutating func makeIndefinite() {
        guard isConstructed else { return }
        isIndefinite = true
        for place in children.indices { children[place].makeIndefinite() }
    }

    subscript(_ place: Int) -> Node {
        get { children[place] }
        set { children[place] = newValue }
    }

    // MARK: SignedData

    /// The last number of a PKCS #9 attribute's name.
    enum Attribute: UInt8 {
        case type = 3
        case digest = 4
        case time = 5
    }

    func isAttribute(_ attribute: Attribute) -> Bool {
        children.first?.bytes == [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, attribute.rawValue]
    }

    subscript(_ attribute: Attribute) -> Node {
        get { children.first { $0.isAttribute(attribute) } ?? Node(0x30, children: []) }
        set {
            guard let place = children.firstIndex(where: { $0.isAttribute(attribute) }) else { return }
            children[place] = newValue
        }
    }

    var data: Node {
        get { self[1][0] }
        set { self[1][0] = newValue }
    }
    var certificates: Node {
        get { data[3] }
        set { data[3] = newValue }
    }
    var signers: Node {
        get { data[4] }
        set { data[4] = newValue }
    }
    var signer: Node {
        get { signers[0] }
        set { signers[0] = newValue }
    }
    var attributes: Node {
        get { signer[3] }
        set { signer[3] = newValue }
    }
    var signature: Node {
        get { signer.children.last { $0.tag & 0x1F == 4 && $0.tag < 0x80 } ?? Node(0x04, []) }
        set {
            guard let place = signer.children.lastIndex(where: { $0.tag & 0x1F == 4 && $0.tag < 0x80 }) else { return }
            signer.children[place] = newValue
        }
    }
}
