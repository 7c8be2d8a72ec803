import Glibc

/// The 4 or 16 bytes of an address, as a socket has them.
func addressBytes(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
    return inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : nil
}
