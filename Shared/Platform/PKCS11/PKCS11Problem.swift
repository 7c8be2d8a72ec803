package import CPKCS11
package import Running

/// Why a key on a token can't be used, as a sentence without a full stop. No sentence repeats a PIN or any part of a key.
package enum PKCS11Problem: Error, Equatable, CustomStringConvertible {
    /// The module's file can't be loaded.
    case noModule(String)
    /// The file is a library, but not a PKCS #11 module.
    case otherLibrary(String)
    /// A call of the standard failed.
    case failed(call: String, code: CK_RV)
    /// No token fits.
    case noToken
    /// More than one token fits.
    case severalTokens
    /// The file with the PIN.
    case pinFile(PrivateFileProblem)
    /// The token wants a PIN, and none is named.
    case pinMissing
    /// The PIN was wrong.
    case pinRefused
    /// Too many PINs were wrong.
    case pinLocked
    /// One more wrong PIN would lock the token.
    case pinLastTry
    /// No private key fits.
    case noKey
    /// More than one private key fits.
    case severalKeys
    /// The token has no public half of it.
    case noPublicKey
    /// The key is of none of the kinds that the caller uses.
    case otherKind([PKCS11KeyKind])
    /// The signature isn't r and s of the curve's length each, or hasn't the length of an RSA key.
    case malformedSignature
    /// The public key beside the private one doesn't belong to it.
    case publicKeyDoesNotMatch
    /// Nothing came within the limit.
    case noAnswer
    /// The key differs from the one at start.
    case otherKey

    package var description: String {
        switch self {
        case .noModule(let path):
            "the PKCS #11 module \(path) can't be loaded: check module-path, and that the libraries that the module needs are installed"
        case .otherLibrary(let path): "\(path) is not a PKCS #11 module: correct module-path"
        case .failed(let call, let code):
            "the token's module answered \(call) with the error 0x\(String(code, radix: 16))"
                + (Self.names[code].map { " (\($0))" } ?? "") + ": see its vendor's documentation"
        case .noToken:
            "there is no such token: check its label, that it is connected, and the module's own configuration"
        case .severalTokens: "there are several such tokens: add serial to distinguish them"
        case .pinFile(let problem): problem.description
        case .pinMissing: "the token wants a PIN: add pin-source, the file that holds it"
        case .pinRefused:
            "the token refused the PIN: correct the file that pin-source names before the next start, because tokens "
                + "lock after a few wrong PINs"
        case .pinLocked: "the token is locked after too many wrong PINs: unlock it with its vendor's tools"
        case .pinLastTry:
            "one more wrong PIN would lock the token, so none was tried: check the file that pin-source names, and log in "
                + "once with the vendor's tools"
        case .noKey: "the token has no such private key: check object and id"
        case .severalKeys: "the token has several such private keys: add id to distinguish them"
        case .noPublicKey:
            "the token has no public key for it: put the public key beside the private one, with the same id"
        case .otherKind(let accepted):
            "the key is not one for \(accepted.map(\.description).joined(separator: " or ")): make such a key"
        case .malformedSignature: "the token returned a malformed signature"
        case .publicKeyDoesNotMatch:
            "the public key on the token does not belong to the private key: replace it by the right one"
        case .noAnswer: "the token's module did not answer in time: check that the token can be reached"
        case .otherKey: "the token has another key than at start: restore the key, or restart the service"
        }
    }

    /// Whether the session is or may be lost, so that the call may succeed in a new one.
    var isTransient: Bool {
        guard case .failed(_, let code) = self else { return false }
        return Self.transient.contains(code)
    }

    private static let transient: Set<CK_RV> = [
        CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_DEVICE_REMOVED, CKR_DEVICE_ERROR,
        CKR_TOKEN_NOT_PRESENT, CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID, CKR_CRYPTOKI_NOT_INITIALIZED,
        CKR_OPERATION_ACTIVE, CKR_OPERATION_NOT_INITIALIZED, CKR_GENERAL_ERROR, CKR_FUNCTION_FAILED,
    ]

    private static let names: [CK_RV: String] = [
        CKR_SESSION_HANDLE_INVALID: "CKR_SESSION_HANDLE_INVALID", CKR_SESSION_CLOSED: "CKR_SESSION_CLOSED",
        CKR_SESSION_COUNT: "CKR_SESSION_COUNT", CKR_USER_NOT_LOGGED_IN: "CKR_USER_NOT_LOGGED_IN",
        CKR_DEVICE_REMOVED: "CKR_DEVICE_REMOVED", CKR_DEVICE_ERROR: "CKR_DEVICE_ERROR",
        CKR_DEVICE_MEMORY: "CKR_DEVICE_MEMORY", CKR_TOKEN_NOT_PRESENT: "CKR_TOKEN_NOT_PRESENT",
        CKR_KEY_HANDLE_INVALID: "CKR_KEY_HANDLE_INVALID", CKR_GENERAL_ERROR: "CKR_GENERAL_ERROR",
        CKR_FUNCTION_FAILED: "CKR_FUNCTION_FAILED", CKR_FUNCTION_NOT_SUPPORTED: "CKR_FUNCTION_NOT_SUPPORTED",
        CKR_KEY_FUNCTION_NOT_PERMITTED: "CKR_KEY_FUNCTION_NOT_PERMITTED",
        CKR_MECHANISM_INVALID: "CKR_MECHANISM_INVALID",
        CKR_PIN_EXPIRED: "CKR_PIN_EXPIRED", CKR_CANT_LOCK: "CKR_CANT_LOCK", CKR_HOST_MEMORY: "CKR_HOST_MEMORY",
        CKR_CRYPTOKI_NOT_INITIALIZED: "CKR_CRYPTOKI_NOT_INITIALIZED",
    ]
}
