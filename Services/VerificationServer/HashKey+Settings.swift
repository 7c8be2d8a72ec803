import Credentials
import Running

extension HashKey {
    /// The key in the file that a configuration key names, as 64 hexadecimal digits.
    init(settings: Settings, key: String) throws {
        guard let hashKey = HashKey(bytes: try settings.secretFile(key)) else {
            throw ConfigurationProblem("\(key) must name a file of 64 hexadecimal digits (32 bytes).")
        }
        self = hashKey
    }
}
