import Foundation
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
}
