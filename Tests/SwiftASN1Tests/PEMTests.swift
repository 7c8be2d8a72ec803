import SwiftASN1
import Testing

@Suite("Documents in PEM") struct PEMTests {
    private static let empty = "-----BEGIN A-----\n-----END A-----"

    @Test("bytes of any number come back, in lines of 64 characters", arguments: [1, 2, 3, 47, 48, 49, 96, 1000])
    func roundTrip(_ count: Int) throws {
        let document = PEMDocument(type: "SOME THING", derBytes: (0..<count).map { UInt8($0 & 0xFF) })
        let text = document.pemString
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "-----BEGIN SOME THING-----" && lines.last == "-----END SOME THING-----")
        #expect(lines.dropFirst().dropLast(2).allSatisfy { $0.utf8.count == 64 })
        for text in [
            text, text + "\n", "\n\n" + text + "\n\n", text.replacing("\n", with: "\r\n") + "\r\n",
            text.replacing("\n", with: "\r"), "Subject: somebody\n" + text + "\nnotes",
        ] { #expect(try PEMDocument(pemString: text) == document) }
    }

    @Test("a document with an empty line is refused, as OpenSSL refuses it")
    func emptyLines() {
        let text = PEMDocument(type: "A", derBytes: Array(0..<100)).pemString
        for end in ["\n\n", "\r\r", "\r\n\n", "\n\r", "\r\n\r\n"] {
            #expect(throws: ASN1Error.self) { try PEMDocument(pemString: text.replacing("\n", with: end)) }
        }
    }

    @Test("Base64 is as RFC 4648 has it")
    func base64() throws {
        for (text, bytes) in [
            ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            let document = PEMDocument(type: "A", derBytes: Array(bytes.utf8))
            #expect(document.pemString == "-----BEGIN A-----\n\(text)\n-----END A-----")
            #expect(try PEMDocument(pemString: document.pemString) == document)
        }
        #expect(
            try PEMDocument(pemString: "-----BEGIN A-----\n+/+/\n-----END A-----").derBytes == [0xFB, 0xFF, 0xBF])
    }

    @Test(
        "what isn't one document is refused",
        arguments: [
            "", "nonsense", empty, "-----BEGIN A-----\nZm9v", "-----BEGIN A-----\nZm9v\n-----END B-----",
            "-----BEGIN A-----\nZm9v\n-----END A----", "-----BEGIN A-----\nZm9v\n-----END A-----x",
            "-----BEGIN -----\nZm9v\n-----END -----", "-----BEGIN A-----Zm9v-----END A-----", "-----END A-----",
            "-----BEGIN A----\nZm9v\n-----END A-----", "-----BEGIN A-----\nZg=\n-----END A-----",
            "-----BEGIN A-----\nZg\n-----END A-----", "-----BEGIN A-----\nZh==\n-----END A-----",
            "-----BEGIN A-----\nZm9=\n-----END A-----", "-----BEGIN A-----\nZ===\n-----END A-----",
            "-----BEGIN A-----\nZg==Zg==\n-----END A-----", "-----BEGIN A-----\n====\n-----END A-----",
            "-----BEGIN A-----\nZm 9v\n-----END A-----", "-----BEGIN A-----\nZm9v \n-----END A-----",
            "-----BEGIN A-----\nZm-_\n-----END A-----", "-----BEGIN A-----\nZm9é\n-----END A-----",
            "-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\n\nZm9v\n-----END A-----",
            "-----BEGIN A-----\n-----BEGIN A-----\nZm9v\n-----END A-----",
        ])
    func refused(_ text: String) {
        #expect(throws: ASN1Error(.invalidPEM, "")) { try PEMDocument(pemString: text) }
    }

    @Test("several documents are read as several")
    func several() throws {
        let documents = [PEMDocument(type: "A", derBytes: [1]), PEMDocument(type: "B", derBytes: [2])]
        let text = documents.map { "comment\n\($0.pemString)\n" }.joined(separator: "\n")
        #expect(try PEMDocument.parseMultiple(pemString: text) == documents)
        #expect(throws: ASN1Error(.multipleDocuments, "")) { try PEMDocument(pemString: text) }
        #expect(try PEMDocument.parseMultiple(pemString: "nothing") == [])
        #expect(throws: ASN1Error(.invalidPEM, "")) {
            try PEMDocument.parseMultiple(pemString: documents.map(\.pemString).joined())
        }
    }
}
