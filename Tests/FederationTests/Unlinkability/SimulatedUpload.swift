import ExposureKeys
import TestSupport

/// An upload as only the test knows it.
struct SimulatedUpload: Sendable {
    let hour: Hour
    /// In the order in which the phone sends them.
    let keys: [DiagnosisKey]
    /// Whether the person agrees that other countries get them.
    let stream: KeyStream

    /// The uploads of some hours, in the order in which they come; the same seed gives the same.
    ///
    /// In each stream, half of the hours are quiet and half are busy, whatever the other stream does. No hour has so many keys that a set
    /// is filled up to another size.
    static func inHours(_ hours: Range<Hour>, seed: UInt64) -> [[SimulatedUpload]] {
        var random = SeededGenerator(seed: seed)
        let counts = KeyStream.allCases.map { stream in
            (stream, (0..<hours.count).map { $0.isMultiple(of: 2) }.shuffled(using: &random))
        }
        return hours.enumerated().map { number, hour in
            counts.flatMap { stream, isBusy in
                let count = Int.random(in: isBusy[number] ? 12...14 : 0...2, using: &random)
                return (0..<count).map { _ in
                    SimulatedUpload(
                        hour: hour, keys: UploadModel().keys(uploadedIn: hour, using: &random), stream: stream)
                }
            }.shuffled(using: &random)
        }
    }
}
