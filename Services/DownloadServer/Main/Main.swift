import DownloadServer
import Running

@main enum Main {
    static func main() async {
        await serviceMain(DownloadServer.self, name: "download-server")
    }
}
