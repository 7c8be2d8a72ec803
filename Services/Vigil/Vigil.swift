package import ArgumentParser

/// The executable `vigil`: the operator's command line.
package struct VigilCommand: AsyncParsableCommand {
    /// The subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "vigil", abstract: "Prepares and looks after a Vigil suite.",
        subcommands: [
            MigrateCommand.self, CertificatesCommand.self, FederationCertificatesCommand.self, KeysCommand.self,
            InspectCommand.self, PushCommand.self, TestCodesCommand.self, AuditCommand.self,
        ])

    /// For ArgumentParser, which chooses among the subcommands.
    package init() {}
}
