import Credentials
import ExposureKeys
import Foundation
import HourKeys
import Testing

import enum Crypto.ChaChaPoly
import enum Crypto.Curve25519
import enum Crypto.HPKE

/// A row is opened by its hour's private key and by nothing else.
@Suite struct RowEnvelopeTests {
    private let envelope = RowEnvelope(for: "test 1")
    private let privateKey = Curve25519.KeyAgreement.PrivateKey()
    private let hour = Hour(number: 494_800)
    private let plaintext = Array("what an app sent".utf8)
    private var hourKey: HourPublicKey { HourPublicKey(hour: hour, key: privateKey.publicKey) }

    private func tag(_ number: Int) -> Digest { Digest(sha256: "tag \(number)".utf8) }

    private func seal() throws -> [UInt8] {
        try #require(try envelope.seal([(tag(1), plaintext)], to: hourKey).first)
    }

    @Test func `what was sealed can be opened`() throws {
        let sealed = try seal()
        #expect(sealed.count == plaintext.count + RowEnvelope.overhead)
        #expect(envelope.open(sealed, tag: tag(1), hour: hour, with: privateKey) == plaintext)
    }

    @Test func `under another tag, hour, key or name it stays closed`() throws {
        let sealed = try seal()
        #expect(envelope.open(sealed, tag: tag(2), hour: hour, with: privateKey) == nil)
        #expect(envelope.open(sealed, tag: tag(1), hour: hour.advanced(by: 1), with: privateKey) == nil)
        #expect(envelope.open(sealed, tag: tag(1), hour: hour, with: Curve25519.KeyAgreement.PrivateKey()) == nil)
        #expect(RowEnvelope(for: "test 2").open(sealed, tag: tag(1), hour: hour, with: privateKey) == nil)
    }

    @Test func `with any byte changed, or cut, it stays closed`() throws {
        let sealed = try seal()
        for position in sealed.indices {
            var bytes = sealed
            bytes[position] ^= 1
            #expect(envelope.open(bytes, tag: tag(1), hour: hour, with: privateKey) == nil, "byte \(position)")
            let cut = Array(sealed.prefix(position))
            #expect(envelope.open(cut, tag: tag(1), hour: hour, with: privateKey) == nil, "cut at \(position)")
        }
    }

    @Test func `rows that are sealed together share the encapsulated key, and nothing else`() throws {
        let rows = try envelope.seal((0..<20).map { (tag($0), plaintext) }, to: hourKey)
        #expect(Set(rows.map { Array($0.prefix(32)) }).count == 1)
        #expect(Set(rows.map { Array($0[32..<44]) }).count == 20)
        #expect(Set(rows.map { Array($0[44...]) }).count == 20)
        for (number, row) in rows.enumerated() {
            #expect(envelope.open(row, tag: tag(number), hour: hour, with: privateKey) == plaintext)
        }
        #expect(try seal().prefix(32) != rows[0].prefix(32))
    }

    /// Rows lie in inboxes while builds are replaced: the form is written down a second time here.
    @Test func `a row that was sealed by hand can be opened`() throws {
        let sender = try HPKE.Sender(
            recipientKey: privateKey.publicKey, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: Data("test 1".utf8))
        let secret = try sender.exportSecret(context: Data("rows".utf8), outputByteCount: 32)
        let number = UInt32(hour.number)
        let authenticated = Data(tag(1).bytes) + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        let box = try ChaChaPoly.seal(plaintext, using: secret, authenticating: authenticated)
        let sealed = Array(sender.encapsulatedKey + box.nonce + box.ciphertext + box.tag)
        #expect(envelope.open(sealed, tag: tag(1), hour: hour, with: privateKey) == plaintext)
    }
}
