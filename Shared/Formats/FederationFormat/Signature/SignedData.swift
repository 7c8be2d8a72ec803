import ExposureKeys
import FoundationEssentials
import SwiftASN1

/// What a batch's signature says, before anything of it was checked: a SignedData of CMS (RFC 5652, section 5) with one
/// signer.
///
/// `rsaEncryption` may stand for the algorithm of a signature, as OpenSSL and BouncyCastle write it (RFC 3370, section
/// 3.2).
struct SignedData: Hashable, Sendable {
    /// The content, if it is within; it should come separately.
    let content: [UInt8]?
    /// The certificates beside the signature, in DER.
    let certificates: [[UInt8]]
    let signer: Signer

    /// A SignerInfo.
    struct Signer: Hashable, Sendable {
        let identifier: Identifier
        let digestAlgorithm: ASN1ObjectIdentifier
        /// Nil if the signature is over the content itself.
        let attributes: SignedAttributes?
        let signatureAlgorithm: ASN1ObjectIdentifier
        let signature: [UInt8]
    }

    /// How a signer points to the certificate.
    enum Identifier: Hashable, Sendable {
        /// As encoded.
        case issuerAndSerialNumber(issuer: [UInt8], serialNumber: [UInt8])
        case subjectKey([UInt8])
    }

    /// More certificates than a chain has.
    private static let mostCertificates = 10

    /// Reads BER, of which DER is a part: BouncyCastle writes indefinite lengths.
    init(_ bytes: [UInt8]) throws(SignatureFlaw) {
        do {
            self = try BER.sequence(BER.parse(bytes), identifier: .sequence) { nodes in
                guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .signedData else {
                    throw SignatureFlaw.unreadable
                }
                return try BER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    try SignedData($0)
                }
            }
        } catch let flaw as SignatureFlaw {
            throw flaw
        } catch {
            throw .unreadable
        }
    }

    private init(_ node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            guard try (1...5).contains(Int(derEncoded: &nodes)), let digests = nodes.next(), digests.identifier == .set
            else { throw SignatureFlaw.unreadable }
            let announced = try Self.children(of: digests).map(Signer.algorithm)
            let content = try Self.content(&nodes)
            let certificates = try BER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Self.children(of: $0).map { Array($0.encodedBytes) }
            }
            // Lists of revoked certificates.
            _ = BER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
            guard let signers = nodes.next(), signers.identifier == .set else { throw SignatureFlaw.unreadable }
            let all = try Self.children(of: signers)
            guard all.count == 1, certificates?.count ?? 0 <= Self.mostCertificates else {
                throw SignatureFlaw.unreadable
            }
            let signer = try Signer(all[0])
            // Readers in one pass compute only these (RFC 5652, section 5.1).
            guard announced.contains(signer.digestAlgorithm) else { throw SignatureFlaw.algorithm }
            return SignedData(content: content, certificates: certificates ?? [], signer: signer)
        }
    }

    private init(content: [UInt8]?, certificates: [[UInt8]], signer: Signer) {
        self.content = content
        self.certificates = certificates
        self.signer = signer
    }

    private static func content(_ nodes: inout ASN1NodeCollection.Iterator) throws -> [UInt8]? {
        guard let content = nodes.next() else { throw SignatureFlaw.unreadable }
        return try BER.sequence(content, identifier: .sequence) { nodes in
            guard try ASN1ObjectIdentifier(derEncoded: &nodes) == .data else { throw SignatureFlaw.unreadable }
            return try BER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                let strings = try children(of: node)
                guard strings.count == 1 else { throw SignatureFlaw.unreadable }
                return Array(try ASN1OctetString(berEncoded: strings[0]).bytes)
            }
        }
    }

    static func children(of node: ASN1Node) throws -> [ASN1Node] {
        guard case .constructed(let children) = node.content else { throw SignatureFlaw.unreadable }
        return Array(children)
    }
}

extension SignedData.Signer {
    fileprivate init(_ node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            let version = try Int(derEncoded: &nodes)
            guard let name = nodes.next() else { throw SignatureFlaw.unreadable }
            let identifier = try SignedData.Identifier(name)
            guard version == identifier.version else { throw SignatureFlaw.unreadable }
            guard let digest = nodes.next() else { throw SignatureFlaw.unreadable }
            let digestAlgorithm = try Self.algorithm(digest)
            let attributes = try BER.optionalImplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try SignedAttributes($0)
            }
            guard let signing = nodes.next() else { throw SignatureFlaw.unreadable }
            let signatureAlgorithm = try Self.algorithm(signing)
            let signature = try ASN1OctetString(berEncoded: &nodes)
            // Unsigned attributes say nothing that anybody vouches for.
            _ = BER.optionalImplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { _ in }
            return SignedData.Signer(
                identifier: identifier, digestAlgorithm: digestAlgorithm, attributes: attributes,
                signatureAlgorithm: signatureAlgorithm, signature: Array(signature.bytes))
        }
    }

    /// An AlgorithmIdentifier whose parameters are absent or NULL. Those that have others, such as RSA-PSS, aren't
    /// accepted.
    fileprivate static func algorithm(_ node: ASN1Node) throws -> ASN1ObjectIdentifier {
        try BER.sequence(node, identifier: .sequence) { nodes in
            let name = try ASN1ObjectIdentifier(derEncoded: &nodes)
            guard let parameters = nodes.next() else { return name }
            guard parameters.identifier == .null else { throw SignatureFlaw.algorithm }
            return name
        }
    }
}

extension SignedData.Identifier {
    fileprivate init(_ node: ASN1Node) throws {
        guard node.identifier == .sequence else {
            let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
            self = .subjectKey(Array(try ASN1OctetString(berEncoded: node, withIdentifier: tag).bytes))
            return
        }
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            guard let issuer = nodes.next(), let serialNumber = nodes.next() else { throw SignatureFlaw.unreadable }
            return .issuerAndSerialNumber(
                issuer: Array(issuer.encodedBytes), serialNumber: Array(serialNumber.encodedBytes))
        }
    }

    /// Of the SignerInfo (RFC 5652, section 5.3).
    var version: Int {
        switch self {
        case .issuerAndSerialNumber: 1
        case .subjectKey: 3
        }
    }
}

/// Attributes that are signed instead of the content, whose digest is one of them.
struct SignedAttributes: Hashable, Sendable {
    let contentType: ASN1ObjectIdentifier?
    let messageDigest: [UInt8]?
    /// Nil if the signer claims no time.
    let signingTime: Date?
    /// What the signature covers: the attributes as a SET OF (RFC 5652, section 5.4).
    let signedBytes: [UInt8]

    private static let most = 20

    fileprivate init(_ node: ASN1Node) throws {
        let all = try SignedData.children(of: node)
        guard (1...Self.most).contains(all.count) else { throw SignatureFlaw.attributes }
        var values: [ASN1ObjectIdentifier: ASN1Node] = [:]
        var encoded: [[UInt8]] = []
        for attribute in all {
            let (type, first) = try Self.read(attribute)
            guard values.updateValue(first, forKey: type) == nil else { throw SignatureFlaw.attributes }
            var writer = DER.Serializer()
            writer.serialize(attribute)
            guard writer.serializedBytes.elementsEqual(attribute.encodedBytes), Self.isDER(first) else {
                throw SignatureFlaw.attributes
            }
            encoded.append(writer.serializedBytes)
        }
        // Attributes must be in DER, also within BER (RFC 5652, section 5.3). Libraries disagree what others' signature covers.
        guard zip(encoded, encoded.dropFirst()).allSatisfy({ !$1.lexicographicallyPrecedes($0) }) else {
            throw SignatureFlaw.attributes
        }
        contentType = try values[.contentType].map { try ASN1ObjectIdentifier(derEncoded: $0) }
        messageDigest = try values[.messageDigest].map { Array(try ASN1OctetString(derEncoded: $0).bytes) }
        signingTime = try values[.signingTime].map(Self.time)
        var writer = DER.Serializer()
        writer.appendConstructedNode(identifier: .set) { writer in
            for attribute in encoded { writer.serializeRawBytes(attribute) }
        }
        signedBytes = writer.serializedBytes
    }

    /// Whether no string of a value is in pieces.
    private static func isDER(_ value: ASN1Node) -> Bool {
        guard case .constructed(let children) = value.content else { return true }
        let kind = value.identifier
        return (kind == .sequence || kind == .set || kind.tagClass != .universal) && children.allSatisfy(isDER)
    }

    /// An attribute's type and its only value.
    private static func read(_ attribute: ASN1Node) throws -> (ASN1ObjectIdentifier, ASN1Node) {
        try BER.sequence(attribute, identifier: .sequence) { nodes in
            let type = try ASN1ObjectIdentifier(derEncoded: &nodes)
            guard let set = nodes.next(), set.identifier == .set else { throw SignatureFlaw.attributes }
            let values = try SignedData.children(of: set)
            guard values.count == 1 else { throw SignatureFlaw.attributes }
            return (type, values[0])
        }
    }

    private static func time(_ node: ASN1Node) throws -> Date {
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            return try instant(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: node)
        return try instant(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }

    private static func instant(
        _ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int
    ) throws -> Date {
        guard let day = Day(name: "\(year)-\(twoDigits(month))-\(twoDigits(day))") else {
            throw SignatureFlaw.attributes
        }
        return Date(timeIntervalSince1970: Double(day.startSeconds + Int64(hours * 3600 + minutes * 60 + seconds)))
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension ASN1ObjectIdentifier {
    // RFC 5652, sections 4, 5.1 and 11; RFC 5754; RFC 5758.
    static let data: Self = [1, 2, 840, 113_549, 1, 7, 1]
    static let signedData: Self = [1, 2, 840, 113_549, 1, 7, 2]
    static let contentType: Self = [1, 2, 840, 113_549, 1, 9, 3]
    static let messageDigest: Self = [1, 2, 840, 113_549, 1, 9, 4]
    static let signingTime: Self = [1, 2, 840, 113_549, 1, 9, 5]
    static let sha256: Self = [2, 16, 840, 1, 101, 3, 4, 2, 1]
    static let sha384: Self = [2, 16, 840, 1, 101, 3, 4, 2, 2]
    static let sha512: Self = [2, 16, 840, 1, 101, 3, 4, 2, 3]
    static let ecdsaWithSHA256: Self = [1, 2, 840, 10_045, 4, 3, 2]
    static let ecdsaWithSHA384: Self = [1, 2, 840, 10_045, 4, 3, 3]
    static let ecdsaWithSHA512: Self = [1, 2, 840, 10_045, 4, 3, 4]
}
