import AppAttest
import Crypto
import DevelopmentAttestation
import DevelopmentAttestationAPI
import DeviceCheck
import DonationFormat
import Foundation
import PlayIntegrity
import Serving
import TLS
import TestSupport

/// Apple and Google, simulated: a DeviceCheck service, and authorities that vouch for any phone.
struct Vouchers: Sendable {
    let apple: AppleAuthority
    let deviceCheck: SimulatedDeviceCheck
    let routes: DeviceCheckRoutes
    let playIntegrity = PlayIntegrityMint()
    let clock: ManualClock
    /// What the service has to know of them.
    let settings: [String: String]

    static let packageName = "de.example.app"
    /// SHA-256 of the app's signing certificate.
    static let signer = [UInt8](SHA256.hash(data: Array("signer".utf8)))
    static let appName = "A1B2C3D4E5.de.example.app"

    /// - Parameter pause: what Apple's answers wait for.
    init(
        clock: ManualClock, certificates: TestCertificates,
        pause: @escaping @Sendable (SimulatedDeviceCheck.Operation) async -> Void
    ) throws {
        let now = clock.now
        self.clock = clock
        apple = try AppleAuthority(at: now)
        let teamKey = P256.Signing.PrivateKey()
        deviceCheck = SimulatedDeviceCheck(
            team: "A1B2C3D4E5", keys: ["ABC123DEFG": teamKey.publicKey], wording: .live, clock: clock.clock)
        routes = DeviceCheckRoutes(deviceCheck, pause: pause)
        func file(_ name: String, _ text: String) throws -> String {
            let path = "\(certificates.directory)/\(name)"
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
        settings = [
            "appAttest.apps": Self.appName, "appAttest.roots": try file("apple.pem", apple.rootPEM),
            "deviceCheck.key": try file("team.p8", teamKey.pemRepresentation), "deviceCheck.keyID": "ABC123DEFG",
            "deviceCheck.teamID": "A1B2C3D4E5", "deviceCheck.milliseconds": "20000",
            "deviceCheck.authorities": "\(certificates.directory)/authority.pem",
            "playIntegrity.decryptionKey": try file("decryption", playIntegrity.decryptionKey),
            "playIntegrity.verificationKey": try file("verification", playIntegrity.verificationKey),
            "android.packages": Self.packageName,
            "android.certificates": Data(Self.signer).base64EncodedString(),
        ]
    }

    /// In place of Apple's service.
    func listener(_ tls: TLSFiles) -> Listener {
        Listener(name: "listen", host: "127.0.0.1", port: 0, security: .publicTLS(tls)) { routes.mount(on: &$0) }
    }
}

/// An iPhone with an app.
struct SimulatedIPhone {
    let vouchers: Vouchers
    let name: String
    var apiToken = UUID()
    var key: AppAttestDevice

    init(_ name: String, _ vouchers: Vouchers) throws {
        self.vouchers = vouchers
        self.name = name
        guard let app = AppID(Vouchers.appName) else { throw Unusable() }
        key = AppAttestDevice(app: app)
    }

    struct Unusable: Error {}

    /// A new token of DeviceCheck.
    func deviceToken() throws -> String {
        guard let token = vouchers.deviceCheck.token(of: name) else { throw Unusable() }
        return token
    }

    /// A request of an app that knows DeviceCheck only.
    func request(_ payload: [UInt8], deviceToken: String? = nil) throws -> [UInt8] {
        let evidence = IOSEvidence(
            deviceToken: try deviceToken ?? self.deviceToken(), apiToken: apiToken.uuidString)
        return try DonationRequest(authentication: evidence.encoded(), payload: payload).encoded(length: 16_384)
    }

    /// Evidence of App Attest for a payload; the first has the key attested.
    mutating func evidence(
        _ payload: [UInt8], _ challenge: [UInt8], isNew: Bool, withDeviceToken: Bool = false
    ) throws -> IOSEvidence {
        let attestation =
            isNew
            ? try key.attestation(
                by: vouchers.apple, clientDataHash: Array(SHA256.hash(data: challenge)), environment: .production,
                at: vouchers.clock.now) : []
        return IOSEvidence(
            deviceToken: withDeviceToken ? try deviceToken() : "",
            appAttest: .init(
                challenge: challenge, keyID: Array(SHA256.hash(data: key.publicKey.x963)),
                assertion: try key.assertion(over: challenge + payload), attestation: attestation))
    }

    /// A request of an app that knows App Attest.
    mutating func attestedRequest(
        _ payload: [UInt8], _ challenge: [UInt8], isNew: Bool = false, withDeviceToken: Bool = false
    ) throws -> [UInt8] {
        let evidence = try evidence(payload, challenge, isNew: isNew, withDeviceToken: withDeviceToken)
        return try DonationRequest(authentication: evidence.encoded(), payload: payload).encoded(length: 32_768)
    }
}

/// An Android phone with an app.
struct SimulatedAndroid {
    let vouchers: Vouchers

    static func salt(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 16) }

    /// A request with a token of Play Integrity.
    func request(
        _ payload: [UInt8], salt: [UInt8], signedPayload: [UInt8]? = nil,
        _ change: (inout SimulatedVerdict) -> Void = { _ in }
    ) throws -> [UInt8] {
        var verdict = SimulatedVerdict(
            packageName: Vouchers.packageName,
            certificateDigests: [Self.base64URL(Vouchers.signer)], at: vouchers.clock.now)
        verdict.requestDetails.nonce = PlayIntegrityPolicy.binding(salt: salt, payload: signedPayload ?? payload)
        change(&verdict)
        let evidence = AndroidEvidence(
            salt: Data(salt).base64EncodedString(), playIntegrity: try vouchers.playIntegrity.token(verdict))
        return try DonationRequest(authentication: evidence.encoded(), payload: payload).encoded(length: 16_384)
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// Payloads of requests for passwords.
enum Wish {
    /// A password by number.
    static func password(_ number: Int) -> String {
        "9a8b7c6d-5e4f-4a3b-8c2d-\(String(format: "%012d", number))"
    }

    /// The payload that asks for it.
    static func payload(_ number: Int, androidID: [UInt8]? = nil) throws -> [UInt8] {
        guard let password = OneTimePassword(password(number)) else { throw SimulatedIPhone.Unusable() }
        return try PasswordRequest(password, androidID: androidID.flatMap(AndroidID.init)).encoded()
    }
}
