import Testing

@testable import PKCS11

@Suite("PKCS #11 URIs")
struct PKCS11URITests {
    @Test("a URI names token, key, module and PIN file, with percent-encoding decoded")
    func complete() throws {
        let uri = try PKCS11URI(
            "pkcs11:token=My%20token;serial=12;manufacturer=M;model=X;object=a%3Bb%2C;id=%00%fF;type=private"
                + "?module-path=/opt/m.so&pin-source=file:/run/secrets/pin")
        #expect(uri.token == Array("My token".utf8))
        #expect(uri.serial == Array("12".utf8))
        #expect(uri.manufacturer == Array("M".utf8))
        #expect(uri.model == Array("X".utf8))
        #expect(uri.object == Array("a;b,".utf8))
        #expect(uri.id == [0, 255])
        #expect(uri.modulePath == "/opt/m.so")
        #expect(uri.pinFile == "/run/secrets/pin")
    }

    @Test("a PIN file is an absolute path, as a path or a file URI", arguments: ["/a/b", "file:/a/b", "file:///a/b"])
    func pinFiles(source: String) throws {
        #expect(try PKCS11URI("pkcs11:token=t;id=%01?pin-source=\(source)&module-path=/m").pinFile == "/a/b")
    }

    @Test(
        "invalid URIs are refused, each with its reason",
        arguments: [
            ("token=t;object=o?module-path=/m", PKCS11URIFlaw.notAURI),
            ("pkcs11:token;object=o?module-path=/m", .notAURI),
            ("pkcs11:token=;object=o?module-path=/m", .notAURI),
            ("pkcs11:token=%4;object=o?module-path=/m", .notAURI),
            ("pkcs11:token=%4g;object=o?module-path=/m", .notAURI),
            ("pkcs11:token=a;token=b;object=o?module-path=/m", .twice("token")),
            ("pkcs11:token=a;object=o;slot-id=1?module-path=/m", .unknown("slot-id")),
            ("pkcs11:token=a;object=o?module-path=/m&x-y=1", .unknown("x-y")),
            ("pkcs11:token=a;object=o", .noModule),
            ("pkcs11:token=a;object=o?module-path=m.so", .noModule),
            ("pkcs11:object=o?module-path=/m", .noToken),
            ("pkcs11:token=t?module-path=/m", .noKey),
            ("pkcs11:token=t;object=o;type=public?module-path=/m", .noKey),
            ("pkcs11:token=t;object=o?module-path=/m&pin-value=1234", .pinInURI),
            ("pkcs11:token=t;object=o?module-path=/m&pin-source=|/bin/echo", .pinSource),
            ("pkcs11:token=t;object=o?module-path=/m&pin-source=pin", .pinSource),
            ("pkcs11:token=t;object=o?module-path=/m&pin-source=file://host/pin", .pinSource),
        ])
    func flaws(text: String, flaw: PKCS11URIFlaw) {
        #expect(throws: flaw) { try PKCS11URI(text) }
        #expect(!flaw.description.contains("1234"))
    }
}
