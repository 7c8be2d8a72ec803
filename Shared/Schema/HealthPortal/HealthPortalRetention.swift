import FoundationEssentials
import Postgres

extension RetentionRule {
    /// The rules of the schema `health_portal`.
    static let healthPortal: [RetentionRule] = []
}
