import ArgumentParser
import Platform

@main
struct MapEverything: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mapeverything",
        abstract:
            "Recorded iPhone sessions (LiDAR, camera, ARKit poses, IMU, GPS) as ROS 2: topics and bags, without ROS.",
        discussion: """
            Pages on what is common to all: mapeverything help \(HelpTopic.allCases.map(\.rawValue).joined(separator: " | "))
            Versions of libraries and programs: mapeverything --version --verbose
            """,
        version: Tool.version,
        subcommands: [
            ListCommand.self, InspectCommand.self, ReportCommand.self, ServeCommand.self, ReplayCommand.self,
            BagCommand.self, RefineCommand.self, MapCommand.self, ExportCommand.self, TrimCommand.self,
            RecordCommand.self, ConvertCommand.self, CheckCommand.self, RepairCommand.self, ProbeCommand.self,
            SampleCommand.self, TagsCommand.self, BatchCommand.self, TopicsCommand.self, CompletionsCommand.self,
        ]
    )

    /// Parses and runs; every way to end has its exit status here, and nowhere else.
    static func main() async {
        Machine.boundHeap()
        Signals.ignoreFailedWrites()
        Signals.endAtOnce()
        SystemFault.watch()
        let arguments = CommandLineRewriting.arguments
        if let topic = HelpTopic(arguments) { return Terminal.print(topic.text) }
        if VersionReport.isAsked(arguments) { return Terminal.print(VersionReport.text) }
        do {
            let rewritten = try StandardOutput.rewritten(CommandLineRewriting.rewritten(arguments))
            var command = try parseAsRoot(rewritten)
            if let writer = command as? any WritingCommand { try writer.claim() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try StandardOutput.flush()
        } catch {
            // A run that lost something has made its file all the same.
            if error is ExitStatus { try? StandardOutput.flush() }
            StandardOutput.remove()
            ErrorReport.finish(error, command: MapEverything.self)
        }
    }
}

enum Tool {
    static let version = "0.1.0"
}
