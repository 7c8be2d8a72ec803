import Crypto
import ExposureKeys
import Foundation
import Testing
import Venues

@Suite struct VenueCodeTests {
    private static let host = "gesundheit.example"
    private static let seed = [UInt8](0..<32)

    private static func base64url(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func ours(_ payload: [UInt8]) -> String { "https://\(host)/venue#v1.\(base64url(payload))" }

    private static func read(_ text: String) -> VenueCode? { VenueCode(scanned: text, host: host) }

    // MARK: Ours

    @Test func `our code gives seed and description`() throws {
        let code = try #require(Self.read(Self.ours([1] + Self.seed + Array("Café Zentral, Köln".utf8))))
        #expect(code.venue == .seed(try #require(VenueSeed(Self.seed))))
        #expect(code.description == "Café Zentral, Köln")
        #expect(code.format == .seed)
        #expect(VenueCode(code.payload, .seed) == code)
    }

    @Test func `our code may have no description, or one of 100 bytes`() throws {
        #expect(Self.read(Self.ours([1] + Self.seed))?.description == "")
        let longest = [UInt8](repeating: UInt8(ascii: "a"), count: 100)
        #expect(Self.read(Self.ours([1] + Self.seed + longest)) != nil)
        #expect(Self.read(Self.ours([1] + Self.seed + longest + [0x61])) == nil)
    }

    @Test(
        arguments: [
            [], [1], [1] + [UInt8](0..<31), [2] + [UInt8](0..<32), [0] + [UInt8](0..<32),
            // Not UTF-8: a lone byte, an overlong slash, half of a surrogate pair.
            [1] + [UInt8](0..<32) + [0xff], [1] + [UInt8](0..<32) + [0xc0, 0xaf],
            [1] + [UInt8](0..<32) + [0xed, 0xa0, 0x80],
            // A line break, a zero, and a character that turns the direction of what follows.
            [1] + [UInt8](0..<32) + [0x0a], [1] + [UInt8](0..<32) + [0], [1] + [UInt8](0..<32) + [0xe2, 0x80, 0xae],
            [1] + [UInt8](0..<32) + [0xe2, 0x80, 0xa8],
        ] as [[UInt8]])
    func `another payload is refused`(payload: [UInt8]) {
        #expect(Self.read(Self.ours(payload)) == nil)
    }

    @Test func `only the authority's own page makes our codes`() {
        let text = Self.ours([1] + Self.seed)
        #expect(Self.read(text) != nil)
        #expect(VenueCode(scanned: text, host: "other.example") == nil)
        for (old, new) in [
            ("https", "http"), ("https", "HTTPS"), ("gesundheit.example", "gesundheit.example.evil"),
            ("gesundheit.example", "x@gesundheit.example"), ("/venue", "/venues"), ("#v1.", "#v2."), ("#v1.", "?v1."),
            ("https", " https"),
        ] {
            #expect(Self.read(text.replacing(old, with: new)) == nil, "\(new)")
        }
    }

    @Test func `letters that decode to the same bytes are one text only`() throws {
        // 33 bytes are 44 letters; 34 are 46, of which the last has four bits that mean nothing.
        let text = Self.ours([1] + Self.seed + [0x61])
        #expect(Self.read(text) != nil)
        let last = try #require(text.last)
        let next = try #require(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".split(separator: last).last?.first)
        #expect(Self.read(text.dropLast() + String(next)) == nil)
        #expect(Self.read(text + "=") == nil)
        #expect(Self.read(text + "A") == nil)
        #expect(Self.read(text + "\n") == nil)
        #expect(Self.read(text + "%20") == nil)
        let slashes = Self.ours([1] + [UInt8](repeating: 0xff, count: 32))
        #expect(Self.read(slashes) != nil)
        #expect(Self.read(slashes.replacing("_", with: "/")) == nil)
    }

    @Test func `a text longer than any QR code is refused`() {
        #expect(Self.read(Self.ours([1] + Self.seed) + String(repeating: "A", count: 3000)) == nil)
    }

    // MARK: Corona-Warn-App's

    /// Codes of the published app's tests (cwa-app-android, `TraceLocationIdTest.kt`, "mock server test data").
    struct Published: Sendable {
        let payload: String
        let id: String
        let description: String
        let address: String
        let minutes: Int
    }

    static let published = [
        Published(
            payload:
                "CAESKAgBEhRBcHBsZSBDb21wdXRlciwgSW5jLhoOMTk1OCBGb2hlIFJvYWQadggBEmA4xNrp5hKJoO_yVbXfF1gS8Yc5nURhOIVL"
                + "G3nUcSg8IPsI2e8JSIhg-FrHUymQ3RR80KUKb1lZjLQkfTUINUP16r6-jFDURwUlCQQi6NXCgI0rQw0a4MrVrKMbF4NzhQMaENXi"
                + "VYke5XY0HddkDmj-3HYiBwgBEAQYqQE",
            id: "fc925439f45417a14403b25c95fdc6d8711653f8aa08c0d0967bd30a6348c7fc", description: "Apple Computer, Inc.",
            address: "1958 Fohe Road", minutes: 169),
        Published(
            payload:
                "CAESKQgBEhRXYXN0ZSBNYW5hZ2VtZW50IEluYxoPMzc5IE96Zm9jIE1hbm9yGnYIARJgOMTa6eYSiaDv8lW13xdYEvGHOZ1EYTiF"
                + "Sxt51HEoPCD7CNnvCUiIYPhax1MpkN0UfNClCm9ZWYy0JH01CDVD9eq-voxQ1EcFJQkEIujVwoCNK0MNGuDK1ayjGxeDc4UDGhCU"
                + "poAjtgZJPU4suuQZ6dVUIgcIARAIGJ4E",
            id: "2c4e7a3be61004ed952cc189e85039e01be65f3d82439c8c7fe0f23b12ffa523", description: "Waste Management Inc",
            address: "379 Ozfoc Manor", minutes: 542),
        Published(
            payload:
                "CAESMggBEg9NZXRhbHMgVVNBIEluYy4aETk2NiBEaXZ1ZCBIZWlnaHRzKLD6qYMGMNDZtoMGGnYIARJgOMTa6eYSiaDv8lW13xdY"
                + "EvGHOZ1EYTiFSxt51HEoPCD7CNnvCUiIYPhax1MpkN0UfNClCm9ZWYy0JH01CDVD9eq-voxQ1EcFJQkEIujVwoCNK0MNGuDK1ayj"
                + "GxeDc4UDGhD_mjsnT4b74d8M1P4cUflpIgcIARAKGOkJ",
            id: "7051e04206ef9caf3a3165e82d0fec4cfe7ade770a2e01d9c0e456add760934d", description: "Metals USA Inc.",
            address: "966 Divud Heights", minutes: 1257),
    ]

    @Test(arguments: published, ["", "/"])
    func `a published app's code gives its venue`(sample: Published, slash: String) throws {
        let code = try #require(Self.read("https://e.coronawarn.app\(slash)?v=1#\(sample.payload)"))
        let id = try bytes(sample.id)
        #expect(code.venue == .traceLocation(try #require(TraceLocation(id: id))))
        #expect(code.description == sample.description)
        #expect(code.address == sample.address)
        #expect(code.usualMinutes == sample.minutes)
        #expect(VenueCode(code.payload, .traceLocation) == code)
    }

    @Test func `a published app's code may be padded`() throws {
        let sample = Self.published[0].payload
        let padding = String(repeating: "=", count: (4 - sample.utf8.count % 4) % 4)
        #expect(Self.read("https://e.coronawarn.app?v=1#\(sample)\(padding)") != nil)
    }

    /// The published app refuses the same (cwa-app-android, `TraceLocationVerifier.kt`).
    @Test(arguments: [
        message(seed: 15), message(seed: 17), message(description: ""), message(address: ""),
        message(description: String(repeating: "a", count: 101)), message(address: String(repeating: "a", count: 101)),
        message(description: "two\nlines"), message(address: "two\nlines"), message(start: 2, end: 1),
        message(start: 2, end: 0),
    ])
    func `a code that the published app refuses is refused`(payload: [UInt8]) {
        #expect(VenueCode(payload, .traceLocation) == nil)
    }

    @Test func `the payload that those differ from is accepted`() {
        #expect(VenueCode(Self.message(), .traceLocation)?.description == "A café")
        #expect(VenueCode(Self.message(start: 1, end: 2), .traceLocation)?.description == "A café")
    }

    @Test func `another byte anywhere is another venue or none`() throws {
        let valid = Self.message()
        let code = try #require(VenueCode(valid, .traceLocation))
        for place in valid.indices {
            for bit in 0..<8 {
                var changed = valid
                changed[place] ^= 1 << UInt8(bit)
                #expect(VenueCode(changed, .traceLocation)?.venue != code.venue)
            }
        }
    }

    @Test func `a field given twice, cut short, or of another type is refused`() {
        let valid = Self.message()
        #expect(VenueCode(valid + [0x08, 0x01], .traceLocation) == nil)
        #expect(VenueCode(valid.dropLast(), .traceLocation) == nil)
        #expect(VenueCode(valid + [0x2d, 0, 0, 0, 0], .traceLocation) == nil)
        #expect(VenueCode(valid + [0x00, 0x01], .traceLocation) == nil)
        // Eleven bytes, and ten that are more than 64 bits.
        #expect(VenueCode(valid + [0x28] + [UInt8](repeating: 0xff, count: 10) + [0], .traceLocation) == nil)
        #expect(VenueCode(valid + [0x28] + [UInt8](repeating: 0xff, count: 9) + [2], .traceLocation) == nil)
        // A field of a later version is none of these.
        #expect(VenueCode(valid + [0x28, 1], .traceLocation) != nil)
    }

    private static func message(
        description: String = "A café", address: String = "At the corner", seed: Int = 16, start: UInt8 = 0,
        end: UInt8 = 0
    ) -> [UInt8] {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        let times = (start > 0 ? [0x28, start] : []) + (end > 0 ? [0x30, end] : [])
        return [8, 1] + field(2, [8, 1] + field(2, Array(description.utf8)) + field(3, Array(address.utf8)) + times)
            + field(3, [8, 1] + field(3, [UInt8](repeating: 7, count: seed))) + field(4, [8, 1, 16, 9])
    }

    // MARK: The venue owners' page

    // Links that `venueLink` and `cwaLink` of `deploy/edge/venue.html` made, run by Node.js: of each kind that the page makes. The seeds
    // are the bytes from 0 on; the event's are those from 255 down.

    private static let poster =
        "https://gesundheit.example/venue#v1."
        + "AQABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fQ2Fmw6kg4oCeWnVtIEzDtndlbuKAnCDwn46q"
    private static let lasting =
        "https://e.coronawarn.app?v=1#"
        + "CAESJggBEg1DYWbDqSBaZW50cmFsGhNNYXJrdHBsYXR6IDEsIEvDtmxuGnYIARJggwLMzE153tQwAOf2MZoUXXfzWTdlSpfS99iZ"
        + "ffmcmxOG9njSK4RTimFOFwDh6t0Tyw8XR01ugDYjtuKwjjuK49Oh83FWct6XpefPi9Skjxvvz53i9gaMmUEc96pbtoaAGhAAAQID"
        + "BAUGBwgJCgsMDQ4PIgYIARAEGHg"
    private static let event =
        "https://e.coronawarn.app?v=1#"
        + "CAESIwgBEgdLb256ZXJ0GgpTdGFkdGhhbGxlKMCW1tAGMPDq1tAGGnYIARJggwLMzE153tQwAOf2MZoUXXfzWTdlSpfS99iZffmc"
        + "mxOG9njSK4RTimFOFwDh6t0Tyw8XR01ugDYjtuKwjjuK49Oh83FWct6XpefPi9Skjxvvz53i9gaMmUEc96pbtoaAGhD__v38-_r5"
        + "-Pf29fTz8vHwIgcIARAJGLQB"

    @Test func `a poster of the venue owners' page gives seed and name`() throws {
        let code = try #require(Self.read(Self.poster))
        #expect(code.venue == .seed(try #require(VenueSeed(Self.seed))))
        #expect(code.description == "Café „Zum Löwen“ 🎪")
    }

    @Test
    func `its posters for the Corona-Warn-App give venue, place and duration, those that last and those of an event`()
        throws
    {
        let codes = try [Self.lasting, Self.event].map { try #require(Self.read($0)) }
        // SHA-256 of "CWA-GUID" and the payload, by Python.
        let ids = [
            "6e92d14627945b884f2d3ceb761e6edc6de9c1519726a9a5da466481f05a0b30",
            "a9e138772cc2d99b02e98c696449ad2e4c42aeae1b365a0408fc6dc97062a5d8",
        ]
        let venues = try ids.map { Venue.traceLocation(try #require(TraceLocation(id: try bytes($0)))) }
        #expect(codes.map(\.venue) == venues)
        #expect(codes.map(\.description) == ["Café Zentral", "Konzert"])
        #expect(codes.map(\.address) == ["Marktplatz 1, Köln", "Stadthalle"])
        #expect(codes.map(\.usualMinutes) == [120, 180])
    }

    // MARK: New Zealand's

    /// The code of a park's poster, whose address has two lines.
    @Test func `a published poster's code gives its number, and its address in one line`() throws {
        let code = try #require(
            Self.read(
                "NZCOVIDTRACER:eyJnbG4iOiI5NDI5MzAwNjYwMjMyIiwib3BuIjoiUXVlZW5zIFBhcmvCoCIsImFkciI6IjE1MCBHYWxhIFN0cmVldMKgXG5J"
                    + "bnZlcmNhcmdpbGzCoCIsInZlciI6ImMxOToxIiwidHlwIjoiZW50cnkifQ=="))
        #expect(code.venue == .numbered(try #require(GlobalLocationNumber("9429300660232"))))
        #expect(code.description == "Queens Park\u{a0}")
        #expect(code.address == "150 Gala Street\u{a0}, Invercargill\u{a0}")
    }

    @Test func `a numbered venue's code gives its number`() throws {
        let json = #"{"gln":"9429300000007","opn":"Café","adr":"1 Main Road","ver":"c19:1","typ":"entry"}"#
        let code = try #require(Self.read("NZCOVIDTRACER:" + Data(json.utf8).base64EncodedString()))
        #expect(code.venue == .numbered(try #require(GlobalLocationNumber("9429300000007"))))
        #expect(code.description == "Café")
        #expect(code.address == "1 Main Road")
        let wrong = json.replacing("9429300000007", with: "9429300000008")
        #expect(Self.read("NZCOVIDTRACER:" + Data(wrong.utf8).base64EncodedString()) == nil)
        #expect(Self.read("NZCOVIDTRACER:" + Data("{}".utf8).base64EncodedString()) == nil)
        #expect(Self.read("NZCOVIDTRACER:") == nil)
    }
}
