import Exports
import Foundation
import Synthetic
import Testing

/// The same input and options give the same bytes.
@Suite(.serialized)
struct ReproducibleTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let chunks = ["--chunk-seconds", "0.6"]
    private static let resilient = BagForm(name: "resilient", options: ["--durability", "resilient"])
    private static let resilientMCAP = BagForm(
        name: "resilient mcap",
        options: BagForm.mcap.options + resilient.options
    )
    static let forms = BagForm.all + [resilient, resilientMCAP]

    @Test(arguments: forms)
    func everyForm(form: BagForm) async throws {
        var written: [[String: Data]] = []
        // The name is in the bag; where it lies is not.
        for (index, jobs) in ["1", "2", "2"].enumerated() {
            try SampleBags.makeFolder(folder("\(index)"))
            try await SampleBags.write(folder("\(index)/bag"), form.options + Self.chunks + ["-j", jobs])
            written.append(try FileTree.contents(folder("\(index)/bag")))
        }
        #expect(written[0].count == 4, "\(written[0].keys)")
        for other in written { #expect(FileTree.differences(written[0], other) == []) }

        var converted: [[String: Data]] = []
        for index in 0..<2 {
            let place = folder("converted\(index)")
            try SampleBags.makeFolder(place)
            try await SampleBags.convert([folder("\(index)/bag")], to: "\(place)/bag", form.options + Self.chunks)
            converted.append(try FileTree.contents("\(place)/bag"))
        }
        #expect(converted[0].count == 4, "\(converted[0].keys)")
        #expect(FileTree.differences(converted[0], converted[1]) == [])
    }

    /// Everything that can be made of a recording, each in a folder of its name, as a command line.
    private static func outputs(of path: String, in place: String, jobs: String) -> [(folder: String, words: [String])]
    {
        let single = Product.all.compactMap { BatchProduct($0.name) }.map { one in
            let folder = "\(place)/\(one.product.name)"
            let workers = one.product.options.contains(.workers) ? ["-j", jobs] : []
            return (folder, one.arguments(input: path, output: "\(folder)/\(one.output)") + workers)
        }
        let maps = Product.maps.filter { !$0.isExport }.map { product in
            let folder = "\(place)/\(product.name)"
            return (folder, ["map", path, "-o", "\(folder)/map.\(product.ending ?? "")", "-j", jobs])
        }
        let others = [
            ("\(place)/trim", ["trim", path, "-o", "\(place)/trim/room", "-j", jobs]),
            ("\(place)/refine", ["refine", path, "-o", "\(place)/refine/poses.txt"]),
            ("\(place)/full", ["bag", path, "-o", "\(place)/full/bag", "--profile", "full", "-j", jobs]),
            ("\(place)/inspect", ["inspect", path, "--report", "\(place)/inspect/report.json"]),
        ]
        return single + maps + others
    }

    /// A second later, by other workers: files without a wall clock must not take that of the run.
    @Test(arguments: SampleFormat.allCases) func everythingOfARecording(of format: SampleFormat) async throws {
        let path = folder("room" + (format == .r3d ? ".r3d" : ""))
        let size = format == .arkitScenes ? "256x192" : "64x48"
        try await Command.succeed([
            "sample", "-o", path, "--format", format.rawValue, "--duration", "1.2", "--fps", "5", "--size", size,
        ])
        var made: [[String: Data]] = []
        var refusals: [[String]] = []
        for jobs in ["1", "2"] {
            if jobs == "2" { try await Task.sleep(for: .seconds(1.1)) }
            let place = folder(jobs)
            var refused: [String] = []
            for (output, words) in Self.outputs(of: path, in: place, jobs: jobs) {
                try SampleBags.makeFolder(output)
                let outcome = try await Command.run(words)
                let text = outcome.errors.replacing(place, with: "OUT")
                if outcome.status != 0 { refused.append("\(output.dropFirst(place.count)): \(text)") }
            }
            made.append(try FileTree.contents(place))
            refusals.append(refused)
        }
        #expect(FileTree.differences(made[0], made[1]) == [])
        #expect(refusals[0] == refusals[1])
        // Of poses, a video and IMU samples alone there are twelve.
        let products = Set(made[0].keys.map { $0.prefix { $0 != "/" } })
        #expect(products.count >= 12, "\(products.sorted()), refused: \(refusals[0])")
    }
}
