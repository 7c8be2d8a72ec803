package import Credentials
package import Running

extension Settings {
    /// The key of the hashes under which tables know people: the setting names a file of 64 hexadecimal digits.
    package func hashKey(_ key: String) throws(ConfigurationProblem) -> HashKey {
        guard let hashKey = HashKey(bytes: try secretFile(key, byteCount: HashKey.count)) else {
            throw wrong(key, "must name a file of \(2 * HashKey.count) hexadecimal digits")
        }
        return hashKey
    }
}
