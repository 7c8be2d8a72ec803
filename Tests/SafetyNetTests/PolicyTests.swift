import Crypto
import DevelopmentAttestation
import Foundation
import SafetyNet
import TestSupport
import Testing

/// What a statement is worth, in the order of cwa-ppa-server.
@Suite(.heavy) struct PolicyTests {
    private static func policy(
        packageNames: Set<String> = [Sample.packageName], digests: Set<[UInt8]> = [Sample.digest],
        demands: Set<SafetyNetPolicy.Demand> = Set(SafetyNetPolicy.Demand.allCases)
    ) -> SafetyNetPolicy {
        SafetyNetPolicy(packageNames: packageNames, certificateDigests: digests, tolerance: 7200, demands: demands)
    }

    /// What a policy has against a statement; nil for nothing.
    private static func flaw(
        _ policy: SafetyNetPolicy = policy(), salt: String = Sample.saltText, payload: [UInt8] = Sample.payload,
        now: Date = Sample.now, _ change: (inout SimulatedStatement) -> Void = { _ in }
    ) throws -> SafetyNetFlaw? {
        let statement = try SafetyNetStatement(
            Sample.mint.token(Sample.statement(change)), roots: Sample.roots, now: Sample.now)
        do throws(SafetyNetFlaw) {
            try policy.check(statement, salt: salt, payload: payload, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a genuine app on a good device fulfils every demand`() throws {
        #expect(try Self.flaw() == nil)
        #expect(try Self.flaw(Self.policy(demands: [])) == nil)
    }

    @Test(arguments: ["", "AAA", "A-__", "AAAA\n", String(repeating: "A", count: 132)])
    func `a salt that isn't one is missing`(_ salt: String) throws {
        #expect(try Self.flaw(salt: salt) == .missing)
    }

    @Test func `a statement without a nonce is missing one`() throws {
        #expect(try Self.flaw { $0.nonce = nil } == .missing)
        #expect(try Self.flaw { $0.nonce = "" } == .missing)
    }

    @Test func `another salt, payload or nonce is refused`() throws {
        #expect(try Self.flaw(salt: String(repeating: "A", count: 24)) == .binding)
        #expect(try Self.flaw(salt: String(repeating: "A", count: 128)) == .binding)
        #expect(try Self.flaw(payload: Sample.payload + [0]) == .binding)
        #expect(try Self.flaw(payload: []) == .binding)
        #expect(try Self.flaw { $0.nonce = Data(Sample.salt).base64EncodedString() } == .binding)
        #expect(try Self.flaw { $0.nonce = "no Base64" } == .binding)
    }

    @Test func `the nonce is SHA-256 over salt and payload`() {
        let whole = SHA256.hash(data: Sample.salt + Sample.payload)
        #expect(SafetyNetPolicy.nonce(salt: Sample.salt, payload: Sample.payload) == Array(whole))
    }

    @Test(arguments: [(-7200, true), (7200, true), (-7200.002, false), (7200.002, false), (-86_400, false)])
    func `a statement may lie two hours before or after now`(_ seconds: TimeInterval, _ isFresh: Bool) throws {
        #expect(try Self.flaw(now: Sample.now + seconds) == (isFresh ? nil : .stale))
    }

    @Test func `another app is refused`() throws {
        #expect(try Self.flaw { $0.apkPackageName = "de.example.other" } == .package)
        #expect(try Self.flaw { $0.apkPackageName = nil } == .package)
        #expect(try Self.flaw(Self.policy(packageNames: [])) == .package)
        let both = Self.policy(packageNames: [Sample.packageName, "de.example.other"])
        #expect(try Self.flaw(both) { $0.apkPackageName = "de.example.other" } == nil)
    }

    @Test func `another signer is refused, and so are two`() throws {
        let own = Data(Sample.digest).base64EncodedString()
        let other = Data(SHA256.hash(data: [1])).base64EncodedString()
        for digests in [[other], [own, own], [own, other], [], nil, [""], [String(own.dropLast())]] as [[String]?] {
            #expect(try Self.flaw { $0.apkCertificateDigestSha256 = digests } == .signer)
        }
        #expect(try Self.flaw(Self.policy(digests: [])) == .signer)
    }

    @Test func `a device has to be as good as the policy demands`() throws {
        let cases: [(SafetyNetPolicy.Demand, SafetyNetFlaw, (inout SimulatedStatement) -> Void)] = [
            (.basicIntegrity, .basicIntegrity, { $0.basicIntegrity = false }),
            (.profile, .profile, { $0.ctsProfileMatch = false }),
            (.basicEvaluation, .basicEvaluation, { $0.evaluationType = "HARDWARE_BACKED" }),
            (.hardwareEvaluation, .hardwareEvaluation, { $0.evaluationType = "BASIC" }),
            (.hardwareEvaluation, .hardwareEvaluation, { $0.evaluationType = "BASIC,NOT_HARDWARE_BACKED" }),
        ]
        for (demand, flaw, change) in cases {
            #expect(try Self.flaw(Self.policy(), change) == flaw)
            #expect(try Self.flaw(Self.policy(demands: [demand]), change) == flaw)
            let others = Set(SafetyNetPolicy.Demand.allCases).subtracting([demand])
            #expect(try Self.flaw(Self.policy(demands: others), change) == nil)
        }
        #expect(try Self.flaw { $0.evaluationType = nil } == .basicEvaluation)
    }

    /// Everything is wrong. Repaired one by one, the flaws show in their order.
    @Test func `the first flaw in the order counts`() throws {
        let faults: [(flaw: SafetyNetFlaw, change: (inout SimulatedStatement) -> Void)] = [
            (.missing, { $0.nonce = nil }), (.binding, { $0.nonce = "AAAA" }), (.stale, { $0.timestampMs = 0 }),
            (.package, { $0.apkPackageName = nil }), (.signer, { $0.apkCertificateDigestSha256 = [] }),
            (.basicIntegrity, { $0.basicIntegrity = false }), (.profile, { $0.ctsProfileMatch = false }),
            (.basicEvaluation, { $0.evaluationType = nil }), (.hardwareEvaluation, { $0.evaluationType = "BASIC" }),
        ]
        for first in faults.indices {
            let found = try Self.flaw { statement in
                for fault in faults[first...].reversed() { fault.change(&statement) }
            }
            #expect(found == faults[first].flaw)
        }
    }

    @Test func `each flaw has a code that apps know`() {
        let known: Set = [
            "MISSING_MANDATORY_AUTHENTICATION_FIELDS", "JWS_SIGNATURE_VERIFICATION_FAILED",
            "FAILED_ATTESTATION_HOSTNAME_VALIDATION", "NONCE_MISMATCH", "ATTESTATION_EXPIRED",
            "APK_PACKAGE_NAME_MISMATCH", "APK_CERTIFICATE_MISMATCH", "BASIC_INTEGRITY_REQUIRED",
            "CTS_PROFILE_MATCH_REQUIRED", "EVALUATION_TYPE_BASIC_REQUIRED", "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED",
        ]
        #expect(Set(SafetyNetFlaw.allCases.map(\.errorCode)) == known)
    }
}
