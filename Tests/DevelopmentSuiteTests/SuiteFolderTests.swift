import DevelopmentSuite
import Foundation
import TestSupport
import Testing
import Vigil

@Suite("The state folder of a running suite")
struct SuiteFolderTests {
    @Test("erasing leaves an empty state folder")
    func erases() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            try folder.write("old\n", to: folder.secret("one"))
            try folder.erase()
            try folder.prepare()
            #expect(try folder.read(folder.secret("one")) == nil)
        }
    }

    @Test("a folder with other content is not erased")
    func refusesOthers() async throws {
        try await withScratchFolder { scratch in
            try Data().write(to: URL(filePath: "\(scratch)/thesis.txt"))
            #expect(throws: CommandFailure.self) { try StateFolder(scratch).erase() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch) == ["thesis.txt"])
        }
    }

    @Test("only one suite at a time uses it")
    func locks() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            do {
                let lock = try folder.lock()
                let refusal = #expect(throws: CommandFailure.self) { try folder.lock() }
                #expect(refusal?.description.contains("Another `vigil-dev up` uses") == true)
                withExtendedLifetime(lock) {}
            }
            _ = try folder.lock()
        }
    }

    @Test("the logs of the previous run are kept, older ones are not")
    func setsLogsAside() async throws {
        try await withScratchFolder { scratch in
            let folder = StateFolder(scratch)
            try folder.prepare()
            for run in 1...3 {
                try folder.setLogsAside()
                try folder.write("run \(run)\n", to: folder.log("service"))
            }
            #expect(try folder.read(folder.log("service")) == "run 3")
            #expect(try folder.read(folder.log("service.previous")) == "run 2")
        }
    }
}
