import Credentials
import TestSupport
import Testing

struct TestGUIDTests {
    @Test("a new GUID has the form that the published apps accept, and is read back")
    func roundTrip() throws {
        var randomness = SystemRandomNumberGenerator()
        // cwa-app-ios, CoronaTestsQRCodeParser.swift
        let pattern =
            /[0-9A-Fa-f]{6}-[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}/
        for _ in 0..<1000 {
            let guid = TestGUID(using: &randomness)
            #expect(try pattern.wholeMatch(in: guid.text) != nil)
            #expect(TestGUID(guid.text) == guid)
            #expect(guid.qrCodeText == "https://localhost/?\(guid.text)")
        }
    }

    @Test("all of a GUID is random: no two of many agree in any group of digits that is long enough")
    func random() {
        var randomness = SeededGenerator(seed: 7)
        let guids = (0..<1000).map { _ in TestGUID(using: &randomness).text.split(separator: "-") }
        #expect(Set(guids.map { $0[1] }).count == 1000)
        #expect(Set(guids.map { $0[5] }).count == 1000)
        // 24 bits: a few pairs agree by chance.
        #expect(Set(guids.map { $0[0] }).count > 990)
    }

    @Test("its case is kept, because app and laboratory hash it as it is printed")
    func letterCase() {
        #expect(
            TestGUID("3d6d08-3567f3f2-4DcF-43A3-8737-4CD1F87d6FDa")?.text
                == "3d6d08-3567f3f2-4DcF-43A3-8737-4CD1F87d6FDa")
    }

    @Test("a GUID doesn't print itself")
    func secrecy() {
        var randomness = SeededGenerator(seed: 1)
        #expect("\(TestGUID(using: &randomness))" == "redacted")
    }

    @Test(
        "another form is refused",
        arguments: [
            "", "-----", "3567F3F2-4DCF-43A3-8737-4CD1F87D6FDA", "3D6D-083567F3F2-4DCF-43A3-8737-4CD1F87D6FDA",
            "3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FDA-BEEF", "3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FD",
            "3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FDG", " 3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FDA",
            "3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FD\u{660}", "3D6D08-3567F3F2-4DCF-43A3-8737-4CD1F87D6FDA\n",
        ])
    func refused(text: String) {
        #expect(TestGUID(text) == nil)
    }
}
