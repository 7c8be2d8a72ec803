import ArgumentParser
import Foundation
import ServiceKit

/// `vigil certificates`.
struct CertificatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificates",
        abstract: "Make the private certificate authority and a certificate for every service and caller.",
        discussion:
            "What exists is kept, unless it expires within 30 days. Running services take them into use within ten seconds."
    )

    @OptionGroup var state: StateOption

    @Flag(help: "Make everything anew, the authority too.")
    var force = false

    func run() async throws {
        let folder = state.folder
        try folder.prepare()
        for (name, outcome) in try SuiteCertificates(in: folder, now: Date()).prepare(force: force) {
            switch outcome {
            case .made: Console.say("made   \(folder.certificate(name))")
            case .kept: Console.say("kept   \(folder.certificate(name))")
            }
        }
    }
}
