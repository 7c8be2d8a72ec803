package import HTTPContract

// The messages' schemas, for the listener's document. Golden files keep these schemas and the messages' coding in agreement.

extension JSONSchema {
    /// A hash, or the variant for a date of birth, whose first digit may be an `x`.
    static let resultID = text(
        pattern: "[xX0-9a-fA-F][0-9a-fA-F]{63}", count: 64...64,
        examples: ["cdc274c49e7f9bac6b64445e30fb2ff90bb14b9c44ffe5c90332d06cbc0a45e4"])
    /// Seconds since the epoch.
    static let seconds = integer(in: 0...Int(Int32.max))
    /// A whole number as text, which is taken for the number.
    static let digits = text(pattern: #"\s*[+-]?[0-9]+\s*"#)
    /// The same, or a text without content, which is taken for no value.
    static let digitsOrNothing = text(pattern: #"\s*([+-]?[0-9]+)?\s*"#)
    /// The laboratory's name for itself, without control characters.
    static let labID = text(pattern: #"[^\u0000-\u001f\u007f-\u009f]*"#, count: 0...64, examples: ["lab-7"])
}

extension ResultBatch {
    package static var schema: JSONSchema {
        .object(
            [
                "testResults": .array(
                    of: .object(
                        ["id": .resultID, "result": .any(of: .integer(in: ID.codes), .digits)],
                        optional: ["sc": .any(of: .number(in: 0...Int(Int32.max)), .digitsOrNothing)]),
                    count: 1...TestResultAPI.maximumResults)
            ], optional: ["labId": .any(of: .labID, .wholeNumber, .boolean)])
    }
}

extension ResultQuery {
    package static var schema: JSONSchema { .object(["id": .resultID]) }
}

extension ResultQueries {
    package static var schema: JSONSchema {
        .object(
            ["ids": .array(of: .resultID, count: 1...TestResultAPI.maximumQueries)], optional: ["confirmed": .boolean])
    }
}

extension CentreQuery {
    package static var schema: JSONSchema { .object(["id": .resultID]) }
}

extension ResultAnswer {
    package static var schema: JSONSchema {
        .object(["testResult": .integer(in: 0...14)], optional: ["sc": .seconds, "labId": .labID])
    }
}

extension ResultAnswers {
    package static var schema: JSONSchema {
        .object(["results": .array(of: ResultAnswer.schema, count: 1...TestResultAPI.maximumQueries)])
    }
}
