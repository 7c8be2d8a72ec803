package import Postgres

extension AdvisoryLock {
    /// The lock of a job, whose epochs are in the common schema.
    /// - Parameters:
    ///   - job: its name, among those of the same database role.
    ///   - acquire: calls the function that takes the lock.
    package init(job: String, acquire: SQL) {
        self.init(
            acquire: acquire, release: "SELECT vigil.give_locks_back()", begin: "SELECT vigil.begin_epoch(\(job))",
            confirm: { "SELECT vigil.confirm_epoch(\(job), \($0))" })
    }
}
