import CompactJOSE
import Foundation
import TestSupport
import Testing

/// Texts of bytes, each in one form only.
@Suite struct Base64Tests {
    /// RFC 4648, section 10, without padding.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func `the RFC's vectors are read and written`(_ plain: String, _ text: String) {
        #expect(Base64URL.text(plain.utf8) == text)
        #expect(Base64URL.bytes(text) == Array(plain.utf8))
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        #expect(PaddedBase64.bytes(padded) == Array(plain.utf8))
    }

    /// RFC 7515, appendix C.
    @Test func `letters for URLs take the place of others`() {
        let bytes: [UInt8] = [3, 236, 255, 224, 193]
        #expect(Base64URL.text(bytes) == "A-z_4ME")
        #expect(Base64URL.bytes("A-z_4ME") == bytes)
        #expect(PaddedBase64.bytes("A+z/4ME=") == bytes)
    }

    @Test(arguments: ["A+z/4ME", "Zg==", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v.", "Zm9vé", "Zm9v\u{0}", "=", "\u{212A}m9v"])
    func `other letters aren't Base64url`(_ text: String) {
        #expect(Base64URL.bytes(text) == nil)
    }

    @Test(arguments: ["A-z_4ME=", "Zg", "Zg=", "Zm9v\n", "\r\nZm9v", " Zm9v", "Zm9v====", "Zg==Zg==", "=", "Zm9vé"])
    func `other letters, and other padding, aren't Base64`(_ text: String) {
        #expect(PaddedBase64.bytes(text) == nil)
    }

    @Test func `a last letter with bits that belong to no byte is refused`() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for (value, letter) in alphabet.enumerated() {
            let plain = letter == "-" ? "+" : letter == "_" ? "/" : letter
            #expect((Base64URL.bytes("Z\(letter)") != nil) == (value % 16 == 0))
            #expect((PaddedBase64.bytes("Z\(plain)==") != nil) == (value % 16 == 0))
            #expect((Base64URL.bytes("Zm\(letter)") != nil) == (value % 4 == 0))
            #expect((PaddedBase64.bytes("Zm\(plain)=") != nil) == (value % 4 == 0))
            #expect(Base64URL.bytes("Zm9\(letter)") != nil)
            // A single letter is less than a byte.
            #expect(Base64URL.bytes("\(letter)") == nil)
            #expect(Base64URL.bytes("Zm9v\(letter)") == nil)
        }
    }

    @Test func `any bytes have one text, which Foundation reads in the same way`() {
        var random = SeededGenerator(seed: 1)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = Base64URL.text(bytes)
            #expect(Base64URL.bytes(text) == bytes)
            #expect(PaddedBase64.bytes(Data(bytes).base64EncodedString()) == bytes)
            let changed = text.mutated(using: &random)
            if let read = Base64URL.bytes(changed) { #expect(Base64URL.text(read) == changed) }
        }
    }
}
