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

// MARK: - Products of outside packages, by the name a target uses

let products: [String: String] = [
    "ArgumentParser": "swift-argument-parser",
    "AsyncHTTPClient": "async-http-client",
    "Configuration": "swift-configuration",
    "Crypto": "swift-crypto",
    "CryptoExtras": "swift-crypto",
    "DequeModule": "swift-collections",
    "HTTPTypes": "swift-http-types",
    "Hummingbird": "hummingbird",
    "HummingbirdCore": "hummingbird",
    "HummingbirdHTTP2": "hummingbird",
    "HummingbirdTLS": "hummingbird",
    "HummingbirdTesting": "hummingbird",
    "InMemoryLogging": "swift-log",
    "JWTKit": "jwt-kit",
    "Logging": "swift-log",
    "Metrics": "swift-metrics",
    "NIOConcurrencyHelpers": "swift-nio",
    "NIOCore": "swift-nio",
    "NIOEmbedded": "swift-nio",
    "NIOExtras": "swift-nio-extras",
    "NIOFoundationCompat": "swift-nio",
    "NIOHPACK": "swift-nio-http2",
    "NIOHTTP1": "swift-nio",
    "NIOHTTP2": "swift-nio-http2",
    "NIOHTTPCompression": "swift-nio-extras",
    "NIOHTTPTypes": "swift-nio-extras",
    "NIOPosix": "swift-nio",
    "NIOSSL": "swift-nio-ssl",
    "NIOTLS": "swift-nio",
    "ServiceLifecycle": "swift-service-lifecycle",
    "SwiftASN1": "swift-asn1",
    "SwiftProtobuf": "swift-protobuf",
    "UnixSignals": "swift-service-lifecycle",
    "X509": "swift-certificates",
]

// MARK: - Helpers: one per kind of target

/// Targets and products, each named as an `import` names it.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        products[name].map { .product(name: name, package: $0) } ?? .target(name: name)
    }
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
func system(_ name: String, in folder: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "\(folder)/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
}

// MARK: - The targets

var targets: [Target] = [
    system("CHardening", in: "Shared/Platform"),
    system("CLibPQ", in: "Shared/Platform", pkgConfig: "libpq", apt: "libpq-dev"),
    system("CLibZip", in: "Shared/Formats", pkgConfig: "libzip", apt: "libzip-dev"),
    system("CZlib", in: "Shared/Formats", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CNghttp2", in: "Services/PushDispatcher", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    system("CPKCS11", in: "Shared/Platform", pkgConfig: "p11-kit-1", apt: "libp11-kit-dev"),
    system("CQREncode", in: "Services/Vigil", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
]

// Domain modules: pure, no I/O.
targets += shared("ExposureKeys", in: "Domain")
targets += shared("Credentials", in: "Domain", uses: ["Crypto", "CryptoExtras"])
targets += shared("Statistics", in: "Domain")
targets += shared(
    "Venues", in: "Domain", uses: ["Crypto", "CryptoExtras", "ExposureKeys"], testsExclude: ["Fixtures"])
targets += shared(
    "Exposures", in: "Domain", uses: ["Crypto", "CryptoExtras", "ExposureKeys"], testsExclude: ["Fixtures"])

// Formats: bytes in, values out.
targets += shared(
    "ExposureFormat", in: "Formats",
    exclude: ["Protobuf/protos", "Protobuf/generate.sh", "Protobuf/Generated/MANIFEST"],
    uses: ["ExposureKeys", "Exposures", "Venues", "SwiftProtobuf", "Crypto", "CLibZip", "CZlib"],
    testsExclude: ["Fixtures"])
targets += shared(
    "PushFormat", in: "Formats", exclude: ["Protobuf/protos", "Protobuf/Generated/MANIFEST"], uses: ["SwiftProtobuf"])
targets += shared("AuditFormat", in: "Formats", uses: ["Crypto"])
targets += shared("VenueEventFormat", in: "Formats", uses: ["ExposureKeys", "Venues"])
targets += shared(
    "TraceKeyFormat", in: "Formats", exclude: ["Protobuf/protos", "Protobuf/Generated/MANIFEST"],
    uses: ["ExposureKeys", "SwiftProtobuf", "Crypto"], testsExclude: ["Fixtures"])
targets += shared(
    "FederationFormat", in: "Formats", exclude: ["Protobuf/protos", "Protobuf/Generated/MANIFEST"],
    uses: ["ExposureKeys", "SwiftProtobuf", "Crypto", "CryptoExtras", "SwiftASN1", "X509"],
    testsExclude: ["Fixtures", "Independent/batch.py", "Independent/strange.json"])

targets += shared(
    "DonationFormat", in: "Formats", exclude: ["Protobuf/protos", "Protobuf/Generated/MANIFEST"],
    uses: ["ExposureKeys", "SwiftProtobuf"])

// Proofs that an app is genuine: evidence in, verdict out.
targets += shared("CompactJOSE", in: "Proofs")
targets += shared("Certificates", in: "Proofs", uses: ["Crypto", "SwiftASN1", "X509"])
targets += shared(
    "AppAttest", in: "Proofs", uses: ["Certificates", "Crypto", "SwiftASN1", "X509"],
    testsUse: ["DevelopmentAttestation"], testsExclude: ["Fixtures", "Independent/evidence.py"])
targets += shared(
    "PlayIntegrity", in: "Proofs", uses: ["CompactJOSE", "Crypto"],
    testsUse: ["DevelopmentAttestation"], testsExclude: ["Fixtures", "Independent/tokens.py"])
targets += shared(
    "SafetyNet", in: "Proofs", uses: ["Certificates", "CompactJOSE", "Crypto", "CryptoExtras", "SwiftASN1", "X509"],
    testsUse: ["DevelopmentAttestation"], testsExclude: ["Fixtures"])
targets += shared("DeviceCheck", in: "Proofs", uses: ["CompactJOSE", "Crypto"])

// What crosses the wire between processes.
targets += shared("HTTPContract", in: "Contracts", uses: ["HTTPTypes"])
targets += api("VerificationAPI", uses: ["Credentials"])
targets += api("TestResultAPI", uses: ["Credentials"])
targets += api("SubmissionAPI")
targets += api("PushAPI")
targets += api("TraceKeyAPI")
targets += api("FederationAPI", uses: ["ExposureKeys", "FederationFormat"])
targets += api("DonationAPI", uses: ["Credentials"])
targets += api("FurtherAPI", uses: ["Credentials", "Crypto"])
targets += api("DevelopmentAPNsAPI")
targets += api("DevelopmentAttestationAPI")
targets += api("DevelopmentGatewayAPI")
targets += api("DevelopmentIdentityAPI")

// Platform: what services are built on.
targets += shared(
    "Running", in: "Platform",
    uses: [
        "ArgumentParser", "CHardening", "Configuration", "Logging", "Metrics", "ServiceLifecycle", "UnixSignals",
    ])
targets += shared(
    "TLS", in: "Platform",
    uses: [
        "Running", "HTTPContract", "CHardening", "Crypto", "NIOCore", "NIOPosix", "NIOSSL", "SwiftASN1", "X509",
    ], testsUse: ["Serving", "Calling"])
targets += shared(
    "Serving", in: "Platform",
    uses: [
        "Running", "TLS", "HTTPContract", "HTTPTypes", "ArgumentParser", "AsyncHTTPClient", "HummingbirdCore",
        "HummingbirdHTTP2", "Logging", "Metrics", "NIOCore", "NIOExtras", "NIOFoundationCompat", "NIOHTTP1",
        "NIOHTTPTypes", "NIOPosix", "NIOSSL", "NIOTLS", "ServiceLifecycle", "SwiftASN1", "X509",
    ], testsUse: ["Calling"])
targets += shared(
    "Pages", in: "Platform",
    uses: ["Serving", "HTTPContract", "HTTPTypes", "Hummingbird", "Logging", "NIOCore", "Crypto"],
    testsUse: ["Running", "NIOHTTP1"])
targets += shared(
    "Calling", in: "Platform",
    uses: [
        "Running", "TLS", "HTTPContract", "HTTPTypes", "AsyncHTTPClient", "Metrics", "NIOCore", "NIOFoundationCompat",
        "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle",
    ], testsUse: ["Serving", "HummingbirdCore"])
targets += shared(
    "OfficerIdentity", in: "Platform", uses: ["Running", "Calling", "JWTKit", "Logging", "Metrics"],
    testsUse: ["Crypto"])
targets += shared("Postgres", in: "Platform", uses: ["CLibPQ", "Logging", "Metrics", "ServiceLifecycle"])
targets += shared(
    "Schema",
    uses: [
        "Postgres", "ExposureKeys", "Statistics", "Crypto", "HTTPContract", "HTTPTypes", "Running", "ServiceLifecycle",
        "Logging", "Metrics",
    ], testsUse: ["InMemoryLogging"], testsExclude: ["Fixtures"])
targets += shared(
    "HourKeys", in: "Platform",
    uses: ["Running", "Schema", "HTTPContract", "Credentials", "ExposureKeys", "Crypto"])
targets += shared("PKCS11", in: "Platform", uses: ["CPKCS11", "Running", "Crypto", "CryptoExtras"])
targets += shared("PublishedTree", in: "Platform")
targets += shared(
    "ObjectStore", in: "Platform",
    uses: [
        "PublishedTree", "Running", "TLS", "Calling", "AsyncHTTPClient", "Crypto", "NIOCore", "NIOHTTP1", "NIOPosix",
    ],
    testsUse: ["Serving", "HTTPTypes", "HummingbirdCore"], testsExclude: ["Fixtures"])
targets += [.target(name: "CMatching", path: "Shared/Phone/CMatching")]
targets += shared(
    "Phone", exclude: ["CMatching"],
    uses: [
        "CMatching", "ExposureKeys", "Exposures", "Venues", "ExposureFormat", "VenueEventFormat", "TraceKeyFormat",
        "Credentials", "HTTPContract", "VerificationAPI",
        "SubmissionAPI", "PushAPI", "PushFormat", "DonationAPI", "DonationFormat", "FurtherAPI", "Running", "Calling",
        "AsyncHTTPClient", "Crypto", "CryptoExtras",
        "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOHTTPCompression", "SwiftProtobuf",
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
        "VerificationAPI", "SubmissionAPI", "PushAPI", "DonationAPI", "FurtherAPI", "Crypto", "DequeModule", "NIOCore",
        "NIOHPACK", "NIOHTTP1", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
    ], testsUse: ["AsyncHTTPClient", "HummingbirdCore"])
targets += service(
    "VerificationServer", executable: "verification-server",
    uses: serviceParts + storageParts + [
        "Calling", "OfficerIdentity", "VerificationAPI", "TestResultAPI", "DonationAPI", "Credentials", "Crypto",
        "JWTKit",
    ],
    testsUse: ["CryptoExtras", "HummingbirdCore", "NIOCore"])
targets += service(
    "TestResultServer", executable: "test-result-server",
    uses: serviceParts + storageParts + ["TestResultAPI", "Credentials"], testsUse: ["Calling"])
targets += service(
    "SubmissionServer", executable: "submission-server",
    uses: serviceParts + storageParts + [
        "Calling", "HourKeys", "SubmissionAPI", "VerificationAPI", "Credentials", "Crypto", "ExposureKeys",
        "ExposureFormat", "Venues",
    ], testsUse: ["DevelopmentSuite", "AsyncHTTPClient", "CryptoExtras", "NIOCore", "NIOHTTP1"])
targets += service(
    "Distribution", executable: "distribution",
    uses: serviceParts + storageParts + [
        "Calling", "PushAPI", "ExposureKeys", "ExposureFormat", "Venues", "VenueEventFormat", "TraceKeyFormat",
        "ObjectStore", "PublishedTree", "PKCS11", "Crypto", "NIOPosix",
    ], testsUse: ["NIOHTTP1"])
// Serves public files to everybody: no arrow to Postgres or Schema, to signing, to clients, or to the object store.
targets += service(
    "DownloadServer", executable: "download-server",
    uses: [
        "ArgumentParser", "Running", "TLS", "Serving", "HTTPContract", "HTTPTypes", "Metrics", "PublishedTree",
        "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
    ], testsUse: ["ObjectStore", "NIOEmbedded"])
targets += service(
    "PushDispatcher", executable: "push-dispatcher", exclude: ["CNghttp2"],
    uses: serviceParts + storageParts + [
        "PushAPI", "PushFormat", "Credentials", "Crypto", "DequeModule", "CNghttp2", "NIOCore", "NIOPosix", "NIOSSL",
        "NIOTLS",
    ],
    testsUse: [
        "DevelopmentAPNs", "DevelopmentAPNsAPI", "NIOEmbedded", "AsyncHTTPClient", "NIOHTTP1", "SwiftProtobuf",
        "InMemoryLogging",
    ])
targets += service(
    "DataDonation", executable: "data-donation",
    uses: serviceParts + storageParts + [
        "AuditFormat", "DonationAPI", "DonationFormat", "AppAttest", "Certificates", "CompactJOSE", "DeviceCheck",
        "PlayIntegrity", "SafetyNet", "HourKeys", "Credentials", "Crypto", "ExposureKeys", "AsyncHTTPClient", "NIOCore",
        "NIOFoundationCompat", "NIOHTTP1", "NIOPosix", "NIOSSL",
    ],
    testsUse: [
        "DevelopmentAttestation", "DevelopmentAttestationAPI", "DevelopmentSuite", "HummingbirdCore", "Calling",
        "NIOHTTP1",
    ])
targets += service(
    "Further", executable: "further",
    uses: serviceParts + storageParts + [
        "FurtherAPI", "AppAttest", "Certificates", "Credentials", "Crypto", "Calling", "ObjectStore", "PublishedTree",
        "NIOPosix", "CZlib",
    ],
    testsUse: [
        "DevelopmentAttestation", "DevelopmentAttestationAPI", "HummingbirdCore", "NIOHTTP1", "Phone", "ExposureKeys",
    ])
targets += service(
    "Federation", executable: "federation",
    uses: serviceParts + storageParts + [
        "Calling", "FederationAPI", "FederationFormat", "ExposureKeys", "PKCS11", "Crypto", "AsyncHTTPClient",
        "NIOCore", "NIOFoundationCompat", "NIOHTTP1", "NIOPosix",
    ],
    testsUse: [
        "CryptoExtras", "DevelopmentGateway", "DevelopmentGatewayAPI", "InMemoryLogging", "X509", "SwiftASN1",
        "SwiftProtobuf", "SubmissionServer", "HourKeys", "Distribution", "ExposureFormat", "Credentials",
    ])
targets += service(
    "HealthPortal", executable: "health-portal",
    uses: serviceParts + storageParts + [
        "Calling", "OfficerIdentity", "Pages", "VerificationAPI", "AuditFormat", "Credentials", "Crypto", "JWTKit",
        "Hummingbird", "NIOCore", "ExposureKeys", "VenueEventFormat", "Venues", "TraceKeyAPI", "TraceKeyFormat",
        "PublishedTree",
    ],
    resources: ["style.css", "script.js", "venues.js", "icon.svg"].map { .embedInCode("Assets/\($0)") },
    testsUse: ["HummingbirdCore", "NIOHTTP1"])
// It signs and verifies tokens by itself, so that it shares no mistake with health-portal, which uses JWTKit.
targets += service(
    "DevelopmentIdentity", path: "Services/Development/Simulators/Identity", executable: "development-identity",
    uses: serviceParts + [
        "DevelopmentIdentityAPI", "Pages", "Crypto", "AsyncHTTPClient", "Hummingbird", "NIOCore", "NIOHTTP1",
    ], resources: [.embedInCode("Words/style.css")], testsUse: ["JWTKit"])
targets += service(
    "DevelopmentAPNs", path: "Services/Development/Simulators/APNs", executable: "development-apns",
    uses: serviceParts + [
        "DevelopmentAPNsAPI", "Crypto", "NIOCore", "NIOHPACK", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
    ])
// It reads and verifies batches by the module that federation uses, too: vectors from elsewhere hold that module to the truth.
targets += service(
    "DevelopmentGateway", path: "Services/Development/Simulators/Gateway", executable: "development-gateway",
    uses: serviceParts + [
        "DevelopmentGatewayAPI", "FederationFormat", "ExposureKeys", "Crypto", "CryptoExtras", "AsyncHTTPClient",
        "Calling", "HummingbirdCore", "NIOCore", "NIOHTTP1", "NIOPosix", "SwiftASN1", "X509",
    ], testsUse: ["NIOSSL"])
targets += service(
    "DevelopmentAttestation", path: "Services/Development/Simulators/Attestation",
    executable: "development-attestation",
    uses: serviceParts + [
        "DevelopmentAttestationAPI", "AppAttest", "CompactJOSE", "DeviceCheck", "Crypto", "CryptoExtras",
        "HummingbirdCore", "NIOCore", "SwiftASN1", "X509",
    ], testsUse: ["Certificates", "PlayIntegrity", "SafetyNet", "NIOHTTP1"])
targets += service(
    "Vigil", executable: "vigil", exclude: ["CQREncode"],
    uses: [
        "ArgumentParser", "Catalogue", "Running", "TLS", "Postgres", "Schema", "ExposureFormat", "ExposureKeys",
        "AuditFormat", "HTTPContract", "Credentials", "CQREncode", "Crypto", "X509", "SwiftASN1", "Logging",
    ], testsUse: ["Phone", "Venues"])
// The people of a simulated country: pure. Only the development suite, tests and benchmarks may import it.
targets += [
    .target(
        name: "CountryModel", dependencies: dependencies(["ExposureKeys"]),
        path: "Services/Development/Country/Model", exclude: ["README.md"], swiftSettings: settings),
    test("CountryModel", uses: ["ExposureKeys", "Exposures", "ExposureFormat", "Phone"]),
]
// The country whose phones use a whole suite.
targets += [
    .target(
        name: "SimulatedCountry",
        dependencies: dependencies([
            "CountryModel", "DevelopmentSuite", "Vigil", "Catalogue", "ArgumentParser", "Running", "TLS", "Calling",
            "Phone", "Exposures", "ExposureKeys", "ExposureFormat", "Venues", "Credentials", "HTTPContract",
            "VerificationAPI", "TestResultAPI", "DevelopmentIdentityAPI", "AsyncHTTPClient", "NIOCore", "NIOPosix",
            "Crypto",
        ]),
        path: "Services/Development/Country", exclude: ["Model", "README.md"], swiftSettings: settings),
    test("SimulatedCountry", uses: ["CountryModel", "ExposureKeys", "ExposureFormat", "Exposures", "Phone", "Venues"]),
]
// What no production image has: a whole suite on one machine, its users, and simulated peers.
targets += service(
    "DevelopmentSuite", path: "Services/Development/Suite", executable: "vigil-dev",
    uses: [
        "Vigil", "Catalogue", "ArgumentParser", "Running", "TLS", "Calling", "Postgres", "Schema", "Statistics",
        "Phone", "ExposureKeys", "ExposureFormat", "VenueEventFormat", "TraceKeyAPI", "TraceKeyFormat", "Venues",
        "Credentials", "HTTPContract",
        "VerificationAPI", "TestResultAPI", "SubmissionAPI", "DonationAPI", "DonationFormat", "PlayIntegrity",
        "DevelopmentAPNsAPI", "DevelopmentAttestationAPI", "DevelopmentGatewayAPI", "DevelopmentIdentityAPI",
        "AsyncHTTPClient", "Crypto", "JWTKit", "HTTPTypes", "NIOCore", "NIOHTTP1",
        "UnixSignals",
    ], mainUses: ["ArgumentParser", "SimulatedCountry"])

// Test support, journeys across services, rules the compiler can't check, and the programs deploy/bench.sh times.
targets += [
    .target(
        name: "TestSupport",
        dependencies: dependencies([
            "Postgres", "Schema", "Statistics", "Running", "TLS", "Serving", "HTTPContract", "Logging",
            "InMemoryLogging", "Crypto",
            "X509", "SwiftASN1", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle",
        ]),
        path: "Tests/TestSupport", swiftSettings: settings),
    .target(
        name: "DecoderTargets",
        dependencies: dependencies([
            "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "SwiftProtobuf", "Credentials", "HTTPTypes", "ExposureFormat", "ExposureKeys", "OfficerIdentity", "Pages",
            "Hummingbird", "JWTKit", "NIOCore", "Crypto", "Phone", "Venues", "VenueEventFormat", "TraceKeyFormat",
            "FederationFormat", "FederationAPI", "PublishedTree", "DonationAPI", "DonationFormat", "AppAttest",
            "Certificates", "CompactJOSE", "DeviceCheck", "PlayIntegrity", "SafetyNet", "FurtherAPI",
        ]),
        path: "Tests/DecoderTargets", swiftSettings: settings),
    .testTarget(
        name: "SuiteTests",
        dependencies: dependencies([
            "TestSupport", "DevelopmentAPNs", "DevelopmentAPNsAPI", "DevelopmentIdentityAPI", "MetadataProxy",
            "VerificationServer",
            "TestResultServer", "SubmissionServer",
            "Distribution", "DownloadServer", "PushDispatcher", "HealthPortal", "DevelopmentIdentity",
            "Federation", "DevelopmentGateway", "DevelopmentGatewayAPI", "FederationFormat",
            "DataDonation", "DevelopmentAttestation", "DonationAPI", "DonationFormat", "PlayIntegrity",
            "Further", "FurtherAPI",
            "DevelopmentSuite", "Vigil", "Catalogue", "Phone",
            "Running", "TLS", "Serving", "Calling",
            "Postgres", "PublishedTree", "Schema", "ExposureKeys", "Venues",
            "ExposureFormat", "InMemoryLogging", "ArgumentParser",
            "Credentials", "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "Logging", "Crypto", "HTTPTypes", "AsyncHTTPClient", "NIOSSL", "NIOCore", "ServiceLifecycle", "Metrics",
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
    .executableTarget(
        name: "benchmarks",
        dependencies: dependencies([
            "ArgumentParser", "Postgres", "Schema", "Running", "TLS", "Serving", "Calling", "HTTPContract",
            "VerificationAPI", "TestResultAPI",
            "Credentials", "Crypto", "AsyncHTTPClient", "Hummingbird", "HummingbirdTLS", "Logging", "HTTPTypes",
            "ServiceLifecycle", "NIOCore", "NIOFoundationCompat", "NIOHTTP1", "NIOPosix", "NIOSSL", "MetadataProxy",
            "SubmissionAPI", "ExposureFormat", "ExposureKeys", "Exposures", "Venues",
            "Phone", "PushDispatcher", "DevelopmentSuite", "DevelopmentIdentityAPI", "CountryModel",
            "SimulatedCountry", "FederationFormat", "DonationAPI", "DonationFormat", "AppAttest",
            "DevelopmentAttestation", "FurtherAPI",
        ]),
        path: "Tests/Benchmarks",
        exclude: [
            "README.md", "Rows", "batches.sh", "bench.sh", "flamegraph.py", "measuring.sh", "officers.sh", "peak.sh",
            "privacy.sh", "profile.sh", "profiles", "report.py", "scale.py", "scale.sh",
        ],
        swiftSettings: settings),
]

// What Tests/Fuzz/fuzz.sh builds. Its `main` comes with libFuzzer, so without that it doesn't link.
if Context.environment["VIGIL_FUZZ"] == "1" {
    targets.append(
        .executableTarget(
            name: "fuzz", dependencies: dependencies(["DecoderTargets"]), path: "Tests/Fuzz",
            exclude: ["Corpus", "fuzz.sh"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

// Without what only tests and benchmarks need: then one run of `swift build` makes all the programs that are deployed.
if Context.environment["VIGIL_PROGRAMS_ONLY"] == "1" {
    targets.removeAll { $0.type == .test || ["TestSupport", "DecoderTargets", "benchmarks"].contains($0.name) }
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
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: targets
)
