/// The JSON of a list: an array of objects in the order and form of the app's model, such as
/// `{"id":"…","feelingSick":false,"hasBeenTested":true,"testResult":true,"lastUpdate":1600000000}`.
///
/// Only a report's id differs from one to the next; the rest comes ready made, so a list takes little longer than copying it.
struct ReportListEncoder {
    private var json: [UInt8] = [UInt8(ascii: "[")]
    /// All up to the time, with an empty id, by the two answers.
    private let templates = [false, true].map { sick in [false, true].map { Self.template(sick, $0) } }
    /// The digits of hours, which are few.
    private var times: [Int32: [UInt8]] = [:]

    private static let opening = Array(#"{"id":""#.utf8)
    /// Where an id's bytes stand in its text, in pairs of digits; hyphens are between them.
    private static let positions = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34].map {
        $0 + opening.count
    }
    private static let digits = Array("0123456789ABCDEF".utf8)
    /// More than a report takes.
    private static let reportLength = 132

    /// The list of some reports.
    static func encode(_ reports: some Collection<PublicReport>) -> [UInt8] {
        var encoder = ReportListEncoder()
        encoder.json.reserveCapacity(2 + reports.count * reportLength)
        for report in reports { encoder.add(report) }
        if !reports.isEmpty { encoder.json.removeLast() }
        encoder.json.append(UInt8(ascii: "]"))
        return encoder.json
    }

    private static func template(_ sick: Bool, _ tested: Bool) -> [UInt8] {
        opening
            + Array(
                """
                00000000-0000-0000-0000-000000000000","feelingSick":\(sick),"hasBeenTested":\(tested),"testResult":true,"lastUpdate":
                """.utf8)
    }

    private mutating func add(_ report: PublicReport) {
        let start = json.count
        json.append(contentsOf: templates[report.feelingSick ? 1 : 0][report.hasBeenTested ? 1 : 0])
        for index in 0..<16 {
            let half = index < 8 ? report.high : report.low
            let byte = Int(truncatingIfNeeded: half >> UInt64(56 - 8 * (index % 8)) & 0xff)
            let position = start + Self.positions[index]
            json[position] = Self.digits[byte >> 4]
            json[position + 1] = Self.digits[byte & 15]
        }
        json.append(contentsOf: time(of: report.hour))
    }

    /// The instant in seconds, and what ends the object.
    private mutating func time(of hour: Int32) -> [UInt8] {
        if let known = times[hour] { return known }
        let text = Array("\(Int64(hour) * 3600)},".utf8)
        times[hour] = text
        return text
    }
}
