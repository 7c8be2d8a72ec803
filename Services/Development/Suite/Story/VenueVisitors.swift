import ExposureKeys
import Foundation
import Phone
import Venues

/// Who checked in at venues yesterday, by codes that nobody has scanned yet.
struct VenueVisitors: Sendable {
    /// At a café with a code of Corona-Warn-App: phone A, phone D at the same time, and phone C three hours later.
    private(set) var a = CheckInDiary()
    private(set) var c = CheckInDiary()
    private(set) var d = CheckInDiary()

    /// At venues whose owners made posters. Phone V was at a concert, at a bakery and at a choir; phone W at the concert at the same
    /// time, and phone X at the choir.
    private(set) var v = CheckInDiary()
    private(set) var w = CheckInDiary()
    private(set) var x = CheckInDiary()
    /// The visits that the owner of phone V shares: those to the concert and to the bakery.
    let shared: Set<UInt32>

    /// Phone Y was at a library, which has a number and no secret.
    private(set) var y = CheckInDiary()
    let library: GlobalLocationNumber
    /// When.
    let noon: Date

    init(before now: Date) throws {
        noon = Date(
            timeIntervalSince1970: Double(Day(containing: now).advanced(by: -1).firstInterval.startSeconds) + 43_200)
        let evening = noon.addingTimeInterval(6 * 3600)
        let cafe = try Self.code(Self.traceLocation(), .traceLocation)
        a.checkIn(cafe, at: noon, minutes: 60)
        d.checkIn(cafe, at: noon.addingTimeInterval(20 * 60), minutes: 40)
        c.checkIn(cafe, at: noon.addingTimeInterval(180 * 60), minutes: 60)

        let concert = try Self.code(Self.poster("Concert"), .seed)
        let bakery = try Self.code(Self.poster("Bakery"), .seed)
        let choir = try Self.code(Self.poster("Choir"), .seed)
        let visits = [
            v.checkIn(bakery, at: noon, minutes: 20), v.checkIn(concert, at: evening, minutes: 120),
        ]
        shared = Set(visits.compactMap { $0 })
        v.checkIn(choir, at: noon.addingTimeInterval(3600), minutes: 60)
        w.checkIn(concert, at: evening.addingTimeInterval(1800), minutes: 60)
        x.checkIn(choir, at: noon.addingTimeInterval(3600), minutes: 60)

        library = try Self.number()
        y.checkIn(try Self.code(Self.place(library), .numbered), at: noon, minutes: 60)
        for diary in [\Self.a, \.c, \.d, \.v, \.w, \.x, \.y] { self[keyPath: diary].live(until: now) }
    }

    private static func code(_ payload: [UInt8], _ format: VenueCode.Format) throws -> VenueCode {
        guard let code = VenueCode(payload, format) else { throw Unmet("the venue should have a code") }
        return code
    }

    /// As the venue owners' page makes it: version, seed, description.
    private static func poster(_ description: String) -> [UInt8] { [1] + random(32) + description.utf8 }

    /// Version, place (2) with name and address, seed (3), kind of place (4).
    private static func traceLocation() -> [UInt8] {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        return [8, 1] + field(2, [8, 1] + field(2, Array("Café".utf8)) + field(3, Array("Hauptstraße 1".utf8)))
            + field(3, [8, 1] + field(3, random(16))) + field(4, [8, 1, 16, 4])
    }

    /// What is in the code of a place with a number.
    private static func place(_ number: GlobalLocationNumber) -> [UInt8] {
        Array(#"{"gln":"\#(number.text)","opn":"Library","adr":"2 High Street","ver":"c19:1","typ":"entry"}"#.utf8)
    }

    private static func number() throws -> GlobalLocationNumber {
        let digits = "9429" + (0..<8).map { _ in String(Int.random(in: 0...9)) }.joined()
        guard let number = (0...9).lazy.compactMap({ GlobalLocationNumber(digits + String($0)) }).first else {
            throw Unmet("one of ten digits should check the others")
        }
        return number
    }

    private static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}
