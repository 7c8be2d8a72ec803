import ExposureKeys
import SwiftProtobuf
package import Venues

extension VenueRules {
    /// The rules for venues in an app's configuration, as ``StaticMessage`` encodes it.
    /// - Throws: ``InvalidMessage`` if the bytes are no configuration of a system, or if the configuration breaks a rule.
    package init(configuration bytes: [UInt8], of message: StaticMessage) throws(InvalidMessage) {
        try message.review(encoded: bytes)
        let parameters: WirePresenceTracingParameters? =
            switch message {
            case .applicationConfigurationIOS:
                (try? WireApplicationConfigurationIOS(serializedBytes: bytes))?.presenceTracingParameters
            case .applicationConfigurationAndroid:
                (try? WireApplicationConfigurationAndroid(serializedBytes: bytes))?.presenceTracingParameters
            default: nil
            }
        guard let parameters else { throw InvalidMessage(["The message is no configuration with rules for venues."]) }
        let (submission, risk) = (parameters.submissionParameters, parameters.riskCalculationParameters)
        self.init(
            droppedMinutes: submission.durationFilters.map { Range($0.dropIfMinutesInRange) },
            aerosolDecay: submission.aerosoleDecayLinearFunctions.map {
                AerosolDecay(minutes: Range($0.minutesRange), slope: $0.slope, intercept: $0.intercept)
            },
            riskValues: Dictionary(
                risk.transmissionRiskValueMapping.compactMap { mapping in
                    TransmissionRiskLevel(rawValue: Int(mapping.transmissionRiskLevel))
                        .map { ($0, mapping.transmissionRiskValue) }
                }, uniquingKeysWith: { first, _ in first }),
            perCheckIn: risk.normalizedTimePerCheckInToRiskLevelMapping.compactMap(Grade.init),
            perDay: risk.normalizedTimePerDayToRiskLevelMapping.compactMap(Grade.init),
            maximumDays: Int(risk.maxCheckInAgeInDays))
    }
}
