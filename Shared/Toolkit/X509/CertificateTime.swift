import FoundationEssentials
import SwiftASN1

/// The time of a certificate's validity (RFC 5280, section 4.1.2.5): UTCTime until 2049, GeneralizedTime after it.
struct CertificateTime: DERParseable, DERSerializable {
    /// Whole seconds.
    let date: Date

    private static let day = 86_400

    /// - Throws: ``CertificateError/time`` for what isn't in the years 0 to 9999.
    init(_ date: Date) throws {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= -62_167_219_200, seconds < 253_402_300_800 else { throw CertificateError.time }
        self.date = Date(timeIntervalSince1970: seconds)
    }

    /// Either form is read for any year: both say the same, and RFC 5280 binds those who write.
    init(derEncoded node: ASN1Node) throws {
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            self.init(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        } else {
            let time = try GeneralizedTime(derEncoded: node)
            self.init(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
    }

    /// Days are counted in years that begin in March, so that a leap day is the last one: 719,468 lie between
    /// 1 March of the year 0 and 1 January 1970.
    private init(_ year: Int, _ month: Int, _ day: Int, _ hours: Int, _ minutes: Int, _ seconds: Int) {
        let year = month > 2 ? year : year - 1
        let leapDays = Self.floor(year, 4) - Self.floor(year, 100) + Self.floor(year, 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = 365 * year + leapDays + dayOfYear - 719_468
        date = Date(timeIntervalSince1970: Double(days * Self.day + hours * 3600 + minutes * 60 + seconds))
    }

    func serialize(into coder: inout DER.Serializer) {
        let total = Int(date.timeIntervalSince1970)
        let days = Self.floor(total, Self.day)
        let (year, month, day) = Self.calendar(days + 719_468)
        let second = total - days * Self.day
        let parts = [month, day, second / 3600, second / 60 % 60, second % 60]
        let isShort = (1950...2049).contains(year)
        let digits = (isShort ? [year % 100] : [year / 100, year % 100]) + parts
        coder.appendPrimitiveNode(
            identifier: isShort ? .utcTime : .generalizedTime,
            "\(digits.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined())Z".utf8)
    }

    /// - Parameter days: since 1 March of the year 0. 400 years have 146,097 of them.
    private static func calendar(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let cycle = floor(days, 146_097)
        let dayOfCycle = days - cycle * 146_097
        let year = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (cycle * 400 + year + (month < 10 ? 0 : 1), (month + 2) % 12 + 1, day)
    }

    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}
