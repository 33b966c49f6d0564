import Foxglove
import Platform
import SystemPackage
import Translation

/// Shows the file of a mesh, a cloud or a plan to all who connect, until it is interrupted.
struct ModelServer {
    let path: String
    let serving: ServingOptions
    var queueBytes = 64 << 20
    let opener: PageOpener?

    func run(_ progress: ProgressOptions) async throws {
        let model = try OpenedModel(opening: path)
        for line in model.lines where !GivenOptions.isQuiet { Terminal.printError("\(path): \(line)") }
        let sink = FoxgloveSink(try serving.foxgloveOptions(path, queueBytes: queueBytes, opener))
        // Ctrl-C is how serving ends.
        try await progress.run("serve") { _ in
            try await sink.open([model.topic])
            try await sink.write(model.message(stampNanoseconds: WallClock.nowNanoseconds()))
            while (try? await Task.sleep(for: .seconds(3600))) != nil {}
        }
        _ = try await sink.finish()
    }
}

extension ServingOptions {
    /// How what a path leads to is shown: says where, and opens the page once there is one.
    func foxgloveOptions(_ path: String, queueBytes: Int, _ opener: PageOpener?) throws -> FoxgloveOptions {
        let name = ForeignPath.name(of: FilePath(path)) ?? path
        var options = FoxgloveOptions(
            try serverOptions(isStrict: false, standardPort: 8765),
            name: name,
            // Channels are numbered anew by each server.
            sessionID: "\(name) \(WallClock.nowNanoseconds())"
        )
        options.queueBytes = queueBytes
        options.notice = { Terminal.printError($0) }
        options.isListening = { port in
            Terminal.printError(ServeCommand.greeting(path, self, port))
            for line in Reachability.lines([pageDoor(port: port)], asksForToken: asksForToken) {
                Terminal.printError(line)
            }
            do {
                try opener?.open(ServeCommand.page(self, port), watching: 0.2)
            } catch {
                Terminal.printError("warning: \(error)")
            }
        }
        return options
    }
}
