import DevelopmentAPNsAPI
import DevelopmentAttestationAPI
import DevelopmentGatewayAPI
import DevelopmentIdentityAPI
import DonationAPI
import FederationAPI
import FurtherAPI
import HTTPContract
import PushAPI
import Schema
import SubmissionAPI
import TestResultAPI
import TraceKeyAPI
import VerificationAPI

extension Catalogue {
    /// Every process, callees before their callers: the order in which they start.
    package static let services: [Service] = [
        .testResultServer, .developmentAttestation, .donationFold, .dataDonation, .verificationServer, .fold,
        .submissionServer,
        .developmentAPNs, .pushDispatcher, .further,
        .distribution, .downloadServer, .developmentGateway, .federation, .developmentIdentity, .healthPortal,
        .metadataProxy,
    ]
}

/// The entries, one for each process.
extension Catalogue.Service {
    /// Results: laboratories post them, the verification server reads them.
    package static let testResultServer = Self(
        "test-result-server", role: .testResultServer,
        listeners: [
            .init(
                .laboratories, 8020, .mutualTLS, isDoor: true,
                offers: [
                    TestResultAPI.labResults.route, TestResultAPI.quickTestResults.route,
                    TestResultAPI.quickTestResult.route, TestResultAPI.pocnatResults.route,
                    TestResultAPI.pocnatResult.route,
                ]),
            .init(
                .internal, 8021, .mutualTLS, offers: [TestResultAPI.appResult.route, TestResultAPI.appResults.route]),
        ],
        admin: 8029, metrics: 8027, database: .init(.testResults))

    /// Registration tokens, TANs and teleTANs.
    package static let verificationServer = Self(
        "verification-server", role: .verificationServer,
        listeners: [
            .init(
                .app, 8010, .mutualTLS,
                offers: [
                    VerificationAPI.registrationToken.route, VerificationAPI.testResult.route,
                    VerificationAPI.tan.route,
                ]),
            // No door: deploy/outside-portal.yml opens it for portals and certificate servers of others.
            .init(
                .portal, 8011, .mutualTLS,
                offers: [
                    VerificationAPI.certificateResult.route, VerificationAPI.teleTAN.route,
                    VerificationAPI.teleTANState.route,
                ]),
            .init(
                .internal, 8012, .mutualTLS,
                offers: [
                    VerificationAPI.reservations.route, VerificationAPI.confirmations.route,
                    VerificationAPI.tanVerification.route,
                ]),
        ],
        admin: 8019, metrics: 8017, database: .init(.verification),
        secrets: [
            .init(.hexadecimal, "tan-key", key: "secrets.tanKey"),
            .init(.hexadecimal, "tele-tan-key", key: "secrets.teleTANKey"),
        ],
        calls: [
            .init("testResults.url", to: .testResultServer, .internal),
            // In containers only with deploy/self-reports.yml.
            .init("donation.url", to: .dataDonation, .redemption),
        ])

    /// The fold: creates the keys that uploads are sealed to, and opens each hour's uploads once the hour is closed.
    package static let fold = Self(
        "fold", executable: "submission-server", "fold", role: nil, listeners: [], admin: 8038, metrics: 8036,
        database: .init(.fold, reads: ["foreign_keys.diagnosis_key"]),
        volumes: [.init(.hourKeys, key: "hourKeys.directory")])

    /// Uploads of diagnosis keys and check-in reports, sealed until the fold.
    package static let submissionServer = Self(
        "submission-server", "serve", role: .submissionServer,
        listeners: [
            .init(
                .listen, 8030, .mutualTLS,
                offers: [
                    SubmissionAPI.diagnosisKeys.route, SubmissionAPI.onBehalf.route, SubmissionAPI.venueReports.route,
                ])
        ],
        admin: 8039, metrics: 8037, database: .init(.submission),
        secrets: [.init(.hexadecimal, "tag-key", key: "secrets.tagKey")],
        calls: [.init("verification.url", to: .verificationServer, .internal)])

    /// Registrations for silent pushes, and waves of them.
    package static let pushDispatcher = Self(
        "push-dispatcher", "serve", role: .pushDispatcher,
        listeners: [
            .init(
                .listen, 8050, .mutualTLS,
                offers: [PushAPI.register.route, PushAPI.registerV1.route, PushAPI.announce.route])
        ],
        admin: 8059, metrics: 8057, database: .init(.pushDispatcher),
        secrets: [
            .init(.hexadecimal, "push-token-key", key: "secrets.tokenKey"),
            .init(.privateKey, "apns-key.p8", key: "apns.key"),
        ],
        calls: [
            .init("apns.production", .hostAndPort, to: .developmentAPNs, .production),
            .init("apns.sandbox", .hostAndPort, to: .developmentAPNs, .sandbox),
        ])

    /// Hourly and daily signed packages and their indexes.
    package static let distribution = Self(
        "distribution", "run", role: .distribution, listeners: [], admin: 8048, metrics: 8047,
        database: .init(
            .distribution,
            reads: [
                "submission.folded_hour", "submission.diagnosis_key", "submission.check_in_report",
                "submission.venue_report", "venues.published_event", "venues.trace_key",
                "foreign_keys.diagnosis_key", "foreign_keys.imported_hour",
            ]),
        secrets: [.init(.privateKey, "export-signing.key", key: "signing.keys", prefix: "262/v1=")],
        volumes: [.init(.published, key: "directory")],
        calls: [.init("push.url", to: .pushDispatcher, .listen)])

    /// The published tree, for phones. In containers the edge serves the tree, and asks this server for lists of trace keys only.
    package static let downloadServer = Self(
        "download-server", role: nil,
        listeners: [.init(.listen, 8040, .publicTLS, for: "apps: the published tree")], admin: 8049, metrics: 8046,
        volumes: [.init(.published, key: "directory"), .init(.further, key: "further.directory")])

    /// Keys of other countries, and home keys for them, through the gateway of a federation.
    package static let federation = Self(
        "federation", "serve", role: .federation,
        listeners: [.init(.callback, 8090, .mutualTLS, isDoor: true, offers: [FederationAPI.callback.route])],
        admin: 8099, metrics: 8097,
        database: .init(
            .federation,
            reads: [
                "submission.diagnosis_key", "distribution.published_hour", "foreign_keys.diagnosis_key",
                "foreign_keys.imported_hour",
            ]),
        secrets: [
            .init(.privateKey, "federation-signing.key", key: "signing.key"),
            .init(.privateKey, "federation-gateway.key", key: "gateway.key"),
        ],
        calls: [.init("gateway.url", to: .developmentGateway, .listen)])

    /// The fold of donated data: creates the keys that they are sealed to, and opens each hour's once the hour is closed.
    package static let donationFold = Self(
        "donation-fold", executable: "data-donation", "fold", role: nil, listeners: [], admin: 8118, metrics: 8116,
        database: .init(.donationFold), volumes: [.init(.donationHourKeys, key: "hourKeys.directory")])

    /// One-time passwords and donated data, for genuine apps.
    package static let dataDonation = Self(
        "data-donation", "serve", role: .dataDonation,
        listeners: [
            .init(
                .app, 8110, .mutualTLS,
                offers: [
                    DonationAPI.challenge.route, DonationAPI.surveyOnIOS.route, DonationAPI.surveyOnAndroid.route,
                    DonationAPI.logOnIOS.route, DonationAPI.logOnAndroid.route, DonationAPI.reportOnIOS.route,
                    DonationAPI.reportOnAndroid.route, DonationAPI.analyticsOnIOS.route,
                    DonationAPI.analyticsOnAndroid.route,
                ]),
            .init(
                .redemption, 8111, .mutualTLS, isDoor: true,
                offers: [
                    DonationAPI.surveyRedemption.route, DonationAPI.logRedemption.route,
                    DonationAPI.reportRedemptions.route,
                ]),
        ],
        admin: 8119, metrics: 8117, database: .init(.donation),
        secrets: [
            .init(.hexadecimal, "donation-hash-key", key: "secrets.hashKey"),
            .init(.privateKey, "device-check-key.p8", key: "deviceCheck.key"),
            .init(.base64, "play-integrity-decryption-key", key: "playIntegrity.decryptionKey"),
        ],
        calls: [.init("deviceCheck.url", to: .developmentAttestation, .listen)])

    /// Health reports under ids that phones exchange, and the lists of positive ones.
    package static let further = Self(
        "further", "serve", role: .further,
        listeners: [
            .init(
                .app, 8140, .mutualTLS,
                offers: [FurtherAPI.report.route, FurtherAPI.batch.route, FurtherAPI.key.route])
        ],
        admin: 8149, metrics: 8147, database: .init(.further),
        secrets: [.init(.hexadecimal, "further-hash-key", key: "secrets.hashKey")],
        volumes: [.init(.further, key: "directory")])

    /// The only entry point for apps.
    package static let metadataProxy = Self(
        "metadata-proxy", role: .metadataProxy,
        listeners: [.init(.listen, 8000, .publicTLS, isDoor: true, for: "apps: tests, TANs, uploads, pushes")],
        admin: 8009, metrics: 8007,
        calls: [
            .init("verification.url", to: .verificationServer, .app),
            .init("submission.url", to: .submissionServer, .listen),
            .init("push.url", to: .pushDispatcher, .listen),
            .init("donation.url", to: .dataDonation, .app),
            .init("further.url", to: .further, .app),
        ])

    /// The pages of health officers.
    package static let healthPortal = Self(
        "health-portal", role: .healthPortal,
        listeners: [
            .init(.listen, 8070, .publicTLS, isDoor: true, for: "health officers' browsers"),
            .init(.provider, 8071, .publicTLS, for: "the identity provider: back-channel log-out"),
            .init(.tracing, 8072, .mutualTLS, isDoor: true, offers: [TraceKeyAPI.traceKeys.route]),
        ],
        admin: 8079, metrics: 8077,
        database: .init(
            .healthPortal,
            reads: ["statistics.released_figure", "venues.event", "venues.trace_key", "venues.trace_key_upload"]),
        secrets: [
            .init(.hexadecimal, "portal-session-key", key: "secrets.sessionKey"),
            .init(.hexadecimal, "portal-officer-key", key: "secrets.officerKey"),
            .init(.privateKey, "portal-client.key", key: "provider.clientKey"),
        ],
        calls: [
            .init("verification.url", to: .verificationServer, .portal),
            .init("provider.issuer", to: .developmentIdentity, .listen),
        ])

    // MARK: Simulators

    /// A simulated identity provider of health officers.
    package static let developmentIdentity = Self(
        "development-identity", isSimulator: true, role: nil,
        listeners: [
            .init(.listen, 8080, .privateTLS, for: "officers' browsers and health-portal, in place of Keycloak"),
            .init(
                .control, 8083, .plaintext, for: "developers: one-time codes, ends of sessions, outages",
                offers: [
                    DevelopmentIdentityAPI.oneTimeCode.route, DevelopmentIdentityAPI.endSessions.route,
                    DevelopmentIdentityAPI.behaviour.route, DevelopmentIdentityAPI.rotateKey.route,
                    DevelopmentIdentityAPI.disable.route,
                ]),
        ],
        admin: 8089)

    /// A simulated gateway of a federation, with three other countries.
    package static let developmentGateway = Self(
        "development-gateway", "serve", isSimulator: true, role: nil,
        listeners: [
            .init(.listen, 8100, .privateTLS, for: "federation, in place of the European gateway"),
            .init(
                .control, 8103, .plaintext, for: "developers: uploads of other countries, batches, faults",
                offers: [
                    DevelopmentGatewayAPI.upload.route, DevelopmentGatewayAPI.batching.route,
                    DevelopmentGatewayAPI.received.route, DevelopmentGatewayAPI.behaviour.route,
                    DevelopmentGatewayAPI.clock.route,
                ]),
        ],
        admin: 8109, secrets: [.init(.privateKey, "gateway-anchor.key", key: "anchor.key")])

    /// A simulated APNs.
    package static let developmentAPNs = Self(
        "development-apns", "serve", isSimulator: true, role: nil,
        listeners: [
            .init(.production, 8061, .privateTLS, for: "push-dispatcher, in place of Apple's service"),
            .init(.sandbox, 8062, .privateTLS, for: "push-dispatcher, in place of Apple's service"),
            .init(
                .control, 8063, .plaintext, for: "developers: tells which phones were woken",
                offers: [DevelopmentAPNsAPI.wakes.route, DevelopmentAPNsAPI.instruction.route]),
        ],
        admin: 8069)

    /// Simulated vouchers of Apple and Google for phones.
    package static let developmentAttestation = Self(
        "development-attestation", "serve", isSimulator: true, role: nil,
        listeners: [
            .init(.listen, 8120, .privateTLS, for: "data-donation, in place of Apple's DeviceCheck"),
            .init(
                .control, 8123, .plaintext, for: "developers: evidence of made-up phones, outages",
                offers: [
                    DevelopmentAttestationAPI.deviceToken.route, DevelopmentAttestationAPI.device.route,
                    DevelopmentAttestationAPI.behaviour.route, DevelopmentAttestationAPI.appAttestKey.route,
                    DevelopmentAttestationAPI.attestation.route, DevelopmentAttestationAPI.assertion.route,
                    DevelopmentAttestationAPI.integrityToken.route,
                ]),
        ],
        admin: 8129,
        secrets: [
            .init(.privateKey, "evidence-root.key", key: "root.key"),
            .init(.privateKey, "play-integrity-signing.key", key: "playIntegrity.signingKey"),
        ])
}
