import CPKCS11
import Crypto
import Glibc
import Running

/// A session with a token, logged in, and a private key on it. Every call may block until the token answers.
///
/// Not Sendable: one thread at a time uses it.
final class PKCS11Session {
    /// The public half of the key.
    let publicKey: PKCS11PublicKey
    private let module: PKCS11Module
    private let handle: CK_SESSION_HANDLE
    private let privateKey: CK_OBJECT_HANDLE

    /// Loads the module, finds the token, logs in and finds the key. The PIN is read here and isn't kept.
    /// - Parameter kinds: those that the caller uses.
    init(_ place: PKCS11URI, kinds: [PKCS11KeyKind]) throws(PKCS11Problem) {
        let module = try PKCS11Module(path: place.modulePath)
        let (slot, flags) = try module.token(place)
        var handle = CK_SESSION_HANDLE()
        try module.call("C_OpenSession", \.C_OpenSession) {
            $0(slot, CK_FLAGS(CKF_SERIAL_SESSION), nil, nil, &handle)
        }
        do throws(PKCS11Problem) {
            let open = OpenSession(module: module, handle: handle)
            try open.logIn(flags: flags, pinFile: place.pinFile)
            privateKey = try open.privateKey(place)
            publicKey = try open.publicKey(of: privateKey, kinds)
        } catch {
            module.close(handle)
            throw error
        }
        self.module = module
        self.handle = handle
    }

    deinit {
        module.close(handle)
    }

    /// A signature of a digest: ECDSA in DER, or RSA with the padding of PKCS #1, version 1.5.
    func sign(_ digest: SHA256Digest) throws(PKCS11Problem) -> [UInt8] {
        var mechanism = CK_MECHANISM()
        mechanism.mechanism = publicKey.mechanism
        try module.call("C_SignInit", \.C_SignInit) { $0(handle, &mechanism, privateKey) }
        var bytes = publicKey.input(for: digest)
        var signature = [UInt8](repeating: 0, count: PKCS11KeyKind.lengthsOfRSA.upperBound / 8)
        var count = CK_ULONG(signature.count)
        try module.call("C_Sign", \.C_Sign) { $0(handle, &bytes, CK_ULONG(bytes.count), &signature, &count) }
        guard count <= CK_ULONG(signature.count),
            let parsed = publicKey.signature(from: Array(signature.prefix(Int(count))))
        else { throw .malformedSignature }
        return parsed
    }
}

extension PKCS11PublicKey {
    /// How a token signs with it: without hashing, which has been done.
    fileprivate var mechanism: CK_MECHANISM_TYPE {
        switch self {
        case .p256, .p384: CK_MECHANISM_TYPE(CKM_ECDSA)
        case .rsa: CK_MECHANISM_TYPE(CKM_RSA_PKCS)
        }
    }
}

extension PKCS11Module {
    /// The one token that a URI describes: its slot, and its flags.
    func token(_ place: PKCS11URI) throws(PKCS11Problem) -> (slot: CK_SLOT_ID, flags: CK_FLAGS) {
        var count = CK_ULONG()
        try call("C_GetSlotList", \.C_GetSlotList) { $0(CK_BBOOL(1), nil, &count) }
        // Room for tokens that appear between the two calls.
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count) + 16)
        count = CK_ULONG(slots.count)
        try call("C_GetSlotList", \.C_GetSlotList) { $0(CK_BBOOL(1), &slots, &count) }

        var found: [(slot: CK_SLOT_ID, flags: CK_FLAGS)] = []
        for slot in slots.prefix(Int(count)) {
            var info = CK_TOKEN_INFO()
            do throws(PKCS11Problem) {
                try call("C_GetTokenInfo", \.C_GetTokenInfo) { $0(slot, &info) }
            } catch {
                // A failure of another token doesn't matter; if it is this token's, the token isn't found below.
                continue
            }
            if Self.matches(info.label, place.token), Self.matches(info.serialNumber, place.serial),
                Self.matches(info.manufacturerID, place.manufacturer), Self.matches(info.model, place.model)
            {
                found.append((slot, info.flags))
            }
        }
        guard let token = found.first else { throw .noToken }
        guard found.count == 1 else { throw .severalTokens }
        return token
    }

    /// Whether a field of fixed length, padded with spaces, has a value; nil matches any.
    private static func matches<Field>(_ field: Field, _ value: [UInt8]?) -> Bool {
        guard let value else { return true }
        return withUnsafeBytes(of: field) { field in
            field.count >= value.count && field.starts(with: value)
                && field.dropFirst(value.count).allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0 }
        }
    }

    /// Closing a lost session is no error.
    fileprivate func close(_ session: CK_SESSION_HANDLE) {
        try? call("C_CloseSession", \.C_CloseSession) { $0(session) }
    }
}

/// The steps of opening a session, before the first signature.
private struct OpenSession {
    let module: PKCS11Module
    let handle: CK_SESSION_HANDLE

    // MARK: The PIN

    /// Logs in, if there is a PIN. All sessions of a process with a token are logged in together.
    func logIn(flags: CK_FLAGS, pinFile: String?) throws(PKCS11Problem) {
        guard let pinFile else {
            if flags & CK_FLAGS(CKF_LOGIN_REQUIRED) != 0 { throw .pinMissing }
            return
        }
        try PKCS11PINState(flags).requireAttemptLeft()
        var pin: [UInt8]
        do {
            pin = try PrivateFile.read(pinFile)
        } catch {
            throw .pinFile(error)
        }
        while let last = pin.last, last == 0x0A || last == 0x0D { pin.removeLast() }
        do throws(PKCS11Problem) {
            try module.call("C_Login", \.C_Login) {
                $0(handle, CK_USER_TYPE(CKU_USER), &pin, CK_ULONG(pin.count))
            }
        } catch .failed(_, CKR_USER_ALREADY_LOGGED_IN) {
            return
        } catch .failed(_, CKR_PIN_INCORRECT), .failed(_, CKR_PIN_INVALID), .failed(_, CKR_PIN_LEN_RANGE) {
            throw .pinRefused
        } catch .failed(_, CKR_PIN_LOCKED) {
            throw .pinLocked
        }
    }

    // MARK: The key

    func privateKey(_ place: PKCS11URI) throws(PKCS11Problem) -> CK_OBJECT_HANDLE {
        var attributes = [Attribute(CKA_CLASS, number: CKO_PRIVATE_KEY)]
        if let label = place.object { attributes.append(Attribute(CKA_LABEL, label)) }
        if let id = place.id { attributes.append(Attribute(CKA_ID, id)) }
        let keys = try objects(attributes)
        guard let key = keys.first else { throw .noKey }
        guard keys.count == 1 else { throw .severalKeys }
        return key
    }

    /// Reads the public half, from the object beside the private one or, where a module offers it, from the key itself.
    func publicKey(
        of privateKey: CK_OBJECT_HANDLE, _ kinds: [PKCS11KeyKind]
    ) throws(PKCS11Problem) -> PKCS11PublicKey {
        let type = try value(of: CKA_KEY_TYPE, of: privateKey)
        let isRSA = type == Attribute(CKA_KEY_TYPE, number: CKK_RSA).value
        guard isRSA ? kinds.contains(.rsa) : type == Attribute(CKA_KEY_TYPE, number: CKK_EC).value else {
            throw .otherKind(kinds)
        }
        var sources: [CK_OBJECT_HANDLE] = []
        for name in [CKA_ID, CKA_LABEL] {
            guard let value = try value(of: name, of: privateKey), !value.isEmpty else { continue }
            let beside = try objects([Attribute(CKA_CLASS, number: CKO_PUBLIC_KEY), Attribute(name, value)])
            if beside.count == 1 { sources += beside }
        }
        sources.append(privateKey)
        for source in sources {
            guard let key = try isRSA ? rsaKey(of: source, kinds) : curveKey(of: source, kinds) else { continue }
            return key
        }
        throw .noPublicKey
    }

    /// Nil if the object doesn't reveal it.
    private func rsaKey(
        of source: CK_OBJECT_HANDLE, _ kinds: [PKCS11KeyKind]
    ) throws(PKCS11Problem) -> PKCS11PublicKey? {
        guard let modulus = try value(of: CKA_MODULUS, of: source), !modulus.isEmpty,
            let exponent = try value(of: CKA_PUBLIC_EXPONENT, of: source), !exponent.isEmpty
        else { return nil }
        guard let key = PKCS11PublicKey(modulus: modulus, exponent: exponent) else { throw .otherKind(kinds) }
        return key
    }

    /// Nil if the object doesn't reveal it.
    private func curveKey(
        of source: CK_OBJECT_HANDLE, _ kinds: [PKCS11KeyKind]
    ) throws(PKCS11Problem) -> PKCS11PublicKey? {
        let curve = try value(of: CKA_EC_PARAMS, of: source)
        let possible = kinds.filter { $0.curve != nil && (curve == nil || $0.curve == curve) }
        guard !possible.isEmpty else { throw .otherKind(kinds) }
        guard let point = try value(of: CKA_EC_POINT, of: source), !point.isEmpty else { return nil }
        guard let key = possible.lazy.compactMap({ PKCS11PublicKey($0, point: point) }).first else {
            throw .otherKind(kinds)
        }
        return key
    }

    // MARK: Objects

    private struct Attribute {
        let name: CK_ATTRIBUTE_TYPE
        let value: [UInt8]

        init(_ name: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) {
            self.name = name
            self.value = value
        }

        init(_ name: CK_ATTRIBUTE_TYPE, number: CK_ULONG) {
            self.init(name, withUnsafeBytes(of: number) { Array($0) })
        }
    }

    /// Up to two objects with all these attributes: callers need one, and need to know if there are more.
    private func objects(_ attributes: [Attribute]) throws(PKCS11Problem) -> [CK_OBJECT_HANDLE] {
        var values = attributes.flatMap(\.value)
        let (module, handle) = (module, handle)
        try module.call("C_FindObjectsInit", \.C_FindObjectsInit) { start in
            values.withUnsafeMutableBytes { values in
                var offset = 0
                var template = attributes.map { attribute in
                    defer { offset += attribute.value.count }
                    return CK_ATTRIBUTE(
                        type: attribute.name, pValue: values.baseAddress?.advanced(by: offset),
                        ulValueLen: CK_ULONG(attribute.value.count))
                }
                return start(handle, &template, CK_ULONG(template.count))
            }
        }
        var found = [CK_OBJECT_HANDLE](repeating: 0, count: 2)
        var total = 0
        repeat {
            var count = CK_ULONG()
            do throws(PKCS11Problem) {
                try module.call("C_FindObjects", \.C_FindObjects) { find in
                    found.withUnsafeMutableBufferPointer {
                        find(handle, $0.baseAddress?.advanced(by: total), CK_ULONG($0.count - total), &count)
                    }
                }
            } catch {
                try? module.call("C_FindObjectsFinal", \.C_FindObjectsFinal) { $0(handle) }
                throw error
            }
            total += Int(count)
            if count == 0 { break }
        } while total < found.count
        try module.call("C_FindObjectsFinal", \.C_FindObjectsFinal) { $0(handle) }
        return Array(found.prefix(total))
    }

    /// An attribute's value; nil if the object lacks it or doesn't reveal it.
    private func value(of name: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(PKCS11Problem) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        var length = CK_ULONG()
        let (module, handle) = (module, handle)
        do throws(PKCS11Problem) {
            try module.call("C_GetAttributeValue", \.C_GetAttributeValue) { get in
                bytes.withUnsafeMutableBytes { bytes in
                    var attribute = CK_ATTRIBUTE(
                        type: name, pValue: bytes.baseAddress, ulValueLen: CK_ULONG(bytes.count))
                    defer { length = attribute.ulValueLen }
                    return get(handle, object, &attribute, 1)
                }
            }
        } catch .failed(_, CKR_ATTRIBUTE_TYPE_INVALID), .failed(_, CKR_ATTRIBUTE_SENSITIVE) {
            return nil
        }
        guard length <= CK_ULONG(bytes.count) else { return nil }
        return Array(bytes.prefix(Int(length)))
    }
}

/// What a token reports about earlier PIN attempts.
struct PKCS11PINState {
    private let flags: CK_FLAGS

    init(_ flags: CK_FLAGS) { self.flags = flags }

    /// Refuses an attempt that would lock the token if the PIN is wrong: a crash-looping service would use up every attempt.
    func requireAttemptLeft() throws(PKCS11Problem) {
        if flags & CK_FLAGS(CKF_USER_PIN_LOCKED) != 0 { throw .pinLocked }
        if flags & CK_FLAGS(CKF_USER_PIN_FINAL_TRY) != 0 { throw .pinLastTry }
    }
}
