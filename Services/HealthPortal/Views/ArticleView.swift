import Pages

extension Frame {
    /// Help.
    func helpPage() -> HTML { article(words.help) }

    /// The accessibility statement with the way to report a barrier (EN 301 549, BITV 2.0).
    func accessibilityPage() -> HTML { article(words.accessibility) }

    /// What the portal stores, and about whom.
    func privacyPage() -> HTML { article(words.privacy) }

    private func article(_ article: Words.Article) -> HTML {
        document(title: article.title) {
            tag(.h1) { article.title }
            for section in article.sections {
                tag(.h2) { section.title }
                for paragraph in section.paragraphs { tag(.p) { paragraph } }
            }
            tag(.p) {
                "\(words.contact): "
                tag(.a, .href(contact: portal.contact)) { portal.contact.text }
            }
        }
    }
}
