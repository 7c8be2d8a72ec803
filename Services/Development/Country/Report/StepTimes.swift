import CountryModel
import Foundation

/// How long the steps from a sample to an upload take.
struct StepTimes: Sendable {
    /// A step, in the report's words.
    enum Step: String, CaseIterable {
        case sampleToResult = "from the sample to the laboratory's result"
        case resultToPhone = "from there until the phone shows it"
        case phoneToUpload = "from a shown positive result to the upload"
    }

    /// The hours that each step took.
    private(set) var hours: [Step: [Double]] = [:]
    private var samples: [TestID: Date] = [:]
    private var results: [TestID: Date] = [:]
    /// When a result was shown last to somebody who hasn't uploaded since.
    private var shown: [PersonID: Date] = [:]

    /// A sample was taken.
    mutating func sampled(_ test: TestID, at instant: Date) { samples[test] = instant }

    /// A laboratory posted a result.
    mutating func posted(_ test: TestID, at instant: Date) {
        results[test] = instant
        add(.sampleToResult, from: samples.removeValue(forKey: test), to: instant)
    }

    /// A phone showed a result; one by teleTAN was told before.
    mutating func shown(_ test: TestID, to person: PersonID, at instant: Date) {
        add(.resultToPhone, from: results.removeValue(forKey: test), to: instant)
        shown[person] = instant
    }

    /// Somebody's keys were uploaded; the later uploads of a test don't count.
    mutating func uploaded(by person: PersonID, at instant: Date) {
        add(.phoneToUpload, from: shown.removeValue(forKey: person), to: instant)
    }

    private mutating func add(_ step: Step, from begin: Date?, to end: Date) {
        guard let begin else { return }
        hours[step, default: []].append(end.timeIntervalSince(begin) / 3600)
    }
}
