/// An element's name. There is no `script` with content and no `style`: both are files, so a page needs no exception in its policy.
package enum Tag: String, Hashable, Sendable, CaseIterable {
    // Document and sections.
    case html, head, body, title, header, main, nav, footer, section, div, h1, h2
    case meta, link, script
    // Text.
    case p, span, strong, a, bdi, time, code, ol, ul, li
    // Tables.
    case table, caption, thead, tbody, tr, th, td, figure
    // Forms.
    case form, label, input, button, select, option, output, textarea
    case details, summary
    // Drawings (SVG, inline).
    case svg, g, line, path, text, desc, defs, pattern

    /// Whether the element has no end tag (HTML, section 13.1.2).
    var isVoid: Bool {
        switch self {
        case .meta, .link, .input: true
        default: false
        }
    }
}
