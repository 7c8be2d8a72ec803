import NIOHTTP1

/// Rules of RFC 9112 that the library's parser doesn't enforce.
enum HTTP1Rules {
    /// Why a request is refused for its form, if it is.
    static func refusal(of head: HTTPRequestHead) -> Answer? {
        guard head.version.major == 1 else { return .refusal(505) }
        var hosts = 0
        var codings = 0
        for field in head.headers {
            if field.name.isSame(as: "host") {
                hosts += 1
                // Section 3.2: exactly one, and it names a host.
                guard !field.value.isEmpty, field.value.utf8.allSatisfy(isHostCharacter) else { return .refusal(400) }
            } else if field.name.isSame(as: "transfer-encoding") {
                codings += 1
                // Section 6.1: a coding that isn't supported would have to be decoded before a body is forwarded.
                guard field.value.isSame(as: "chunked") else { return .refusal(501) }
            }
        }
        // Section 6.1: HTTP/1.0 has no transfer codings.
        if codings > (head.version.minor == 0 ? 0 : 1) { return .refusal(400) }
        return hosts == 1 || (hosts == 0 && head.version.minor == 0) ? nil : .refusal(400)
    }

    /// RFC 3986, sections 3.2.2 and 3.2.3: names, addresses in brackets, ports.
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%:[]!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
