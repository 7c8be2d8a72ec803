extension AsyncParsableCommand {
    /// Reads the process's command line, runs the command it names, and ends the process if that throws.
    package static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
