import ArgumentParser
import BagTools
import Bags
import Codecs
import Messages
import Platform
import Sessions
import SystemPackage
import Text

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read and decode everything in a session or bag, and report damage (status 1).",
        discussion: """
            Examples:
              mapeverything check room
              mapeverything check room_bag phone/*.zip --quiet
              mapeverything check recordings

            The status is that of the worst of several.
            """
    )

    @Argument(
        help: "Sessions (folder, .zip, .tar), bags (folder, .db3, .mcap), or folders that hold some of them.",
        completion: .file()
    ) var paths: [String]

    @OptionGroup var messagePath: MessagePathOptions
    @OptionGroup var unpacking: UnpackingOptions

    @Flag(help: "Exit with status 1 for warnings too. Default: for errors only.") var strict = false

    @OptionGroup var told: ReportOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let recordings: Recordings
        do {
            recordings = try Recordings.below(paths)
        } catch let error as NoInputError {
            return try unread(error, error.path).finish(told)
        }
        guard recordings.areMany else {
            for input in recordings.inputs { try await report(on: input).report.finish(told) }
            return
        }
        var whole = Report()
        var objects: [JSONValue] = []
        var counts: [Verdict.Word: Int] = [:]
        var worst: ExitStatus?
        func add(_ report: Report, _ word: Verdict.Word) {
            // A notice of one is told at once; the others are checked all the same.
            if let error = report.ending, !(error is ExitStatus) {
                whole.say(ErrorReport.text(of: error))
            }
            whole.say(report.text)
            objects.append(report.json)
            counts[word, default: 0] += 1
            if let ending = report.ending {
                let status = ending as? ExitStatus ?? ErrorReport.describe(ending)?.2 ?? .badData
                worst = [worst, status].compactMap(\.self).max { $0.rawValue < $1.rawValue }
            }
        }
        for error in recordings.unknown { add(try unread(error, error.path), .damaged) }
        for input in recordings.inputs {
            let (report, word) = try await report(on: input)
            add(report, word)
        }
        let words: [Verdict.Word] = [.sound, .usable, .damaged]
        let sum = words.compactMap { word in counts[word].map { "\($0) \(word.rawValue)" } }.joined(separator: ", ")
        let count = objects.count + recordings.leftOut.count
        whole.say(["\(objects.count) checked: \(sum)"] + recordings.leftOut.lines(found: count))
        whole.json("checks", JSONValue.array(objects))
        whole.json("left_out", recordings.leftOut)
        whole.ending = worst
        try whole.finish(told)
    }

    /// What is found in one input; the error that ended its examination is the report's ending.
    private func report(on input: Recordings.Input) async throws -> (report: Report, word: Verdict.Word) {
        do {
            let found = try await examine(input)
            return (found.report(hidesNotes: progress.quiet, strict: strict), found.verdict.word)
        } catch {
            return (try unread(error, input.path), .damaged)
        }
    }

    /// What cannot be read at all has a report too, for programs.
    private func unread(_ error: any Error, _ path: String) throws -> Report {
        guard let unread = CheckReport(unread: error, path: path) else { throw error }
        var report = Report()
        report.members = unread.report(hidesNotes: progress.quiet, strict: strict).members
        report.ending = error
        return report
    }

    private func examine(_ input: Recordings.Input) async throws -> CheckReport {
        let (path, kind) = (input.path, input.kind)
        try OptionUse("check", kind, path).refuseUnused()
        let given = try PictureCheck.options(types: messagePath.resolver(), unpackLimit: unpacking.limit())
        let arvos = kind == .bag ? try ArvosConversion(path) : nil
        return try await progress.run("check", endsAtOnce: kind == .bag && arvos == nil) { tell in
            var options = given
            options.progress = tell
            if let arvos { return try await arvos.check(options) }
            return switch kind {
            case .session: CheckReport(try await SessionCheck(path: path, jobs: Machine.coreCount).run(progress: tell))
            case .bag: CheckReport(try BagChecker.check(FilePath(path), options: options), path: path)
            }
        }
    }
}

/// The decoding of pictures in bags.
enum PictureCheck {
    /// Everything that `check` can find out about a bag.
    static func options(types: TypeResolver = TypeResolver(), unpackLimit: UnpackLimit) -> BagCheckOptions {
        BagCheckOptions(types: types, imageProblem: { problem($0, $1) }, unpackLimit: unpackLimit)
    }

    static func problem(_ bytes: [UInt8], _ format: String) -> String? {
        do {
            switch format {
            case "jpeg": _ = try JPEGDecoder().decode(bytes, eighths: 1)
            case "png": _ = try PNG.inspect(bytes)
            default: break
            }
            return nil
        } catch {
            return "\(error)"
        }
    }
}

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair a damaged session or bag, and report what was saved and what is lost.",
        discussion: """
            Examples:
              mapeverything repair cut.mcap
              mapeverything repair room -o room_sound
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).", completion: .file()) var path:
        String

    @OptionGroup var unpacking: UnpackingOptions

    @Option(
        name: .shortAndLong,
        help: .value("path", "Where to write the repaired copy. Default: NAME_repaired beside the input."),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Repair the input itself. Default: write a copy.") var inPlace = false

    @Flag(help: "Exit with status 1 if anything of a session is lost. For a bag that is always so.") var strict = false

    @OptionGroup var told: ReportOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        if inPlace, let output {
            throw UsageError("--output", expected: "nothing beside --in-place", found: output)
        }
        let report: Report
        do {
            let kind = try InputKind(path)
            try OptionUse("repair", kind, path).refuseUnused()
            report = try await kind == .session ? repairSession() : repairBag()
        } catch let error as BagError where error.advice != nil {
            // The advice is to repair.
            throw CommandError(description: error.description)
        }
        try report.finish(told, strict: strict)
    }

    private func repairSession() async throws -> Report {
        let path = path
        let output = output.map { FilePath($0) }
        let inPlace = inPlace
        let report = try await progress.run("repair") { tell in
            let repair = SessionRepair(path: path, jobs: Machine.coreCount)
            if inPlace { return try await repair.repairInPlace(progress: tell) }
            return try await repair.repair(to: output, progress: tell)
        }
        return Report(report, path: path)
    }

    private func repairBag() async throws -> Report {
        let source = FilePath(path)
        let output = output.map { FilePath($0) } ?? source.beside("repaired")
        let destination: BagRepairer.Destination = inPlace ? .inPlace : .newBag(output)
        let options = PictureCheck.options(unpackLimit: try unpacking.limit())
        let report = try await progress.run("repair", endsAtOnce: true) { tell in
            var options = options
            options.progress = tell
            return try BagRepairer.repair(source, destination, options: options)
        }
        return Report(report, path: path)
    }
}
