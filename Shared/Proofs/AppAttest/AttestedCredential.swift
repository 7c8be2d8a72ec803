/// What an attestation says of a key (WebAuthn level 2, section 6.5.1).
package struct AttestedCredential: Sendable {
    /// The environment as ``AppAttestEnvironment/authenticatorID`` has it.
    package let authenticatorID: [UInt8]
    /// The key's name.
    package let id: AppAttestKeyID
    /// The key.
    package let publicKey: AppAttestPublicKey

    private static let authenticatorBytes = 16
    private static let idBytes = 32
    /// Of the authenticator, the name's length and the name.
    private static let headBytes = 50
    private static let coordinateBytes = 32

    /// Reads one at the beginning, and tells how many bytes it has.
    static func first(in bytes: ArraySlice<UInt8>) -> (AttestedCredential, count: Int)? {
        let head = Array(bytes.prefix(headBytes))
        guard head.count == headBytes, head[authenticatorBytes] == 0, head[authenticatorBytes + 1] == idBytes,
            let id = AppAttestKeyID(head.suffix(idBytes)),
            let (item, count) = CBORItem.first(in: bytes.dropFirst(headBytes)), let key = publicKey(item)
        else { return nil }
        let credential = AttestedCredential(
            authenticatorID: Array(head.prefix(authenticatorBytes)), id: id, publicKey: key)
        return (credential, headBytes + count)
    }

    /// Reads a key for ES256 (RFC 9053, sections 2.1 and 7.1.1): type 2, algorithm -7, curve 1, and two coordinates.
    private static func publicKey(_ item: CBORItem) -> AppAttestPublicKey? {
        guard case .map(let pairs) = item, pairs.count == 5 else { return nil }
        var numbers: [Int64: Int64] = [:]
        var coordinates: [Int64: [UInt8]] = [:]
        for pair in pairs {
            guard let label = pair.key.asNumber else { return nil }
            numbers[label] = pair.value.asNumber
            coordinates[label] = pair.value.asBytes
        }
        guard numbers == [1: 2, 3: -7, -1: 1], let x = coordinates[-2], let y = coordinates[-3],
            x.count == coordinateBytes, y.count == coordinateBytes
        else { return nil }
        return AppAttestPublicKey(x963: [4] + x + y)
    }
}

extension CBORItem {
    /// The number, nil for anything else.
    fileprivate var asNumber: Int64? {
        switch self {
        case .unsigned(let number): Int64(exactly: number)
        case .negative(let number): Int64(exactly: number).map { -1 - $0 }
        case .bytes, .text, .array, .map: nil
        }
    }
}
