// swift-tools-version: 6.2
import PackageDescription

// This manifest is also the suite's security policy. Which service may call which, and what a module may know, is
// an arrow here; the build refuses an import that has no arrow (`--explicit-target-dependency-import-check error`,
// which deploy/run.sh and deploy/test.sh pass). Arrows point one way:
//
//     Main → Service → the APIs it serves or calls → Contracts
//                    → Platform (Running, TLS, Serving, Calling, Postgres), Schema, domain modules, formats
//
// A service never imports another service. `metadata-proxy` has no arrow to Postgres. Only DevelopmentSuite, which no
// production image has, imports the operator's Vigil.

// MARK: - Settings, the same for every target

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
]

// MARK: - Helpers: one per kind of target

/// Targets, each named as an `import` names it.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { .target(name: $0) }
}

/// A module of the toolkit: general-purpose, without I/O.
func toolkit(_ name: String, uses: [String] = [], testsUse: [String] = [], testsExclude: [String] = []) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies(uses), path: "Shared/Toolkit/\(name)", swiftSettings: settings),
        .testTarget(
            name: "\(name)Tests", dependencies: dependencies(unique([name] + uses + testsUse)),
            path: "Tests/\(name)Tests", exclude: testsExclude, swiftSettings: settings),
    ]
}

/// A module in a folder of `Shared/`, or right below it, and its tests.
func shared(
    _ name: String, in folder: String? = nil, exclude: [String] = [], uses: [String] = [],
    testsUse: [String] = [], testsExclude: [String] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies(uses),
            path: folder.map { "Shared/\($0)/\(name)" } ?? "Shared/\(name)",
            exclude: exclude, swiftSettings: settings),
        test(name, uses: uses + testsUse, exclude: testsExclude),
    ]
}

/// The operations one service offers, as `Endpoint` values that its server and its callers share.
func api(_ name: String, uses: [String] = []) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies(["HTTPContract", "HTTPTypes"] + uses),
            path: "Shared/Contracts/\(name)", swiftSettings: settings)
    ]
}

/// A service: a library with all its logic, an executable of at most 30 lines, and tests.
func service(
    _ name: String, path: String? = nil, executable: String, exclude: [String] = [], uses: [String],
    resources: [Resource]? = nil, mainUses: [String] = [], testsUse: [String] = [],
    testsExclude: [String] = []
) -> [Target] {
    let path = path ?? "Services/\(name)"
    return [
        .target(
            name: name, dependencies: dependencies(uses), path: path, exclude: ["Main", "README.md"] + exclude,
            resources: resources, swiftSettings: settings),
        .executableTarget(
            name: executable, dependencies: dependencies([name, "Running"] + mainUses), path: "\(path)/Main",
            swiftSettings: settings),
        test(name, uses: uses + testsUse, exclude: testsExclude),
    ]
}

/// Tests of one module.
func test(_ name: String, uses: [String], exclude: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies(unique([name, "TestSupport"] + uses)),
        path: "Tests/\(name)Tests", exclude: exclude, swiftSettings: settings)
}

func unique(_ names: [String]) -> [String] {
    names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
}

/// What every service with a database and routes is made of.
let serviceParts = [
    "ArgumentParser", "Running", "TLS", "Serving", "HTTPContract", "HTTPTypes", "Logging", "Metrics",
    "ServiceLifecycle",
]
let storageParts = ["Postgres", "Schema", "Statistics"]

/// A C library of the system, behind a module map.
func system(_ name: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Shared/System/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
}

// MARK: - The targets

var targets: [Target] = [
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CHardening"),
    system("CLibPQ", pkgConfig: "libpq", apt: "libpq-dev"),
    system("CLibZip", pkgConfig: "libzip", apt: "libzip-dev"),
    system("CLinux"),
    system("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    system("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    system("CPKCS11", pkgConfig: "p11-kit-1", apt: "libp11-kit-dev"),
    system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
]

// The toolkit: what outside packages would otherwise bring, with their names and interfaces.
targets += toolkit("HTTPTypes")
targets += toolkit("StrictJSON")
targets += toolkit("DequeModule")
targets += toolkit("Logging")
targets += toolkit("InMemoryLogging", uses: ["Logging"])
targets += toolkit("Metrics")
targets += toolkit("UnixSignals", uses: ["CLinux"])
targets += toolkit("ServiceLifecycle", uses: ["Logging", "UnixSignals"])
targets += toolkit("ArgumentParser")
targets += toolkit(
    "SwiftProtobuf",
    // Its tests compare every generated message with protoc and Python.
    testsUse: ["ExposureFormat", "PushFormat", "TraceKeyFormat", "FederationFormat", "DonationFormat", "TestSupport"],
    testsExclude: ["Independent/messages.py"])
targets += toolkit("SwiftASN1")
targets += [.target(name: "TestPrograms", path: "Tests/TestPrograms", swiftSettings: settings)]
targets += toolkit("Crypto", uses: ["COpenSSL", "SwiftASN1"], testsUse: ["TestPrograms"], testsExclude: ["Fixtures"])
targets += toolkit(
    "CryptoExtras", uses: ["COpenSSL", "Crypto", "SwiftASN1"], testsUse: ["TestPrograms"], testsExclude: ["Fixtures"])
targets += toolkit(
    "X509", uses: ["Crypto", "CryptoExtras", "SwiftASN1"], testsUse: ["TestPrograms"], testsExclude: ["Fixtures"])

// Domain modules: pure, no I/O.
targets += shared("ExposureKeys", in: "Domain")
targets += shared("Credentials", in: "Domain", uses: ["Crypto", "CryptoExtras"])
targets += shared("Statistics", in: "Domain")
targets += shared(
    "Venues", in: "Domain", uses: ["Crypto", "CryptoExtras", "ExposureKeys", "StrictJSON"], testsExclude: ["Fixtures"])
targets += shared(
    "Exposures", in: "Domain", uses: ["Crypto", "CryptoExtras", "ExposureKeys"], testsExclude: ["Fixtures"])

// Formats: bytes in, values out.
targets += shared(
    "ExposureFormat", in: "Formats", exclude: ["Protobuf/protos"],
    uses: ["ExposureKeys", "Exposures", "Venues", "StrictJSON", "SwiftProtobuf", "Crypto", "CLibZip", "CZlib"],
    testsExclude: ["Fixtures"])
targets += shared("PushFormat", in: "Formats", exclude: ["Protobuf/protos"], uses: ["SwiftProtobuf"])
targets += shared("AuditFormat", in: "Formats", uses: ["Crypto"])
targets += shared("VenueEventFormat", in: "Formats", uses: ["ExposureKeys", "StrictJSON", "Venues"])
targets += shared(
    "TraceKeyFormat", in: "Formats", exclude: ["Protobuf/protos"],
    uses: ["ExposureKeys", "StrictJSON", "SwiftProtobuf", "Crypto"], testsExclude: ["Fixtures"])
targets += shared(
    "FederationFormat", in: "Formats", exclude: ["Protobuf/protos"],
    uses: ["ExposureKeys", "StrictJSON", "SwiftProtobuf", "Crypto", "CryptoExtras", "SwiftASN1", "X509"],
    testsUse: ["TestPrograms"],
    testsExclude: ["Fixtures", "Independent/batch.py", "Independent/strange.json"])

targets += shared(
    "DonationFormat", in: "Formats", exclude: ["Protobuf/protos"], uses: ["ExposureKeys", "SwiftProtobuf"])

// Proofs that an app is genuine: evidence in, verdict out.
targets += shared("CompactJOSE", in: "Proofs", uses: ["StrictJSON"])
targets += shared("Certificates", in: "Proofs", uses: ["Crypto", "SwiftASN1", "X509"])
targets += shared(
    "AppAttest", in: "Proofs", uses: ["Certificates", "Crypto", "SwiftASN1", "X509"],
    testsUse: ["DevelopmentAttestation"], testsExclude: ["Fixtures", "Independent/evidence.py"])
targets += shared(
    "PlayIntegrity", in: "Proofs", uses: ["CompactJOSE", "Crypto", "StrictJSON"],
    testsUse: ["DevelopmentAttestation"], testsExclude: ["Fixtures", "Independent/tokens.py"])
targets += shared("DeviceCheck", in: "Proofs", uses: ["CompactJOSE", "Crypto", "StrictJSON"])

// What crosses the wire between processes.
targets += shared("HTTPContract", in: "Contracts", uses: ["HTTPTypes", "StrictJSON"])
targets += api("VerificationAPI", uses: ["Credentials", "StrictJSON"])
targets += api("TestResultAPI", uses: ["Credentials"])
targets += api("SubmissionAPI")
targets += api("PushAPI")
targets += api("TraceKeyAPI")
targets += api("FederationAPI", uses: ["ExposureKeys", "FederationFormat"])
targets += api("DonationAPI", uses: ["Credentials", "StrictJSON"])
targets += api("FurtherAPI", uses: ["Credentials", "Crypto"])
targets += api("DevelopmentAPNsAPI")
targets += api("DevelopmentAttestationAPI")
targets += api("DevelopmentGatewayAPI")
targets += api("DevelopmentIdentityAPI")

// Platform: what services are built on.
targets += shared(
    "Running", in: "Platform",
    uses: [
        "ArgumentParser", "CHardening", "Logging", "Metrics", "ServiceLifecycle", "StrictJSON", "UnixSignals",
    ])
// The transport: a core runs a connection from the socket to the answer. HTTPMessage, HTTP1 and HTTP2 have no socket.
targets += shared("Loop", in: "Platform", uses: ["CLinux"])
targets += shared("HTTPMessage", in: "Platform", uses: ["HTTPTypes"])
targets += shared("HTTP1", in: "Platform", uses: ["HTTPMessage", "HTTPTypes"])
targets += shared(
    "HTTP2", in: "Platform", uses: ["CNghttp2", "HTTPMessage", "HTTPTypes"], testsUse: ["Loop", "Running", "Serving"])
targets += shared(
    "TLS", in: "Platform",
    uses: ["COpenSSL", "Crypto", "HTTPContract", "Loop", "Running", "SwiftASN1", "X509"],
    testsUse: ["Serving", "Calling"])
targets += shared(
    "Serving", in: "Platform",
    uses: [
        "ArgumentParser", "HTTP1", "HTTP2", "HTTPContract", "HTTPMessage", "HTTPTypes", "Logging", "Loop", "Metrics",
        "Running", "ServiceLifecycle", "StrictJSON", "SwiftASN1", "TLS", "X509",
    ], testsUse: ["Calling", "InMemoryLogging"])
targets += shared(
    "Calling", in: "Platform",
    uses: [
        "HTTP1", "HTTP2", "HTTPContract", "HTTPMessage", "HTTPTypes", "Logging", "Loop", "Metrics", "Running",
        "ServiceLifecycle", "TLS",
    ], testsUse: ["Logging", "Serving"])
targets += shared(
    "Pages", in: "Platform", uses: ["Crypto", "HTTPContract", "HTTPTypes", "Running", "Serving"])
targets += shared(
    "OutsideCalls", in: "Platform",
    uses: ["CCurl", "HTTPContract", "HTTPTypes", "Loop", "Running", "TLS"], testsUse: ["Serving"])
targets += shared(
    "OfficerIdentity", in: "Platform",
    uses: [
        "CompactJOSE", "Crypto", "CryptoExtras", "Logging", "Metrics", "OutsideCalls", "Running", "StrictJSON",
    ],
    testsUse: ["TestPrograms"])
targets += shared("Postgres", in: "Platform", uses: ["CLibPQ", "Logging", "Metrics", "ServiceLifecycle"])
targets += shared(
    "Schema",
    uses: [
        "Credentials", "Postgres", "ExposureKeys", "Statistics", "Crypto", "HTTPContract", "HTTPTypes", "Running",
        "ServiceLifecycle", "Logging", "Metrics",
    ], testsUse: ["InMemoryLogging"])
targets += shared(
    "HourKeys", in: "Platform",
    uses: [
        "ArgumentParser", "Credentials", "Crypto", "ExposureKeys", "HTTPContract", "Logging", "Metrics", "Postgres",
        "Running", "Schema", "ServiceLifecycle", "Serving",
    ])
targets += shared("PKCS11", in: "Platform", uses: ["CPKCS11", "Running", "Crypto", "CryptoExtras"])
targets += shared("PublishedTree", in: "Platform")
targets += shared(
    "FileAnswers", in: "Platform", uses: ["HTTPMessage", "HTTPTypes", "Loop", "PublishedTree", "Running"])
targets += shared(
    "ObjectStore", in: "Platform",
    uses: ["PublishedTree", "Running", "TLS", "Calling", "Crypto", "HTTPMessage", "HTTPTypes", "Loop"],
    testsUse: ["Serving"], testsExclude: ["Fixtures"])
targets += [.target(name: "CMatching", path: "Shared/Phone/CMatching")]
targets += shared(
    "Phone", exclude: ["CMatching"],
    uses: [
        "CMatching", "ExposureKeys", "Exposures", "Venues", "ExposureFormat", "VenueEventFormat", "TraceKeyFormat",
        "Credentials", "HTTPContract", "VerificationAPI",
        "SubmissionAPI", "PushAPI", "PushFormat", "DonationAPI", "DonationFormat", "FurtherAPI", "Running", "Calling",
        "OutsideCalls", "Crypto", "CryptoExtras",
        "HTTPTypes", "StrictJSON", "SwiftProtobuf",
    ], testsUse: ["Serving", "AppAttest", "Certificates", "DevelopmentAttestation"],
    testsExclude: ["CheckIns/Fixtures"])

// What every process is: for the command lines and the tests, not for the services themselves.
targets += shared(
    "Catalogue",
    uses: [
        "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "TraceKeyAPI",
        "FederationAPI", "DonationAPI", "FurtherAPI", "DevelopmentAPNsAPI", "DevelopmentAttestationAPI",
        "DevelopmentGatewayAPI", "DevelopmentIdentityAPI", "Schema",
    ], testsUse: ["Postgres"])

// Services.
targets += service(
    "MetadataProxy", executable: "metadata-proxy",
    uses: serviceParts + [
        "Calling", "HTTPMessage", "Loop", "VerificationAPI", "SubmissionAPI", "PushAPI", "DonationAPI", "FurtherAPI",
    ], testsUse: ["HTTP1", "HTTP2"])
targets += service(
    "VerificationServer", executable: "verification-server",
    uses: serviceParts + storageParts + [
        "Calling", "OfficerIdentity", "VerificationAPI", "TestResultAPI", "DonationAPI", "Credentials", "Crypto",
    ],
    testsUse: ["CryptoExtras"])
targets += service(
    "TestResultServer", executable: "test-result-server",
    uses: serviceParts + storageParts + ["TestResultAPI", "Credentials"], testsUse: ["Calling"])
targets += service(
    "SubmissionServer", executable: "submission-server",
    uses: serviceParts + storageParts + [
        "Calling", "HourKeys", "SubmissionAPI", "VerificationAPI", "Credentials", "Crypto", "ExposureKeys",
        "ExposureFormat", "Venues",
    ], testsUse: ["SeizedBytes", "CryptoExtras"])
targets += service(
    "Distribution", executable: "distribution",
    uses: serviceParts + storageParts + [
        "Calling", "PushAPI", "ExposureKeys", "ExposureFormat", "Venues", "VenueEventFormat", "TraceKeyFormat",
        "ObjectStore", "PublishedTree", "PKCS11", "Crypto", "Loop", "StrictJSON",
    ])
// Serves public files to everybody: no arrow to Postgres or Schema, to signing, to clients, or to the object store.
targets += service(
    "DownloadServer", executable: "download-server",
    uses: [
        "ArgumentParser", "FileAnswers", "HTTPMessage", "HTTPTypes", "Loop", "Metrics", "PublishedTree", "Running",
        "Serving", "TLS",
    ], testsUse: ["ObjectStore"])
targets += service(
    "PushDispatcher", executable: "push-dispatcher",
    uses: serviceParts + storageParts + [
        "PushAPI", "PushFormat", "Calling", "Credentials", "Crypto", "DequeModule", "HTTP2", "HTTPMessage",
        "Loop", "StrictJSON",
    ],
    testsUse: [
        "DevelopmentAPNs", "DevelopmentAPNsAPI", "SwiftProtobuf",
        "InMemoryLogging",
    ])
targets += service(
    "DataDonation", executable: "data-donation",
    uses: serviceParts + storageParts + [
        "AuditFormat", "Calling", "DonationAPI", "DonationFormat", "AppAttest", "Certificates", "CompactJOSE",
        "DeviceCheck", "PlayIntegrity", "HourKeys", "Credentials", "Crypto", "ExposureKeys", "OutsideCalls",
    ],
    testsUse: [
        "DevelopmentAttestation", "DevelopmentAttestationAPI", "SeizedBytes",
    ])
targets += service(
    "Further", executable: "further",
    uses: serviceParts + storageParts + [
        "FurtherAPI", "AppAttest", "Certificates", "Credentials", "Crypto", "Calling", "ObjectStore", "PublishedTree",
        "CZlib", "StrictJSON",
    ],
    testsUse: [
        "DevelopmentAttestation", "DevelopmentAttestationAPI", "HTTPMessage", "Phone", "ExposureKeys",
    ])
targets += service(
    "Federation", executable: "federation",
    uses: serviceParts + storageParts + [
        "FederationAPI", "FederationFormat", "ExposureKeys", "OutsideCalls", "PKCS11", "Crypto", "StrictJSON",
    ],
    testsUse: [
        "CryptoExtras", "DevelopmentGateway", "DevelopmentGatewayAPI", "InMemoryLogging", "X509", "SwiftASN1",
        "SwiftProtobuf", "SubmissionServer", "HourKeys", "Distribution", "ExposureFormat", "Credentials",
    ])
targets += service(
    "HealthPortal", executable: "health-portal",
    uses: serviceParts + storageParts + [
        "Calling", "OutsideCalls", "OfficerIdentity", "CompactJOSE", "Pages", "VerificationAPI", "AuditFormat",
        "Credentials", "Crypto", "Loop",
        "ExposureKeys", "VenueEventFormat", "Venues", "TraceKeyAPI", "TraceKeyFormat",
        "PublishedTree", "StrictJSON",
    ],
    resources: ["style.css", "script.js", "venues.js", "icon.svg"].map { .embedInCode("Assets/\($0)") })
// It signs and verifies tokens by itself: no arrow to CompactJOSE or OfficerIdentity, by which health-portal verifies them, so
// that it shares no mistake with it.
targets += service(
    "DevelopmentIdentity", path: "Services/Development/Simulators/Identity", executable: "development-identity",
    uses: serviceParts + [
        "DevelopmentIdentityAPI", "OutsideCalls", "Pages", "Crypto", "StrictJSON",
    ], resources: [.embedInCode("Words/style.css")], testsUse: ["OfficerIdentity"])
targets += service(
    "DevelopmentAPNs", path: "Services/Development/Simulators/APNs", executable: "development-apns",
    uses: serviceParts + [
        "DevelopmentAPNsAPI", "Crypto", "DequeModule", "HTTP2", "HTTPMessage", "Loop", "StrictJSON",
    ])
// It reads and verifies batches by the module that federation uses, too: vectors from elsewhere hold that module to the truth.
targets += service(
    "DevelopmentGateway", path: "Services/Development/Simulators/Gateway", executable: "development-gateway",
    uses: serviceParts + [
        "DevelopmentGatewayAPI", "FederationFormat", "ExposureKeys", "Crypto", "CryptoExtras", "OutsideCalls",
        "StrictJSON", "SwiftASN1", "X509",
    ])
targets += service(
    "DevelopmentAttestation", path: "Services/Development/Simulators/Attestation",
    executable: "development-attestation",
    uses: serviceParts + [
        "DevelopmentAttestationAPI", "AppAttest", "CompactJOSE", "DeviceCheck", "Crypto", "StrictJSON", "SwiftASN1",
        "X509",
    ], testsUse: ["Certificates", "PlayIntegrity"])
targets += service(
    "Vigil", executable: "vigil",
    uses: [
        "ArgumentParser", "Catalogue", "Running", "TLS", "Postgres", "Schema", "ExposureFormat", "ExposureKeys",
        "AuditFormat", "HTTPContract", "Credentials", "CQREncode", "Crypto", "X509", "SwiftASN1", "Logging",
    ], testsUse: ["Phone", "Venues", "TestPrograms"])
// The people of a simulated country: pure. Only the development suite, tests and benchmarks may import it.
targets += [
    .target(
        name: "CountryModel", dependencies: dependencies(["ExposureKeys"]),
        path: "Services/Development/Country/Model", exclude: ["README.md"], swiftSettings: settings),
    test("CountryModel", uses: ["ExposureKeys", "Exposures", "ExposureFormat", "Phone"]),
]
// What somebody finds in the files of a database server. Only tests may import it.
targets += [
    .target(
        name: "SeizedBytes", dependencies: dependencies(["ExposureKeys"]),
        path: "Tests/SeizedBytes", swiftSettings: settings)
]
// The country whose phones use a whole suite.
targets += [
    .target(
        name: "SimulatedCountry",
        dependencies: dependencies([
            "CountryModel", "DevelopmentSuite", "Vigil", "Catalogue", "ArgumentParser", "Running", "TLS", "Calling",
            "Loop", "OutsideCalls", "Phone", "Exposures", "ExposureKeys", "ExposureFormat", "Venues", "Credentials",
            "HTTPContract", "VerificationAPI", "TestResultAPI", "DevelopmentIdentityAPI", "Crypto",
        ]),
        path: "Services/Development/Country", exclude: ["Model", "README.md"], swiftSettings: settings),
    test(
        "SimulatedCountry",
        uses: ["CountryModel", "Loop", "ExposureKeys", "ExposureFormat", "Exposures", "Phone", "Venues"]),
]
// What no production image has: a whole suite on one machine, its users, and simulated peers.
targets += service(
    "DevelopmentSuite", path: "Services/Development/Suite", executable: "vigil-dev",
    uses: [
        "Vigil", "Catalogue", "ArgumentParser", "Running", "TLS", "Calling", "OutsideCalls", "Postgres", "Schema",
        "Statistics", "Phone", "ExposureKeys", "ExposureFormat", "VenueEventFormat", "TraceKeyAPI", "TraceKeyFormat",
        "Venues", "Credentials", "HTTPContract",
        "VerificationAPI", "TestResultAPI", "SubmissionAPI", "DonationAPI", "DonationFormat", "PlayIntegrity",
        "DevelopmentAPNsAPI", "DevelopmentAttestationAPI", "DevelopmentGatewayAPI", "DevelopmentIdentityAPI",
        "Crypto", "HTTPTypes", "StrictJSON", "UnixSignals",
    ], mainUses: ["ArgumentParser", "SimulatedCountry"])

// Test support, journeys across services, rules the compiler can't check, and the programs deploy/bench.sh times.
targets += [
    .target(
        name: "TestSupport",
        dependencies: dependencies([
            "Postgres", "Schema", "Statistics", "Running", "TLS", "Serving", "HTTPContract", "Logging",
            "InMemoryLogging", "Crypto", "CCurl", "HTTPMessage", "HTTPTypes", "Loop", "X509", "SwiftASN1",
            "ServiceLifecycle",
        ]),
        path: "Tests/TestSupport", swiftSettings: settings),
    .target(
        name: "DecoderTargets",
        dependencies: dependencies([
            "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "SwiftProtobuf", "Credentials", "HTTPTypes", "ExposureFormat", "ExposureKeys", "OfficerIdentity", "Crypto",
            "Phone", "Venues", "VenueEventFormat", "TraceKeyFormat",
            "FederationFormat", "FederationAPI", "PublishedTree", "DonationAPI", "DonationFormat", "AppAttest",
            "Certificates", "CompactJOSE", "DeviceCheck", "Pages", "PlayIntegrity", "Serving", "FurtherAPI", "Loop",
            "X509", "SwiftASN1", "CryptoExtras", "HTTP1", "HTTP2", "HTTPMessage", "TLS",
        ]),
        path: "Tests/DecoderTargets", swiftSettings: settings),
    .testTarget(
        name: "SuiteTests",
        dependencies: dependencies([
            "TestSupport", "DevelopmentAPNs", "DevelopmentAPNsAPI", "DevelopmentIdentityAPI", "MetadataProxy",
            "VerificationServer",
            "TestResultServer", "SubmissionServer",
            "Distribution", "DownloadServer", "PushDispatcher", "DevelopmentGatewayAPI", "FederationFormat",
            "DevelopmentAttestation", "DonationAPI", "DonationFormat", "PlayIntegrity", "Further", "FurtherAPI",
            "DataDonation", "HealthPortal", "DevelopmentIdentity", "Federation", "DevelopmentGateway",
            "DevelopmentSuite", "Vigil", "Catalogue", "Phone",
            "Loop", "Running", "TLS", "Serving", "Calling",
            "Postgres", "PublishedTree", "Schema", "ExposureKeys", "Venues",
            "ExposureFormat", "InMemoryLogging", "ArgumentParser",
            "Credentials", "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "Logging", "Crypto", "HTTPTypes", "ServiceLifecycle", "Metrics", "SwiftASN1", "X509",
        ]),
        path: "Tests/SuiteTests", swiftSettings: settings),
    .testTarget(
        name: "ContractTests",
        dependencies: dependencies([
            "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat", "DonationAPI",
            "FurtherAPI", "SwiftProtobuf", "Credentials", "HTTPTypes", "DecoderTargets", "TestSupport",
        ]),
        path: "Tests/ContractTests", exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
        name: "ArchitectureTests", dependencies: dependencies(["Catalogue", "HTTPContract", "Schema", "TestSupport"]),
        path: "Tests/ArchitectureTests", swiftSettings: settings),
    // What the scripts of Tests/Live/proof compare with other programs. It looks into modules, which only a build with the tests allows.
    .executableTarget(
        name: "verdicts",
        dependencies: dependencies([
            "AppAttest", "Certificates", "COpenSSL", "CompactJOSE", "Crypto", "CryptoExtras", "DonationFormat",
            "ExposureFormat", "FederationFormat", "HTTPContract", "Loop", "OfficerIdentity", "PushFormat", "Running",
            "Serving", "SwiftASN1", "SwiftProtobuf", "TLS", "TraceKeyFormat", "X509",
        ]),
        path: "Tests/Verdicts", swiftSettings: settings),
    .executableTarget(
        name: "http1-reader", dependencies: dependencies(["HTTP1", "HTTPMessage", "HTTPTypes"]),
        path: "Tests/HTTP1Reader", swiftSettings: settings),
    .executableTarget(
        name: "benchmarks",
        dependencies: dependencies([
            "ArgumentParser", "Postgres", "Schema", "Running", "TLS", "Serving", "Calling", "HTTPContract",
            "VerificationAPI", "TestResultAPI", "SubmissionAPI", "DonationAPI", "FurtherAPI", "DevelopmentIdentityAPI",
            "Credentials", "Crypto", "HTTPMessage", "Logging", "Loop", "HTTPTypes",
            "ExposureFormat", "ExposureKeys", "Exposures", "Venues", "FederationFormat", "DonationFormat", "AppAttest",
            "DevelopmentAttestation", "DevelopmentSuite", "CountryModel", "SimulatedCountry",
            "MetadataProxy", "Phone", "PushDispatcher",
        ]),
        path: "Tests/Benchmarks",
        exclude: [
            "README.md", "Rows", "bench.sh", "measuring.sh", "published-servers.tsv", "report.py",
        ],
        swiftSettings: settings),
]

// What Tests/Fuzz/fuzz.sh builds. Its `main` comes with libFuzzer, so without that it doesn't link.
if Context.environment["VIGIL_FUZZ"] == "1" {
    // Optimised, for several times as many runs, but with assertions. At coroutines of Phone the optimiser of Swift 6.3.1 crashes
    // when it also counts edges.
    for target in targets where target.type == .regular && target.name != "Phone" {
        target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O", "-assert-config", "Debug"])]
    }
    targets.append(
        .executableTarget(
            name: "fuzz", dependencies: dependencies(["DecoderTargets"]), path: "Tests/Fuzz",
            exclude: ["Corpus", "Dictionaries", "README.md", "fuzz.sh"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

// Without what only tests and benchmarks need: then one run of `swift build` makes all the programs that are deployed.
if Context.environment["VIGIL_PROGRAMS_ONLY"] == "1" {
    let forTests = [
        "TestSupport", "TestPrograms", "SeizedBytes", "DecoderTargets", "http1-reader", "verdicts", "benchmarks",
    ]
    targets.removeAll { $0.type == .test || forTests.contains($0.name) }
}

let package = Package(
    name: "vigil",
    products: [
        .executable(name: "metadata-proxy", targets: ["metadata-proxy"]),
        .executable(name: "verification-server", targets: ["verification-server"]),
        .executable(name: "test-result-server", targets: ["test-result-server"]),
        .executable(name: "submission-server", targets: ["submission-server"]),
        .executable(name: "data-donation", targets: ["data-donation"]),
        .executable(name: "further", targets: ["further"]),
        .executable(name: "distribution", targets: ["distribution"]),
        .executable(name: "download-server", targets: ["download-server"]),
        .executable(name: "push-dispatcher", targets: ["push-dispatcher"]),
        .executable(name: "federation", targets: ["federation"]),
        .executable(name: "health-portal", targets: ["health-portal"]),
        .executable(name: "development-identity", targets: ["development-identity"]),
        .executable(name: "development-apns", targets: ["development-apns"]),
        .executable(name: "development-attestation", targets: ["development-attestation"]),
        .executable(name: "development-gateway", targets: ["development-gateway"]),
        .executable(name: "vigil", targets: ["vigil"]),
        .executable(name: "vigil-dev", targets: ["vigil-dev"]),
    ],
    targets: targets
)
