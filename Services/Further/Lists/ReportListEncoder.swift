/// The JSON of a list: an array of objects in the order and form of the app's model, such as
/// `{"id":"…","feelingSick":false,"hasBeenTested":true,"testResult":true,"lastUpdate":1600000000}`.
///
/// Only a report's id differs from one to the next. The rest comes ready made: a list has a million reports.
enum ReportListEncoder {
    /// More bytes than a report takes.
    private static let reportLength = 132

    /// The list of some reports.
    static func encode(_ reports: some Collection<PublicReport>) -> [UInt8] {
        guard !reports.isEmpty else { return Array("[]".utf8) }
        let start = Array(#",{"id":""#.utf8)
        let middles = [false, true].map { sick in [false, true].map { middle(sick, $0) } }
        let digits = Array("0123456789ABCDEF".utf8)
        let pairs = (0..<256).map { (digits[$0 >> 4], digits[$0 & 15]) }
        // Hours are few.
        var times: [Int32: [UInt8]] = [:]
        var json: [UInt8] = []
        json.reserveCapacity(2 + reports.count * reportLength)
        for report in reports {
            json += start
            for index in 0..<16 {
                let half = index < 8 ? report.high : report.low
                let pair = pairs[Int(half >> UInt64(56 - 8 * (index % 8)) & 0xff)]
                json.append(pair.0)
                json.append(pair.1)
                if [3, 5, 7, 9].contains(index) { json.append(UInt8(ascii: "-")) }
            }
            json += middles[report.feelingSick ? 1 : 0][report.hasBeenTested ? 1 : 0]
            let time = times[report.hour] ?? Array("\(Int64(report.hour) * 3600)}".utf8)
            times[report.hour] = time
            json += time
        }
        json[0] = UInt8(ascii: "[")
        json.append(UInt8(ascii: "]"))
        return json
    }

    /// What is between the id and the time.
    private static func middle(_ sick: Bool, _ tested: Bool) -> [UInt8] {
        Array(#"","feelingSick":\#(sick),"hasBeenTested":\#(tested),"testResult":true,"lastUpdate":"#.utf8)
    }
}
