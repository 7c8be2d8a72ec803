import DevelopmentAPNs
import ServiceKit

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentAPNs.self, name: "development-apns")
    }
}
