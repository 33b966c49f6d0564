import ArgumentParser
import Batch
import Drawing
import Files
import SystemPackage

struct BatchCatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Write one table of all results (verdict, device, duration, extent), and a page that shows them.",
        discussion: """
            The page is index.html in the folder of the results, and leads to each of them.

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
        // Those of before are replaced, and nothing else that has their names.
        let index = "\(target)/\(BatchIndex.file)"
        let page = try NewFile(index, .page, replaces: true, inputs: [])
        for form in BatchCatalogue.Form.allCases {
            _ = try NewFile("\(base).\(form.rawValue)", OutputKind.table(form), replaces: true, inputs: [])
        }
        let results = BatchTarget(FilePath(target))
        var count = 0
        for form in BatchCatalogue.Form.allCases {
            count = try NewFile.fill(FilePath("\(base).\(form.rawValue)")) { temporary in
                try BatchCatalogue.write(results, form, to: temporary)
            }
        }
        try page.write(try BatchIndex.page(results).bytes)
        Terminal.print("\(base).jsonl, .csv and .parquet: \(count) results; \(index) shows them")
    }
}

extension OutputKind {
    /// A table of results begins with the name of its first column.
    fileprivate static func table(_ form: BatchCatalogue.Form) -> OutputKind {
        switch form {
        case .jsonl: OutputKind(name: "a table of results", starts: ["{\"id\""])
        case .csv: OutputKind(name: "a table of results", starts: ["id,"])
        case .parquet: OutputKind(name: "a Parquet file", starts: ["PAR1"])
        }
    }
}
