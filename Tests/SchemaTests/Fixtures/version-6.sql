-- A database of version 6, as `vigil migrate` of commit 24e40af left it, with rows in each table: the output of `pg_dump` (comments
-- and PostgreSQL's own grants removed) for `psql`. It expects the role vigil_owner and the services' roles.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE SCHEMA distribution;

ALTER SCHEMA distribution OWNER TO vigil_owner;

CREATE SCHEMA push_dispatcher;

ALTER SCHEMA push_dispatcher OWNER TO vigil_owner;

CREATE SCHEMA submission;

ALTER SCHEMA submission OWNER TO vigil_owner;

CREATE SCHEMA test_results;

ALTER SCHEMA test_results OWNER TO vigil_owner;

CREATE SCHEMA verification;

ALTER SCHEMA verification OWNER TO vigil_owner;

CREATE SCHEMA vigil;

ALTER SCHEMA vigil OWNER TO vigil_owner;

CREATE FUNCTION submission.drop_days_before(first_kept integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
    partition record;
    dropped integer := 0;
BEGIN
    FOR partition IN
        SELECT relname FROM pg_inherits
        JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent IN ('submission.diagnosis_key'::regclass, 'submission.check_in_report'::regclass)
          AND substring(relname FROM '[0-9]+$')::integer < first_kept
    LOOP
        EXECUTE format('DROP TABLE submission.%I', partition.relname);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$_$;

ALTER FUNCTION submission.drop_days_before(first_kept integer) OWNER TO vigil_owner;

CREATE FUNCTION submission.ensure_day(day integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    folded text;
BEGIN
    FOREACH folded IN ARRAY ARRAY['diagnosis_key', 'check_in_report'] LOOP
        IF to_regclass(format('submission.%s_%s', folded, day)) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE submission.%s_%s PARTITION OF submission.%s FOR VALUES FROM (%s) TO (%s)',
                folded, day, folded, day * 24, day * 24 + 24);
        END IF;
    END LOOP;
END
$$;

ALTER FUNCTION submission.ensure_day(day integer) OWNER TO vigil_owner;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE distribution.published_hour (
    hour integer NOT NULL,
    keys integer NOT NULL,
    reports integer DEFAULT 0 NOT NULL,
    CONSTRAINT published_hour_keys_check CHECK ((keys >= 0)),
    CONSTRAINT published_hour_reports_check CHECK ((reports >= 0))
);

ALTER TABLE distribution.published_hour OWNER TO vigil_owner;

CREATE TABLE distribution.signature (
    digest bytea NOT NULL,
    signing_key bytea NOT NULL,
    signature bytea NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT signature_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT signature_signing_key_check CHECK ((octet_length(signing_key) = 32))
);

ALTER TABLE distribution.signature OWNER TO vigil_owner;

CREATE TABLE push_dispatcher.registration (
    instance_hash bytea NOT NULL,
    token_hash bytea NOT NULL,
    sealed_token bytea NOT NULL,
    kind smallint NOT NULL,
    registered_hour integer NOT NULL,
    standing smallint DEFAULT 0 NOT NULL,
    CONSTRAINT registration_instance_hash_check CHECK ((octet_length(instance_hash) = 32)),
    CONSTRAINT registration_kind_check CHECK (((kind >= 0) AND (kind <= 2))),
    CONSTRAINT registration_sealed_token_check CHECK ((octet_length(sealed_token) = 284)),
    CONSTRAINT registration_standing_check CHECK (((standing >= 0) AND (standing <= 2))),
    CONSTRAINT registration_token_hash_check CHECK ((octet_length(token_hash) = 32))
)
WITH (fillfactor='90');

ALTER TABLE push_dispatcher.registration OWNER TO vigil_owner;

CREATE TABLE push_dispatcher.wave (
    id bytea NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    expires_at timestamp with time zone,
    ended_at timestamp with time zone,
    outcome text,
    leader bytea,
    size integer DEFAULT 0 NOT NULL,
    "position" bytea DEFAULT '\x'::bytea NOT NULL,
    page_end bytea,
    sent integer DEFAULT 0 NOT NULL,
    accepted integer DEFAULT 0 NOT NULL,
    removed integer DEFAULT 0 NOT NULL,
    CONSTRAINT wave_accepted_check CHECK ((accepted >= 0)),
    CONSTRAINT wave_check CHECK (((started_at IS NULL) = (expires_at IS NULL))),
    CONSTRAINT wave_check1 CHECK (((ended_at IS NULL) = (outcome IS NULL))),
    CONSTRAINT wave_check2 CHECK (((ended_at IS NULL) OR (started_at IS NOT NULL))),
    CONSTRAINT wave_id_check CHECK ((octet_length(id) = 16)),
    CONSTRAINT wave_leader_check CHECK ((octet_length(leader) = 16)),
    CONSTRAINT wave_outcome_check CHECK ((outcome = ANY (ARRAY['finished'::text, 'expired'::text, 'refused'::text, 'breaker'::text]))),
    CONSTRAINT wave_removed_check CHECK ((removed >= 0)),
    CONSTRAINT wave_sent_check CHECK ((sent >= 0)),
    CONSTRAINT wave_size_check CHECK ((size >= 0))
);

ALTER TABLE push_dispatcher.wave OWNER TO vigil_owner;

CREATE TABLE submission.check_in_report (
    hour integer NOT NULL,
    location_id_hash bytea NOT NULL,
    initialization_vector bytea NOT NULL,
    encrypted_record bytea NOT NULL,
    authentication_code bytea NOT NULL,
    CONSTRAINT check_in_report_authentication_code_check CHECK ((octet_length(authentication_code) = 32)),
    CONSTRAINT check_in_report_encrypted_record_check CHECK ((octet_length(encrypted_record) = 16)),
    CONSTRAINT check_in_report_initialization_vector_check CHECK ((octet_length(initialization_vector) = 16)),
    CONSTRAINT check_in_report_location_id_hash_check CHECK ((octet_length(location_id_hash) = 32))
)
PARTITION BY RANGE (hour);

ALTER TABLE submission.check_in_report OWNER TO vigil_owner;

CREATE TABLE submission.check_in_report_20599 (
    hour integer NOT NULL,
    location_id_hash bytea NOT NULL,
    initialization_vector bytea NOT NULL,
    encrypted_record bytea NOT NULL,
    authentication_code bytea NOT NULL,
    CONSTRAINT check_in_report_authentication_code_check CHECK ((octet_length(authentication_code) = 32)),
    CONSTRAINT check_in_report_encrypted_record_check CHECK ((octet_length(encrypted_record) = 16)),
    CONSTRAINT check_in_report_initialization_vector_check CHECK ((octet_length(initialization_vector) = 16)),
    CONSTRAINT check_in_report_location_id_hash_check CHECK ((octet_length(location_id_hash) = 32))
);

ALTER TABLE submission.check_in_report_20599 OWNER TO vigil_owner;

CREATE TABLE submission.check_in_report_20600 (
    hour integer NOT NULL,
    location_id_hash bytea NOT NULL,
    initialization_vector bytea NOT NULL,
    encrypted_record bytea NOT NULL,
    authentication_code bytea NOT NULL,
    CONSTRAINT check_in_report_authentication_code_check CHECK ((octet_length(authentication_code) = 32)),
    CONSTRAINT check_in_report_encrypted_record_check CHECK ((octet_length(encrypted_record) = 16)),
    CONSTRAINT check_in_report_initialization_vector_check CHECK ((octet_length(initialization_vector) = 16)),
    CONSTRAINT check_in_report_location_id_hash_check CHECK ((octet_length(location_id_hash) = 32))
);

ALTER TABLE submission.check_in_report_20600 OWNER TO vigil_owner;

CREATE TABLE submission.diagnosis_key (
    hour integer NOT NULL,
    key_data bytea NOT NULL,
    rolling_start integer NOT NULL,
    rolling_period smallint NOT NULL,
    transmission_risk_level smallint NOT NULL,
    days_since_onset smallint NOT NULL,
    report_type smallint NOT NULL,
    CONSTRAINT diagnosis_key_days_since_onset_check CHECK (((days_since_onset >= '-15'::integer) AND (days_since_onset <= 4000))),
    CONSTRAINT diagnosis_key_key_data_check CHECK ((octet_length(key_data) = 16)),
    CONSTRAINT diagnosis_key_report_type_check CHECK (((report_type >= 0) AND (report_type <= 5))),
    CONSTRAINT diagnosis_key_rolling_period_check CHECK (((rolling_period >= 1) AND (rolling_period <= 144))),
    CONSTRAINT diagnosis_key_rolling_start_check CHECK ((rolling_start > 0)),
    CONSTRAINT diagnosis_key_transmission_risk_level_check CHECK (((transmission_risk_level >= 1) AND (transmission_risk_level <= 8)))
)
PARTITION BY RANGE (hour);

ALTER TABLE submission.diagnosis_key OWNER TO vigil_owner;

CREATE TABLE submission.diagnosis_key_20599 (
    hour integer NOT NULL,
    key_data bytea NOT NULL,
    rolling_start integer NOT NULL,
    rolling_period smallint NOT NULL,
    transmission_risk_level smallint NOT NULL,
    days_since_onset smallint NOT NULL,
    report_type smallint NOT NULL,
    CONSTRAINT diagnosis_key_days_since_onset_check CHECK (((days_since_onset >= '-15'::integer) AND (days_since_onset <= 4000))),
    CONSTRAINT diagnosis_key_key_data_check CHECK ((octet_length(key_data) = 16)),
    CONSTRAINT diagnosis_key_report_type_check CHECK (((report_type >= 0) AND (report_type <= 5))),
    CONSTRAINT diagnosis_key_rolling_period_check CHECK (((rolling_period >= 1) AND (rolling_period <= 144))),
    CONSTRAINT diagnosis_key_rolling_start_check CHECK ((rolling_start > 0)),
    CONSTRAINT diagnosis_key_transmission_risk_level_check CHECK (((transmission_risk_level >= 1) AND (transmission_risk_level <= 8)))
);

ALTER TABLE submission.diagnosis_key_20599 OWNER TO vigil_owner;

CREATE TABLE submission.diagnosis_key_20600 (
    hour integer NOT NULL,
    key_data bytea NOT NULL,
    rolling_start integer NOT NULL,
    rolling_period smallint NOT NULL,
    transmission_risk_level smallint NOT NULL,
    days_since_onset smallint NOT NULL,
    report_type smallint NOT NULL,
    CONSTRAINT diagnosis_key_days_since_onset_check CHECK (((days_since_onset >= '-15'::integer) AND (days_since_onset <= 4000))),
    CONSTRAINT diagnosis_key_key_data_check CHECK ((octet_length(key_data) = 16)),
    CONSTRAINT diagnosis_key_report_type_check CHECK (((report_type >= 0) AND (report_type <= 5))),
    CONSTRAINT diagnosis_key_rolling_period_check CHECK (((rolling_period >= 1) AND (rolling_period <= 144))),
    CONSTRAINT diagnosis_key_rolling_start_check CHECK ((rolling_start > 0)),
    CONSTRAINT diagnosis_key_transmission_risk_level_check CHECK (((transmission_risk_level >= 1) AND (transmission_risk_level <= 8)))
);

ALTER TABLE submission.diagnosis_key_20600 OWNER TO vigil_owner;

CREATE TABLE submission.folded_hour (
    hour integer NOT NULL,
    keys integer NOT NULL,
    CONSTRAINT folded_hour_keys_check CHECK ((keys >= 0))
);

ALTER TABLE submission.folded_hour OWNER TO vigil_owner;

CREATE TABLE submission.hour_key (
    hour integer NOT NULL,
    public_key bytea NOT NULL,
    closed boolean DEFAULT false NOT NULL,
    CONSTRAINT hour_key_public_key_check CHECK ((octet_length(public_key) = 32))
);

ALTER TABLE submission.hour_key OWNER TO vigil_owner;

CREATE TABLE submission.inbox (
    tag bytea NOT NULL,
    hour integer NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT inbox_tag_check CHECK ((octet_length(tag) = 32))
);
ALTER TABLE ONLY submission.inbox ALTER COLUMN tag SET STORAGE PLAIN;
ALTER TABLE ONLY submission.inbox ALTER COLUMN sealed SET STORAGE PLAIN;

ALTER TABLE submission.inbox OWNER TO vigil_owner;

CREATE TABLE test_results.result (
    id text NOT NULL,
    code smallint NOT NULL,
    sample_collected integer NOT NULL,
    lab_id text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT result_code_check CHECK (((code >= 0) AND (code <= 14))),
    CONSTRAINT result_id_check CHECK ((length(id) = 64)),
    CONSTRAINT result_lab_id_check CHECK ((length(lab_id) <= 64))
);

ALTER TABLE test_results.result OWNER TO vigil_owner;

CREATE TABLE verification.officer_hour (
    officer bytea NOT NULL,
    hour integer NOT NULL,
    issued integer NOT NULL,
    CONSTRAINT officer_hour_officer_check CHECK ((octet_length(officer) = 32))
);

ALTER TABLE verification.officer_hour OWNER TO vigil_owner;

CREATE TABLE verification.refused_tele_tan (
    hour integer NOT NULL,
    refusals integer NOT NULL
);

ALTER TABLE verification.refused_tele_tan OWNER TO vigil_owner;

CREATE TABLE verification.registered_guid (
    guid_digest bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT registered_guid_guid_digest_check CHECK ((octet_length(guid_digest) = 32))
);

ALTER TABLE verification.registered_guid OWNER TO vigil_owner;

CREATE TABLE verification.session (
    token_digest bytea NOT NULL,
    hashed_guid text,
    teletan_kind text,
    tan_count smallint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    hashed_guid_dob text,
    CONSTRAINT session_check CHECK (((hashed_guid IS NULL) <> (teletan_kind IS NULL))),
    CONSTRAINT session_check1 CHECK (((length(hashed_guid_dob) = 64) AND ((hashed_guid IS NOT NULL) OR (hashed_guid_dob IS NULL)))),
    CONSTRAINT session_hashed_guid_check CHECK ((length(hashed_guid) = 64)),
    CONSTRAINT session_teletan_kind_check CHECK ((teletan_kind = ANY (ARRAY['TEST'::text, 'EVENT'::text]))),
    CONSTRAINT session_token_digest_check CHECK ((octet_length(token_digest) = 32))
);

ALTER TABLE verification.session OWNER TO vigil_owner;

CREATE TABLE verification.tan (
    digest bytea NOT NULL,
    kind text,
    tag bytea,
    confirmed_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT tan_check CHECK (((confirmed_at IS NULL) OR (tag IS NOT NULL))),
    CONSTRAINT tan_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT tan_kind_check CHECK ((kind = ANY (ARRAY['TEST'::text, 'EVENT'::text]))),
    CONSTRAINT tan_tag_check CHECK ((octet_length(tag) = 32))
)
WITH (fillfactor='50');

ALTER TABLE verification.tan OWNER TO vigil_owner;

CREATE TABLE verification.tele_tan (
    digest bytea NOT NULL,
    kind text NOT NULL,
    redeemed boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT tele_tan_digest_check CHECK ((octet_length(digest) = 32)),
    CONSTRAINT tele_tan_kind_check CHECK ((kind = ANY (ARRAY['TEST'::text, 'EVENT'::text])))
);

ALTER TABLE verification.tele_tan OWNER TO vigil_owner;

CREATE TABLE vigil.migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum bytea NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE vigil.migration OWNER TO vigil_owner;

ALTER TABLE ONLY submission.check_in_report ATTACH PARTITION submission.check_in_report_20599 FOR VALUES FROM (494376) TO (494400);

ALTER TABLE ONLY submission.check_in_report ATTACH PARTITION submission.check_in_report_20600 FOR VALUES FROM (494400) TO (494424);

ALTER TABLE ONLY submission.diagnosis_key ATTACH PARTITION submission.diagnosis_key_20599 FOR VALUES FROM (494376) TO (494400);

ALTER TABLE ONLY submission.diagnosis_key ATTACH PARTITION submission.diagnosis_key_20600 FOR VALUES FROM (494400) TO (494424);

COPY distribution.published_hour (hour, keys, reports) FROM stdin;
494381	140	140
494382	0	280
494383	140	0
494384	0	140
494385	140	280
494386	0	0
\.

COPY distribution.signature (digest, signing_key, signature, used_at) FROM stdin;
\\x83bf7fcd913e81d35f0d0e94ed1ec0611e8e3b4909c23b00ef9f076f205e67c6	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\x11b4cced5f8cf28d429d5cdf4d44ae2ba1bc5ee1cd0b09a0bf36d3db17dc6bad53c32351d8c98e8537c1ad8fe69b5e80d289248833220820fed4c63491955767	2026-05-20 11:00:00+00
\\xfe7f1034d4a63dde9192739732fb553a720788f422c5723ec7ca1c683280837e	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\xa5a58192a1b96df07c290b0014934fb2f3a1bb9154d53308b224c02c662b1464a77fcb054d1bc65518e739ffc9d9844f726701746c3db2b552f8485c0476ae6f	2026-05-20 12:00:00+00
\\xfb42102e0aac5286c9f0ba0c59cb5b2997d45867ee74c04ec499b2f0c632d8a5	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\xe5ba3511ea03e6a49edd7e9c7bc35f5b7a44a99dba330cd327a7f59f133caf02b8fb5ecd9257d2a1d6b1f13e600441c16ec258a22226e3dda73c1204de7384e6	2026-05-20 13:00:00+00
\\x03d46f2b62f47b7b03971079e623f4fa8e30cb0205e96b63ca03522c48a728c2	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\x3ab93b5956b34890dd6820ea16c11bfe23204f0232699a4be9c832790c71e04e69507b0fb5bc5c3ffa717619c4401826e4d6c8a51707959104e1887a65707cd3	2026-05-20 14:00:00+00
\\x45025d51902415eee98d6a946703a310b335f7b34bb19cf5c9f69de8eedc0104	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\xfe08ab5edbed0a0015187a26b14088527f86309d79631b8510fbdf4050f9e6d69ff55f5d75091f7db1ae292978b8ec543b59ec265b7295421d53694fcd3b0edf	2026-05-20 15:00:00+00
\\x022e80bd328ca7ab30f4b5b3847f5e46d1f4fdef9a709fd5ee8b2050c7d6cc15	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\xba0407c37ed572b3eae11ee21d3c8a536a9cd5b1588e4a0abab9e3a708946cc058be6de2cca6255d52fdd81b677e7a7806f7f3170abe27ecb5096e4efadafd20	2026-05-20 16:00:00+00
\\x7e78d7ad73943603fba0fa0e875116cf58ab284a14069607e9cd2e8aa0976663	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\x94060e33ff100e005bdbc70bf95d6e8753278b966db144307b22fe873317794326ee7afae64d4ad9eed61a4c48b73fadff288e08d3b9f852c3638a08468c9b4a	2026-05-20 17:00:00+00
\\x7e54d7e12e675e61e091a42060547a73a8223ccfb3216cdbd0b39257a00b29f9	\\xfc56bdea31de8d3c810c4431007f3f1c19874576e8d8c188dc7aba0343305fe7	\\x33e8ee3051691b84826e91868fb27feab301aa53d17afa0ca846fc10a8e0abf089e334db37aa949fb23923d6aecad1b894458038edeb9c6571122c283990ddef	2026-05-20 18:00:00+00
\.

COPY push_dispatcher.registration (instance_hash, token_hash, sealed_token, kind, registered_hour, standing) FROM stdin;
\\xe8e89b1373a99fcea28229b9a5f0d6d9887a3e2aba139e6f8fdcba4a6e9e70b2	\\x00903b35b33dc80d9058e53bea6d93acca59e2dbd81e4dd47a346422c51729f2	\\xf55ff16f66f43360266b95db6f8fec01d76031054306ae4a4b380598f6cfd1147dc96f776c8423e57a2785489a3f9c43fb6e756876d6ad9a9cac4aa4e72ec193d0f631ca1ddba8db3bcfcb9e057cdc98d0379f1bee00e75a545147a27dadd9828b53639f152c8fc6ef30802fde462ba0be9cf085f7580dc69efd72e002abbb358b5cc4df7eec7d32a7814eca4af047ae33b2d52342667715682e19c25b0b9faa3f524cdc07a11d7c6220bdb049fe8dd41b27483c96cc59b581e022d547290d69711430f6164e93803d93428bc1fab80f41e213bb197689307de8606d437c303833112ee14ee469c3eb52fe90322ec81dd404a0093d565a6d71ce77cbc8124e3b4cd9b7672d7fbee8fb51fb1e049f690342035f543a8efe734b7b5ffb	1	494001	1
\\x136d3607da15b89e797f1bc2e3a26fc4fe1a35d197b2c1fec05d6df93c94c45a	\\x17b9639c99eebb8bf27dc599a4ae762accf05843cd8d926270098df9403f6c83	\\x2c3a4249d77070058649dbd822dcaf7957586fce428cfb2ca88b94741eda8b074814d92093ac8a0f4a2163ab87dee509ba306a58f5888be0edcb2fcd0712028b9c0abe51c6e6655d81de2d044d4fb194931f058c0426c67c7285d8f5657ed64ae788103ee15318fcd2af9b73b4ebbb33a903b020de7b307d71f5fed0f433e548ac0f09c0f8bf5e7a4b063d863255f16d8ce9abe600e288d934cf313bcbff63ebe4ab4e3b1493d5a997b4e51cdefbaa10570ef3ea9432bd72e7b6a89654ceb7f64d2f4b668cfc48e6059d36e91326bf87de39ba819f35450477bc1ce614a63bbdf998fe06afa0cfbe73e0449dc2b1698309e1b5714960f027b2858312b152c275420fce314175df402adbeae3cfbbb85665b72d8b9bc2346f463e32a8	2	494002	2
\\xcf6b654068d4be46c0a596fee3718be86760c7c17b8fe33ad931efa1456bed66	\\x52300c648d7bf3be9967637971f2df7210fc207355efc3cffdd86324cc972f20	\\xf46dd28a5499d8efef0b8fb8ee1ec1c5a5e407c9381741d576ba8deb4f59ec3f76a8277347f52530e1cf979175a178980b3a180d176165c985d85f7e142f1eed7c1c97df17c066924822b0af09a65251554962c61e23329aed04cd19020dc3b8f451a61749c611ba0fa0e16c61831db44f38c611dff25879cf271a24c81a88b6cef7fc13a38180936ffa2635489088778e059f07a5d1beda53f1719d35577631625e0f649de27800fc3bcf4c118ef79f69dcb762c2e73fbb1cfce0e7a86f6b803921871aa0881e3e94830142ac90994452f670fe337eb50303ea9cc6d0f3ae3797fb5f8538b89f6c1accfd19836b65a73b61fbc2e0cbf84bb858a0fffa3f15929a83c6cb1126d93de4a30715b28f1f4b26b983c57fb39e6d826d7e89	0	494003	0
\\x2ba6535aa2b3ad715ff60fadd6522e919c1edfc0bfada710f4568289ee30c9ec	\\x157e5cb60fc7878567fdfe13b440da4eb5ff2c7c4047602551de80dd6e2138b3	\\x4539e4b4889079c2a00afeae0bfc1439840ef2379a1fb81c8ba27361ad476d6b486bacc5c2d8a71a73d51bf8e522deaa264ec2628dca2955da1e9b8e00f219430012a3fa000c5dc26ee658c3c58e12cecd58d6455cec3d5621f0c787675b38aaaf327a6478537246e0d9f0c589986d5f067d2e2351a1ca5a0a4962424da0e408449777124b1466a8ed667d0dd4c0620993f59e20fb27b3fa8894e957f8762353608cdb524384f5ee06edc2830d6b13a92047229398768ff88e28ad68d02569e8c874bc29e99f2e67290d6cdb1caa2a67a4d8ec079434fef4eaa0715e902f4ac1e9590c04cea54beb769a96148583176605389b3a3809162f2fd6392b43fb83826ed5045938d710d075142228a0a53aeda721a451b46d04894f98e747	1	494004	1
\\xee525e53a4595cec1ae6722f06f32f8e0da3642a63d49e75ceb687c1d3dbe881	\\x6701682e310e05bf1dc1da5602ae7c349709f21c9fe297a9c80a321cc4fd6806	\\x66220e71591b2d933c0e935c138ebfd60710b91fe2fb7599eced4430b3dbb3c93c5661974942379614b943d0593e4a5e3f85900ab3fb4ce064725c15ccb93a01d0bf3e6ee1d668de18c9ca200a4f152062f345283ee68cadfe41204f215d75e925f682044b5badaff8b296bf6fd676214968b238fcff5559e64f38c88bb9790f43700797e2f9d4ad38ccf1355df3233453396bfcc8db8e424486e37bae42a9ecb6e1288527a6032c0f29c9da2c599202cc250fb404e4783820d4ce0b09459989239261316e505a034abae9a2c9f0f69e94af25d0c2253f753d10824ac5c9c34dacea77fd89c7fb586c8c7c612b53634c4571a40cf8b1bcecb002311210423f570016cf5ed68e5a5349722594ae8f592653c761881562607a2337678a	2	494005	2
\\x9422d049fdd994bf930346163303e3b021008e84cd1fb6d7f95f4fc80ebb91f2	\\xff2bc8d582434c1533996c67fdd63fbdf38495779af07f5b68ac074184c1f525	\\x730bea4ff16f200fb931b06cae08a5da8e279813775d7ed81e680b4a77946fe12f5da6e9921baa794759ee9f4b362555bcb3c1646eb51f671253b5d7d710b75e6db53c9d5a2ca72a85ddf3a681c0d9567899f4c48632a2e9b0beeba0d693848579b98f273c175489f40b682a0e43f0b22aa3cc9cf2a578e163f291f13fc9f912f33422b95e3b98310adedc93655de579f6e311120ea0c27c3e2317b5116d6afb3efda6ee78c31bab6995b1122ec13f6adf73e55fb20b18be11027cba91bcc254044e727fa3783fcfe21d54fe0430a6163ae58b7a7a9b26a09fd7fe9b72c908e8fa37de9da4b13b3a18882ece23d6bee24a329b77d488b984d6f5587ce3f0f6cf396ee89382efc154e95d7875976cce373a797fe93687ca8a27589116	0	494006	0
\.

COPY push_dispatcher.wave (id, planned_at, started_at, expires_at, ended_at, outcome, leader, size, "position", page_end, sent, accepted, removed) FROM stdin;
\\x6bef9d7cade82afb4771b6d3a494cde7	2026-05-18 10:00:00+00	2026-05-18 12:00:00+00	2026-05-18 14:00:00+00	2026-05-18 12:10:00+00	finished	\\x4d5b660943625c0af95e935e7bb6fcbb	6	\\x9422d049fdd994bf930346163303e3b021008e84cd1fb6d7f95f4fc80ebb91f2	\N	6	5	1
\\x48d57b0cd4bf82a5513b82dab6109a34	2026-05-19 10:00:00+00	2026-05-19 12:00:00+00	2026-05-19 14:00:00+00	\N	\N	\\x4d5b660943625c0af95e935e7bb6fcbb	6	\\x136d3607da15b89e797f1bc2e3a26fc4fe1a35d197b2c1fec05d6df93c94c45a	\\x2ba6535aa2b3ad715ff60fadd6522e919c1edfc0bfada710f4568289ee30c9ec	2	2	0
\\x2570731ffce86bb0194a9049a2f8cf18	2026-05-20 10:00:00+00	\N	\N	\N	\N	\N	0	\\x	\N	0	0	0
\.

COPY submission.check_in_report_20599 (hour, location_id_hash, initialization_vector, encrypted_record, authentication_code) FROM stdin;
494377	\\xdce3e4d83bc3b9a6c0193a0bd27e02f7cbefe14cd059049a1cdebec82a1f0cbe	\\x755857880e120d9459f8a967958f4bf8	\\x3dba37bb0871edefb95b6655128dbe19	\\x0e8f7f17837b687118dace07feef40dbf4a3a0ee67114f74bd5168ef5f55b3e3
494378	\\xe4037ae751000d1d685e1dd0d352c838da1c9a5273f67e02e3c620e3253d162c	\\xda360ee2266b1c52042a4d8735d594f8	\\x55f3858e9bf30865a06984a61ea4e7c0	\\x550531708163ea1221f1ef8daf5d0096d6f5fe496782f6172d0cc24d48050205
494379	\\x57bfd87180dcec59b673e6732ace5b1ad1952eef30f1f747789bf55fd564525a	\\x801d8b5450e12d2a81b26bd0bdab479d	\\x7322e1c393bf2dffd7c20450a6b421b8	\\x7c6e5fb369293c93503d156fb77c17d8429d8f35eb6fe170c38feb416d54326d
494380	\\xa1387db4b33f3c661a18b4001e57b3086aadfb753da6f8e03068a9a0eea53b1d	\\x82853c20b7e39fd5593a04bc3f0d2727	\\xa2b360096f137fc59d82b5ac580e611c	\\xbcbdd28210c85771ccdf1261db2adcb897fa1fc657f00fc6fbd40c3641859bfc
494381	\\xa35e3d4dd4c55ef51a8397efd1ddb4b862cb29327d4ecf49695ca78fb6ef102c	\\xaa23a3af72f8686185a2da17fbd6bcf3	\\x28fdd77254977237364a167ba289ff71	\\x5945f725665f62d46d333e6d56d9027ffe948b8edbba4450bbf6235bbd0ade1f
494382	\\x7e03ff7711a0d392bfd78bf71af0cd5bca7cb65bc39f18a431e9501cc446fd78	\\x98c15860ca5ebb463468135d3ccc6de5	\\xff265ddacaf872945c31beb9ab482001	\\xbd3ad809c85754eb82157e63f41c460143332e5ad72aa8aae13f8d556852a0b8
494383	\\xab933758c7c99b3cfb30d64fda5cb7c522af0e63d4b2662f320ab79710522851	\\x6f1c35579bbf3607ee6f054d179b7a62	\\x18c49c3d2bbfb66335adf138654aaaf6	\\xa0c3c3cd34d465458ebb6a35df836bd90da53ff2c1d2dec332a7f9973ee5264c
494384	\\x46719924fe74c80d06c5cf77aa3d96ed5699cd1c65caf72b96edf1e17f899939	\\x3747d57a30d7f2e91a6ef5755d21da0c	\\xfed11fbcd9bdf82bbca7f06501f20321	\\xfccbf46c29c8947177436b3408091aac107b645226125fe268d9780c287a409e
494385	\\xe75d65c9429ca90e900bf1da49537c5ee312d4876c2d0103c288dfbe0652e9dc	\\x1b315ac57eaebb5cb13bcb44d8d2d201	\\xf36a218bc281ec0b908e9f33fcf2b965	\\x48eb34088ed5a66bfbe3ab4d090f6cec73079f68c387f525356e72d79fbdaa6e
494386	\\x68b77f013641b932fd7225b365b327ce7bb40be9ea3ba24e746fb7a862139697	\\x03b8a5a703e9d3f8336122e6426e45df	\\xc59cca6787e3f47cb7f3e874696a8386	\\x5b70be50ffcd8e79a3fc7528d22d1c75cd8430016e51ae724e6d59e3c4be3844
494387	\\x046ad8bc87b9938c9311bbb97346d2d42e132091d3550b76c8bac6c8e949f511	\\x7d55ae3ea7df57c7cacdad81837a8cf8	\\x9ec94284a307b392b3fb30ed20b3b0e9	\\x8eac3042577c461f9829a42709edd18490b522374b123088ef3bbab3ee0b3c36
494388	\\x157971a78ba4c272a6f65c9e1d42a87223ec6b5ca308445840918fbe261cea05	\\x31540fa8840e8066ad99927fad063a41	\\x850a77dd3acbaa42555e7ef88b0d9713	\\xfd6707f9269d5bf688ea9e9ec3069f58346ef54b69b8e882c18f77d50d207788
494389	\\xeb74fb98498b64b5baef2b915d122057375d854f25ad43c55c2bcb6affc738fb	\\x3d0f0171e93d984e78e400fef8ab77f8	\\x60fdd04c7ee48689a5223da6f912b400	\\x82adac122c9de81006d1b2ed3d6fa8f285c2c760ad1ed41df0b7b0bc75319e10
494390	\\x91d539ddba076b95412a6f30d94a60cbdbb071c1c68a3182cc7813724b2aeefa	\\xaf321a1eac88adf59692e5b92d7582aa	\\xf47870a6ff5944994ba852475f35c699	\\xe204eae10dcea8e1b4e4fb35510c2b02e6dc6dcd31974ae690254eecef83ec18
494391	\\x455f436430300d27fc37da8f1005c4d73910d2e3fe337424e38fd26d00e7ce6c	\\x3d922003e0c8ca3ff1566b8ec5a7551b	\\x69d2cd69c237e5440d0d3f1ab07b4adf	\\x010420bfe39ab298f5a78651c4261105d760ec56af75a3d49ae1ccb13527ef3d
494392	\\xcc10f159ec16f3be2f0916500742a6fe3a1f381e40d2f406bca03e30bc3ea1e6	\\x52fa4ae3e0beee4f11c0b595f8339782	\\x2ab6e4a1a47e4d77c955dc5a8659606e	\\xd5a08950fd6d248438ed5f5e7611f005ca581709ab4d220e9b0d3d585688ebcd
494393	\\x9b50b840c8f23863e6b3e30c2229ec96bbe97a01c13a63ef6f540fd09419d74a	\\x4bb25d4438d6dd241102ea5d48944a10	\\x4d9a7a2d0459b8e1f2ff7f3251c518c9	\\x8f0214ee1e6e853c8e9ff618088cfb2f397ba30fd3580a3ac58ea244e4a05539
494394	\\xbd7b4951cd8327ce32dcafc9523a052727912ff7cf8c448cfb2d0704558b4f3d	\\x8829611d71c7792835ba946a92a23649	\\x6e35a3402f383b49060b5478e35879fd	\\x39a2d561e8fad6d00340073a59863771655ac6dfdfb8626adb40c95a705cbda5
494395	\\x31a45b2abc51cfd3cdc5489fc030227020872216b3e3175ff1b8b89998acb51f	\\xc4db182da4662858bac6f090a7f654bf	\\xdd70b62496a0a606709c40d09f432255	\\x828cde9dd69b8f9a50b81c228be2755057fb6d584d69c1cc892bb65cde760f6c
494396	\\x730e8213c824938bf1f5dab9cffae291399662003ff38dd520e74b8801af39bb	\\x9a6330f5af36be5e155d78f1b33f22e5	\\x1b1492192f233ac4b17c8a3a17c147be	\\x99e4f792e644759b868aff363d430bd8bb46a59e22bd831e03cbd92a4fe487b8
\.

COPY submission.check_in_report_20600 (hour, location_id_hash, initialization_vector, encrypted_record, authentication_code) FROM stdin;
\.

COPY submission.diagnosis_key_20599 (hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type) FROM stdin;
494377	\\x227ba5f2c6c9109fe5c44a0696f39337	2966144	2	2	-3	1
494378	\\x08f225fe08e94a5b1da2da4079fcd1a7	2966288	3	3	-2	2
494379	\\x3d3ee11c2fbf7f6a6b1e6aa16c382631	2966432	4	4	-1	3
494380	\\xa1788ce1d89fe8b456e26d4c37fd6356	2966576	5	5	0	4
494381	\\x4fec9c05b7f6db9c1b5fdd75bc5107f2	2966720	6	6	1	5
494382	\\xb7a7f761815e89d6aa9c9b55fd5d8bba	2966864	7	7	2	0
494383	\\x2178bf21a7bea99aa9c6374b2d5b9112	2967008	8	8	3	1
494384	\\xbd083accbfa2ed57273cef976e0adf57	2967152	9	1	4	2
494385	\\x4896d6e793e5777fb95ca2c6c10f86c3	2967296	10	2	5	3
494386	\\x0dd1c1139f9b0c2c92834df116bedc30	2967440	11	3	6	4
494387	\\xaf18f4ebae5ad263bdd17d96047bef26	2967584	12	4	7	5
494388	\\x3d977bb56c0bc91ba1fafee71a3761c4	2967728	13	5	8	0
494389	\\xcf4b51195eecba075f41bc1db99d4ab3	2967872	14	6	9	1
494390	\\x1c47270fa29e1b06da7724151078407c	2968016	15	7	-4	2
494391	\\x40a178b3c1bee408701bb22c53c756b4	2968160	16	8	-3	3
494392	\\x7b2b3dda3b07424edf1b144995c2f6a5	2968304	17	1	-2	4
494393	\\x63d052903b2d0f9020406802f324c053	2968448	18	2	-1	5
494394	\\x1b3b8446c26a631f46944e936c26c423	2968592	19	3	0	0
494395	\\x26e65ded64414a1694daf66238c8ad2a	2968736	20	4	1	1
494396	\\x06adb8b95448603c6165725df48bbcc4	2968880	21	5	2	2
494397	\\x32f29820ae5ef02454191eff9739af85	2969024	22	6	3	3
494398	\\x81aa734e23fcf768b35d3730bcc53433	2969168	23	7	4	4
494399	\\x43249d8a244d8f1ec482c928da0a2de2	2969312	24	8	5	5
494376	\\xd835df1b312f11156fb577153cf4f340	2969456	25	1	6	0
494377	\\x16f9a7e7473207a132547e1cee83889e	2969600	26	2	7	1
494378	\\xe46631f6ca0aa87936e3e09523f4c137	2969744	27	3	8	2
494379	\\x06c1b5fc76b053fbcf4b3ed07b703853	2969888	28	4	9	3
494380	\\x288486a1b9b7dbde5de227c8566c3f0a	2970032	29	5	-4	4
494381	\\x2ae195f1ed002d81a360fe979aa9efcc	2970176	30	6	-3	5
494382	\\x17f097d3c2485741d3d47168327cd1c6	2970320	31	7	-2	0
494383	\\x3c438bb725a7e900eb9a304286ee924d	2970464	32	8	-1	1
494384	\\x8e0f61f31687803f319dedfabf2d0e46	2970608	33	1	0	2
494385	\\x45defef41053ca89aaf7d6244a150c7e	2970752	34	2	1	3
494386	\\x7cee000f2725c0c6c25e484ea91e5e3a	2970896	35	3	2	4
494387	\\x42bf08f7a798e5c152f3ab95ddeb505c	2971040	36	4	3	5
494388	\\x966a2ef0512dd099d1fc4eb2d4c0641f	2971184	37	5	4	0
494389	\\xed30241a305873cef41e82bf14712098	2971328	38	6	5	1
494390	\\x5487c408c1a5119173ed63d1f97ca71b	2971472	39	7	6	2
494391	\\xec6d1638aa985218614bdf75cd8160e5	2971616	40	8	7	3
494392	\\x964528f96948fbd92ea2699adac2df0c	2971760	41	1	8	4
\.

COPY submission.diagnosis_key_20600 (hour, key_data, rolling_start, rolling_period, transmission_risk_level, days_since_onset, report_type) FROM stdin;
494417	\\x2e4ebb5ef6903b1a8558700e59d62d08	2971904	144	2	4000	1
494418	\\xe4341d405c48916809aec2252b36bf8e	2972048	144	3	4000	1
494419	\\xae3c157ebeb50bd888adbb58a1048def	2972192	144	4	4000	1
494420	\\x14dd4bd99ce458df6571fd94ad50038a	2972336	144	5	4000	1
494421	\\xacd6a65954a5196a539bb97c7a94e303	2972480	144	6	4000	1
494422	\\xdc69fd6e7310955922109d7fadd62ac4	2972624	144	7	4000	1
494423	\\x5cf25b2ed8e5e108dfa58a3e78f52849	2972768	144	8	4000	1
494400	\\xb29417cd9e193457038f625eb9255f73	2972912	144	1	4000	1
494401	\\x47ae62cf6d797c0a3c8badb0c4692b4f	2973056	144	2	4000	1
494402	\\xfb89597a20636d3f32cc9fc38bc6ddbe	2973200	144	3	4000	1
494403	\\xd1f408da8ec11bdba30189278b958a39	2973344	144	4	4000	1
494404	\\xeaf4c84b6a3bc5e85ba3f3a70aa8f9e5	2973488	144	5	4000	1
494405	\\xfed68985f45e141cfc9eb34dba665d1c	2973632	144	6	4000	1
494406	\\x04c55b23aa35949f5b7af3f8f7315fcf	2973776	144	7	4000	1
494407	\\xb58d703902ea3417f20c8b87b7fd71fa	2973920	144	8	4000	1
494408	\\xcbd33ded8f68a3df68594a6a7ce69e0f	2974064	144	1	4000	1
494409	\\x0d5842253971e5956800061699eecdee	2974208	144	2	4000	1
494410	\\xa7b76405e64b5117054036855088cd1d	2974352	144	3	4000	1
494411	\\x6d691221d63784c46cb4d1e739a17743	2974496	144	4	4000	1
494412	\\x26114acd263de64dbbc832720dcd8730	2974640	144	5	4000	1
\.

COPY submission.folded_hour (hour, keys) FROM stdin;
494381	140
494382	140
494383	140
494384	140
494385	140
494386	140
494387	140
\.

COPY submission.hour_key (hour, public_key, closed) FROM stdin;
494381	\\x237b332ba2dbf2c0cd24ea980e1e6e971a50abb5631f0f15c685a77129c45ffb	t
494382	\\xcdd1c1f2d22a511980df57e0ca49bcc7c9d6689920385e2a197f5301a24303bf	t
494383	\\x6f6fb520ff1a8733ff8f923fbcbd5ccb172fc4cd03552ac6447048083c279224	t
494384	\\x7e0ece3da734f7f4b94b1901a03183c698b0f63fe99a0a20ec34808c17703c21	t
494385	\\x11247f9da9e8177e7786a02190f0c8765f2a546a3afabab75d3e42c107c3df1f	t
494386	\\xc638ddd08748af9af0a16c375dbc824cafe58f4ee74f42dcf5f3a5a3cb4e9f38	t
494387	\\xb2912a969d09fdaaec15a624ddffe713496a3e9a5cd569b0906aac32515a6ffd	t
494388	\\xf9eb6abb6b8a26a98efed1c71c09934448991b126068d4bc85208bbada2b8b51	f
494389	\\xb00da4fdc48346fb551111c7b17c5726905fc447d56be8dba469c8777aeb05a8	f
\.

COPY submission.inbox (tag, hour, sealed) FROM stdin;
\\x5b081f07a858362291455e5fedecd412b616d04e4c08de88b1d1e19fcfcae6f8	494388	\\x7ac87b8e52eef901ed0fa0d75308759e952d38bda920f4f307969df11b97d72eae3e6fd5f9481268096488b0c05168d5dc33949f7491442f86fa26eb78d5dceb
\\x5ea980773991a469a93c02618513611e500dc549c6c14fdfac073a4c10c0e8e3	494388	\\xcccdf10bb2cf7063a3ed28c703e24dcb3fd39e5278c950e76f1d17c69b0b7bd8a0c8625cc8884f6a8c1955697ca1941fe63e8613588ee468ef421a328449b088
\\x8054191a57a49bd954185a41bad56e87d1bf94ebfdaefe4e6479d9487a415df2	494388	\\x5b15cf0b4b377e248fe6aeb565aa420d42f88a7840654800b5e312d19af0e3d8e2530e476aa4833682ed638cad10f8f253fd73b8a74b668848f5790266d49e07
\\xfd729d09f1993696da7c45eb6ef5bd5236c4035a07a1cb4ed90ef9fc1010c057	494388	\\x073749e09285aadbf96db391537d074e65968546516a3e9d057e6d04e25117c4ed4a16fe971ffc613388ce701413657a7739b2da5b60e66d2e285fa56abb259b
\\x6d37279c8c92dcac4facdc28e70526f097bfc5615deecf874362ea41a0afacf6	494388	\\x87c82efbbcd26be9c314a87182d8daa3c2f84169d649669e9bbaf050f7feaad99571f2beb70e089337ca6535b0d6a4d9765b2c7e0d181532ef54248b96a59860
\\x566343d45b0ee635b29dd22c7f61a5da930d28712e495dd4bf283f43d02928b6	494388	\\x3d5cff13eef43c1acaf6aaa3f16eef5f79f14bbb7fd72813ed0be486bc8e281aeb8ef3e621116ca8e02ffbd1ca512ed0feceeb1d241336f4e17a2554e3233fdf
\\xfd183c75b7ebe823ec2ff8472220561f5cdda8ce86221ac7985b86549606d8ed	494388	\\x4fd558de8e946c1a471e67382fd4608ba1d1202ee4298ec69f7757726b9f414acfea8b03b375bac272d4dde017d87a1f41578dd355b353f3cf36ff9f1762754e
\\x4f934946d8769ad19b49af746a44461f137c67f9f803eaa11b8d334b406368a6	494388	\\xf14681d8fe3fcbc921f9cc119ea4ca44e98d77a7ea43b7ea85ea908bc39e66ec1251eccd57d0e6ba1c19694133f4c072de3ba1bb4410d197e9bd70dc857f2e79
\\xb5996d07881affb20bc64e478cb7332d5a87c86d71bfb101cac9770323ce8b57	494388	\\x78b47961c1c0e24b0b6f976d3df7f6da23329105204f7579ce691be28a0a7b151570a39a5c509b9e6e8f57cf010368b7d94a3fdb7bf27a85977502b87d87a1b7
\.

COPY test_results.result (id, code, sample_collected, lab_id, created_at) FROM stdin;
400a936d0ac7637324413df9aaf2067ff68468e602a5446af1e454878b5bad1e	1	1767229200	lab-1	2026-05-01 06:07:11.123456+00
096e929abe31157e5a522fecfe1333bb96b3252e9ee74923b6e9027206c4d068	2	1767232800	lab-2	2026-05-01 12:14:22.246912+00
8820375044723d31ea806186b0a729943dfbc2f1a594579823d2f6d9e07749c0	3	1767236400	\N	2026-05-01 18:21:33.370368+00
cbc48443813dad8f0918dcb489d7cf560db31473b8b1e5fa932b9394d7f7b278	4	1767240000	lab-0	2026-05-02 00:28:44.493824+00
15de2e17683310f5985144ec8427e44d70def231328ee8927186ea832e195797	5	1767243600	lab-1	2026-05-02 06:35:55.61728+00
987c62ba5465e7527e62606fd76f8d8149b3cf2ba9e7efc1439f9e0c1c088cbe	6	1767247200	\N	2026-05-02 12:43:06.740736+00
0decd4401245deb6045223692e11861b1e324b223bffa73e65e8a17bdc7040a3	7	1767250800	lab-3	2026-05-02 18:50:17.864192+00
91d69c1d413d96f4b65fd20a789896f9073f2234ae0e0fc8f52dba5d2a81d59b	8	1767254400	lab-0	2026-05-03 00:57:28.987648+00
58ed540b66c4ee4d7b86d41e0af67236d75e2a5c6ed8288787a4762c95c36b94	9	1767258000	\N	2026-05-03 07:04:40.111104+00
1e18f51c271c046bcddcdc35ac5b2ca04d40e8def4cebdc737fc462c56e5881b	10	1767261600	lab-2	2026-05-03 13:11:51.23456+00
9adc4754615c947aad3757c19e7dba8ec8dd019f57225cf4f035b5cb63d93c3f	11	1767265200	lab-3	2026-05-03 19:19:02.358016+00
b114cc541f74eeae0c1df307b58faf5a51580b22456a8192019bb6aef26a8676	12	1767268800	\N	2026-05-04 01:26:13.481472+00
58573dbf033f24ff885c41b7f051a6f5230eefe5397c335356702f1c3a4ee575	13	1767272400	lab-1	2026-05-04 07:33:24.604928+00
4455ed8d676b2a63f859e5b8254f045b53cd5728019b4067a4bca60b9284ddab	14	1767276000	lab-2	2026-05-04 13:40:35.728384+00
7606f66eed9ae689d30258e786731ec3d1c96541f895ab3d1c76bd59a2eb9602	0	1767279600	\N	2026-05-04 19:47:46.85184+00
e30ece14e3c0dc21a8413bbe9b0c2eb25ca45f6c01f1df4f884a1ce296acb6c7	1	1767283200	lab-0	2026-05-05 01:54:57.975296+00
5cba2a608a572231c575253d46f57aa14da37a52d12c3bf53535281718006205	2	1767286800	lab-1	2026-05-05 08:02:09.098752+00
1c03746efeabee3d3c5ed805829a297f526da02bfb3e0c4019f5736e1971ff87	3	1767290400	\N	2026-05-05 14:09:20.222208+00
d6a815abf3a3f516a781323a13d5829a58ee5b5a10576fb27c8a8799e9778f27	4	1767294000	lab-3	2026-05-05 20:16:31.345664+00
001672d92a60abc21d2d82120fd98137e321f2867cc4cf96b33249f95a01e560	5	1767297600	lab-0	2026-05-06 02:23:42.46912+00
9354b05d2c86ce44625503fa11906daa3c93f6eddb7459ea4414259be905621d	6	1767301200	\N	2026-05-06 08:30:53.592576+00
6f17859d121cecd6e2d08d2a54a281888752d2901e11b1dce971d59fbbc60492	7	1767304800	lab-2	2026-05-06 14:38:04.716032+00
1fc50977e6869b58ce15fabfcb21083909294217a7fc356238b831435e46d639	8	1767308400	lab-3	2026-05-06 20:45:15.839488+00
c8b49d110219f14d2c1caadab3a44c0622e4ad34d7fd10f5228022bf0bdafc54	9	1767312000	\N	2026-05-07 02:52:26.962944+00
b2d6f62d21735c465572ff047b824fffa49796db5d57079af3f1d5f3c7d54a31	10	1767315600	lab-1	2026-05-07 08:59:38.0864+00
1507706d45bfbd9fe8e86e117dba8cfdf160256ebc6ed8f32ebe86a3f0c164ac	11	1767319200	lab-2	2026-05-07 15:06:49.209856+00
acb2037a628efea99d448e6180690c04e1b1eb8b5749ca726859ed31570e1dc4	12	1767322800	\N	2026-05-07 21:14:00.333312+00
8b69a9279963ddbdcf308ad85d968a16bc67d14fba95ae201cac8ef35f361be4	13	1767326400	lab-0	2026-05-08 03:21:11.456768+00
532bf58204bc4356e0af70f00ce27e574574ab8d99c7874d9e5861dbd96ec570	14	1767330000	lab-1	2026-05-08 09:28:22.580224+00
84cf7a0111775caebda24f5beb5077746f7a019d3ed38c9883eaf39aa2c2a8b5	0	1767333600	\N	2026-05-08 15:35:33.70368+00
\.

COPY verification.officer_hour (officer, hour, issued) FROM stdin;
\\xc5e3e642b8e63370bd07706be9e5dab81de116f86def1cd279b1371268bee6a6	494388	1
\\x34842fa997165948638d3fc692ccf44a08abab95b146a4c94646d1c4e6df04f5	494389	2
\\x530386005e948a035c32f85e30c86b76220c5b7b228eb0c859f914879ebcb150	494390	3
\\xcf6f35a0fef48cd02b5f128c4bd409be63c7002bcef3eea236311aa5a9becde9	494391	4
\\x6175ca2ccab3add6b21434d64ec1296e0a40e6738592a1355d2e609e3e3cc3a3	494392	5
\.

COPY verification.refused_tele_tan (hour, refusals) FROM stdin;
494381	7
494382	14
494383	21
494384	28
494385	35
\.

COPY verification.registered_guid (guid_digest, created_at) FROM stdin;
\\x6395111db906f38c69454d55aa81ee21d516df645844aa0cac9620c147121cea	2026-05-04 03:16:59.999+00
\\x44d1303b21a5416dec12f9f064fdaa5ac714a42ffe70c5b835556767596a2ce4	2026-05-04 06:33:59.999+00
\\xd3966c6bd5c6c6b4a9cd8584add25d006a52c381de538d350a616eb467b814af	2026-05-04 09:50:59.999+00
\\xca9780571a579ccb3744461c078c08ca2595826c80b027929a0b2fd307a552ec	2026-05-04 13:07:59.999+00
\\x5eefc0b671ab279e93df9080cf80285c0a3ef10ab4f41bbe2f3edac3ec8cf4a6	2026-05-04 16:24:59.999+00
\\x4c12fcc44859553584a529a3c8f52865653daca83c4776a85f9620d8ff7bf765	2026-05-04 19:41:59.999+00
\\x26ca4eb84002a4b74ed390de25023bc2a7c7345b3c1103fafd1ba7132a7583ff	2026-05-04 22:58:59.999+00
\\xd84f63dd1c1363bd6f6ad28f6c27c8e69223c481928888fc4a1055288e952a0d	2026-05-05 02:15:59.999+00
\\x85625dfc676aa12bf6a33d9b25b9fbd0a10ca033a0fef1527469d3f4704e590f	2026-05-05 05:32:59.999+00
\\x241558470b2a49a793c84e137bf529b54d877a390681d4c4b06e91c12449bae1	2026-05-05 08:49:59.999+00
\\x6563a212b59037fdbb9a80eb9ec251f28457427fde36eda572636363e3e5f74f	2026-05-05 12:06:59.999+00
\\x5287ba6c03cd793abd8f4fbb1dfaf03023a5b8fda83031311022e9a893ad75aa	2026-05-05 15:23:59.999+00
\\x5ade925bd4a9a3c66df4b13a525de70f8f47f70d53a98a1ea98a4e42705002af	2026-05-05 18:40:59.999+00
\\xaf3984f58cd2aacfd6d3dc4252790756ba82422dc7f15462de664cdefb4151c7	2026-05-05 21:57:59.999+00
\\x5292dc5208494ac27a28541e625cbfd5a0129ffe138ee390a632e7210a51383d	2026-05-06 01:14:59.999+00
\\xcf92429db1071c9419df46ed05275c09476223c89e0be6edf7f7b8d04a09f3fb	2026-05-06 04:31:59.999+00
\\xe98081ee1700f920a0031af3e5923992792ecf324c5bcd789e8e964144cd6f48	2026-05-06 07:48:59.999+00
\\xfade712b65601798e32d6fcdfbf36dd406028c5929289d712ac085cb7c5e588a	2026-05-06 11:05:59.999+00
\\x3a07683f9e7bf177bc64aa43ac6549a5e0091ccc181148a44d54190ed134e412	2026-05-06 14:22:59.999+00
\\xcf7ddd87832492d3f2b0d01c31337b88590cdf8eeaaab12ee4099a389cd7293f	2026-05-06 17:39:59.999+00
\\xded2547e46f506778ce4a6c11e8eb3abf4031157cdc04494bb9a2fae5212a2ef	2026-05-06 20:56:59.999+00
\\x9b8be4c1550a1435f00b85598b8aa47c2e17fb034dc273ce9c58637fd3726bc4	2026-05-07 00:13:59.999+00
\\x8890d63f928ae95ed81060a29c896598177070f8d8969f72f37114593bbc6995	2026-05-07 03:30:59.999+00
\\xd1980140f1f6cdeafcb67aac0ad47ec6c7025c5bdd96806fe8984472f807fa74	2026-05-07 06:47:59.999+00
\.

COPY verification.session (token_digest, hashed_guid, teletan_kind, tan_count, created_at, hashed_guid_dob) FROM stdin;
\\x00903b35b33dc80d9058e53bea6d93acca59e2dbd81e4dd47a346422c51729f2	6395111db906f38c69454d55aa81ee21d516df645844aa0cac9620c147121cea	\N	1	2026-05-04 03:16:59.999+00	x54199869523cc6f89baf1c67625c51cf0b722420907f2b3f43deefe2c4d79ef
\\x17b9639c99eebb8bf27dc599a4ae762accf05843cd8d926270098df9403f6c83	44d1303b21a5416dec12f9f064fdaa5ac714a42ffe70c5b835556767596a2ce4	\N	2	2026-05-04 06:33:59.999+00	\N
\\x52300c648d7bf3be9967637971f2df7210fc207355efc3cffdd86324cc972f20	d3966c6bd5c6c6b4a9cd8584add25d006a52c381de538d350a616eb467b814af	\N	0	2026-05-04 09:50:59.999+00	\N
\\x157e5cb60fc7878567fdfe13b440da4eb5ff2c7c4047602551de80dd6e2138b3	\N	EVENT	1	2026-05-04 13:07:59.999+00	\N
\\x6701682e310e05bf1dc1da5602ae7c349709f21c9fe297a9c80a321cc4fd6806	5eefc0b671ab279e93df9080cf80285c0a3ef10ab4f41bbe2f3edac3ec8cf4a6	\N	2	2026-05-04 16:24:59.999+00	x6c5a6c39349c8811018c375132eef7a73444003930249286f1c9b74f41cd35c
\\xff2bc8d582434c1533996c67fdd63fbdf38495779af07f5b68ac074184c1f525	4c12fcc44859553584a529a3c8f52865653daca83c4776a85f9620d8ff7bf765	\N	0	2026-05-04 19:41:59.999+00	\N
\\x085202129287b53b324ddc81f59aa19abb7ab2dba255a2361e5a11d7cac8bfd8	26ca4eb84002a4b74ed390de25023bc2a7c7345b3c1103fafd1ba7132a7583ff	\N	1	2026-05-04 22:58:59.999+00	\N
\\x9b00fd265d12dfddda21391866e35c5f0181214fa41805217aabe6b0bed0109c	\N	TEST	2	2026-05-05 02:15:59.999+00	\N
\\x5b28e29fb5efd2ec578c8371dec62710649ede61577361bc2b16bcb75eea30f8	85625dfc676aa12bf6a33d9b25b9fbd0a10ca033a0fef1527469d3f4704e590f	\N	0	2026-05-05 05:32:59.999+00	xe8e29b75272f8c9e2b5b7cdc13c19017672dc033068a36d69ed9580db727732
\\x5349cfcadd4107c82ddda2223014bf8703b2cff73aa30f804fdd510b4d794b34	241558470b2a49a793c84e137bf529b54d877a390681d4c4b06e91c12449bae1	\N	1	2026-05-05 08:49:59.999+00	\N
\\xef2a114b334960f12cccbd08ce0d738f14c8d3e43714db20801dc9bc437c270f	6563a212b59037fdbb9a80eb9ec251f28457427fde36eda572636363e3e5f74f	\N	2	2026-05-05 12:06:59.999+00	\N
\\xf9c342682037e9c3db51c40522d3a2d6b7e111524131de69f8cd378489f091a0	\N	EVENT	0	2026-05-05 15:23:59.999+00	\N
\\x56ffeb13d8f1aca63e8245d887cdc8d8249d3300b85d342c90fbfc309e16008a	5ade925bd4a9a3c66df4b13a525de70f8f47f70d53a98a1ea98a4e42705002af	\N	1	2026-05-05 18:40:59.999+00	xf87be875445327766e51561b3bbf40442e878e51fe8d12fa9a11a839f2eeb33
\\x5ca936fb2fe0e411cc7f05273881332ba23076d54a3a0d7d640554d916b1e449	af3984f58cd2aacfd6d3dc4252790756ba82422dc7f15462de664cdefb4151c7	\N	2	2026-05-05 21:57:59.999+00	\N
\\x119c8cc7d15760b9cd2b12898717c24b2e87ce726870276972e7177113f15d5b	5292dc5208494ac27a28541e625cbfd5a0129ffe138ee390a632e7210a51383d	\N	0	2026-05-06 01:14:59.999+00	\N
\\x481d3c7590fa4696fd8d83624366f11cbb7abbcdb4da5eb29e3d4199cf741eeb	\N	TEST	1	2026-05-06 04:31:59.999+00	\N
\\xc9d323868b8247e0b8dda72ecbff0c0c828bbc8a7baee2b2f3b51ba7590ad047	e98081ee1700f920a0031af3e5923992792ecf324c5bcd789e8e964144cd6f48	\N	2	2026-05-06 07:48:59.999+00	xaa547aa6a230b529fe452c815040d3eac2175715aee9f5592d9179f244fe521
\\xf4f98dadd93d477a337d21accd3f2b57a82c3eeb555751d12bd6a6c07e44d64c	fade712b65601798e32d6fcdfbf36dd406028c5929289d712ac085cb7c5e588a	\N	0	2026-05-06 11:05:59.999+00	\N
\\x9bde52201e0352c2ea4d5cf7a232add171405ddc2d5cc2ce5f62ff0b4a690a3f	3a07683f9e7bf177bc64aa43ac6549a5e0091ccc181148a44d54190ed134e412	\N	1	2026-05-06 14:22:59.999+00	\N
\\x95003168fd11de691b5e4241fa036146710bccecdf393a96f514f2173d648521	\N	EVENT	2	2026-05-06 17:39:59.999+00	\N
\\x812bfd8015894f9340a8671c8d51c9d0ad2890405c1c1e19f271d0dd0984f4f2	ded2547e46f506778ce4a6c11e8eb3abf4031157cdc04494bb9a2fae5212a2ef	\N	0	2026-05-06 20:56:59.999+00	xc6ff97a1b87a0f460f883968d47aa8cd9f0aa4a8144fa8ca43023be18cca8a1
\\x777aa3762d0c964807bff0c2f29a89a73d4cc1ffc83e27bb2f8db9a4ce6a9d0c	9b8be4c1550a1435f00b85598b8aa47c2e17fb034dc273ce9c58637fd3726bc4	\N	1	2026-05-07 00:13:59.999+00	\N
\\x60304dda4b2f1a6def1f9f931b510beeb362d04531ac223b7e86af8a14d6f2ab	8890d63f928ae95ed81060a29c896598177070f8d8969f72f37114593bbc6995	\N	2	2026-05-07 03:30:59.999+00	\N
\\xf882950f64f428f99c40bfdb65d669669f1152cc61783b9f49a71c6e1a4e0408	\N	TEST	0	2026-05-07 06:47:59.999+00	\N
\.

COPY verification.tan (digest, kind, tag, confirmed_at, expires_at) FROM stdin;
\\x0f6371d632fb861d25e55a2168e6de85615ee15c565fd3af4bb391e2dffed6b3	\N	\N	\N	2026-05-20 13:00:00+00
\\x0c4ebc75ac43adff19646407c0cc99d22da0d8091c5f5ca8eb5667dc3a806b55	\N	\\x7ee62d7d2a5c17939472c1e5fbfc5086b13411c66322918a9c89059d35f5952f	\N	2026-05-20 14:00:00+00
\\xc4f9762e546ee9df4f5f8fdce3c5df90fb54176e39c142393136ebce2ae8251f	\N	\N	\N	2026-05-20 15:00:00+00
\\xb6cc5961f0e850fe568710e65c0da1761e84d0efc8402bacef75a4078ffd137a	TEST	\\x7a6b944ecfbd2bcf7029667bb41c18bc96837f6ae3ecf32fdab335bfa3861114	\N	2026-05-20 16:00:00+00
\\x5e646b40a58428ddc555d3f1feb2b48706d981de012ed08797182c9af4af1a63	\N	\N	\N	2026-05-20 17:00:00+00
\\x13f8caf5da39c36d3e6bebe1f6dbd47f863373e46feb021777b33075a37e0e7d	\N	\\x5052e1ab3f3a369bae11d6e555d4371768269ff1fdeca3cad92eded55f4c7d8f	2026-05-20 11:00:00+00	2026-05-20 18:00:00+00
\\xb198c19cf38e08b197271e351edab17f9ee10b9a562fb034e35efa32a52423d6	\N	\N	\N	2026-05-20 19:00:00+00
\\x1636ea7ebe2d185f75d45a23150ee6801232791a0181e571fe454ff249eee5c1	TEST	\\xfa045176ba36e5c3b62e73e2e1be0bac70574320dd0b6881dd3ee0de4bc9b04d	\N	2026-05-20 20:00:00+00
\\x21f930b01c7d87a1222f8d5e0289941887e409cc6cf5d4439449acf351125ceb	\N	\N	\N	2026-05-20 21:00:00+00
\\xfc87319766f0b440407e0f335fbd706a95fa0c39d153f88d36074e0c0508b32f	\N	\\xe52f8c9aa8d5030c28c75a59e1825d3f22640fd1879144d6a0168ef2e6b9435f	\N	2026-05-20 22:00:00+00
\\xd1a7bc7e8c594883eff22640f57a8a5a7049e625205b5473a7068c268b1012a1	\N	\N	\N	2026-05-20 23:00:00+00
\\x4c1a83a25855b3ef23ff82cd03194dc6f29b7d54370df18d9f729c414884a9f2	TEST	\\x42659edf4375dc2a54c68ad8f43914980bcd34318f788ded25145358b16a5930	2026-05-20 11:00:00+00	2026-05-21 00:00:00+00
\.

COPY verification.tele_tan (digest, kind, redeemed, created_at, expires_at) FROM stdin;
\\x388c03b0beb06ad9389ec292030de147d636757b6fdb9184db891efa864ae720	EVENT	f	2026-05-20 08:11:00+00	2026-05-20 09:11:00+00
\\x7bf7278cb1a44525eb039eed85f1935bf20db9ded23a56946da52b0e765d4f13	TEST	f	2026-05-20 08:22:00+00	2026-05-20 09:22:00+00
\\x0d0fdc25e56aecf261bf6435a90265aafa6be40ac76cfc1a69315b685d7c9456	EVENT	t	2026-05-20 08:33:00+00	2026-05-20 09:33:00+00
\\xb548f31fe5db6aeabb3174687047c0f08daf98521b808ae85ee73c6dbf7df70f	TEST	f	2026-05-20 08:44:00+00	2026-05-20 09:44:00+00
\\x64919d81bf56d12bef4e584c9e2905aa129e0a9ee18fc3681ae43dd0500e8dee	EVENT	f	2026-05-20 08:55:00+00	2026-05-20 09:55:00+00
\\x9628a2239931962e2d56a33c04c5d12c954dce777d4121776d2a49c8c6910f66	TEST	t	2026-05-20 09:06:00+00	2026-05-20 10:06:00+00
\\xacd0c4f7f12efe0d444ab4965352fb3b324234665bf5282b30d8e574ca8daf6a	EVENT	f	2026-05-20 09:17:00+00	2026-05-20 10:17:00+00
\\x99065930c17360e22eb885e72a35ee00ca6edaaf6adb6b00fac2ce678c2f7253	TEST	f	2026-05-20 09:28:00+00	2026-05-20 10:28:00+00
\\x7bfd337cfac560aad130f1bd419a35b47c997ae55159879a9e318cfa667aa491	EVENT	t	2026-05-20 09:39:00+00	2026-05-20 10:39:00+00
\\x0f55625e057f8b5e56f97328ecbfbbe14fcf29dd0a3313e55998a10b619e485a	TEST	f	2026-05-20 09:50:00+00	2026-05-20 10:50:00+00
\\x957fe654172f1b5fd7e5cb827b1bcf7b00a3e076b829776f8b426ac153f48d46	EVENT	f	2026-05-20 10:01:00+00	2026-05-20 11:01:00+00
\\xe2f5c5584f120aa2b474f50c902b69e361b27f931762a52f0656b4c1a0bf46ba	TEST	t	2026-05-20 10:12:00+00	2026-05-20 11:12:00+00
\.

COPY vigil.migration (number, name, checksum, applied_at) FROM stdin;
1	verification, test results, submission, distribution	\\x3e3d846e97cc3fd33660f8adcdc5acbd173c46117bad8c690330789c99eb30ff	2026-01-01 12:00:00+00
2	tests with a date of birth, limits on teleTANs	\\xab9facee3e29bac6a68541d54e546ba740b2d923c5cdfd13ebd539d728bd8439	2026-02-01 12:00:00+00
3	results that will be redeemed	\\x13a6beb7a4d723831b075c5618867803cb49750d24faf93a8ae7164abebd0c1e	2026-03-01 12:00:00+00
4	check-in reports	\\x52011e8a568fd3bf588a2a71c7f76cdf3c0b6268499d3da9cfac47f2bffcd323	2026-04-01 12:00:00+00
5	published check-in reports	\\xe8da9946ae648c47894f304d6fceedfd8cb3890a6610c8fa75f90f7da1a829eb	2026-05-01 12:00:00+00
6	push dispatcher	\\x130db19bbcf87a5fa2744db3acda0c1513a635f68bc3c1e2c2bb937a2bacf5dc	2026-06-01 12:00:00+00
\.

ALTER TABLE ONLY distribution.published_hour
    ADD CONSTRAINT published_hour_pkey PRIMARY KEY (hour);

ALTER TABLE ONLY distribution.signature
    ADD CONSTRAINT signature_pkey PRIMARY KEY (digest, signing_key);

ALTER TABLE ONLY push_dispatcher.registration
    ADD CONSTRAINT registration_pkey PRIMARY KEY (instance_hash);

ALTER TABLE ONLY push_dispatcher.registration
    ADD CONSTRAINT registration_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY push_dispatcher.wave
    ADD CONSTRAINT wave_pkey PRIMARY KEY (id);

ALTER TABLE ONLY submission.diagnosis_key
    ADD CONSTRAINT diagnosis_key_pkey PRIMARY KEY (key_data, hour);

ALTER TABLE ONLY submission.diagnosis_key_20599
    ADD CONSTRAINT diagnosis_key_20599_pkey PRIMARY KEY (key_data, hour);

ALTER TABLE ONLY submission.diagnosis_key_20600
    ADD CONSTRAINT diagnosis_key_20600_pkey PRIMARY KEY (key_data, hour);

ALTER TABLE ONLY submission.folded_hour
    ADD CONSTRAINT folded_hour_pkey PRIMARY KEY (hour);

ALTER TABLE ONLY submission.hour_key
    ADD CONSTRAINT hour_key_pkey PRIMARY KEY (hour);

ALTER TABLE ONLY submission.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (tag);

ALTER TABLE ONLY test_results.result
    ADD CONSTRAINT result_pkey PRIMARY KEY (id);

ALTER TABLE ONLY verification.officer_hour
    ADD CONSTRAINT officer_hour_pkey PRIMARY KEY (officer);

ALTER TABLE ONLY verification.refused_tele_tan
    ADD CONSTRAINT refused_tele_tan_pkey PRIMARY KEY (hour);

ALTER TABLE ONLY verification.registered_guid
    ADD CONSTRAINT registered_guid_pkey PRIMARY KEY (guid_digest);

ALTER TABLE ONLY verification.session
    ADD CONSTRAINT session_pkey PRIMARY KEY (token_digest);

ALTER TABLE ONLY verification.tan
    ADD CONSTRAINT tan_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY verification.tele_tan
    ADD CONSTRAINT tele_tan_pkey PRIMARY KEY (digest);

ALTER TABLE ONLY vigil.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);

CREATE INDEX signature_created_at_idx ON distribution.signature USING btree (used_at);

CREATE UNIQUE INDEX one_planned_wave ON push_dispatcher.wave USING btree ((true)) WHERE (started_at IS NULL);

CREATE UNIQUE INDEX one_running_wave ON push_dispatcher.wave USING btree ((true)) WHERE ((started_at IS NOT NULL) AND (ended_at IS NULL));

CREATE INDEX registration_registered_hour_idx ON push_dispatcher.registration USING btree (registered_hour);

CREATE INDEX wave_planned_at_idx ON push_dispatcher.wave USING btree (planned_at);

CREATE INDEX check_in_report_hour_idx ON ONLY submission.check_in_report USING btree (hour);

CREATE INDEX check_in_report_20599_hour_idx ON submission.check_in_report_20599 USING btree (hour);

CREATE INDEX check_in_report_20600_hour_idx ON submission.check_in_report_20600 USING btree (hour);

CREATE INDEX inbox_hour_idx ON submission.inbox USING btree (hour);

CREATE INDEX result_created_at_idx ON test_results.result USING btree (created_at);

CREATE INDEX result_created_at_idx1 ON test_results.result USING btree (created_at) WHERE (code <> ALL (ARRAY[4, 9, 14]));

CREATE INDEX registered_guid_created_at_idx ON verification.registered_guid USING btree (created_at);

CREATE INDEX session_created_at_idx ON verification.session USING btree (created_at);

CREATE INDEX tan_confirmed_at_idx ON verification.tan USING btree (confirmed_at) WHERE (confirmed_at IS NOT NULL);

CREATE INDEX tan_expires_at_idx ON verification.tan USING btree (expires_at);

CREATE INDEX tele_tan_created_at_idx ON verification.tele_tan USING btree (created_at);

CREATE INDEX tele_tan_expires_at_idx ON verification.tele_tan USING btree (expires_at);

ALTER INDEX submission.check_in_report_hour_idx ATTACH PARTITION submission.check_in_report_20599_hour_idx;

ALTER INDEX submission.check_in_report_hour_idx ATTACH PARTITION submission.check_in_report_20600_hour_idx;

ALTER INDEX submission.diagnosis_key_pkey ATTACH PARTITION submission.diagnosis_key_20599_pkey;

ALTER INDEX submission.diagnosis_key_pkey ATTACH PARTITION submission.diagnosis_key_20600_pkey;

GRANT USAGE ON SCHEMA distribution TO vigil_distribution;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;

GRANT USAGE ON SCHEMA push_dispatcher TO vigil_push_dispatcher;

GRANT USAGE ON SCHEMA submission TO vigil_submission;
GRANT USAGE ON SCHEMA submission TO vigil_distribution;

GRANT USAGE ON SCHEMA test_results TO vigil_test_results;

GRANT USAGE ON SCHEMA verification TO vigil_verification;

GRANT USAGE ON SCHEMA vigil TO vigil_verification;
GRANT USAGE ON SCHEMA vigil TO vigil_test_results;
GRANT USAGE ON SCHEMA vigil TO vigil_submission;
GRANT USAGE ON SCHEMA vigil TO vigil_distribution;
GRANT USAGE ON SCHEMA vigil TO vigil_push_dispatcher;

REVOKE ALL ON FUNCTION submission.drop_days_before(first_kept integer) FROM PUBLIC;
GRANT ALL ON FUNCTION submission.drop_days_before(first_kept integer) TO vigil_submission;

REVOKE ALL ON FUNCTION submission.ensure_day(day integer) FROM PUBLIC;
GRANT ALL ON FUNCTION submission.ensure_day(day integer) TO vigil_submission;

GRANT SELECT,INSERT,DELETE ON TABLE distribution.published_hour TO vigil_distribution;

GRANT SELECT,INSERT,DELETE ON TABLE distribution.signature TO vigil_distribution;

GRANT UPDATE(used_at) ON TABLE distribution.signature TO vigil_distribution;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE push_dispatcher.registration TO vigil_push_dispatcher;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE push_dispatcher.wave TO vigil_push_dispatcher;

GRANT SELECT,INSERT ON TABLE submission.check_in_report TO vigil_submission;
GRANT SELECT ON TABLE submission.check_in_report TO vigil_distribution;

GRANT SELECT,INSERT ON TABLE submission.diagnosis_key TO vigil_submission;
GRANT SELECT ON TABLE submission.diagnosis_key TO vigil_distribution;

GRANT SELECT,INSERT,DELETE ON TABLE submission.folded_hour TO vigil_submission;
GRANT SELECT ON TABLE submission.folded_hour TO vigil_distribution;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE submission.hour_key TO vigil_submission;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE submission.inbox TO vigil_submission;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE test_results.result TO vigil_test_results;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.officer_hour TO vigil_verification;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.refused_tele_tan TO vigil_verification;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.registered_guid TO vigil_verification;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.session TO vigil_verification;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.tan TO vigil_verification;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE verification.tele_tan TO vigil_verification;

GRANT SELECT ON TABLE vigil.migration TO vigil_verification;
GRANT SELECT ON TABLE vigil.migration TO vigil_test_results;
GRANT SELECT ON TABLE vigil.migration TO vigil_submission;
GRANT SELECT ON TABLE vigil.migration TO vigil_distribution;
GRANT SELECT ON TABLE vigil.migration TO vigil_push_dispatcher;

