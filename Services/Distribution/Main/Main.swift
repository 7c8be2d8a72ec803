import Distribution
import ServiceKit

@main enum Main {
    static func main() async {
        await serviceMain(Distribution.self, name: "distribution")
    }
}
