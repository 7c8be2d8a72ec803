import ExposureKeys
import FederationFormat
import FoundationEssentials
import Postgres

/// How the exchange with one gateway stands, from the tables of the schema `federation`.
struct StatusStore: Sendable {
    private let database: PostgresClient
    private let gateway: String

    init(_ database: PostgresClient, gateway: String) {
        self.database = database
        self.gateway = gateway
    }

    func status() async throws -> FederationStatus {
        let gateway = gateway
        return try await database.transaction { session in
            var status = FederationStatus()
            for (direction, state, count) in try session.rows(
                """
                SELECT 'out', state, count(*) FROM federation.outgoing_batch WHERE gateway = \(gateway) GROUP BY state
                UNION ALL
                SELECT 'in', state, count(*) FROM federation.incoming_batch WHERE gateway = \(gateway) GROUP BY state
                """, as: String.self, String.self, Int64.self)
            {
                status.batches[direction, default: [:]][state] = Int(count)
            }
            let row = try session.row(
                """
                SELECT
                    (SELECT to_timestamp((min(hour) + 1) * 3600.0) FROM federation.outgoing_batch
                        WHERE gateway = \(gateway) AND state = 'waiting'),
                    (SELECT min(announced_at) FROM federation.incoming_batch
                        WHERE gateway = \(gateway) AND state = 'announced'),
                    (SELECT coalesce(sum(keys), 0) FROM federation.outgoing_batch
                        WHERE gateway = \(gateway) AND state = 'delivered'),
                    (SELECT coalesce(sum(imported), 0) FROM federation.incoming_batch WHERE gateway = \(gateway)),
                    (SELECT max(hour) FROM foreign_keys.imported_hour)
                """, as: Date?.self, Date?.self, Int64.self, Int64.self, Int32?.self)
            if let row {
                status.oldestOutgoing = row.0
                status.oldestIncoming = row.1
                status.keysSent = Int(row.2)
                status.keysImported = Int(row.3)
                status.lastHour = row.4.map(Hour.init(number:))
            }
            status.lastSlot = try session.row(
                "SELECT hour, keys FROM federation.shared_slot WHERE gateway = \(gateway) ORDER BY hour DESC LIMIT 1",
                as: Int32.self, Int32.self
            ).map { FederationStatus.Slot(hour: Hour(number: $0.0), keys: Int($0.1)) }
            for (country, last) in try session.rows(
                """
                SELECT country, max(changed_at)
                FROM federation.audited_upload JOIN federation.incoming_batch USING (gateway, tag)
                WHERE gateway = \(gateway) AND outcome = 'verified' AND country IS NOT NULL GROUP BY country
                """, as: String.self, Date.self)
            {
                if let country = CountryCode(country) { status.lastImports[country] = last }
            }
            status.troubled = try session.rows(
                """
                SELECT direction, tag, state, reason, answer FROM (
                    SELECT 'out' AS direction, tag, state, coalesce(reason, state) AS reason, answer, changed_at
                    FROM federation.outgoing_batch WHERE gateway = \(gateway) AND state = 'refused'
                    UNION ALL
                    SELECT 'in', tag, state, coalesce(reason, state), answer, changed_at
                    FROM federation.incoming_batch
                    WHERE gateway = \(gateway) AND state IN ('partial', 'quarantined', 'gone')
                ) AS troubled ORDER BY changed_at DESC LIMIT 20
                """, as: String.self, String.self, String.self, String.self, String?.self
            ).map { FederationStatus.Troubled(direction: $0.0, tag: $0.1, state: $0.2, reason: $0.3, answer: $0.4) }
            status.failing = try session.rows(
                """
                SELECT call, reason, answer, since FROM federation.failing_call WHERE gateway = \(gateway) ORDER BY since
                """, as: String.self, String.self, String?.self, Date.self
            ).map { FailingCalls.Failure(call: $0.0, reason: $0.1, answer: $0.2, since: $0.3) }
            status.delayed = try session.rows(
                """
                SELECT direction, tag, state, reason, answer, due_at FROM (
                    SELECT 'out' AS direction, tag, state, reason, answer, due_at, attempts
                    FROM federation.outgoing_batch WHERE gateway = \(gateway) AND state = 'waiting'
                    UNION ALL
                    SELECT 'in', tag, state, reason, answer, due_at, attempts
                    FROM federation.incoming_batch WHERE gateway = \(gateway) AND state = 'announced'
                ) AS delayed WHERE reason IS NOT NULL AND attempts > 0 ORDER BY due_at LIMIT 20
                """, as: String.self, String.self, String.self, String.self, String?.self, Date.self
            ).map {
                FederationStatus.Troubled(
                    direction: $0.0, tag: $0.1, state: $0.2, reason: $0.3, answer: $0.4, dueAt: $0.5)
            }
            return status
        }
    }

    /// What is known about batches with a tag: none, one, or an own and one of the gateway's.
    func explain(_ tag: BatchTag) async throws -> [BatchExplanation] {
        let gateway = gateway
        return try await database.transaction { session in
            let own = try session.rows(
                """
                SELECT state, reason, answer, keys, attempts, changed_at, due_at FROM federation.outgoing_batch
                WHERE gateway = \(gateway) AND tag = \(tag.text)
                """, as: String.self, String?.self, String?.self, Int32.self, Int32.self, Date.self, Date.self
            ).map { state, reason, answer, keys, attempts, changed, due in
                BatchExplanation(
                    direction: "out", tag: tag.text, state: state, reason: reason, answer: answer, keys: Int(keys),
                    attempts: Int(attempts), changedAt: changed, dueAt: state == "waiting" ? due : nil)
            }
            let others = try session.rows(
                """
                SELECT state, reason, answer, keys, imported, attempts, changed_at, due_at, next_tag
                FROM federation.incoming_batch WHERE gateway = \(gateway) AND tag = \(tag.text)
                """, as: String.self, String?.self, String?.self, Int32.self, Int32.self, Int32.self, Date.self,
                Date.self, String?.self)
            return try own
                + others.map { state, reason, answer, keys, imported, attempts, changed, due, next in
                    var explanation = BatchExplanation(
                        direction: "in", tag: tag.text, state: state, reason: reason, answer: answer, keys: Int(keys),
                        imported: Int(imported), attempts: Int(attempts), changedAt: changed,
                        dueAt: state == "announced" ? due : nil, nextTag: next)
                    explanation.uploads = try session.rows(
                        """
                        SELECT country, keys, outcome FROM federation.audited_upload
                        WHERE gateway = \(gateway) AND tag = \(tag.text) ORDER BY number
                        """, as: String?.self, Int32.self, String.self
                    ).map { country, keys, outcome in
                        ReadBatch.Upload(
                            country: country.flatMap { CountryCode($0) }, keys: Int(keys), outcome: outcome)
                    }
                    explanation.leftOut = try session.rows(
                        """
                        SELECT reason, keys FROM federation.left_out
                        WHERE gateway = \(gateway) AND tag = \(tag.text) ORDER BY reason
                        """, as: String.self, Int32.self
                    ).map { (reason: $0, keys: Int($1)) }
                    return explanation
                }
        }
    }
}
