import Calling
package import ExposureFormat
package import ExposureKeys
package import FoundationEssentials
import HTTPTypes
import Venues

/// Carries out an app's requests against the published tree and the metadata proxy, and tells it the answers.
///
/// The app decides; this only translates. Whoever simulates many phones can answer some requests in another way, such as the downloads of
/// all phones with one file.
package struct AppExecutor: Sendable {
    /// In which form a phone uploads visits. All its uploads and dummies have it.
    package enum UploadForm: Hashable, Sendable {
        /// Corona-Warn-App's, which has visits to its venues alone.
        case checkInReports
        /// Apple's, which has visits of both kinds: a TAN is for one upload.
        case venueReports
    }

    /// The way to the metadata proxy.
    package var apps: AppClient
    private let packages: PackageClient
    private let instance: AppInstanceToken
    private let form: UploadForm
    /// The keys of packages that weren't compared yet.
    package private(set) var files: [KeyPackage: [ExportedKey]] = [:]

    /// - Parameter instance: identifies the installation to the push dispatcher only.
    package init(
        apps: AppClient, packages: PackageClient, instance: AppInstanceToken, form: UploadForm = .checkInReports
    ) {
        self.apps = apps
        self.packages = packages
        self.instance = instance
        self.form = form
    }

    /// Tells an app an event, and carries out all that it asks for at once.
    /// - Parameters:
    ///   - clock: the time, when it is asked for.
    ///   - keys: gives the phone's own keys of these days, as they are uploaded.
    ///   - detect: compares keys with what the phone has heard. A key of several packages comes once for each of them, because its report
    ///     may have become more certain in between.
    /// - Returns: what needs no answer: notices, and the question for the push token.
    package mutating func tell(
        _ event: App.Event, to app: inout App, clock: () -> Date, keys: (App.Upload) throws -> [DiagnosisKey],
        detect: ([ExportedKey]) throws -> Void
    ) async -> [App.Request] {
        var random = SystemRandomNumberGenerator()
        var waiting = app.handle(event, at: clock(), using: &random)[...]
        var others: [App.Request] = []
        while let request = waiting.popFirst() {
            if let answer = await answer(request, of: app, at: clock(), keys: keys, detect: detect) {
                waiting += app.handle(.answered(request, answer), at: clock(), using: &random)
            } else {
                others.append(request)
            }
        }
        return others
    }

    /// Carries out a request; nil for one that has no answer.
    package mutating func answer(
        _ request: App.Request, of app: App, at now: Date, keys: (App.Upload) throws -> [DiagnosisKey],
        detect: ([ExportedKey]) throws -> Void
    ) async -> App.Answer? {
        do {
            return switch request.kind {
            case .show, .askForPushToken, .cancelPush: nil
            case .configuration, .dayIndex, .hourIndex, .package, .warningIndex, .warnings:
                try await download(request.kind)
            case .detect(let packages): try compare(packages, detect)
            case .upload(let upload):
                .uploaded(checkIns: try await send(upload, with: try keys(upload), of: app, at: now))
            default: try await send(request.kind)
            }
        } catch CallError.refused(.badRequest) where request.kind.isRefusedWith400 {
            return .refused
        } catch CallError.refused(.forbidden) {
            return .refused
        } catch {
            return .failed
        }
    }

    /// Carries out a download, whose answer is the same for all phones.
    package mutating func download(_ kind: App.Request.Kind) async throws -> App.Answer {
        switch kind {
        case .configuration(let system, let tag):
            switch try await packages.rules(for: system, ifNot: tag) {
            case .unchanged(let maxAge, let time): return .unchanged(maxAge: maxAge, serverTime: time)
            case .changed(let rules, let etag, let maxAge, let time):
                return .configuration(rules, etag: etag, maxAge: maxAge, serverTime: time)
            }
        case .dayIndex: return .days(try await packages.days().compactMap { Day(name: $0) })
        case .hourIndex(let day):
            do {
                let hours = try await packages.hours(of: day.name).filter((0..<24).contains)
                return .hours(hours.map { day.firstHour.advanced(by: $0) })
            } catch PackageClient.Failure.missing {
                return .hours([])
            }
        case .package(let package, let tag):
            switch try await packages.keys(of: package, ifNot: tag) {
            case .unchanged(let maxAge, _): return .unchanged(maxAge: maxAge)
            case .changed(let keys, let etag, _, _):
                files[package] = keys
                return .package(etag: etag)
            }
        case .warningIndex(.checkInReports): return .warningHours(try await packages.reportHours())
        case .warningIndex(.venueReports): return .warningHours(try await packages.venueReportHours())
        case .warnings(.checkInReports, let hour): return .checkInReports(try await packages.reports(of: hour))
        case .warnings(.venueReports, let first): return .venueReports(try await packages.venueReports(of: first))
        default: return .failed
        }
    }

    /// Compares what is there of some packages. Afterwards it isn't needed any more.
    private mutating func compare(
        _ packages: [KeyPackage], _ detect: ([ExportedKey]) throws -> Void
    ) throws -> App.Answer {
        try detect(packages.flatMap { files[$0] ?? [] })
        let lost = packages.filter { files[$0] == nil }
        files.removeAll()
        return .detected(missing: lost)
    }

    private func send(_ kind: App.Request.Kind) async throws -> App.Answer {
        switch kind {
        case .register(let proof, let attempt): return .registered(try await apps.register(proof, attempt: attempt))
        case .result(let token): return .result(try await apps.testResult(token))
        case .tan(let token): return .tan(try await apps.tan(token))
        case .pretend(.registration, _): try await apps.pretendToRegister()
        case .pretend(.result, _): try await apps.pretendToAskForResult()
        case .pretend(.tan, _): try await apps.pretendToAskForTAN()
        case .pretend(.upload, let room):
            switch form {
            case .checkInReports: try await apps.pretendToUpload(reports: room)
            case .venueReports: try await apps.pretendToUploadVenueReports()
            }
        case .registerForPush(let request): try await apps.ask(for: request.wish, as: instance)
        default: return .failed
        }
        return .done
    }

    /// - Returns: the visits of which reports were sent.
    private func send(
        _ upload: App.Upload, with keys: [DiagnosisKey], of app: App, at now: Date
    ) async throws -> Set<UInt32> {
        var sharing = VisitSharing(
            app.diary, by: app.rules.venues, onset: upload.onset, answeredOn: upload.answeredOn, at: now)
        for visit in sharing.candidates where upload.checkIns.contains(visit.id) && form.has(visit) {
            sharing.select(visit.id)
        }
        var random = SystemRandomNumberGenerator()
        let reports = try sharing.reports(inOneUpload: form == .venueReports, using: &random)
        switch form {
        case .checkInReports:
            try await apps.upload(keys, reports: reports.checkInReports, room: upload.room, tan: upload.tan)
        case .venueReports:
            try await apps.upload(
                keys, venueReports: reports.venueReports, reports: reports.checkInReports, tan: upload.tan)
        }
        return reports.checkIns
    }
}

extension AppExecutor.UploadForm {
    /// Whether an upload of this form has reports of a visit.
    fileprivate func has(_ visit: CheckIn) -> Bool {
        switch visit.code?.venue {
        case .traceLocation: true
        case .seed: self == .venueReports
        case .numbered, nil: false
        }
    }
}

extension App.Request.Kind {
    /// Whether 400 says that a repeat is of no use.
    fileprivate var isRefusedWith400: Bool {
        switch self {
        case .register, .result, .tan: true
        default: false
        }
    }
}
