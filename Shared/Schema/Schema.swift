/// One PostgreSQL schema: the tables of one service, or what all services share.
///
/// This module is the only place that defines tables, grants and retention, in a folder for each schema. A new service brings a
/// folder with its `Schema` value and a line in ``all``.
///
/// Every schema has a version of its own, so that a service depends on its own tables and on those that it reads, and on no others.
package struct Schema: Sendable {
    /// Its name in PostgreSQL.
    package let name: String
    /// The login roles that work in it. They exist before any migration is applied.
    package let roles: [DatabaseRole]
    /// Its steps, in the order in which they are applied. A step that was released never changes, and none is inserted before it.
    var migrations: [Migration]
    /// What its services read of other schemas.
    let reads: [Requirement]
    /// For how long its tables keep their rows.
    package let retention: [RetentionRule]
    /// The tables without a retention rule, each with the reason.
    package let exempt: [String: String]

    /// A version of another schema.
    struct Requirement: Sendable {
        let schema: Schema
        /// The lowest version with everything that is read. Later ones only add to it.
        let version: Int32
    }

    /// A schema by its parts.
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

    /// All schemas, in the order in which they are migrated: each after those that it reads.
    package static let all: [Schema] = [
        .common,
        .testResults,
        .verification,
        .submission,
        .distribution,
        .pushDispatcher,
    ]

    /// The number of its last step: the version that this build needs.
    package var version: Int32 { Int32(migrations.count) }

    /// The version of each schema in this build, for operators: `submission 3, verification 3, …`.
    package static var versions: String { all.map { "\($0.name) \($0.version)" }.joined(separator: ", ") }
}
