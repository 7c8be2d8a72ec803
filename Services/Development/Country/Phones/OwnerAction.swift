import CountryModel
import Credentials
import ExposureKeys
import Foundation
import Phone
import Venues
import VerificationAPI

/// What a person does with the phone.
enum OwnerAction: Sendable {
    /// Registers the laboratory's test by its QR code or a teleTAN.
    ///
    /// - Parameter sharing: what the owner does after a positive result; nil for whoever won't share.
    case scan(RegistrationTokenRequest.Proof, of: TestID, sharing: Sharing?)
    /// Agrees to the upload, with all visits or with none.
    case consent(UInt16, OnsetOfSymptoms, sharesCheckIns: Bool)
    /// Checks in at a venue for as long as the visit lasts.
    case checkIn(VenueCode, PhoneVisit)
}

/// What a person will do, in the order of time.
struct Agenda: Sendable {
    /// The latest first, so that the next one is cheap to take.
    private var entries: [(at: Date, action: OwnerAction)] = []

    /// The instant of the next action.
    var next: Date? { entries.last?.at }

    mutating func add(_ action: OwnerAction, at instant: Date) {
        let place = entries.firstIndex { $0.at <= instant } ?? entries.endIndex
        entries.insert((instant, action), at: place)
    }

    /// Takes the next action, if it is due.
    mutating func pop(through instant: Date) -> OwnerAction? {
        guard let next, next <= instant else { return nil }
        return entries.removeLast().action
    }
}
