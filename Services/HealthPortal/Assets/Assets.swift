import HTTPContract
import Pages

/// The files that the pages load.
enum Assets {
    static let style = asset("style", "css", .css, PackageResources.style_css)
    static let script = asset("script", "js", .javaScript, PackageResources.script_js)
    /// For the pages of venues only.
    static let venues = asset("venues", "js", .javaScript, PackageResources.venues_js)
    static let icon = asset("icon", "svg", .svg, PackageResources.icon_svg)

    static let all = [style, script, venues, icon]

    private static func asset(
        _ name: StaticString, _ suffix: StaticString, _ type: MediaType, _ bytes: [UInt8]
    ) -> Asset {
        guard let asset = try? Asset(name, suffix, type: type, bytes: bytes) else { preconditionFailure("not a name") }
        return asset
    }
}
