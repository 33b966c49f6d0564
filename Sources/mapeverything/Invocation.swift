import Platform

/// One run of the command: its words, and where its results and remarks go.
///
/// A process has one; tests run others in their own process.
struct Invocation: Sendable {
    @TaskLocal static var current = process

    private static let process = Invocation(
        arguments: (1..<max(1, Int(CommandLine.argc))).compactMap { place in
            // Paths that are no UTF-8 lead where they lead.
            CommandLine.unsafeArgv[place].map { ForeignPath.text($0) }
        },
        collector: nil
    )

    /// Without the program itself.
    let arguments: [String]
    /// Takes what would be printed; nil for the process.
    let collector: AsyncStream<Piece>.Continuation?
    /// The width of help; nil for that of the terminal.
    var columns: Int?

    enum Piece: Sendable {
        case output([UInt8])
        case errors([UInt8])
    }

    /// True for the run that has the process for itself: its signals, its terminal and its end.
    var isProcess: Bool { collector == nil }
}

/// What a command line came to.
package struct CommandAnswer: Sendable {
    package var status: Int32
    package var output: String
    package var errors: String
}

extension MapEverything {
    /// Runs a command line in this process.
    ///
    /// Not for what needs a process: interrupts, progress, `-o -`, and programs that the command starts again as itself.
    package static func answer(to arguments: [String], columns: Int = 80) async -> CommandAnswer {
        let (pieces, collector) = AsyncStream<Invocation.Piece>.makeStream()
        let invocation = Invocation(arguments: arguments, collector: collector, columns: columns)
        let status = await Invocation.$current.withValue(invocation) { await run() }
        collector.finish()
        var (output, errors): ([UInt8], [UInt8]) = ([], [])
        for await piece in pieces {
            switch piece {
            case .output(let bytes): output += bytes
            case .errors(let bytes): errors += bytes
            }
        }
        return CommandAnswer(
            status: status,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }
}
