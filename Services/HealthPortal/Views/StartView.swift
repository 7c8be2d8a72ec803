import Pages

extension Frame {
    /// What an officer sees before signing in, or without any role.
    func startPage() -> HTML {
        page(.start, title: officer == nil ? words.start.title : words.start.noRole) {
            if officer == nil {
                tag(.h1) { words.start.title }
                tag(.p, .class("lead")) { words.start.lead }
                tag(.p) { tag(.a, .class("button"), .href("/login")) { words.frame.signIn } }
                tag(.ul, .class("points")) { for point in words.start.points { tag(.li) { point } } }
                tag(.p) { words.start.noAccount }
            } else {
                tag(.h1) { words.start.noRole }
                tag(.p, .class("lead")) { words.start.noRoleHelp }
                tag(.p) { tag(.a, .href(contact: authority.contact)) { words.contact } }
            }
        }
    }
}
