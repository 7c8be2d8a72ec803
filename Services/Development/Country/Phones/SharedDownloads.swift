import ExposureFormat
import ExposureKeys
import Foundation
import Phone

/// The published files as a country's phones fetch them.
///
/// Their answers don't depend on who asks. So the first phone that asks for something in an hour fetches it, and the others get the same
/// answer; the phones of a sample fetch everything on their own, and must get the same keys.
actor SharedDownloads {
    /// What a phone got.
    struct Download: Sendable {
        let answer: App.Answer
        /// The size of the file; 0 if there was no new body.
        let bytes: Int
    }

    /// One phone in so many belongs to the sample; 1 for a country in which no download is shared.
    nonisolated let sampledOneIn: Int
    private let executor: AppExecutor
    /// Finds the size of a published file.
    private let size: @Sendable (App.Request.Kind) -> Int
    private var answers: [App.Request.Kind: Download] = [:]
    /// Phones that wait for what another one is fetching.
    private var waiting: [App.Request.Kind: [CheckedContinuation<Download, Never>]] = [:]
    private var keys: [KeyPackage: [ExportedKey]] = [:]
    /// The packages that were fetched in this hour.
    private var current: Set<KeyPackage> = []
    /// The end of this hour.
    private var end = Date.distantPast
    /// Packages that two phones got with different keys in one hour, one line each.
    private(set) var different: [String] = []

    init(
        _ executor: AppExecutor, sampledOneIn: Int, size: @escaping @Sendable (App.Request.Kind) -> Int
    ) {
        self.executor = executor
        self.sampledOneIn = sampledOneIn
        self.size = size
    }

    /// Something may have been published: whatever was fetched before is asked for again.
    func beginHour(_ hour: Hour) {
        end = hour.end
        answers.removeAll(keepingCapacity: true)
        current.removeAll(keepingCapacity: true)
    }

    /// The keys of packages that some phone has fetched.
    func keys(of wanted: [KeyPackage]) -> [ExportedKey] { wanted.flatMap { keys[$0] ?? [] } }

    /// Answers a download.
    func answer(_ request: App.Request, asSample isSample: Bool) async -> Download {
        if isSample { return await fetch(request) }
        if let answer = answers[request.kind] { return answer }
        if waiting[request.kind] != nil {
            return await withCheckedContinuation { waiting[request.kind]?.append($0) }
        }
        waiting[request.kind] = []
        let download = await fetch(request)
        answers[request.kind] = download
        for phone in waiting.removeValue(forKey: request.kind) ?? [] { phone.resume(returning: download) }
        return download
    }

    /// Whether two phones may have got these keys of one package in an hour.
    ///
    /// Expired keys leave with the hour's publication. But a core of download-server looks at a file only once a second (`RecentFiles`), so
    /// one core may still send them when another doesn't.
    /// - Parameter end: the hour's.
    static func agree(_ one: [ExportedKey], _ other: [ExportedKey], until end: Date) -> Bool {
        let current = [one, other].map { $0.filter { !$0.rollingPeriod.hasExpired(at: end) }.map(\.data) }
        return current[0] == current[1]
    }

    /// What differs, in a line for the report.
    private static func difference(of package: KeyPackage, _ before: [ExportedKey], _ after: [ExportedKey]) -> String {
        let (old, new) = (Set(before), Set(after))
        let ends = Set(old.symmetricDifference(new).map(\.rollingPeriod.end.rawValue)).sorted()
        let (came, went) = (new.subtracting(old).count, old.subtracting(new).count)
        return "\(package): \(came) of \(new.count) keys came, \(went) of \(old.count) went; used until \(ends)"
    }

    private func fetch(_ request: App.Request) async -> Download {
        var executor = executor
        let answer = (try? await executor.download(request.kind)) ?? .failed
        if case .package(let package, _) = request.kind, let got = executor.files[package] {
            if !current.insert(package).inserted, let before = keys[package], !Self.agree(before, got, until: end) {
                different.append(Self.difference(of: package, before, got))
            }
            keys[package] = got
        }
        return Download(answer: answer, bytes: size(request.kind))
    }
}
