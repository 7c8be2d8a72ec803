import Distribution
import Running

@main enum Main {
    static func main() async {
        await serviceMain(Distribution.self, name: "distribution")
    }
}
