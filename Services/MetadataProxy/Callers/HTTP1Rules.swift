import NIOHTTP1

/// Rules of RFC 9112 that the library's parser leaves to its user.
enum HTTP1Rules {
    /// Why a request is refused for its form, whatever it asks for.
    static func refusal(of head: HTTPRequestHead) -> Answer? {
        guard head.version.major == 1 else { return .refusal(505) }
        var hosts = 0
        var codings = 0
        for field in head.headers {
            if field.name.isSame(as: "host") {
                hosts += 1
                // 3.2: one, and it names a host.
                guard !field.value.isEmpty, field.value.utf8.allSatisfy(isOfHost) else { return .refusal(400) }
            } else if field.name.isSame(as: "transfer-encoding") {
                codings += 1
                // 6.1: a coding that isn't understood. Others would need to be undone before a body is passed on.
                guard field.value.isSame(as: "chunked") else { return .refusal(501) }
            }
        }
        // 6.1: who speaks HTTP/1.0 can't mean it.
        if codings > (head.version.minor == 0 ? 0 : 1) { return .refusal(400) }
        return hosts == 1 || (hosts == 0 && head.version.minor == 0) ? nil : .refusal(400)
    }

    /// RFC 3986, 3.2.2 and 3.2.3: names, addresses in brackets, ports.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%:[]!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
