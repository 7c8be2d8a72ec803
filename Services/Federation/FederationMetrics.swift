import ExposureKeys
import FederationFormat
import FoundationEssentials
import Metrics

/// The service's metrics. Their labels are states, countries and reasons, all from closed sets.
struct FederationMetrics: Sendable {
    private let factory: any MetricsFactory
    private let sent: Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        sent = Counter(label: "federation_keys_sent_total", factory: factory)
    }

    private func counter(_ label: String, _ dimensions: (String, String)...) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
    }

    private func gauge(_ label: String, _ dimensions: (String, String)...) -> Gauge {
        Gauge(label: label, dimensions: dimensions, factory: factory)
    }

    // MARK: Upload

    private static let knownStatuses = [201, 207, 400, 403, 409, 413, 429]

    func count(_ reply: GatewayClient.UploadReply) {
        let status =
            switch reply.status {
            case let status? where Self.knownStatuses.contains(status): String(status)
            case let status? where status >= 500: "5xx"
            case .some: "other"
            case nil: "none"
            }
        counter("federation_upload_answers_total", ("status", status)).increment()
    }

    func send(_ keys: Int) { sent.increment(by: keys) }

    func leaveOut(_ reason: String, _ keys: Int) {
        counter("federation_keys_left_out_total", ("reason", reason)).increment(by: keys)
    }

    // MARK: Download

    func count(_ read: ReadBatch, _ kept: IncomingStore.Kept, at now: Date) {
        for (country, keys) in kept.countries {
            counter("federation_keys_imported_total", ("country", country.text)).increment(by: keys)
        }
        for (reason, keys) in read.leftOut.merging(kept.leftOut, uniquingKeysWith: +) { leaveOut(reason, keys) }
        for upload in read.uploads where !["verified", "own", ReadBatch.Upload.unwanted].contains(upload.outcome) {
            counter(
                "federation_audit_failures_total", ("country", upload.country?.text ?? "none"),
                ("reason", upload.outcome)
            ).increment()
        }
    }

    // MARK: State

    /// Shows what the database has.
    func show(_ status: FederationStatus, countries: Set<CountryCode>?, at now: Date) {
        for (direction, states) in [("out", OutgoingState.shown), ("in", IncomingState.shown)] {
            for state in states {
                gauge("federation_batches", ("direction", direction), ("state", state))
                    .record(status.batches[direction]?[state] ?? 0)
            }
        }
        for (direction, since) in [("out", status.oldestOutgoing), ("in", status.oldestIncoming)] {
            gauge("federation_backlog_seconds", ("direction", direction))
                .record(since.map { max(0, now.timeIntervalSince($0)) } ?? 0)
        }
        let seen = status.lastImports
        for country in (countries ?? []).union(seen.keys) {
            gauge("federation_last_import_seconds", ("country", country.text))
                .record(seen[country]?.timeIntervalSince1970 ?? 0)
        }
    }

    /// Shows when certificates end.
    func show(signing: FederationCertificate?, anchor: FederationCertificate) {
        for (name, certificate) in [("signing", signing), ("anchor", anchor)] {
            guard let certificate else { continue }
            gauge("federation_certificate_expiry_seconds", ("certificate", name))
                .record(certificate.validity.upperBound.timeIntervalSince1970)
        }
    }

    func show(isRegistered: Bool) { gauge("federation_callback_registered").record(isRegistered ? 1 : 0) }
}

extension OutgoingState {
    /// The states in which somebody may have to do something.
    static let shown = [OutgoingState.waiting, .carried, .refused].map(\.rawValue)
}

extension IncomingState {
    /// The states in which somebody may have to do something.
    static let shown = [IncomingState.announced, .partial, .quarantined].map(\.rawValue)
}
