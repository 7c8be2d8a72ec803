import FoundationEssentials
import Loop

extension DecoderTarget {
    /// The first bytes of a balancer's connection, read as a connection reads them: never more than the header lacks.
    static func proxyHeader(_ bytes: Data) -> Verdict {
        let bytes = Array(bytes)
        var end = 0
        while true {
            switch ProxyHeader(bytes[..<end]) {
            case .incomplete(let missing):
                guard missing > 0, end + missing <= ProxyHeader.mostBytes else { return .broken("it is too long") }
                let cuts = end..<min(end + missing, bytes.count)
                for cut in cuts where isComplete(ProxyHeader(bytes[..<cut])) {
                    return .broken("it is complete before its end")
                }
                guard end + missing <= bytes.count else { return .refused }
                end += missing
            case .caller(let address):
                guard ProxyHeader(bytes) == .caller(address) else { return .broken("what follows changes it") }
                let isIPv4 = bytes[13] == 0x11
                let written = bytes[16..<(isIPv4 ? 20 : 32)]
                let port = Int(bytes[isIPv4 ? 24 : 48]) << 8 | Int(bytes[isIPv4 ? 25 : 49])
                guard written.suffix(address.bytes.count).elementsEqual(address.bytes), address.port == port else {
                    return .broken("it names another caller")
                }
                return .value
            case .balancer:
                return ProxyHeader(bytes) == .balancer ? .value : .broken("what follows changes it")
            case .invalid: return .refused
            }
        }
    }

    private static func isComplete(_ header: ProxyHeader) -> Bool {
        switch header {
        case .caller, .balancer: true
        case .incomplete, .invalid: false
        }
    }
}
