import Foundation
import Vigil

/// The PostgreSQL server programs on this machine.
package struct PostgresInstallation: Sendable, Equatable {
    /// The folder with `initdb` and `postgres`.
    package let programs: String
    /// 15, 16, …
    package let majorVersion: Int

    /// Finds the newest version in Debian's layout, or exactly the one that an existing data directory needs.
    /// - Parameter root: the folder with one folder per version.
    package static func find(
        majorVersion wanted: Int? = nil, below root: String = "/usr/lib/postgresql"
    ) throws -> PostgresInstallation {
        let files = FileManager.default
        let versions = (try? files.contentsOfDirectory(atPath: root))?.compactMap { Int($0) } ?? []
        let installed = versions.sorted(by: >).map { version in
            PostgresInstallation(programs: "\(root)/\(version)/bin", majorVersion: version)
        }.filter { files.isExecutableFile(atPath: "\($0.programs)/initdb") }
        guard let newest = installed.first else {
            throw CommandFailure("PostgreSQL's server is not installed: run `apt-get install postgresql`.")
        }
        guard let wanted else { return newest }
        guard let found = installed.first(where: { $0.majorVersion == wanted }) else {
            throw CommandFailure(
                "The database was made by PostgreSQL \(wanted), which is not installed: run `apt-get install "
                    + "postgresql-\(wanted)`, or begin anew with --fresh."
            )
        }
        return found
    }
}
