import Federation
import Running

@main enum Main {
    static func main() async {
        await serviceMain(Federation.self, name: "federation")
    }
}
