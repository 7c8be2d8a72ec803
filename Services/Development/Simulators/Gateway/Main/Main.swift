import DevelopmentGateway
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentGateway.self, name: "development-gateway")
    }
}
