package import FoundationEssentials

/// Hybrid public key encryption (RFC 9180) in base mode: anyone can seal to a public key, and the sender stays unknown.
package enum HPKE {
    /// The algorithms of a message.
    package struct Ciphersuite: Sendable {
        /// DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305, the only ones here.
        package static let Curve25519_SHA256_ChachaPoly = Ciphersuite()

        // Section 7: 0x0020, 0x0001, 0x0003.
        fileprivate static let keyAgreement: [UInt8] = Array("KEM".utf8) + [0, 0x20]
        fileprivate static let all: [UInt8] = Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, 3]
    }

    /// Seals messages to one recipient, with a key that is forgotten with the sender.
    package struct Sender: Sendable {
        /// What the recipient needs besides the ciphertexts: 32 bytes.
        package let encapsulatedKey: Data
        private var context: Context

        /// - Parameter info: what both sides must agree on.
        package init(
            recipientKey: Curve25519.KeyAgreement.PublicKey, ciphersuite: Ciphersuite, info: some Collection<UInt8>
        ) throws {
            try self.init(recipientKey: recipientKey, info: info, ephemeralKey: Curve25519.KeyAgreement.PrivateKey())
        }

        /// - Parameter ephemeralKey: one of its own for each sender, but in test vectors.
        init(
            recipientKey: Curve25519.KeyAgreement.PublicKey, info: some Collection<UInt8>,
            ephemeralKey: Curve25519.KeyAgreement.PrivateKey
        ) throws {
            let secret = try ephemeralKey.sharedSecretFromKeyAgreement(with: recipientKey)
            encapsulatedKey = ephemeralKey.publicKey.rawRepresentation
            context = Context(secret, between: ephemeralKey.publicKey, and: recipientKey, info: info)
        }

        /// Seals the next message; the recipient has to open them in the same order.
        /// - Returns: the ciphertext and its tag of 16 bytes.
        package mutating func seal(
            _ message: some Collection<UInt8>, authenticating data: some Collection<UInt8>
        ) throws -> Data {
            let box = try ChaChaPoly.seal(message, using: context.key, nonce: context.nonce, authenticating: data)
            try context.advance()
            return box.bytes.dropFirst(AEADNonce.byteCount)
        }

        /// A secret that both sides know (section 5.3); each context gives another.
        package func exportSecret(context: some Collection<UInt8>, outputByteCount: Int) throws -> SymmetricKey {
            try self.context.export(context, outputByteCount)
        }
    }

    /// Opens the messages of one sender.
    package struct Recipient: Sendable {
        private var context: Context

        /// - Parameters:
        ///   - info: what both sides must agree on.
        ///   - encapsulatedKey: the sender's.
        package init(
            privateKey: Curve25519.KeyAgreement.PrivateKey, ciphersuite: Ciphersuite, info: some Collection<UInt8>,
            encapsulatedKey: some Collection<UInt8>
        ) throws {
            let ephemeralKey = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: encapsulatedKey)
            context = Context(
                try privateKey.sharedSecretFromKeyAgreement(with: ephemeralKey), between: ephemeralKey,
                and: privateKey.publicKey, info: info)
        }

        /// Opens the next message.
        /// - Throws: ``CryptoKitError/authenticationFailure`` unless it is the sender's next; then it is still awaited.
        package mutating func open(
            _ ciphertext: some Collection<UInt8>, authenticating data: some Collection<UInt8>
        ) throws -> Data {
            let box = try ChaChaPoly.SealedBox(combined: context.nonce.bytes + Array(ciphertext))
            let message = try ChaChaPoly.open(box, using: context.key, authenticating: data)
            try context.advance()
            return message
        }

        /// A secret that both sides know (section 5.3); each context gives another.
        package func exportSecret(context: some Collection<UInt8>, outputByteCount: Int) throws -> SymmetricKey {
            try self.context.export(context, outputByteCount)
        }
    }

    /// What both sides derive (section 5.1).
    private struct Context: Sendable {
        let key: SymmetricKey
        private let baseNonce: [UInt8]
        private let exporterSecret: [UInt8]
        private var sequenceNumber: UInt64 = 0

        init(
            _ agreed: SharedSecret, between ephemeralKey: Curve25519.KeyAgreement.PublicKey,
            and recipientKey: Curve25519.KeyAgreement.PublicKey, info: some Collection<UInt8>
        ) {
            // Section 4.1, ExtractAndExpand.
            let kem = Schedule(suite: Ciphersuite.keyAgreement)
            let extracted = agreed.withUnsafeBytes { kem.extract("eae_prk", $0) }
            let secret = kem.expand(extracted, "shared_secret", ephemeralKey.bytes + recipientKey.bytes, 32)
            // Section 5.1, KeySchedule without a pre-shared key.
            let schedule = Schedule(suite: Ciphersuite.all)
            let context =
                [0] + Array(schedule.extract("psk_id_hash", [])) + Array(schedule.extract("info_hash", Array(info)))
            let root = secret.withUnsafeBytes { schedule.extract("secret", [], salt: Array($0)) }
            key = schedule.expand(root, "key", context, 32)
            baseNonce = schedule.expand(root, "base_nonce", context, AEADNonce.byteCount).withUnsafeBytes { Array($0) }
            exporterSecret = schedule.expand(root, "exp", context, 32).withUnsafeBytes { Array($0) }
        }

        /// The nonce of the next message.
        var nonce: AEADNonce {
            var nonce = baseNonce
            withUnsafeBytes(of: sequenceNumber.bigEndian) { number in
                for (index, byte) in number.enumerated() { nonce[nonce.count - number.count + index] ^= byte }
            }
            return AEADNonce(unchecked: nonce)
        }

        mutating func advance() throws(CryptoKitError) {
            guard sequenceNumber < .max else { throw .invalidParameter }
            sequenceNumber += 1
        }

        func export(_ context: some Collection<UInt8>, _ count: Int) throws(CryptoKitError) -> SymmetricKey {
            guard (0...(255 * 32)).contains(count) else { throw .incorrectParameterSize }
            return Schedule(suite: Ciphersuite.all).expand(exporterSecret, "sec", Array(context), count)
        }
    }

    /// HKDF-SHA256 with labels (section 4).
    private struct Schedule {
        let suite: [UInt8]

        func extract(_ label: StaticString, _ secret: some Collection<UInt8>, salt: [UInt8] = []) -> SHA256Digest {
            let labelled = SymmetricKey(data: labelled(label) + Array(secret))
            return HKDF<SHA256>.extract(inputKeyMaterial: labelled, salt: salt)
        }

        func expand(
            _ secret: some Sequence<UInt8>, _ label: StaticString, _ info: [UInt8], _ count: Int
        ) -> SymmetricKey {
            let length = [UInt8(count >> 8), UInt8(count & 0xFF)]
            return HKDF<SHA256>.expand(
                pseudoRandomKey: secret, info: length + labelled(label) + info, outputByteCount: count)
        }

        private func labelled(_ label: StaticString) -> [UInt8] {
            Array("HPKE-v1".utf8) + suite + Array(label.description.utf8)
        }
    }
}
