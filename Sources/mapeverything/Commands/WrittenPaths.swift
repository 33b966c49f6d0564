import ArgumentParser
import Exports
import Platform
import Synthetic
import SystemPackage

/// A command that writes.
///
/// All of its paths are claimed before its work begins, and here alone it is told which those are.
protocol WritingCommand: SendableMetatype {
    /// What it reads: nothing is written there.
    var inputs: [String] { get }

    /// What it writes.
    func claims() throws -> [OutputClaim]
}

extension WritingCommand {
    func claim() throws {
        // A session may be named by one of its files.
        let folders = inputs.map { FilePath($0) }.filter {
            ["frames.jsonl", "metadata.json"].contains($0.lastComponent?.string)
        }
        .map { $0.removingLastComponent() }.map { $0.isEmpty ? "." : $0.string }
        try OutputClaim.check(claims(), outside: inputs + folders)
    }
}

extension ReportOptions {
    var claims: [OutputClaim] { claimed(report, .report, replaces: true, by: "--report") }
}

/// The claim of an option that may not be given.
private func claimed(
    _ path: String?,
    _ kind: OutputKind,
    replaces: Bool = false,
    by option: String? = nil
) -> [OutputClaim] {
    path.map { [OutputClaim($0, kind, replaces: replaces, option: option)] } ?? []
}

extension HTMLReportOptions {
    fileprivate func claims(replaces: Bool) -> [OutputClaim] {
        claimed(htmlReport, .page, replaces: replaces, by: "--html-report")
    }
}

extension RecordingOptions {
    fileprivate var inputs: [String] { [poses.poses, depth.depthModel].compactMap(\.self) }
}

extension PublishingOptions {
    fileprivate var inputs: [String] { recording.inputs + [tags.map, geoid.file].compactMap(\.self) }
}

// MARK: - Recordings and bags that are read, published or made

extension InspectCommand: WritingCommand {
    var inputs: [String] { [path] + publishing.inputs }
    func claims() -> [OutputClaim] { publishing.reporting.told.claims }
}

extension CheckCommand: WritingCommand {
    var inputs: [String] { paths }
    func claims() -> [OutputClaim] { told.claims }
}

extension RepairCommand: WritingCommand {
    var inputs: [String] { [path] }
    func claims() -> [OutputClaim] { (inPlace ? [] : claimed(output, .newFolder)) + told.claims }
}

extension ServeCommand: WritingCommand {
    var inputs: [String] { [input.path] + input.publishing.inputs }
    func claims() -> [OutputClaim] { input.publishing.reporting.told.claims }
}

extension ReplayCommand: WritingCommand {
    var inputs: [String] { [input.path] + input.publishing.inputs }

    func claims() throws -> [OutputClaim] {
        let mirror = try dryRun ? nil : saveLocal.map { try bag.claim($0, "--save-local") }
        return (mirror.map { [$0] } ?? []) + html.claims(replaces: bag.force.isGiven)
            + input.publishing.reporting.told.claims
    }
}

extension BagCommand: WritingCommand {
    var inputs: [String] { [session] + publishing.inputs }

    func claims() throws -> [OutputClaim] {
        [try bag.claim(output ?? DefaultOutput.name(of: session) + "_bag")]
            + html.claims(replaces: bag.force.isGiven) + publishing.reporting.told.claims
    }
}

extension RecordCommand: WritingCommand {
    var inputs: [String] { [] }

    func claims() throws -> [OutputClaim] {
        [try bag.claim(output)] + html.claims(replaces: bag.force.isGiven)
    }
}

extension ConvertCommand: WritingCommand {
    var inputs: [String] { bags }

    func claims() throws -> [OutputClaim] {
        let bag = try dryRun ? nil : output.map { try self.bag.claim($0) }
        return (bag.map { [$0] } ?? []) + reporting.told.claims
    }
}

extension SampleCommand: WritingCommand {
    var inputs: [String] { [] }

    func claims() -> [OutputClaim] {
        claimed(output, format.isFile ? .samplePackage : .sample, replaces: force.isGiven)
    }
}

// MARK: - What is made of recordings

extension TrimCommand: WritingCommand {
    var inputs: [String] { [path] }

    func claims() -> [OutputClaim] {
        let isFile = FilePath(output).extension?.lowercased() == "zip"
        return claimed(output, isFile ? .newFile.madeInFolder : .trimmed, replaces: force.isGiven)
            + reporting.told.claims
    }
}

extension RefineCommand: WritingCommand {
    var inputs: [String] { [session] + [other, tagMap].compactMap(\.self) }

    func claims() -> [OutputClaim] {
        let path = output ?? DefaultOutput.name(of: other ?? session) + "_poses.txt"
        return claimed(path, .trajectory.madeInFolder, replaces: force.isGiven) + reporting.told.claims
    }
}

extension MapCommand: WritingCommand {
    var inputs: [String] { [session] + recording.inputs + [geoid.file].compactMap(\.self) }

    func claims() -> [OutputClaim] {
        // A name with another ending is refused by the command.
        ((try? product()).map { claims(of: $0) } ?? []) + reporting.told.claims
    }
}

extension ExportCommand: WritingCommand {
    var inputs: [String] { paths + selection.recording.inputs + [geoid.file].compactMap(\.self) }

    func claims() -> [OutputClaim] {
        // What cannot be read is told by the command.
        guard let first = paths.first, let kind = try? kind(of: first) else { return reporting.told.claims }
        return [claim(of: kind)] + reporting.told.claims
    }

    /// The one file of the export, or its folder.
    func claim(of kind: InputKind) -> OutputClaim {
        let isFile = to.isFile(of: kind)
        let ofFile = to.ending == nil ? OutputKind.trajectory.madeInFolder : to.kind
        return OutputClaim(output, isFile ? ofFile : .export(to.name), replaces: force.isGiven)
    }
}

extension Product {
    func isFile(of kind: InputKind) -> Bool {
        if case .bag = kind, let ofBag { return ofBag.isFile }
        return ending != nil
    }
}

extension ReportCommand: WritingCommand {
    var inputs: [String] { paths + recording.inputs }

    func claims() -> [OutputClaim] {
        let ending = paths.count == 2 ? "_compared.html" : ".html"
        let path = output ?? DefaultOutput.name(of: paths.first ?? "") + ending
        return claimed(path, .page, replaces: force.isGiven) + claimed(png, .newFolder, by: "--png") + told.claims
    }
}

extension TagsDetectCommand: WritingCommand {
    func claims() -> [OutputClaim] { claimed(draw, .newFolder, by: "--draw") }
}

extension TagsLocateCommand: WritingCommand {
    var inputs: [String] { [map] + [session].compactMap(\.self) }
    func claims() -> [OutputClaim] { claimed(tum, .trajectory, replaces: force.isGiven, by: "--tum") }
}

extension TagsMapCommand: WritingCommand {
    var inputs: [String] { walks + [truth, poses.poses].compactMap(\.self) }

    /// There are as many pieces as walks at most.
    func claims() -> [OutputClaim] {
        let options: [(String?, OutputKind, String?)] = [
            (output, .json, nil), (tum, .trajectory, "--tum"), (g2o, .graph, "--g2o"),
            (picture, .picture, "--picture"), (raw, .json, "--raw"), (corrected, .newFolder, "--corrected"),
        ]
        return options.flatMap { path, kind, option in
            walks.indices.flatMap { index in
                let replaces = force.isGiven && kind.type == .regular
                return claimed(path.map { Self.numbered($0, index) }, kind, replaces: replaces, by: option)
            }
        }
    }
}

extension BatchPlanCommand: WritingCommand {
    var inputs: [String] { listing }
    func claims() -> [OutputClaim] { claimed(output, .manifest, replaces: force.isGiven) }
}

extension BatchRunCommand: WritingCommand {
    var inputs: [String] { [input].compactMap(\.self) }
    func claims() -> [OutputClaim] { claimed(output, .sharedFolder) }
}

extension BatchCatalogueCommand: WritingCommand {
    var inputs: [String] { [] }

    /// Those of before are replaced, and nothing else that has their names.
    func claims() throws -> [OutputClaim] {
        guard FileType(of: FilePath(target)) == .directory else {
            throw BatchError.absent(path: target, expected: "a folder of results")
        }
        return [OutputClaim(index, .page, replaces: true)]
            + BatchCatalogue.Form.allCases.map { OutputClaim("\(base).\($0.rawValue)", .table($0), replaces: true) }
    }
}

extension BatchUnitCommand: WritingCommand {
    var inputs: [String] { Array(command.prefix(1)) }
    func claims() -> [OutputClaim] { claimed(facts, .newFile) + claimed(thumbnail, .newFile) }
}

extension OutputKind {
    /// The folder of an export, which says of itself what made it.
    static func export(_ format: String) -> OutputKind {
        let marks = ["\"generator\": \"mapeverything ", "\"format\": \"\(format)\""]
        return madeFolder("an untouched export to \(format)", by: "mapeverything.json", saying: marks)
    }

    /// A session that `trim` wrote.
    static let trimmed = madeFolder(
        "an untouched session that trim wrote",
        by: "metadata.json",
        saying: ["\"converted_from\""]
    )

    static let manifest = OutputKind(name: "a manifest", starts: ["{\"mapeverything_batch\""])

    /// A table of results begins with the name of its first column.
    static func table(_ form: BatchCatalogue.Form) -> OutputKind {
        switch form {
        case .jsonl: OutputKind(name: "a table of results", starts: ["{\"id\""])
        case .csv: OutputKind(name: "a table of results", starts: ["id,"])
        case .parquet: OutputKind(name: "a Parquet file", starts: ["PAR1"])
        }
    }
}

/// The paths that a command line has written.
///
/// Tests find every option that writes in the tree of the commands.
package enum WrittenPaths {
    /// The commands and their options as JSON.
    package static var commandTree: String { MapEverything._dumpHelp() }

    /// Reads a command line, and claims what it writes.
    package static func claim(_ arguments: [String]) throws {
        var type: any ParsableCommand.Type = MapEverything.self
        var rest = CommandLineRewriting.rewritten(arguments)[...]
        // The one command alone: the tree of all of them takes far longer to make.
        while let word = rest.first,
            let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word })
        {
            (type, rest) = (next, rest.dropFirst())
        }
        if let writer = try type.parse(Array(rest)) as? any WritingCommand { try writer.claim() }
    }

    /// The error with its advice, as it is printed.
    package static func text(of error: (any Error)?) -> String {
        guard let error, let (text, advice, _) = ErrorReport.describe(error) else { return "" }
        return text + "\n" + (advice ?? "")
    }
}
