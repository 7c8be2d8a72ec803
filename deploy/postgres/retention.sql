-- Compares the oldest row of each table with the table's limit (Shared/Schema/*/*Retention.swift). Read-only. The rules are
-- applied every hour (those of `verification` every five minutes), so the check allows two hours beyond a limit.
WITH kept (item, oldest, first_kept) AS (
    SELECT 'test_results.result, until redeemed: 21 days', min(created_at), now() - interval '21 days 2 hours'
    FROM test_results.result WHERE code NOT IN (4, 9, 14)
    UNION ALL
    SELECT 'test_results.result: 60 days', min(created_at), now() - interval '60 days 2 hours' FROM test_results.result
    UNION ALL
    SELECT 'test_results.positive_hour: 1 day', to_timestamp(min(hour) * 3600.0), now() - interval '1 day 3 hours'
    FROM test_results.positive_hour
    UNION ALL
    SELECT 'verification.session: 21 days', to_timestamp(min(created_hour) * 3600.0), now() - interval '21 days 3 hours'
    FROM verification.session
    UNION ALL
    SELECT 'verification.registered_guid: 82 days', to_timestamp(min(created_day) * 86400.0),
        now() - interval '83 days 2 hours'
    FROM verification.registered_guid
    UNION ALL
    SELECT 'verification.tele_tan: 1 day after expiry', min(expires_at), now() - interval '1 day 2 hours'
    FROM verification.tele_tan
    UNION ALL
    SELECT 'verification.used_tan: 23 days', to_timestamp(min(day) * 86400.0), now() - interval '24 days 2 hours'
    FROM verification.used_tan
    UNION ALL
    SELECT 'verification.officer_hour: the hour', to_timestamp(min(hour) * 3600.0), now() - interval '3 hours'
    FROM verification.officer_hour
    UNION ALL
    SELECT 'verification.refused_tele_tan: 1 day', to_timestamp(min(hour) * 3600.0), now() - interval '1 day 3 hours'
    FROM verification.refused_tele_tan
    UNION ALL
    SELECT 'verification.forgotten_tele_tan: 30 days', min(period_start)::timestamptz, now() - interval '32 days'
    FROM verification.forgotten_tele_tan
    UNION ALL
    SELECT 'verification.forgotten_refusal: 30 days', min(day)::timestamptz, now() - interval '32 days'
    FROM verification.forgotten_refusal
    UNION ALL
    SELECT 'submission.inbox: until the fold', to_timestamp(min(hour) * 3600.0), now() - interval '2 hours'
    FROM submission.inbox
    UNION ALL
    SELECT 'submission.hour_key: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 2 hours'
    FROM submission.hour_key
    UNION ALL
    SELECT 'submission.folded_hour: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 2 hours'
    FROM submission.folded_hour
    UNION ALL
    SELECT 'submission.diagnosis_key: 14 days after its period', to_timestamp(min(rolling_start + rolling_period) * 600.0),
        now() - interval '14 days 2 hours'
    FROM submission.diagnosis_key
    UNION ALL
    SELECT 'submission.check_in_report: 14 days, by partition', to_timestamp(min(hour) * 3600.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '14 days'
    FROM submission.check_in_report
    UNION ALL
    SELECT 'submission.venue_report: 14 days, by partition', to_timestamp(min(hour) * 3600.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '14 days'
    FROM submission.venue_report
    UNION ALL
    SELECT 'distribution.published_hour: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 2 hours'
    FROM distribution.published_hour
    UNION ALL
    SELECT 'distribution.published_venue_bundle: 15 days', to_timestamp(min(first_hour) * 3600.0),
        now() - interval '15 days 2 hours'
    FROM distribution.published_venue_bundle
    UNION ALL
    SELECT 'distribution.signature: 15 days unused', min(used_at), now() - interval '15 days 2 hours'
    FROM distribution.signature
    UNION ALL
    SELECT 'distribution.announced_event: 15 days', min(announced_at), now() - interval '15 days 2 hours'
    FROM distribution.announced_event
    UNION ALL
    SELECT 'venues.event: 14 days after the end', to_timestamp(min(end_interval) * 600.0), now() - interval '14 days 2 hours'
    FROM venues.event
    UNION ALL
    SELECT 'venues.trace_key: 14 days after the day', to_timestamp(min(day) * 86400.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '14 days'
    FROM venues.trace_key
    UNION ALL
    SELECT 'venues.trace_key_upload: 4 hours', to_timestamp(min(bucket) * 7200.0), now() - interval '6 hours'
    FROM venues.trace_key_upload
    UNION ALL
    SELECT 'push_dispatcher.registration: 30 days', to_timestamp(min(registered_hour) * 3600.0),
        now() - interval '30 days 2 hours'
    FROM push_dispatcher.registration
    UNION ALL
    SELECT 'push_dispatcher.wave: 7 days', min(planned_at), now() - interval '7 days 2 hours' FROM push_dispatcher.wave
    UNION ALL
    SELECT 'health_portal.session: 10 hours', to_timestamp(min(opened_minute) * 60.0), now() - interval '12 hours'
    FROM health_portal.session
    UNION ALL
    SELECT 'health_portal.log_out_token: 5 minutes', to_timestamp(min(used_minute) * 60.0), now() - interval '2 hours'
    FROM health_portal.log_out_token
    UNION ALL
    SELECT 'health_portal.audit: 30 days', to_timestamp(min(day) * 86400.0), now() - interval '31 days 2 hours'
    FROM health_portal.audit
    UNION ALL
    SELECT 'foreign_keys.diagnosis_key: 14 days after its day, by partition', to_timestamp(min(rolling_start) * 600.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '14 days'
    FROM foreign_keys.diagnosis_key
    UNION ALL
    SELECT 'foreign_keys.imported_hour: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 3 hours'
    FROM foreign_keys.imported_hour
    UNION ALL
    SELECT 'donation.used_evidence: until it would be too old', to_timestamp(min(last_hour) * 3600.0), now() - interval '3 hours'
    FROM donation.used_evidence
    UNION ALL
    SELECT 'donation.attested_key: 30 days after its last use', to_timestamp(min(used_day) * 86400.0), now() - interval '31 days 2 hours'
    FROM donation.attested_key
    UNION ALL
    SELECT 'donation.month_token: two days after its month', to_timestamp(min(last_hour) * 3600.0), now() - interval '2 days 3 hours'
    FROM donation.month_token
    UNION ALL
    SELECT 'donation.quota: until the next share', to_timestamp(min(last_hour) * 3600.0), now() - interval '3 hours'
    FROM donation.quota
    UNION ALL
    SELECT 'donation.one_time_password: 7 days after its end', min(expires_at), now() - interval '7 days 2 hours'
    FROM donation.one_time_password
    UNION ALL
    SELECT 'donation.inbox: until the fold', to_timestamp(min(hour) * 3600.0), now() - interval '2 hours'
    FROM donation.inbox
    UNION ALL
    SELECT 'donation.hour_key: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 2 hours'
    FROM donation.hour_key
    UNION ALL
    SELECT 'donation.folded_hour: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 2 hours'
    FROM donation.folded_hour
    UNION ALL
    SELECT 'donation, what was donated: 14 days, by partition', to_timestamp(min(day) * 86400.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '14 days'
    FROM (
        SELECT day FROM donation.user_group UNION ALL SELECT day FROM donation.client
        UNION ALL SELECT day FROM donation.exposure_risk UNION ALL SELECT day FROM donation.exposure_window
        UNION ALL SELECT day FROM donation.test_result UNION ALL SELECT day FROM donation.key_submission_by_user
        UNION ALL SELECT day FROM donation.key_submission_by_client
    ) AS donated
    UNION ALL
    SELECT 'further.report: 14 days after its last update', to_timestamp(min(last_update)), now() - interval '14 days 2 hours'
    FROM further.report
    UNION ALL
    SELECT 'further.key: 30 days after its last use', to_timestamp(min(used_day) * 86400.0), now() - interval '31 days 2 hours'
    FROM further.key
    UNION ALL
    SELECT 'further.nonce: an hour', to_timestamp(min(hour) * 3600.0), now() - interval '4 hours'
    FROM further.nonce
    UNION ALL
    SELECT 'federation.shared_slot: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 3 hours'
    FROM federation.shared_slot
    UNION ALL
    SELECT 'federation.outgoing_batch: 15 days', to_timestamp(min(hour) * 3600.0), now() - interval '15 days 3 hours'
    FROM federation.outgoing_batch
    UNION ALL
    SELECT 'federation.failing_call: 15 days', min(failed_at), now() - interval '15 days 3 hours'
    FROM federation.failing_call
    UNION ALL
    SELECT 'federation.incoming_batch, with its uploads: 15 days', to_timestamp(min(day) * 86400.0),
        date_trunc('day', now() - interval '2 hours', 'UTC') - interval '15 days'
    FROM federation.incoming_batch
)
SELECT CASE WHEN oldest < first_kept THEN 'TOO OLD' ELSE 'kept to' END AS verdict, item,
    date_trunc('second', oldest) AS oldest
FROM kept ORDER BY (oldest < first_kept) IS TRUE DESC, item;

-- Partitions of expired days: not only the rows must be gone, but also the files.
SELECT CASE WHEN substring(relname FROM '\d+$')::integer * 86400.0 < extract(epoch FROM now() - interval '15 days 2 hours')
        THEN 'TOO OLD' ELSE 'kept to' END AS verdict,
    relnamespace::regnamespace AS schema, min(relname) AS oldest_partition, count(*) AS partitions
FROM pg_class
WHERE relnamespace IN ('submission'::regnamespace, 'foreign_keys'::regnamespace, 'donation'::regnamespace) AND relkind = 'r'
    AND relname ~ '_\d+$'
GROUP BY 1, 2 ORDER BY 1, 2;

-- A recycled segment of the write-ahead log keeps its old content.
SELECT CASE WHEN current_setting('wal_recycle') = 'off' THEN 'kept to' ELSE 'TOO OLD' END AS verdict,
    'wal_recycle is ' || current_setting('wal_recycle') AS item;
SELECT name AS oldest_segment, date_trunc('second', modification) AS written FROM pg_ls_waldir() ORDER BY modification LIMIT 1;
