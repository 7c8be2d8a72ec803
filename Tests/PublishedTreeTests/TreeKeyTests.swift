import PublishedTree
import Testing

struct TreeKeyTests {
    private static let keys = [
        "version", "version/index-v2", "version/v1/diagnosis-keys/country", "version/v1/diagnosis-keys/country/DE/date",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27.2",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour",
        "version/v1/diagnosis-keys/country/DE/date/2026-05-27/hour/0", "version/v2/app_config_ios",
        "version/v2/twp/country/DE/hour/494000", "version/v1/dcc-rl/kid", "version/v1/dcc-rl/0a0b/1/2/chunk",
        "version/v1/dcc-rl/0a0b", "version/v1/venue-reports", "version/v1/venue-reports/494000",
        "version/v1/trace-keys", "version/v1/trace-keys/1779796800000.json",
        "version/v1/further/data", "version/v1/further/data.gz",
    ].map { TreeKey($0) }

    @Test(
        "a requested path that isn't an object's own is refused",
        arguments: [
            "", "/", "version/index", "/version//v1", "version/..", "../version", "/etc/passwd", "version/.hidden",
            "version/%2e", "version/a\u{0}", "versions", "version/v1/ä", "version/v1/a b", "//version",
        ])
    func requests(path: String) {
        #expect(TreeKey(requested: path) == nil)
    }

    @Test(
        "indexes are JSON for five minutes, packages are archives for an hour, bundles don't change, health reports are JSON for a minute, everything else is an archive for five minutes"
    )
    func kinds() {
        let kinds = Self.keys.map(\.kind)
        #expect(
            kinds == [
                .index, .index, .index, .index, .package, .package, .index, .package, .archive, .package, .archive,
                .archive, .archive, .index, .bundle, .index, .answer, .healthReports, .healthReports,
            ])
        let types = kinds.map { kind in
            switch kind {
            case .index, .healthReports: "application/json"
            case .bundle: "application/x-protobuf"
            case .package, .archive: "application/zip"
            case .answer: "application/json"
            }
        }
        #expect(Self.keys.map(\.contentType) == types)
        let lifetimes = kinds.map { kind in
            switch kind {
            case .package: "public, max-age=3600"
            case .bundle: "public, max-age=86400, immutable"
            case .healthReports: "public, max-age=60"
            case .index, .archive, .answer: "public, max-age=300"
            }
        }
        #expect(Self.keys.map(\.cacheControl) == lifetimes)
    }
}
