import ArgumentParser

/// `vigil audit`.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract:
            "Who made which codes and took donated data: sealed at the service, opened by the authority's auditor.",
        subcommands: [AuditKeysCommand.self, AuditExportCommand.self, AuditOpenCommand.self])
}
