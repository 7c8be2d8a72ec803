import Foundation

/// What a country's run showed, as JSON.
struct CountryReport: Encodable, Sendable {
    /// What was asked for.
    struct Settings: Encodable, Sendable {
        let people: Int
        let days: Int
        let adoption: Double
        let seed: UInt64
        var phones: Int
        /// One phone in so many fetched every file on its own.
        let downloadsSampledOneIn: Int
    }

    /// One day.
    struct DayRow: Encodable, Sendable {
        /// `yyyy-MM-dd`.
        let day: String
        let infections: Int
        /// On the same seed without warnings.
        let infectionsWithoutApp: Int
        let positiveTests: Int
        let redWarnings: Int
    }

    /// From infection to warning, each a part of the one before.
    struct Cascade: Encodable, Sendable {
        let infected: Int
        let positive: Int
        let registered: Int
        /// How often somebody agreed to an upload.
        let consents: Int
        let uploads: Int
        let sharedKeys: Int
        let checkIns: Int
        let sharedVisits: Int
        /// People whose phones found a report about a visit.
        let warnedVisitors: Int
        /// People who reported a positive test by the Further app, and those whom it told that they had met one of them.
        let furtherReporters: Int
        let furtherTold: Int
        let warnedRed: Int
        let warnedGreen: Int
    }

    /// What phones found of what they should have found.
    struct Notification: Encodable, Sendable {
        /// People with a phone who had a close contact with somebody who uploaded: 15 minutes of a day at less than two metres.
        let closeContacts: Int
        /// Those whose phone showed red.
        let closeContactsWarned: Int
    }

    /// The people whose phones showed a colour.
    struct Alerts: Encodable, Sendable {
        let colour: String
        let people: Int
        /// Those who had a close contact with somebody who uploaded: their share is the positive predictive value.
        let closeContacts: Int
        /// Those who had any contact with one, close ones included.
        let contacts: Int
        /// Those who were infected when the phone showed the colour.
        let infected: Int
    }

    /// Of what had to happen, how much did.
    struct Completeness: Encodable, Sendable {
        let name: String
        let due: Int
        let happened: Int
    }

    /// Medians and 90th percentiles, in hours; nil where nothing was measured.
    struct Delay: Encodable, Sendable {
        let name: String
        let median: Double?
        let ninetieth: Double?
    }

    /// One hour of the suite.
    struct HourRow: Encodable, Sendable {
        let hour: Int
        let requests: [String: Int]
        let seconds: Double
        /// CPU seconds by process.
        let processors: [String: Double]
    }

    /// One kind of phone, per phone and day.
    struct Kind: Encodable, Sendable {
        let name: String
        let phones: Int
        let requests: Double
        let bytes: Double
    }

    let settings: Settings
    /// Seconds of the machine's time.
    let duration: Double
    /// The most memory of the driver and its phones, in MiB.
    let memory: Int
    let days: [DayRow]
    let cascade: Cascade
    let notification: Notification
    let alerts: [Alerts]
    let completeness: [Completeness]
    let delays: [Delay]
    /// What attackers found out.
    let attacks: [Attack]
    let hours: [HourRow]
    /// By class of request: per phone and day.
    let requestsPerPhone: [String: Double]
    let bytesPerPhone: [String: Double]
    let kinds: [Kind]
    /// All published keys, and those that no phone sent.
    let publishedKeys: Int
    let fillers: Int
    /// CPU seconds of each process.
    let processors: [String: Double]
    /// The most memory of each process, in MiB.
    let processMemory: [String: Int]
    /// How often each fault was injected.
    let injected: [String: Int]
    /// Every fault that the oracle looks for with its number of cases, and what it judged.
    let faults: [String: Int]
    /// The first cases of each, one line a case.
    let cases: [String]
    let judgedPairs: Int
    /// Pairs of a reported visit and another one at the same time.
    let judgedVisits: Int
    /// Pairs of an id that was reported by the Further app and a phone that had heard it.
    let judgedIDs: Int
    /// Packages that two phones got with different keys in one hour, one line each.
    let differentDownloads: [String]

    /// The report as JSON with sorted keys.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self)
    }
}
