import FoundationEssentials

extension JSONScanner {
    /// The bytes of a string in Base64, of the usual alphabet or that for URLs, with padding or without.
    mutating func base64() throws(JSONDecodingError) -> Data {
        var text = try string().utf8.map { byte in
            switch Unicode.Scalar(byte) {
            case "-": UInt8(ascii: "+")
            case "_": UInt8(ascii: "/")
            default: byte
            }
        }
        if !text.contains(UInt8(ascii: "=")) {
            text += repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
        }
        guard let data = Data(base64Encoded: Data(text)) else { throw .malformedString }
        return data
    }
}
