import ArgumentParser
import DevelopmentSuite
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DevelopmentCommand.self, name: "vigil-dev")
    }
}
