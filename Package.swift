// swift-tools-version: 6.2
import PackageDescription

// This manifest is also the suite's security policy. Which service may call which, and what a module may know, is
// an arrow here; the build refuses an import that has no arrow (`--explicit-target-dependency-import-check error`,
// which deploy/run.sh and deploy/test.sh pass). Arrows point one way:
//
//     Main → Service → the APIs it serves or calls → Contracts
//                    → ServiceKit, Postgres, Schema, domain modules
//
// A service never imports another service. `metadata-proxy` has no arrow to Postgres.

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

/// A module of `Shared/`, and its tests unless `tested` is false.
func shared(
    _ name: String, path: String? = nil, exclude: [String] = [], uses: [String] = [], tested: Bool = true,
    testsUse: [String] = [], testsExclude: [String] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies(uses), path: path ?? "Shared/\(name)", exclude: exclude,
            swiftSettings: settings)
    ] + (tested ? [test(name, uses: uses + testsUse, exclude: testsExclude)] : [])
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
    _ name: String, executable: String, uses: [String], testsUse: [String] = [], testsExclude: [String] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies(uses), path: "Services/\(name)", exclude: ["Main", "README.md"],
            swiftSettings: settings),
        .executableTarget(
            name: executable, dependencies: dependencies([name, "ServiceKit"]), path: "Services/\(name)/Main",
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
    "ArgumentParser", "ServiceKit", "HTTPContract", "Logging", "Metrics", "Configuration", "ServiceLifecycle",
    "HTTPTypes",
]
let storageParts = ["Postgres", "Schema"]

// MARK: - The targets

var targets: [Target] = [
    .systemLibrary(name: "CLibPQ", path: "Shared/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CLibZip", path: "Shared/CLibZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    .systemLibrary(
        name: "CNghttp2", path: "Shared/CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CHardening", path: "Shared/CHardening"),
    .systemLibrary(
        name: "CPKCS11", path: "Shared/CPKCS11", pkgConfig: "p11-kit-1", providers: [.apt(["libp11-kit-dev"])]),
    .systemLibrary(name: "CZlib", path: "Shared/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
]

// Domain modules: pure, no I/O.
targets += shared("ExposureKeys")
targets += shared("Credentials", uses: ["Crypto", "CryptoExtras"])
targets += shared(
    "ExposureFormat", exclude: ["Protobuf/protos", "Protobuf/generate.sh", "Protobuf/Generated/MANIFEST"],
    uses: ["ExposureKeys", "SwiftProtobuf", "Crypto", "CLibZip", "CZlib"], testsExclude: ["Fixtures"])

targets += shared(
    "PushFormat", exclude: ["Protobuf/protos", "Protobuf/Generated/MANIFEST"], uses: ["SwiftProtobuf"])

// What crosses the wire between processes.
targets += shared("HTTPContract", path: "Shared/Contracts/HTTPContract", uses: ["HTTPTypes"])
targets += api("VerificationAPI", uses: ["Credentials"])
targets += api("TestResultAPI", uses: ["Credentials"])
targets += api("SubmissionAPI")
targets += api("PushAPI")
targets += api("DevelopmentAPNsAPI")

// Machinery.
targets += shared(
    "ServiceKit",
    uses: [
        "ArgumentParser", "HTTPContract", "HTTPTypes", "AsyncHTTPClient", "Configuration", "HummingbirdCore",
        "HummingbirdHTTP2", "Logging", "Metrics", "NIOCore", "NIOExtras", "NIOHTTP1", "NIOHTTPTypes", "NIOPosix",
        "NIOSSL", "NIOTLS",
        "NIOFoundationCompat", "ServiceLifecycle", "UnixSignals", "X509", "SwiftASN1", "Crypto", "CHardening",
    ])
targets += shared("Postgres", uses: ["CLibPQ", "Logging", "Metrics", "ServiceLifecycle"])
targets += shared(
    "Schema",
    uses: [
        "Postgres", "ExposureKeys", "Crypto", "HTTPContract", "HTTPTypes", "ServiceKit", "ServiceLifecycle", "Logging",
        "Metrics",
    ], testsUse: ["InMemoryLogging"])
targets += [.target(name: "CMatching", path: "Shared/CMatching")]
targets += shared(
    "Phone",
    uses: [
        "CMatching", "ExposureKeys", "ExposureFormat", "Credentials", "HTTPContract", "VerificationAPI",
        "SubmissionAPI", "PushAPI", "PushFormat", "ServiceKit", "AsyncHTTPClient", "Crypto", "CryptoExtras", "NIOCore",
        "NIOHTTP1", "SwiftProtobuf",
    ], testsUse: ["HTTPTypes"])

// Services.
targets += service(
    "MetadataProxy", executable: "metadata-proxy",
    uses: serviceParts + [
        "VerificationAPI", "SubmissionAPI", "PushAPI", "Crypto", "DequeModule", "NIOCore", "NIOHPACK", "NIOHTTP1",
        "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
    ], testsUse: ["AsyncHTTPClient", "HummingbirdCore"])
targets += service(
    "VerificationServer", executable: "verification-server",
    uses: serviceParts + storageParts + ["VerificationAPI", "TestResultAPI", "Credentials", "Crypto", "JWTKit"],
    testsUse: ["CryptoExtras", "HummingbirdCore", "NIOCore"])
targets += service(
    "TestResultServer", executable: "test-result-server",
    uses: serviceParts + storageParts + ["TestResultAPI", "Credentials"])
targets += service(
    "SubmissionServer", executable: "submission-server",
    uses: serviceParts + storageParts + [
        "SubmissionAPI", "VerificationAPI", "Credentials", "Crypto", "ExposureKeys", "ExposureFormat",
    ], testsUse: ["AsyncHTTPClient", "NIOCore", "NIOHTTP1"])
targets += service(
    "Distribution", executable: "distribution",
    uses: serviceParts + storageParts + [
        "PushAPI", "ExposureKeys", "ExposureFormat", "Crypto", "NIOCore", "NIOPosix", "CPKCS11", "AsyncHTTPClient",
        "NIOHTTP1",
    ], testsUse: ["HummingbirdCore", "NIOEmbedded"], testsExclude: ["Fixtures"])
targets += service(
    "PushDispatcher", executable: "push-dispatcher",
    uses: serviceParts + storageParts + [
        "PushAPI", "PushFormat", "Credentials", "Crypto", "DequeModule", "CNghttp2", "NIOCore", "NIOPosix", "NIOSSL",
        "NIOTLS",
    ],
    testsUse: [
        "DevelopmentAPNs", "DevelopmentAPNsAPI", "NIOEmbedded", "AsyncHTTPClient", "NIOHTTP1", "SwiftProtobuf",
        "InMemoryLogging",
    ])
targets += service(
    "DevelopmentAPNs", executable: "development-apns",
    uses: serviceParts + [
        "DevelopmentAPNsAPI", "Crypto", "NIOCore", "NIOHPACK", "NIOHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
    ])
targets += service(
    "Vigil", executable: "vigil",
    uses: [
        "ArgumentParser", "ServiceKit", "Postgres", "Schema", "Phone", "ExposureKeys", "ExposureFormat", "Credentials",
        "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "DevelopmentAPNsAPI", "AsyncHTTPClient",
        "Crypto", "X509", "SwiftASN1", "JWTKit", "Logging", "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOSSL",
        "ServiceLifecycle",
        "UnixSignals",
    ])

// Test support, journeys across services, rules the compiler can't check, and the programs deploy/bench.sh times.
targets += [
    .target(
        name: "TestSupport",
        dependencies: dependencies([
            "Postgres", "Schema", "ServiceKit", "Logging", "InMemoryLogging", "Crypto", "X509", "SwiftASN1",
            "AsyncHTTPClient", "NIOCore", "NIOHTTP1",
        ]),
        path: "Tests/TestSupport", swiftSettings: settings),
    .target(
        name: "DecoderTargets",
        dependencies: dependencies([
            "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "SwiftProtobuf", "Credentials", "HTTPTypes", "ExposureFormat", "ExposureKeys",
        ]),
        path: "Tests/DecoderTargets", swiftSettings: settings),
    .testTarget(
        name: "SuiteTests",
        dependencies: dependencies([
            "TestSupport", "DevelopmentAPNs", "DevelopmentAPNsAPI", "MetadataProxy", "VerificationServer",
            "TestResultServer", "SubmissionServer",
            "Distribution", "PushDispatcher", "Vigil", "Phone", "ServiceKit", "Postgres", "Schema", "ExposureKeys",
            "ExposureFormat", "InMemoryLogging", "ArgumentParser",
            "Credentials", "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "Logging", "Crypto", "HTTPTypes", "AsyncHTTPClient", "NIOSSL", "NIOCore", "ServiceLifecycle", "Metrics",
        ]),
        path: "Tests/SuiteTests", swiftSettings: settings),
    .testTarget(
        name: "ContractTests",
        dependencies: dependencies([
            "HTTPContract", "VerificationAPI", "TestResultAPI", "SubmissionAPI", "PushAPI", "PushFormat",
            "SwiftProtobuf", "Credentials", "HTTPTypes", "DecoderTargets", "TestSupport",
        ]),
        path: "Tests/ContractTests", exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests", swiftSettings: settings),
    .executableTarget(
        name: "benchmarks",
        dependencies: dependencies([
            "ArgumentParser", "Postgres", "Schema", "ServiceKit", "HTTPContract", "VerificationAPI", "TestResultAPI",
            "Credentials", "Crypto", "Hummingbird", "Logging", "HTTPTypes", "ServiceLifecycle", "NIOCore", "NIOPosix",
            "NIOSSL", "MetadataProxy", "SubmissionAPI", "ExposureFormat", "ExposureKeys", "Phone", "PushDispatcher",
        ]),
        path: "Tests/Benchmarks", exclude: ["Rows", "bench.sh"], swiftSettings: settings),
]

// What Tests/Fuzz/fuzz.sh builds. Its `main` comes with libFuzzer, so without that it doesn't link.
if Context.environment["VIGIL_FUZZ"] == "1" {
    targets.append(
        .executableTarget(
            name: "fuzz", dependencies: dependencies(["DecoderTargets"]), path: "Tests/Fuzz",
            exclude: ["Corpus", "fuzz.sh"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]))
}

let package = Package(
    name: "vigil",
    products: [
        .executable(name: "metadata-proxy", targets: ["metadata-proxy"]),
        .executable(name: "verification-server", targets: ["verification-server"]),
        .executable(name: "test-result-server", targets: ["test-result-server"]),
        .executable(name: "submission-server", targets: ["submission-server"]),
        .executable(name: "distribution", targets: ["distribution"]),
        .executable(name: "push-dispatcher", targets: ["push-dispatcher"]),
        .executable(name: "development-apns", targets: ["development-apns"]),
        .executable(name: "vigil", targets: ["vigil"]),
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
