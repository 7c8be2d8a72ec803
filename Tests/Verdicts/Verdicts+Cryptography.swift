import Crypto
import CryptoExtras
import FoundationEssentials
import SwiftASN1
import Synchronization

/// Algorithms: what is computed is answered in hexadecimal digits.
extension Verdicts {
    static let cryptographyAnswers: [String: @Sendable (inout Case) throws -> String] = [
        "hash": hash, "hmac": hmac, "hkdf": hkdf,
        "seal": seal, "open": open, "cbc-encrypt": cbcEncrypt, "cbc-decrypt": cbcDecrypt, "ctr": ctr, "block": block,
        "wrap": wrap, "unwrap": unwrap,
        "ecdsa-verify": ecdsaVerify, "ecdsa-sign": ecdsaSign, "ec-point": ecPoint, "ec-key": ecKey,
        "ec-number": ecNumber,
        "x25519": x25519, "hpke-seal": hpkeSeal, "hpke-open": hpkeOpen,
        "rsa-verify": rsaVerify, "rsa-sign": rsaSign, "rsa-key": rsaKey,
    ]

    private static func isTrue(_ condition: Bool) throws -> String {
        guard condition else { throw CryptoKitError.authenticationFailure }
        return ""
    }

    // MARK: Hashes

    private static func hash(_ one: inout Case) throws -> String {
        let name = try one.text()
        let data = try one.bytes()
        switch name {
        case "sha1": return "\(Insecure.SHA1.hash(data: data))"
        case "md5": return "\(Insecure.MD5.hash(data: data))"
        case "sha384": return "\(SHA384.hash(data: data))"
        case "sha512": return "\(SHA512.hash(data: data))"
        default: return "\(SHA256.hash(data: data))"
        }
    }

    private static func hmac(_ one: inout Case) throws -> String {
        let name = try one.text()
        let (key, data) = (SymmetricKey(data: try one.bytes()), try one.bytes())
        switch name {
        case "sha1": return "\(HMAC<Insecure.SHA1>.authenticationCode(for: data, using: key))"
        case "sha384": return "\(HMAC<SHA384>.authenticationCode(for: data, using: key))"
        case "sha512": return "\(HMAC<SHA512>.authenticationCode(for: data, using: key))"
        default: return "\(HMAC<SHA256>.authenticationCode(for: data, using: key))"
        }
    }

    private static func hkdf(_ one: inout Case) throws -> String {
        let name = try one.text()
        let (secret, salt, info) = (SymmetricKey(data: try one.bytes()), try one.bytes(), try one.bytes())
        let count = try one.number()
        func derive<H: HashFunction>(_ function: H.Type) -> String {
            HKDF<H>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, outputByteCount: count)
                .withUnsafeBytes { hexadecimal($0) }
        }
        switch name {
        case "sha384": return derive(SHA384.self)
        case "sha512": return derive(SHA512.self)
        default: return derive(SHA256.self)
        }
    }

    // MARK: Ciphers

    /// The cipher, the key, the nonce, the message and the authenticated data.
    private static func seal(_ one: inout Case) throws -> String {
        let name = try one.text()
        let (key, nonce) = (SymmetricKey(data: try one.bytes()), try AEADNonce(data: try one.bytes()))
        let (message, data) = (try one.bytes(), try one.bytes())
        func seal<A: AEAD>(_ algorithm: A.Type) throws -> String {
            let box = try A.seal(message, using: key, nonce: nonce, authenticating: data)
            return hexadecimal(box.ciphertext) + hexadecimal(box.tag)
        }
        return name == "gcm" ? try seal(AES.GCM.self) : try seal(ChaChaPoly.self)
    }

    /// The cipher, the key, the nonce, the ciphertext with its tag, and the authenticated data.
    private static func open(_ one: inout Case) throws -> String {
        let name = try one.text()
        let (key, nonce) = (SymmetricKey(data: try one.bytes()), try AEADNonce(data: try one.bytes()))
        let (sealed, data) = (try one.bytes(), try one.bytes())
        func open<A: AEAD>(_ algorithm: A.Type) throws -> String {
            hexadecimal(
                try A.open(A.SealedBox(combined: Array(nonce) + sealed), using: key, authenticating: data))
        }
        return name == "gcm" ? try open(AES.GCM.self) : try open(ChaChaPoly.self)
    }

    private static func cbcEncrypt(_ one: inout Case) throws -> String {
        let (key, iv) = (SymmetricKey(data: try one.bytes()), try AES._CBC.IV(ivBytes: try one.bytes()))
        return hexadecimal(try AES._CBC.encrypt(try one.bytes(), using: key, iv: iv))
    }

    private static func cbcDecrypt(_ one: inout Case) throws -> String {
        let (key, iv) = (SymmetricKey(data: try one.bytes()), try AES._CBC.IV(ivBytes: try one.bytes()))
        return hexadecimal(try AES._CBC.decrypt(try one.bytes(), using: key, iv: iv))
    }

    private static func ctr(_ one: inout Case) throws -> String {
        let (key, nonce) = (SymmetricKey(data: try one.bytes()), try AES._CTR.Nonce(nonceBytes: try one.bytes()))
        return hexadecimal(try AES._CTR.encrypt(try one.bytes(), using: key, nonce: nonce))
    }

    private static func block(_ one: inout Case) throws -> String {
        let key = SymmetricKey(data: try one.bytes())
        var bytes = try one.bytes()
        try AES.permute(&bytes, key: key)
        return hexadecimal(bytes)
    }

    private static func wrap(_ one: inout Case) throws -> String {
        let key = SymmetricKey(data: try one.bytes())
        return hexadecimal(try AES.KeyWrap.wrap(SymmetricKey(data: try one.bytes()), using: key))
    }

    private static func unwrap(_ one: inout Case) throws -> String {
        let key = SymmetricKey(data: try one.bytes())
        return try AES.KeyWrap.unwrap(try one.bytes(), using: key).withUnsafeBytes { hexadecimal($0) }
    }

    // MARK: Curves

    /// The curve, `raw` or `der`, the hash function, the point, the signature and the message.
    private static func ecdsaVerify(_ one: inout Case) throws -> String {
        let (curve, form, hash) = (try one.text(), try one.text(), try one.text())
        let (point, signature, message) = (try one.bytes(), try one.bytes(), try one.bytes())
        func verify<C: EllipticCurve>(_: C.Type) throws -> String {
            let key = try ECDSA<C>.PublicKey(x963Representation: point)
            let signature =
                form == "raw"
                ? try ECDSA<C>.ECDSASignature(rawRepresentation: signature)
                : try ECDSA<C>.ECDSASignature(derRepresentation: signature)
            switch hash {
            case "sha384": return try isTrue(key.isValidSignature(signature, for: SHA384.hash(data: message)))
            case "sha512": return try isTrue(key.isValidSignature(signature, for: SHA512.hash(data: message)))
            default: return try isTrue(key.isValidSignature(signature, for: SHA256.hash(data: message)))
            }
        }
        return curve == "P-256" ? try verify(P256.self) : try verify(P384.self)
    }

    /// The curve, the private number and the message; the answer is the point, and the signature in both forms.
    private static func ecdsaSign(_ one: inout Case) throws -> String {
        let curve = try one.text()
        let (number, message) = (try one.bytes(), try one.bytes())
        func sign<C: EllipticCurve>(_: C.Type) throws -> String {
            let key = try ECDSA<C>.PrivateKey(rawRepresentation: number)
            let signature = try key.signature(for: message)
            return [key.publicKey.x963Representation, signature.rawRepresentation, signature.derRepresentation]
                .map { hexadecimal($0) }.joined(separator: " ")
        }
        return curve == "P-256" ? try sign(P256.self) : try sign(P384.self)
    }

    private static func ecPoint(_ one: inout Case) throws -> String {
        let curve = try one.text()
        let point = try one.bytes()
        func read<C: EllipticCurve>(_: C.Type) throws -> String {
            hexadecimal(try ECDSA<C>.PublicKey(x963Representation: point).compressedRepresentation)
        }
        return curve == "P-256" ? try read(P256.self) : try read(P384.self)
    }

    /// A SubjectPublicKeyInfo, which is written as it is read.
    private static func ecKey(_ one: inout Case) throws -> String {
        let curve = try one.text()
        let document = try one.bytes()
        func read<C: EllipticCurve>(_: C.Type) throws -> String {
            let key = try ECDSA<C>.PublicKey(derRepresentation: document)
            precondition(Array(key.derRepresentation) == document, "a key is written as it was read")
            return hexadecimal(key.x963Representation)
        }
        return curve == "P-256" ? try read(P256.self) : try read(P384.self)
    }

    private static func ecNumber(_ one: inout Case) throws -> String {
        let curve = try one.text()
        let number = try one.bytes()
        func read<C: EllipticCurve>(_: C.Type) throws -> String {
            hexadecimal(try ECDSA<C>.PrivateKey(rawRepresentation: number).publicKey.x963Representation)
        }
        return curve == "P-256" ? try read(P256.self) : try read(P384.self)
    }

    // MARK: Agreement

    private static func x25519(_ one: inout Case) throws -> String {
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: try one.bytes())
        let other = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: try one.bytes())
        let secret = try key.sharedSecretFromKeyAgreement(with: other)
        return hexadecimal(key.publicKey.rawRepresentation) + " " + secret.withUnsafeBytes { hexadecimal($0) }
    }

    /// The recipient's public key, the purpose, the message and the authenticated data.
    private static func hpkeSeal(_ one: inout Case) throws -> String {
        let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: try one.bytes())
        var sender = try HPKE.Sender(
            recipientKey: recipient, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: try one.bytes())
        let sealed = try sender.seal(try one.bytes(), authenticating: try one.bytes())
        return hexadecimal(sender.encapsulatedKey) + " " + hexadecimal(sealed)
    }

    /// The recipient's private key, the purpose, the sender's key, the ciphertext and the authenticated data.
    private static func hpkeOpen(_ one: inout Case) throws -> String {
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: try one.bytes())
        let info = try one.bytes()
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: .Curve25519_SHA256_ChachaPoly, info: info, encapsulatedKey: try one.bytes())
        return hexadecimal(try recipient.open(try one.bytes(), authenticating: try one.bytes()))
    }

    // MARK: RSA

    /// The padding, the hash function, modulus, exponent, signature and message.
    private static func rsaVerify(_ one: inout Case) throws -> String {
        let padding: _RSA.Signing.Padding = try one.text() == "pss" ? .PSS : .insecurePKCS1v1_5
        let hash = try one.text()
        let key = try _RSA.Signing.PublicKey(n: try one.bytes(), e: try one.bytes())
        let signature = _RSA.Signing.RSASignature(rawRepresentation: try one.bytes())
        let message = try one.bytes()
        switch hash {
        case "sha384":
            return try isTrue(key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding))
        case "sha512":
            return try isTrue(key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding))
        default:
            return try isTrue(key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding))
        }
    }

    /// Keys that were read, because to check their numbers takes longer than to sign.
    private static let privateKeys = Mutex<[[UInt8]: _RSA.Signing.PrivateKey]>([:])

    /// The padding, the RSAPrivateKey and the message.
    private static func rsaSign(_ one: inout Case) throws -> String {
        let padding: _RSA.Signing.Padding = try one.text() == "pss" ? .PSS : .insecurePKCS1v1_5
        let document = try one.bytes()
        let key = try privateKeys.withLock { keys in
            if let key = keys[document] { return key }
            let key = try _RSA.Signing.PrivateKey(derRepresentation: document)
            keys[document] = key
            return key
        }
        return hexadecimal(try key.signature(for: try one.bytes(), padding: padding).rawRepresentation)
    }

    /// A SubjectPublicKeyInfo, which is written as it is read.
    private static func rsaKey(_ one: inout Case) throws -> String {
        let document = try one.bytes()
        let key = try _RSA.Signing.PublicKey(derRepresentation: document)
        precondition(Array(key.derRepresentation) == document, "a key is written as it was read")
        let numbers = try key.getKeyPrimitives()
        return hexadecimal(numbers.modulus) + " " + hexadecimal(numbers.publicExponent)
    }
}
