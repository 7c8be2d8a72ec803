import SwiftProtobuf
import Testing

@testable import DonationFormat
@testable import ExposureFormat
@testable import FederationFormat
@testable import PushFormat
@testable import TraceKeyFormat

/// A message of the formats, whatever its type.
struct Sample: CustomTestStringConvertible, Sendable {
    let type: any Message.Type

    /// The message's full name in the schema.
    var name: String { type.protoMessageName }
    var testDescription: String { name }

    /// Every message of every schema.
    static let all: [Sample] =
        ([
            DonationFormat.WireAnalyticsData.self, DonationFormat.WireExposureRisk.self,
            DonationFormat.WireExposureWindow.self, DonationFormat.WireExposureWindow.Window.self,
            DonationFormat.WireExposureWindow.ScanInstance.self, DonationFormat.WireTestResult.self,
            DonationFormat.WireKeySubmission.self, DonationFormat.WireIOSClient.self,
            DonationFormat.WireAndroidClient.self, DonationFormat.WireSemanticVersion.self,
            DonationFormat.WireUser.self,
            DonationFormat.WireDonationRequest.self, DonationFormat.WireIOSAuthentication.self,
            DonationFormat.WireAndroidAuthentication.self, DonationFormat.WireOneTimePassword.self,
            ExposureFormat.WireSemanticVersion.self, ExposureFormat.WireAppFeatures.self,
            ExposureFormat.WireAppFeature.self, ExposureFormat.WireKeyDownloadParametersIOS.self,
            ExposureFormat.WireKeyDownloadParametersAndroid.self, ExposureFormat.WireDayPackageMetadata.self,
            ExposureFormat.WireHourPackageMetadata.self, ExposureFormat.WireTraceWarningPackageMetadata.self,
            ExposureFormat.WireExposureDetectionParametersIOS.self,
            ExposureFormat.WireExposureDetectionParametersAndroid.self,
            ExposureFormat.WireApplicationConfiguration.self,
            ExposureFormat.WireRiskScoreClassification.self, ExposureFormat.WireRiskScoreClass.self,
            ExposureFormat.WireRiskScoreParameters.self,
            ExposureFormat.WireRiskScoreParameters.TransmissionRiskParameters.self,
            ExposureFormat.WireRiskScoreParameters.DurationRiskParameters.self,
            ExposureFormat.WireRiskScoreParameters.DaysSinceLastExposureRiskParameters.self,
            ExposureFormat.WireRiskScoreParameters.AttenuationRiskParameters.self,
            ExposureFormat.WireAttenuationDuration.self, ExposureFormat.WireAttenuationThresholds.self,
            ExposureFormat.WireAttenuationWeights.self, ExposureFormat.WireApplicationVersionConfiguration.self,
            ExposureFormat.WireApplicationVersionInfo.self, ExposureFormat.WireApplicationConfigurationIOS.self,
            ExposureFormat.WireApplicationConfigurationAndroid.self, ExposureFormat.WireExposureConfiguration.self,
            ExposureFormat.WireDiagnosisKeysDataMapping.self, ExposureFormat.WireDailySummariesConfig.self,
            ExposureFormat.WireDscList.self, ExposureFormat.WireDscListItem.self,
            ExposureFormat.WireRevocationKidList.self, ExposureFormat.WireRevocationKidListItem.self,
            ExposureFormat.WireValidationServiceAllowlist.self, ExposureFormat.WireValidationServiceAllowlistItem.self,
            ExposureFormat.WireServiceProviderAllowlistItem.self, ExposureFormat.WireValueSets.self,
            ExposureFormat.WireValueSet.self, ExposureFormat.WireValueSetItem.self,
            ExposureFormat.WireCoronaTestParameters.self, ExposureFormat.WireCoronaRapidAntigenTestParameters.self,
            ExposureFormat.WireCoronaPCRTestParameters.self, ExposureFormat.WireDGCParameters.self,
            ExposureFormat.WireDGCTestCertificateParameters.self, ExposureFormat.WireDGCBlocklistParameters.self,
            ExposureFormat.WireDGCBlockedUVCIChunk.self, ExposureFormat.CheckIn.self,
            ExposureFormat.CheckInProtectedReport.self, ExposureFormat.TemporaryExposureKeyExport.self,
            ExposureFormat.SignatureInfo.self, ExposureFormat.TemporaryExposureKey.self,
            ExposureFormat.TEKSignatureList.self, ExposureFormat.TEKSignature.self,
            ExposureFormat.WireQRCodePosterTemplateIOS.self, ExposureFormat.WireQRCodeTextBoxIOS.self,
            ExposureFormat.WireQRCodePosterTemplateAndroid.self, ExposureFormat.WireQRCodeTextBoxAndroid.self,
            ExposureFormat.WirePresenceTracingParameters.self,
            ExposureFormat.WirePresenceTracingRiskCalculationParameters.self,
            ExposureFormat.WirePresenceTracingSubmissionParameters.self,
            ExposureFormat.WirePresenceTracingSubmissionParameters.DurationFilter.self,
            ExposureFormat.WirePresenceTracingSubmissionParameters.AerosoleDecayFunctionLinear.self,
            ExposureFormat.WirePresenceTracingPlausibleDeniabilityParameters.self,
            ExposureFormat.WirePresenceTracingPlausibleDeniabilityParameters.NumberOfFakeCheckInsFunctionParameters
                .self,
            ExposureFormat.WirePresenceTracingQRCodeDescriptor.self,
            ExposureFormat.WirePPDDPrivacyPreservingAccessControlParametersIOS.self,
            ExposureFormat.WirePPDDPrivacyPreservingAccessControlParametersAndroid.self,
            ExposureFormat.WirePPDDEventDrivenUserSurveyParametersIOS.self,
            ExposureFormat.WirePPDDEventDrivenUserSurveyParametersAndroid.self,
            ExposureFormat.WirePPDDEventDrivenUserSurveyParametersCommon.self,
            ExposureFormat.WirePPDDPrivacyPreservingAnalyticsParametersIOS.self,
            ExposureFormat.WirePPDDPrivacyPreservingAnalyticsParametersAndroid.self,
            ExposureFormat.WirePPDDPrivacyPreservingAnalyticsParametersCommon.self,
            ExposureFormat.WirePPDDPrivacyPreservingAnalyticsPlausibleDeniabilityParameters.self,
            ExposureFormat.WirePPDDErrorLogSharingParametersIOS.self,
            ExposureFormat.WirePPDDErrorLogSharingParametersAndroid.self,
            ExposureFormat.WirePPDDErrorLogSharingParametersCommon.self,
            ExposureFormat.WirePPDDSelfReportSubmissionParametersIOS.self,
            ExposureFormat.WirePPDDSelfReportSubmissionParametersAndroid.self,
            ExposureFormat.WirePPDDSelfReportSubmissionParametersCommon.self,
            ExposureFormat.WirePPDDSelfReportSubmissionPlausibleDeniabilityParameters.self,
            ExposureFormat.WireRiskCalculationParameters.self, ExposureFormat.WireRange.self,
            ExposureFormat.WireMinutesAtAttenuationFilter.self, ExposureFormat.WireTrlFilter.self,
            ExposureFormat.WireMinutesAtAttenuationWeight.self,
            ExposureFormat.WireNormalizedTimeToRiskLevelMapping.self,
            ExposureFormat.WireTransmissionRiskLevelEncoding.self, ExposureFormat.WireTransmissionRiskValueMapping.self,
            ExposureFormat.WireStatistics.self, ExposureFormat.WireCardHeader.self,
            ExposureFormat.WireKeyFigureCard.self, ExposureFormat.WireKeyFigure.self, ExposureFormat.WireLinkCard.self,
            ExposureFormat.WireLocalStatistics.self, ExposureFormat.WireFederalStateData.self,
            ExposureFormat.WireAdministrativeUnitData.self, ExposureFormat.WireSevenDayIncidenceData.self,
            ExposureFormat.SubmissionPayload.self, ExposureFormat.TraceWarningPackage.self,
            ExposureFormat.VenueReportUpload.self, ExposureFormat.SignedVenueReports.self,
            ExposureFormat.VenueReportBundle.self, FederationFormat.WireDiagnosisKeyBatch.self,
            FederationFormat.WireDiagnosisKey.self, PushFormat.PushRegistration.self,
            TraceKeyFormat.ProblematicEventWrapper.self, TraceKeyFormat.ProblematicEvent.self,
        ] as [any Message.Type]).map { Sample(type: $0) }
}

extension Message {
    func bytes() throws -> [UInt8] { try serializedBytes() }
}
