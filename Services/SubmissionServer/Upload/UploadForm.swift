import VerificationAPI

/// What an upload is sent as; each has an operation of its own.
///
/// The form is part of an upload's tags (``UploadTagKey``): a TAN that was used for one is refused for another, even with the same
/// keys.
enum UploadForm: String, Sendable {
    /// A person's keys and check-ins, as the Corona-Warn-App sends them.
    case diagnosisKeys = "DIAGNOSIS_KEYS"
    /// An organiser's check-ins, as the Corona-Warn-App sends them.
    case onBehalf = "ON_BEHALF"
    /// Venue reports of a person, with or without keys and the Corona-Warn-App's check-ins, or of an organiser.
    case venueReports = "VENUE_REPORTS"

    /// The purpose of an upload of this form that can't be read.
    var usualPurpose: UploadPurpose {
        switch self {
        case .diagnosisKeys, .venueReports: .diagnosisKeys
        case .onBehalf: .onBehalf
        }
    }
}
