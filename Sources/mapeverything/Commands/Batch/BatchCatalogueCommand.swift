import ArgumentParser
import Batch
import Files
import SystemPackage

struct BatchCatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Write one table of all results: device, duration, frames, topics, skips, extent, GPS box, hashes.",
        discussion: """
            Examples:
              mapeverything batch catalogue bags
              mapeverything batch catalogue bags -o tables/bags
            """
    )

    @Argument(help: "The folder that batch run, or an engine, wrote into.")
    var target: String

    @Option(name: .shortAndLong, help: "Path of the tables, without ending. Default: catalogue in the folder.")
    var output: String?

    func run() throws {
        let base = output ?? target + "/catalogue"
        guard FileType(of: FilePath(target)) == .directory else {
            throw BatchError.absent(path: target, expected: "a folder of results")
        }
        var count = 0
        for form in BatchCatalogue.Form.allCases {
            count = try NewFile.fill(FilePath("\(base).\(form.rawValue)")) { temporary in
                try BatchCatalogue.write(BatchTarget(FilePath(target)), form, to: temporary)
            }
        }
        Terminal.print("\(base).jsonl, .csv and .parquet: \(count) results")
    }
}
