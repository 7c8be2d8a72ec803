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
        let cafe = try Self.made(VenuePoster.traceLocation(seed: Self.random(16), "Café", address: "Hauptstraße 1"))
        a.checkIn(cafe, at: noon, minutes: 60)
        d.checkIn(cafe, at: noon.addingTimeInterval(20 * 60), minutes: 40)
        c.checkIn(cafe, at: noon.addingTimeInterval(180 * 60), minutes: 60)

        let concert = try Self.made(VenuePoster.code(seed: Self.random(32), "Concert"))
        let bakery = try Self.made(VenuePoster.code(seed: Self.random(32), "Bakery"))
        let choir = try Self.made(VenuePoster.code(seed: Self.random(32), "Choir"))
        let visits = [
            v.checkIn(bakery, at: noon, minutes: 20), v.checkIn(concert, at: evening, minutes: 120),
        ]
        shared = Set(visits.compactMap { $0 })
        v.checkIn(choir, at: noon.addingTimeInterval(3600), minutes: 60)
        w.checkIn(concert, at: evening.addingTimeInterval(1800), minutes: 60)
        x.checkIn(choir, at: noon.addingTimeInterval(3600), minutes: 60)

        library = try Self.number()
        y.checkIn(try Self.made(VenueCode(Self.place(library), .numbered)), at: noon, minutes: 60)
        for diary in [\Self.a, \.c, \.d, \.v, \.w, \.x, \.y] { self[keyPath: diary].live(until: now) }
    }

    private static func made(_ code: VenueCode?) throws -> VenueCode {
        guard let code else { throw Unmet("the venue should have a code") }
        return code
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
