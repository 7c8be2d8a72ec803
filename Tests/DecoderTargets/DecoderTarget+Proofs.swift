import CompactJOSE
import Crypto
import DeviceCheck
import FoundationEssentials
import PlayIntegrity

/// What phones send of Google's and Apple's judgement, and what Apple answers.
extension DecoderTarget {
    private static let longestToken = 100_000

    /// An encrypted token, which isn't decrypted: five parts.
    static func encryptedToken(_ bytes: Data) -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = CompactToken(text, parts: 5, longest: longestToken) else { return .refused }
        return judge([token.encodedHeader] + token.parts.map { Array(Base64URL.text($0).utf8) }, text)
    }

    /// A signed token, which isn't verified: header, payload and signature.
    static func compactSignature(_ bytes: Data) -> Verdict {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let token = CompactJWS(text, longest: longestToken) else { return .refused }
        return judge([token.signedBytes, Array(Base64URL.text(token.signature).utf8)], text)
    }

    /// Nothing has two texts.
    private static func judge(_ parts: [[UInt8]], _ text: String) -> Verdict {
        Array(parts.joined(separator: Array(".".utf8))) == Array(text.utf8) ? .value : .broken("it has another text")
    }

    /// What Google signs and encrypts: the bytes come in a token that is in order.
    static func playIntegrityVerdict(_ bytes: Data) -> Verdict {
        do {
            let (secret, key) = (SymmetricKey(data: [UInt8](repeating: 1, count: 32)), signer)
            let keys = try PlayIntegrityKeys(
                decryption: secret.withUnsafeBytes { Data($0).base64EncodedString() },
                verification: key.publicKey.derRepresentation.base64EncodedString())
            let token = try token(around: bytes, secret, key)
            guard let verdict = try? PlayIntegrityVerdict(classic: token, keys: keys) else { return .refused }
            let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 10_000_000_000)
            return range.contains(verdict.instant) ? .value : .broken("its time is out of range")
        } catch {
            return .broken("it can't be put into a token: \(error)")
        }
    }

    private static let signer = P256.Signing.PrivateKey()

    private static func token(around payload: Data, _ secret: SymmetricKey, _ key: P256.Signing.PrivateKey) throws
        -> String
    {
        // What is longer than the limit isn't a token in any case.
        let signed = try CompactJWS.text(header: #"{"alg":"ES256"}"#.utf8, payload: payload.prefix(4096)) {
            try key.signature(for: $0).rawRepresentation
        }
        let header = Base64URL.text(#"{"alg":"A256KW","enc":"A256GCM"}"#.utf8)
        let wrapped = try AES.KeyWrap.wrap(secret, using: secret)
        let box = try AES.GCM.seal(Array(signed.utf8), using: secret, authenticating: Array(header.utf8))
        let parts = [Array(wrapped), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([header] + parts.map { Base64URL.text($0) }).joined(separator: ".")
    }

    /// A line with the status, then the body of an answer to a query.
    static func deviceCheckAnswer(_ bytes: Data) -> Verdict {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        guard let status = Int(String(decoding: line, as: UTF8.self)) else { return .refused }
        let answer = DeviceCheckAnswer(to: .query, status: status, body: Array(bytes.dropFirst(line.count + 1)))
        switch answer {
        case .bits(let bits):
            let (first, second, month) = (bits.first, bits.second, bits.changed.text)
            let json = #"{"bit0":\#(first),"bit1":\#(second),"last_update_time":"\#(month)"}"#
            guard DeviceCheckAnswer(to: .query, status: 200, body: Array(json.utf8)) == answer else {
                return .broken("read again, it is another answer")
            }
            return status == 200 ? .value : .broken("it has bits without success")
        case .neverSet: return [200, 400].contains(status) ? .value : .broken("it is no success")
        case .badToken: return status == 400 ? .value : .broken("it blames the device")
        case .done: return .broken("a query did something")
        case .ourFault, .tryLater: return .refused
        }
    }
}
