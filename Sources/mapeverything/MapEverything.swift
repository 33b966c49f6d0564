package import ArgumentParser
import Glibc
import Platform

package struct MapEverything: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mapeverything",
        abstract:
            "Recorded iPhone sessions (LiDAR, camera, ARKit poses, IMU, GPS) as ROS 2: topics and bags, without ROS.",
        discussion: """
            What a recording or a bag is, and which commands fit it: mapeverything PATH
            Pages on what is common to all: mapeverything help \(HelpTopic.allCases.map(\.rawValue).joined(separator: " | "))
            Versions of libraries and programs: mapeverything --version --verbose
            """,
        version: Tool.version,
        subcommands: [
            ListCommand.self, InspectCommand.self, ReportCommand.self, ServeCommand.self, ReplayCommand.self,
            BagCommand.self, RefineCommand.self, MapCommand.self, ExportCommand.self, TrimCommand.self,
            RecordCommand.self, ConvertCommand.self, CheckCommand.self, RepairCommand.self, SampleCommand.self,
            TagsCommand.self, BatchCommand.self, TopicsCommand.self, CompletionsCommand.self,
            GlanceCommand.self,
        ]
    )

    package init() {}

    package static func main() async {
        Machine.boundHeap()
        Signals.ignoreFailedWrites()
        Signals.endAtOnce()
        SystemFault.watch()
        Glibc.exit(await run())
    }

    /// Parses and runs; every way to end has its exit status here, and nowhere else.
    static func run() async -> Int32 {
        let arguments = Invocation.current.arguments
        do {
            if let topic = HelpTopic(arguments) {
                Terminal.print(topic.text)
            } else if VersionReport.isAsked(arguments) {
                Terminal.print(VersionReport.text)
            } else {
                let rewritten = try StandardOutput.rewritten(CommandLineRewriting.rewritten(arguments))
                var command = try parseAsRoot(rewritten)
                if let writer = command as? any WritingCommand { try writer.claim() }
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
                try StandardOutput.flush()
            }
            return ExitStatus.done.rawValue
        } catch {
            // A run that lost something has made its file all the same.
            if error is ExitStatus { try? StandardOutput.flush() }
            StandardOutput.remove()
            return ErrorReport.status(of: error)
        }
    }
}

enum Tool {
    static let version = "0.1.0"
}
