import Pages

extension Frame {
    /// What an officer sees before signing in.
    func startPage() -> HTML {
        document(title: words.start.title) {
            tag(.h1) { words.start.title }
            tag(.p, .class("lead")) { words.start.lead }
            tag(.p) { tag(.a, .class("button"), .href("/login")) { words.frame.signIn } }
            tag(.ul, .class("points")) { for point in words.start.points { tag(.li) { point } } }
            tag(.p) { words.start.noAccount }
        }
    }
}
