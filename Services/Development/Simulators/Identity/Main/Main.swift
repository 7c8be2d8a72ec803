import DevelopmentIdentity
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentIdentity.self, name: "development-identity")
    }
}
