import CompactJOSE
import OfficerIdentity
import Testing

@Suite struct SignedTokenTests {
    private static func read(_ claims: String) -> SignedToken<Subject>? {
        let text = CompactJWS.text(header: #"{"alg":"ES256","kid":"k"}"#.utf8, payload: claims.utf8) { _ in
            [1] as [UInt8]
        }
        return SignedToken(text)
    }

    @Test(
        arguments: [
            #"{"sub":"s","sub":"t"}"#, #"{"sub":"s","\u0073ub":"t"}"#, #"{"sub":"s","x":{"a":1,"a":2}}"#,
            #"{"sub":"s",}"#, "\u{FEFF}{\"sub\":\"s\"}",
        ])
    func `claims that others read as something else are refused`(_ claims: String) {
        #expect(Self.read(claims) == nil)
        #expect(Self.read(#"{"sub":"s","x":{"sub":"t"}}"#)?.claims.sub == "s")
    }
}
