import Crypto
import ExposureKeys
import Foundation
import HourKeys
import Running
import TestSupport
import Testing

/// The private halves, as files.
@Suite struct HourKeyFilesTests {
    private let hour = Hour(number: 494_800)

    @Test func `a key is created once, for its owner's eyes, and destroyed with the earlier ones`() async throws {
        try await withScratchFolder { folder in
            let files = HourKeyFiles(directory: URL(filePath: folder))
            let hours = (0..<4).map { hour.advanced(by: $0) }
            let created = try hours.map { try files.create($0).rawRepresentation }
            #expect(Set(created).count == 4)
            #expect(try hours.map { try files.create($0).rawRepresentation } == created)
            #expect(try hours.map { try files.read($0).publicKey.rawRepresentation } == created)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions]
                #expect((mode as? NSNumber)?.intValue == 0o600)
            }

            try files.destroy(through: hours[2])
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == ["hour-\(hours[3].number).key"])
            #expect(throws: HourKeyProblem.self) { try files.read(hours[2]) }
            #expect(try files.read(hours[3]).publicKey.rawRepresentation == created[3])
        }
    }

    @Test func `a server that is given the directory refuses it, and names whose it is`() {
        let problem = #expect(throws: ConfigurationProblem.self) {
            try HourKeyFiles.refuse(in: Settings(["hourKeys.directory": "/keys"]), of: "some-server fold")
        }
        #expect(problem?.description.contains("some-server fold") == true)
        #expect(throws: Never.self) { try HourKeyFiles.refuse(in: Settings([:]), of: "some-server fold") }
    }
}
