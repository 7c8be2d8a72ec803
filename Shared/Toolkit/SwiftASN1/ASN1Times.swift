/// A UTCTime, as DER and RFC 5280 (section 4.1.2.5.1) have it: with seconds, in UTC.
package struct UTCTime: DERParseable, Hashable, Sendable {
    /// 1950 to 2049.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    /// 0 to 23.
    package let hours: Int
    /// 0 to 59.
    package let minutes: Int
    /// 0 to 59.
    package let seconds: Int

    package init(derEncoded node: ASN1Node) throws {
        guard let parts = pairs(try node.primitive(.utcTime, "UTCTime")), parts.count == 6,
            exists(year: parts[0] + (parts[0] < 50 ? 2000 : 1900), parts[1...])
        else { throw ASN1Error(.invalidValue, "UTCTime") }
        year = parts[0] + (parts[0] < 50 ? 2000 : 1900)
        (month, day, hours, minutes, seconds) = (parts[1], parts[2], parts[3], parts[4], parts[5])
    }
}

/// A GeneralizedTime, as DER and RFC 5280 (section 4.1.2.5.2) have it: with seconds and no parts of them, in UTC.
package struct GeneralizedTime: DERParseable, Hashable, Sendable {
    /// 0 to 9999.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int
    /// 0 to 23.
    package let hours: Int
    /// 0 to 59.
    package let minutes: Int
    /// 0 to 59.
    package let seconds: Int

    package init(derEncoded node: ASN1Node) throws {
        guard let parts = pairs(try node.primitive(.generalizedTime, "GeneralizedTime")), parts.count == 7,
            exists(year: parts[0] * 100 + parts[1], parts[2...])
        else { throw ASN1Error(.invalidValue, "GeneralizedTime") }
        year = parts[0] * 100 + parts[1]
        (month, day, hours, minutes, seconds) = (parts[2], parts[3], parts[4], parts[5], parts[6])
    }
}

/// Numbers of two digits each, and `Z`.
private func pairs(_ text: ArraySlice<UInt8>) -> [Int]? {
    let numbers = text.dropLast()
    guard text.last == UInt8(ascii: "Z"), numbers.count.isMultiple(of: 2),
        numbers.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    else { return nil }
    return stride(from: numbers.startIndex, to: numbers.endIndex, by: 2).map { index in
        10 * Int(numbers[index] - UInt8(ascii: "0")) + Int(numbers[index + 1] - UInt8(ascii: "0"))
    }
}

/// Whether the Gregorian calendar has this moment. It has no leap seconds here: RFC 5280 counts to 59.
/// - Parameter parts: month, day, hours, minutes, seconds.
private func exists(year: Int, _ parts: ArraySlice<Int>) -> Bool {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let (month, day, time) = (parts[parts.startIndex], parts[parts.startIndex + 1], Array(parts.dropFirst(2)))
    return (1...12).contains(month) && (1...days[month - 1]).contains(day) && time[0] < 24 && time[1] < 60
        && time[2] < 60
}
