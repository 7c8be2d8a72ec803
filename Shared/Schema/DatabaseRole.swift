/// The login roles of the database: the owner, which only migrations use, and one per service.
package enum DatabaseRole: String, Sendable, CaseIterable {
    case verification = "vigil_verification"
    case testResults = "vigil_test_results"
    case submission = "vigil_submission"
    case distribution = "vigil_distribution"
    case pushDispatcher = "vigil_push_dispatcher"

    /// The role that owns every table and runs migrations. It must exist before them, and own the database.
    package static let owner = "vigil_owner"
}
