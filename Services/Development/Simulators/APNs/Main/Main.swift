import DevelopmentAPNs
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentAPNs.self, name: "development-apns")
    }
}
