import Further
import Running

@main enum Main {
    static func main() async {
        await serviceMain(Further.self, name: "further")
    }
}
