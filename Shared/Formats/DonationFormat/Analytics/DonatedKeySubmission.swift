import SwiftProtobuf

/// How a person came to upload keys, or not to, after a positive test or in a self-report (cwa-ppa-server, `PPAKeySubmissionMetadata`).
package struct DonatedKeySubmission: Hashable, Sendable {
    /// Which test, or none.
    package var kind: Kind
    /// Whether keys were uploaded.
    package var submitted: Bool
    /// By the app itself, after an earlier consent.
    package var submittedInBackground: Bool
    /// After the person had left the dialogue once.
    package var submittedAfterCancel: Bool
    /// The person was asked for symptoms.
    package var submittedAfterSymptomFlow: Bool
    /// The person had agreed before there was a result.
    package var advancedConsentGiven: Bool
    /// Where the person left the dialogue.
    package var lastScreen: Screen
    /// Nil if there is no result.
    package var hoursSinceResult: Int16?
    /// Nil without a registration.
    package var hoursSinceRegistration: Int16?
    /// From encounters. The level isn't sent.
    package var encounters: RiskAtRegistration
    /// From visits to venues. The level isn't sent.
    package var visits: RiskAtRegistration
    /// The code came by phone.
    package var submittedWithTeleTAN: Bool
    /// The test was a rapid test.
    package var submittedAfterRapidTest: Bool
    /// Whether check-ins were uploaded as well.
    package var submittedWithCheckIns: Answer

    /// In the numbers of the wire.
    package enum Kind: Int16, Hashable, Sendable, CaseIterable {
        /// A test that the app had registered.
        case registeredTest
        /// A self-report of a test at home.
        case selfTest
        /// A self-report of a rapid test that the app had registered.
        case registeredRapidTest
        /// A self-report of a rapid test that the app didn't know.
        case unregisteredRapidTest
        /// A self-report of a PCR test that the app had registered.
        case registeredPCRTest
        /// A self-report of a PCR test that the app didn't know.
        case unregisteredPCRTest
        /// A self-report of a rapid PCR test.
        case rapidPCRTest
        /// A self-report of another test.
        case otherTest
    }

    /// In the numbers of the wire.
    package enum Screen: Int16, Hashable, Sendable, CaseIterable {
        /// None.
        case unknown
        /// None of the others.
        case other
        /// With the result.
        case testResult
        /// Where the person is asked to upload.
        case warnOthers
        /// Where the person is asked for symptoms.
        case symptoms
        /// Where the person is asked for their beginning.
        case symptomOnset
    }

    /// In the numbers of the wire.
    package enum Answer: Int16, Hashable, Sendable, CaseIterable {
        /// An app that doesn't say.
        case unspecified
        /// Yes.
        case yes
        /// No.
        case no
    }

    /// A report of somebody who uploaded nothing; set what differs.
    package init(_ kind: Kind = .registeredTest) {
        self.kind = kind
        submitted = false
        submittedInBackground = false
        submittedAfterCancel = false
        submittedAfterSymptomFlow = false
        advancedConsentGiven = false
        lastScreen = .unknown
        hoursSinceResult = nil
        hoursSinceRegistration = nil
        encounters = RiskAtRegistration()
        visits = RiskAtRegistration()
        submittedWithTeleTAN = false
        submittedAfterRapidTest = false
        submittedWithCheckIns = .unspecified
    }
}

extension DonatedKeySubmission {
    init(_ wire: WireKeySubmission) throws(DonationFlaw) {
        self.init(try wire.kind.value())
        submitted = wire.submitted
        submittedInBackground = wire.submittedInBackground
        submittedAfterCancel = wire.submittedAfterCancel
        submittedAfterSymptomFlow = wire.submittedAfterSymptomFlow
        advancedConsentGiven = wire.advancedConsentGiven
        lastScreen = try wire.lastSubmissionFlowScreen.value()
        hoursSinceResult = Elapsed(wire.hoursSinceTestResult).count
        hoursSinceRegistration = Elapsed(wire.hoursSinceTestRegistration).count
        encounters.days = Elapsed(wire.daysSinceMostRecentDateAtRiskLevel).count
        encounters.hoursSinceWarning = Elapsed(wire.hoursSinceHighRiskWarning).count
        visits.days = Elapsed(wire.checkInDaysSinceMostRecentDateAtRiskLevel).count
        visits.hoursSinceWarning = Elapsed(wire.checkInHoursSinceHighRiskWarning).count
        submittedWithTeleTAN = wire.submittedWithTeleTan
        submittedAfterRapidTest = wire.submittedAfterRapidTest
        submittedWithCheckIns = try wire.submittedWithCheckIns.value()
    }

    var wire: WireKeySubmission {
        .with {
            $0.kind = WireKeySubmission.Kind(rawValue: Int(kind.rawValue)) ?? .init()
            $0.submitted = submitted
            $0.submittedInBackground = submittedInBackground
            $0.submittedAfterCancel = submittedAfterCancel
            $0.submittedAfterSymptomFlow = submittedAfterSymptomFlow
            $0.advancedConsentGiven = advancedConsentGiven
            $0.lastSubmissionFlowScreen = WireKeySubmission.Screen(rawValue: Int(lastScreen.rawValue)) ?? .init()
            $0.hoursSinceTestResult = Elapsed(hoursSinceResult).wire
            $0.hoursSinceTestRegistration = Elapsed(hoursSinceRegistration).wire
            $0.daysSinceMostRecentDateAtRiskLevel = Elapsed(encounters.days).wire
            $0.hoursSinceHighRiskWarning = Elapsed(encounters.hoursSinceWarning).wire
            $0.checkInDaysSinceMostRecentDateAtRiskLevel = Elapsed(visits.days).wire
            $0.checkInHoursSinceHighRiskWarning = Elapsed(visits.hoursSinceWarning).wire
            $0.submittedWithTeleTan = submittedWithTeleTAN
            $0.submittedAfterRapidTest = submittedAfterRapidTest
            $0.submittedWithCheckIns =
                WireKeySubmission.Answer(rawValue: Int(submittedWithCheckIns.rawValue)) ?? .init()
        }
    }
}
