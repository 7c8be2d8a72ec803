import CompactJOSE
import DevelopmentAttestation
import Foundation
import PlayIntegrity
import Testing

/// What a judgement is worth.
@Suite struct PolicyTests {
    /// What a policy has against a judgement; nil for nothing.
    private static func flaw(
        _ policy: PlayIntegrityPolicy = Sample.policy(), salt: [UInt8] = Sample.salt,
        payload: [UInt8] = Sample.payload, now: Date = Sample.now,
        _ change: (inout SimulatedVerdict) -> Void = { _ in }
    ) throws -> PlayIntegrityFlaw? {
        let token = try Sample.mint.token(Sample.verdict(change))
        let verdict = try PlayIntegrityVerdict(classic: token, keys: Sample.keys)
        do throws(PlayIntegrityFlaw) {
            try policy.check(verdict, salt: salt, payload: payload, now: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a genuine app on a good device fulfils every demand`() throws {
        #expect(try Self.flaw() == nil)
    }

    // MARK: Binding

    @Test func `the binding is Base64url of SHA-256 over salt and payload`() {
        // python3: urlsafe_b64encode(sha256(b"0123456789abcdef" + b"what the phone sends").digest()).rstrip(b"=")
        let binding = PlayIntegrityPolicy.binding(salt: Sample.salt, payload: Sample.payload)
        #expect(binding == "wRz2pED_LfQQpBqlrxn2EAdMJyLstyy0D_DCbwydQEM")
    }

    @Test func `another payload, another salt and another nonce are refused`() throws {
        #expect(try Self.flaw(payload: Sample.payload + [0]) == .binding)
        #expect(try Self.flaw(payload: []) == .binding)
        #expect(try Self.flaw(salt: Sample.salt.reversed()) == .binding)
        #expect(try Self.flaw { $0.requestDetails.nonce = "" } == .binding)
        #expect(try Self.flaw { $0.requestDetails.nonce? += "=" } == .binding)
        let swapped = PlayIntegrityPolicy.binding(salt: Sample.payload, payload: Sample.salt)
        #expect(try Self.flaw { $0.requestDetails.nonce = swapped } == .binding)
    }

    @Test func `the policy says which kind of request binds`() throws {
        func asStandard(_ verdict: inout SimulatedVerdict) {
            verdict.requestDetails.requestHash = verdict.requestDetails.nonce
            verdict.requestDetails.nonce = nil
        }
        #expect(try Self.flaw(Sample.policy(.standard), asStandard) == nil)
        #expect(try Self.flaw(Sample.policy(.classic), asStandard) == .binding)
        #expect(try Self.flaw(Sample.policy(.standard)) == .binding)
        #expect(try Self.flaw(Sample.policy(.standard), payload: [], asStandard) == .binding)
    }

    // MARK: Time

    @Test(arguments: [(-600, true), (600, true), (-600.002, false), (600.002, false), (-86_400, false), (0, true)])
    func `a request may lie ten minutes before or after now`(_ seconds: TimeInterval, _ isFresh: Bool) throws {
        #expect(try Self.flaw(now: Sample.now + seconds) == (isFresh ? nil : .stale))
    }

    // MARK: App

    @Test func `another app is refused, whatever the request says`() throws {
        #expect(try Self.flaw { $0.appIntegrity?.packageName = "de.example.other" } == .package)
        #expect(try Self.flaw { $0.requestDetails.requestPackageName = "de.example.other" } == .package)
        #expect(
            try Self.flaw {
                $0.requestDetails.requestPackageName = "de.example.other"
                $0.appIntegrity?.packageName = "de.example.other"
            } == .package)
        let both = Sample.policy(packageNames: [Sample.packageName, "de.example.other"])
        #expect(try Self.flaw(both) { $0.requestDetails.requestPackageName = "de.example.other" } == .package)
    }

    @Test func `an app that Google didn't judge is refused`() throws {
        #expect(
            try Self.flaw {
                $0.appIntegrity?.appRecognitionVerdict = "UNEVALUATED"
                $0.appIntegrity?.packageName = nil
                $0.appIntegrity?.certificateSha256Digest = nil
            } == .notJudged)
        let lenient = Sample.policy(recognition: false, licence: false, strength: nil)
        #expect(try Self.flaw(lenient) { $0.appIntegrity?.appRecognitionVerdict = "UNEVALUATED" } == .notJudged)
        #expect(try Self.flaw(lenient) { $0.appIntegrity?.packageName = nil } == .notJudged)
    }

    @Test func `another signer is refused, and so is one beside the right one`() throws {
        let (own, other) = (Base64URL.text(Sample.digest), Base64URL.text(Sample.otherDigest))
        let hexadecimal = Sample.digest.map { String($0, radix: 16) }.joined()
        for digests in [
            [other], [own, other], [], nil, [""], [hexadecimal], [own + "="],
            [Data(Sample.digest).base64EncodedString()],
        ] as [[String]?] {
            #expect(try Self.flaw { $0.appIntegrity?.certificateSha256Digest = digests } == .signer)
        }
        let both = Sample.policy(digests: [Sample.digest, Sample.otherDigest])
        #expect(try Self.flaw(both) { $0.appIntegrity?.certificateSha256Digest = [other] } == nil)
        #expect(try Self.flaw(both) { $0.appIntegrity?.certificateSha256Digest = [own, other] } == nil)
    }

    @Test func `a version from elsewhere is refused, unless the policy allows it`() throws {
        func fromElsewhere(_ verdict: inout SimulatedVerdict) {
            verdict.appIntegrity?.appRecognitionVerdict = "UNRECOGNIZED_VERSION"
        }
        #expect(try Self.flaw(Sample.policy(), fromElsewhere) == .unrecognised)
        #expect(try Self.flaw(Sample.policy(recognition: false), fromElsewhere) == nil)
    }

    @Test(arguments: ["UNLICENSED", "UNEVALUATED"])
    func `an app without a licence is refused, unless the policy allows it`(_ licensing: String) throws {
        #expect(try Self.flaw { $0.accountDetails?.appLicensingVerdict = licensing } == .unlicensed)
        #expect(try Self.flaw { $0.accountDetails = nil } == .unlicensed)
        let lenient = Sample.policy(licence: false)
        #expect(try Self.flaw(lenient) { $0.accountDetails?.appLicensingVerdict = licensing } == nil)
    }

    @Test func `an answer that a tester chose is refused by the most lenient policy`() throws {
        let lenient = Sample.policy(recognition: false, licence: false, strength: nil)
        #expect(try Self.flaw(lenient) { $0.testingDetails = .init(isTestingResponse: true) } == .testing)
        #expect(try Self.flaw(lenient) { $0.testingDetails = .init(isTestingResponse: false) } == nil)
    }

    // MARK: Device

    @Test(
        arguments: [
            (nil, nil, nil), (nil, .basic, .basicIntegrity), (nil, .device, .basicIntegrity),
            (nil, .strong, .basicIntegrity), ("BASIC", nil, nil), ("BASIC", .basic, nil),
            ("BASIC", .device, .deviceIntegrity), ("BASIC", .strong, .deviceIntegrity), ("DEVICE", .basic, nil),
            ("DEVICE", .device, nil), ("DEVICE", .strong, .strongIntegrity), ("STRONG", .basic, nil),
            ("STRONG", .device, nil), ("STRONG", .strong, nil), ("VIRTUAL", nil, nil),
            ("VIRTUAL", .basic, .basicIntegrity),
        ] as [(String?, PlayIntegrityVerdict.DeviceStrength?, PlayIntegrityFlaw?)])
    func `a device has to be as good as the policy demands`(
        _ label: String?, _ demanded: PlayIntegrityVerdict.DeviceStrength?, _ flaw: PlayIntegrityFlaw?
    ) throws {
        let found = try Self.flaw(Sample.policy(strength: demanded)) {
            $0.deviceIntegrity?.deviceRecognitionVerdict = label.map { ["MEETS_\($0)_INTEGRITY"] }
        }
        #expect(found == flaw)
    }

    // MARK: Order

    /// Everything is wrong. Repaired one by one, the flaws show in their order.
    @Test func `the first flaw in the order counts`() throws {
        typealias Change = (inout SimulatedVerdict) -> Void
        let good = Sample.verdict()
        let faults: [(flaw: PlayIntegrityFlaw, change: Change)] = [
            (.binding, { $0.requestDetails.nonce = "" }), (.stale, { $0.requestDetails.timestampMillis = "0" }),
            (.package, { $0.appIntegrity?.packageName = "x" }),
            (.signer, { $0.appIntegrity?.certificateSha256Digest = [] }),
            (.unrecognised, { $0.appIntegrity?.appRecognitionVerdict = "UNRECOGNIZED_VERSION" }),
            (.unlicensed, { $0.accountDetails = nil }),
            (.testing, { $0.testingDetails = .init(isTestingResponse: true) }),
            (.basicIntegrity, { $0.deviceIntegrity = nil }),
        ]
        for first in faults.indices {
            let found = try Self.flaw { verdict in
                verdict = good
                for fault in faults[first...] { fault.change(&verdict) }
            }
            #expect(found == faults[first].flaw)
        }
    }

    @Test func `each flaw has its own label, and a code that old apps know`() {
        let labels = PlayIntegrityFlaw.allCases.map(\.rawValue)
        #expect(labels.allSatisfy { $0.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (97...122).contains($0) } })
        let known: Set = [
            "JWS_SIGNATURE_VERIFICATION_FAILED", "NONCE_MISMATCH", "ATTESTATION_EXPIRED", "APK_PACKAGE_NAME_MISMATCH",
            "APK_CERTIFICATE_MISMATCH", "BASIC_INTEGRITY_REQUIRED", "CTS_PROFILE_MATCH_REQUIRED",
            "EVALUATION_TYPE_HARDWARE_BACKED_REQUIRED",
        ]
        #expect(Set(PlayIntegrityFlaw.allCases.map(\.errorCode)) == known)
    }
}
