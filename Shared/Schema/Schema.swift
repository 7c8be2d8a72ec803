/// One PostgreSQL schema: the tables of one service, or those that all services share.
///
/// This module is the only place that defines tables, grants and retention, with a folder for each schema. A new service adds a
/// folder with its `Schema` value, and a line in ``all``.
///
/// Every schema has its own version, so a service depends only on its own tables and on those that it reads.
package struct Schema: Sendable {
    /// Its name in PostgreSQL.
    package let name: String
    /// The login roles that work in it. They exist before any migration is applied.
    package let roles: [DatabaseRole]
    /// Its steps, in the order in which they are applied. A released step never changes, and no step is inserted before it.
    var migrations: [Migration]
    /// The other schemas that its services read.
    let reads: [Requirement]
    /// How long its tables keep their rows.
    package let retention: [RetentionRule]
    /// The tables without a retention rule, each with the reason.
    package let exempt: [String: String]

    /// A version of another schema.
    struct Requirement: Sendable {
        let schema: Schema
        /// The lowest version with everything that is read. Later versions only add to it.
        let version: Int32
    }

    /// Creates a schema from its parts.
    init(
        _ name: StaticString, roles: [DatabaseRole], migrations: [Migration],
        reads: [Requirement] = [], retention: [RetentionRule] = [], exempt: [String: String] = [:]
    ) {
        self.name = name.description
        self.roles = roles
        self.migrations = migrations
        self.reads = reads
        self.retention = retention
        self.exempt = exempt
    }

    /// All schemas in migration order: each after those that it reads.
    package static let all: [Schema] = [
        .common,
        .statistics,
        .venues,
        .foreignKeys,
        .testResults,
        .verification,
        .submission,
        .distribution,
        .federation,
        .pushDispatcher,
        .donation,
        .further,
        .healthPortal,
    ]

    /// The number of its last step, which is the version that this build needs.
    package var version: Int32 { Int32(migrations.count) }

    /// The version of each schema in this build, for operators: `submission 3, verification 3, …`.
    package static var versions: String { all.map { "\($0.name) \($0.version)" }.joined(separator: ", ") }
}
