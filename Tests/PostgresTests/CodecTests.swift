import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// A value of which the server's text form is known.
struct CodecCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Sends the value, and returns the server's text form of it, and whether the value came back.
    let roundTrip: @Sendable (Session) throws -> (text: String?, isSame: Bool)
    /// Encodes, decodes and compares without a server.
    let isSameLocally: @Sendable () -> Bool
    let text: String?

    init<Value: PostgresEncodable & PostgresDecodable & Equatable & Sendable>(
        _ name: String, _ value: Value, _ text: String?
    ) {
        testDescription = name
        self.text = text
        roundTrip = { session in
            let row = try session.row("SELECT \(value)::text, \(value)", as: String?.self, Value.self)
            return (row?.0, row?.1 == value)
        }
        isSameLocally = {
            guard !value.isNull else { return Value.decodedNull == value }
            var bytes: [UInt8] = []
            value.encode(into: &bytes)
            return Value.accepts(Value.postgresType)
                && Value.decode(bytes.span.bytes, as: Value.postgresType) == value
        }
    }

    static let all: [CodecCase] = [
        CodecCase("true", true, "true"),
        CodecCase("false", false, "false"),
        CodecCase("smallest int2", Int16.min, "-32768"),
        CodecCase("largest int4", Int32.max, "2147483647"),
        CodecCase("smallest int8", Int64.min, "-9223372036854775808"),
        CodecCase("Int", 42, "42"),
        CodecCase("float8", 0.1, "0.1"),
        CodecCase("smallest float8", -Double.greatestFiniteMagnitude, "-1.7976931348623157e+308"),
        CodecCase("empty text", "", ""),
        CodecCase("text with everything", "ü 🦠 ' \" \\ $1 \n", "ü 🦠 ' \" \\ $1 \n"),
        CodecCase("empty bytea", [UInt8](), "\\x"),
        CodecCase("bytea", [0, 1, 254, 255] as [UInt8], "\\x0001feff"),
        CodecCase(
            "uuid", UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255)),
            "00112233-4455-6677-8899-aabbccddeeff"),
        CodecCase(
            "the zero of timestamptz", Date(timeIntervalSinceReferenceDate: -31_622_400),
            "2000-01-01 00:00:00+00"),
        CodecCase(
            "a time in microseconds", Date(timeIntervalSince1970: 1_600_000_000.123456),
            "2020-09-13 12:26:40.123456+00"),
        CodecCase("a time before 2000", Date(timeIntervalSince1970: -1), "1969-12-31 23:59:59+00"),
        CodecCase("the end of time", Date.distantFuture, "infinity"),
        CodecCase("the begin of time", Date.distantPast, "-infinity"),
        CodecCase("NULL int4", nil as Int32?, nil),
        CodecCase("NULL bytea", nil as [UInt8]?, nil),
        CodecCase("NULL array", nil as [Int64]?, nil),
        CodecCase("some int4", 7 as Int32?, "7"),
        CodecCase("empty array", [Int32](), "{}"),
        CodecCase("booleans", [true, false], "{t,f}"),
        CodecCase("int2s", [1, -1] as [Int16], "{1,-1}"),
        CodecCase("int4s", [1, .max, .min] as [Int32], "{1,2147483647,-2147483648}"),
        CodecCase("int8s", [1, .max] as [Int64], "{1,9223372036854775807}"),
        CodecCase("texts", ["a", "", "b,c", "NULL"], "{a,\"\",\"b,c\",\"NULL\"}"),
        CodecCase("byteas", [[1, 2], [], [255]] as [[UInt8]], #"{"\\x0102","\\x","\\xff"}"#),
        CodecCase(
            "uuids", [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))],
            "{00000000-0000-0000-0000-000000000001}"),
        CodecCase("times", [Date(timeIntervalSince1970: 0)], "{\"1970-01-01 00:00:00+00\"}"),
    ]
}

@Suite("Codecs")
struct CodecTests {
    @Test("a value survives encoding and decoding", arguments: CodecCase.all)
    func local(example: CodecCase) {
        #expect(example.isSameLocally())
    }

    @Test(
        "the server understands a value as intended, and sends it back",
        .enabled(if: TestPostgres.isAvailable, "needs VIGIL_TEST_POSTGRES"), .timeLimit(.minutes(5)))
    func server() async throws {
        try await TestPostgres.withDatabase { database in
            try await TestPostgres.withClient(database) { client in
                try await client.session { session in
                    for example in CodecCase.all {
                        let (text, isSame) = try example.roundTrip(session)
                        // The text form of a boolean in a list of values is its own cast.
                        #expect(text == example.text, "\(example.testDescription)")
                        #expect(isSame, "\(example.testDescription)")
                    }
                }
            }
        }
    }

    @Test("random values survive encoding and decoding")
    func random() {
        for _ in 0..<1000 {
            let bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
            let arrays = (0..<Int.random(in: 0...5)).map { _ in bytes }
            let date = Date(timeIntervalSinceReferenceDate: Double(Int64.random(in: -1 << 50...1 << 50)) / 1_000_000)
            #expect(CodecCase("", bytes, nil).isSameLocally())
            #expect(CodecCase("", arrays, nil).isSameLocally())
            #expect(CodecCase("", Int64.random(in: .min ... .max), nil).isSameLocally())
            var encoded: [UInt8] = []
            date.encode(into: &encoded)
            let decoded = Date.decode(encoded.span.bytes, as: .timestamptz)
            #expect(decoded.map { abs($0.timeIntervalSince(date)) < 0.000_001 } ?? false)
        }
    }

    @Test(
        "times outside the server's range become its infinities",
        arguments: [
            (Double.infinity, true), (-Double.infinity, false), (Double.nan, true), (1e30, true), (-1e30, false),
        ])
    func infinities(seconds: TimeInterval, isFuture: Bool) {
        var encoded: [UInt8] = []
        Date(timeIntervalSinceReferenceDate: seconds).encode(into: &encoded)
        let decoded = Date.decode(encoded.span.bytes, as: .timestamptz)
        #expect(decoded == (isFuture ? .distantFuture : .distantPast))
    }

    @Test(
        "bytes that aren't an array are rejected",
        arguments: [
            [],
            [0, 0, 0, 1],
            // Two dimensions.
            [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 0, 0, 0, 0, 1],
            // Elements of another type.
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20],
            // A count that lies.
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 127, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1],
            // An element that is longer than the rest, one that is NULL, one that is too short.
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 1],
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 255, 255, 255, 255],
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1],
            // Something after the end.
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1, 9],
        ] as [[UInt8]])
    func malformedArrays(bytes: [UInt8]) {
        #expect([Int32].decode(bytes.span.bytes, as: .int4Array) == nil)
    }

    @Test("scalars of the wrong length, and text that isn't UTF-8, are rejected")
    func malformedScalars() {
        let three: [UInt8] = [1, 2, 3]
        #expect(Bool.decode(three.span.bytes, as: .bool) == nil)
        #expect(Int16.decode(three.span.bytes, as: .int2) == nil)
        #expect(Int32.decode(three.span.bytes, as: .int4) == nil)
        #expect(Int64.decode(three.span.bytes, as: .int8) == nil)
        #expect(Int.decode(three.span.bytes, as: .int4) == nil)
        #expect(UUID.decode(three.span.bytes, as: .uuid) == nil)
        #expect(Date.decode(three.span.bytes, as: .timestamptz) == nil)
        #expect(String.decode(([0xFF] as [UInt8]).span.bytes, as: .text) == nil)
        #expect(Int32?.decode(three.span.bytes, as: .int4) == nil)
    }

    @Test("an integer column is read only by a type that can hold it")
    func integerWidths() {
        #expect(!Int16.accepts(.int4) && !Int32.accepts(.int8) && !Int32.accepts(.int2) && !Int64.accepts(.int4))
        #expect(Int.accepts(.int2) && Int.accepts(.int4) && Int.accepts(.int8) && !Int.accepts(.text))
        #expect([Int].accepts(.int4Array) && ![Int32].accepts(.int8Array) && ![Int32].accepts(.int4))
        #expect([UInt8].accepts(.bytea) && ![UInt8].accepts(.text) && [[UInt8]].accepts(.byteaArray))
    }
}
