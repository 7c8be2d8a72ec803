package import Credentials
package import ExposureFormat
package import ExposureKeys
package import FoundationEssentials
package import Venues
package import VerificationAPI

extension App {
    /// Something that happens to an app.
    package enum Event: Sendable {
        /// The instant of ``App/nextWake(after:)`` has come.
        case woken
        /// The user opens or uses the app.
        case opened
        /// The process was ended and started again: no answer to an open request comes any more. Also after decoding.
        case restarted
        /// The user scanned a test's code, or typed a teleTAN.
        case scanned(RegistrationTokenRequest.Proof, TestFamily)
        /// The user consents to the upload of keys after a positive result, or on a later day to that of further keys.
        case consented(test: UInt16, Consent)
        /// The user doesn't consent, or takes the consent back.
        case declined(test: UInt16)
        /// A visit to a venue begins; nil minutes for as long as the code says.
        case checkedIn(VenueCode, minutes: Int?)
        /// The user leaves the venue of a visit.
        case checkedOut(UInt32)
        /// The user deletes a visit.
        case checkInDeleted(UInt32)
        /// What only the push registration has to know, including a push itself.
        case push(PushRegistrationState.Event)
        /// A request has its answer.
        case answered(Request, Answer)
    }

    /// What a user answers after a positive result; the day on which it is said counts, too.
    package struct Consent: Hashable, Sendable {
        /// ``OnsetOfSymptoms/unsaid`` of who declines to answer.
        package let onset: OnsetOfSymptoms
        /// The visits that are shared, too.
        package let checkIns: Set<UInt32>

        /// Creates the answer.
        package init(onset: OnsetOfSymptoms = .unsaid, checkIns: Set<UInt32> = []) {
            self.onset = onset
            self.checkIns = checkIns
        }
    }

    /// Something that an app wants of its system, of the published tree or of the metadata proxy.
    package struct Request: Hashable, Sendable {
        /// Unique on a phone. An answer to another number than that of an open request is ignored.
        package let number: UInt32
        /// What is wanted.
        package let kind: Kind

        /// What an app wants.
        package enum Kind: Hashable, Sendable {
            // From the published tree. The answers are the same for all phones.

            /// The configuration, unless it has this entity tag.
            case configuration(DeviceClass.System, ifNot: String?)
            /// The days that are published.
            case dayIndex
            /// The hours of a day that are published.
            case hourIndex(Day)
            /// A package of keys, unless it has this entity tag, which is that of a revoked file.
            case package(KeyPackage, ifNot: String?)
            /// The first hours of the oldest and of the latest package of reports.
            case warningIndex(ReportPackages)
            /// A package of reports, by its first hour.
            case warnings(ReportPackages, Hour)

            // On the phone.

            /// The keys of these packages are compared with what the phone has heard.
            case detect([KeyPackage])
            /// The user is told something. No answer is expected.
            case show(Notice)
            /// The system is asked for the push token. The answer is an event of its own.
            case askForPushToken

            // To the proxy.

            /// A test is registered.
            case register(RegistrationTokenRequest.Proof, IdempotencyKey)
            /// A test's result is asked for.
            case result(RegistrationToken)
            /// A TAN is asked for.
            case tan(RegistrationToken)
            /// Keys and visits are uploaded.
            case upload(Upload)
            /// A dummy; an upload's has the size of one with room for so many reports.
            case pretend(FlowStep, room: Int)
            /// The server is told whether pushes are wanted.
            case registerForPush(PushRegistrationState.Request)
            /// That request is cancelled. Neither of the two is answered any more.
            case cancelPush(PushRegistrationState.Request)
        }
    }

    /// What an app tells its user.
    package enum Notice: Hashable, Sendable {
        /// A test has a result.
        case result(test: UInt16, TestResultCode)
        /// A test's code is unknown, used or expired.
        case codeRefused(test: UInt16)
    }

    /// What is uploaded.
    package struct Upload: Hashable, Sendable {
        /// Authorises this upload.
        package let tan: TAN
        /// Whose keys.
        package let days: ClosedRange<Day>
        /// From which the transmission risk follows.
        package let onset: OnsetOfSymptoms
        /// When the user said it. An upload of a later day has the values that follow from this one.
        package let answeredOn: Day
        /// The visits.
        package let checkIns: Set<UInt32>
        /// For how many reports the request has room, whether it has them or not.
        package let room: Int
    }

    /// How a request ended.
    package enum Answer: Sendable {
        /// The configuration's rules, its entity tag, the seconds for which it is valid, and the server's time; nil if it said none.
        case configuration(AppRules, etag: String, maxAge: Int, serverTime: Date? = nil)
        /// The server has nothing but what the app has; see `ifNot`.
        case unchanged(maxAge: Int, serverTime: Date? = nil)
        /// An index of days.
        case days([Day])
        /// An index of hours; a missing one is empty.
        case hours([Hour])
        /// A package was downloaded. Its keys are kept until ``Request/Kind/detect(_:)``.
        case package(etag: String)
        /// An index of reports; nil if there are none.
        case warningHours(ClosedRange<Hour>?)
        /// Reports in Apple's form.
        case venueReports([VenueReport])
        /// Reports of Corona-Warn-App.
        case checkInReports([CheckInReport])
        /// Keys were compared; the files of some packages were lost, and are downloaded again.
        case detected(missing: [KeyPackage])
        /// A test is registered.
        case registered(RegistrationToken)
        /// A test's result.
        case result(TestResultCode)
        /// A TAN.
        case tan(TAN)
        /// An upload is stored, with the reports of these visits.
        case uploaded(checkIns: Set<UInt32>)
        /// A dummy or a push registration was answered.
        case done
        /// A registration, a result or a TAN with 400, an upload with 403: a repeat of the request is of no use.
        case refused
        /// No answer, an error of the server, a damaged file, or anything else after which the app asks again later.
        case failed
    }
}

extension App.Event {
    /// Whether the user holds the phone in this moment.
    var isOfUser: Bool {
        switch self {
        case .opened, .scanned, .consented, .declined, .checkedIn, .checkedOut, .checkInDeleted: true
        case .woken, .restarted, .push, .answered: false
        }
    }
}
