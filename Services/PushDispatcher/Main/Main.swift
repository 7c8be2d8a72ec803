import PushDispatcher
import Running

@main enum Main {
    static func main() async {
        await serviceMain(PushDispatcher.self, name: "push-dispatcher")
    }
}
