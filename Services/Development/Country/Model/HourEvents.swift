package import ExposureKeys

/// What the world outside the model must do in an hour. Lists are in the order of time.
package struct HourEvents: Sendable {
    /// The hour.
    package let hour: Hour
    /// Contacts between users that begin in this hour. They may last into later ones.
    package internal(set) var contacts: [Contact] = []
    /// Visits that begin in this hour, to venues with a code, by users who check in.
    package internal(set) var checkIns: [Visit] = []
    /// Samples. Electronic ones have a GUID and a QR code from now on.
    package internal(set) var swabs: [Swab] = []
    /// Users who scan the code of their test.
    package internal(set) var registrations: [Registration] = []
    /// What laboratories post: the results of all electronic tests, also of people without the app.
    package internal(set) var results: [LabResult] = []
    /// Officers who read a teleTAN to a user with a positive test that isn't electronic.
    package internal(set) var calls: [OfficerCall] = []

    /// A sample is taken.
    package struct Swab: Sendable {
        /// The test.
        package let test: TestID
        /// Whose.
        package let person: PersonID
        /// When.
        package let at: Minute
        /// Why.
        package let reason: TestReason
        /// How the result will reach the person.
        package let route: ResultRoute
    }

    /// A user scans a test's QR code.
    package struct Registration: Sendable {
        /// The test.
        package let test: TestID
        /// Whose.
        package let person: PersonID
        /// When.
        package let at: Minute
        /// What the user does if the phone shows a positive result; nil: nothing.
        package let sharing: Sharing?
    }

    /// A laboratory posts a result.
    package struct LabResult: Sendable {
        /// The test.
        package let test: TestID
        /// Whose.
        package let person: PersonID
        /// When.
        package let at: Minute
        /// Whether the virus was found.
        package let isPositive: Bool
    }

    /// An officer reads a teleTAN to a user, who enters it at once.
    package struct OfficerCall: Sendable {
        /// The test.
        package let test: TestID
        /// Who is called.
        package let person: PersonID
        /// When.
        package let at: Minute
        /// What the user does then; nil: nothing.
        package let sharing: Sharing?
    }
}

/// What a phone shows.
package enum WarningColour: Sendable {
    /// Increased risk.
    case red
    /// Low risk, with an encounter.
    case green
}
