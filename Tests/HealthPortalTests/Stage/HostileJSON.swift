/// Values of JSON that a careless reader converts, computes with, or descends into.
enum HostileJSON {
    /// Deeper than any reader should follow.
    static let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)

    static let values =
        [
            "1e308", "-1e308", "1e309", "-1e309", "1e-400", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "18446744073709551616", "253402300800", "-62135596801", "0", "-0", "0.5", "1e", "+1",
            "0x10", "NaN", "Infinity", "true", "[]", "{}", #""1779796800""#, #""\ud800""#, #""\u0000""#,
        ] + [String(repeating: "9", count: 400), deep]
}
