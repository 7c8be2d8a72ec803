import Running
import Vigil

@main enum Main {
    static func main() async {
        await serviceMain(VigilCommand.self, name: "vigil")
    }
}
