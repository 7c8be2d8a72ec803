import HealthPortal
import Running

@main enum Main {
    static func main() async {
        await serviceMain(HealthPortal.self, name: "health-portal")
    }
}
