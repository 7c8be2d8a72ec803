import FoundationEssentials
import HTTPContract
import HTTPTypes
import Pages
import Serving

extension DecoderTarget {
    /// The session in fields `Cookie`, one a line.
    static func cookie(_ bytes: Data) -> Verdict {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        var fields = HTTPFields()
        // The listener lets no other text through.
        fields[values: .cookie] = lines.map { String($0) }.filter(HTTPField.isValidValue)
        do throws(MalformedMessage) {
            let request = Request(method: .get, target: "/", headers: fields)
            guard let value = try request.cookie("session") else { return .refused }
            let sent = try HostCookie("session", value)
            return sent.value == value ? .value : .broken("it can't be sent as it was read")
        } catch {
            return .refused
        }
    }
}
