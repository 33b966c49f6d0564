import Exports
import Foundation
import Maps
import Messages
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// The list of products, from which formats, helps, options and pages follow.
struct ProductTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func wordsLeadToProducts() throws {
        let names = Product.all.map(\.name)
        #expect(Set(names).count == names.count)
        for product in Product.exports {
            #expect(Product.named(product.name.uppercased()) == product)
            #expect(!product.standsFor.contains(product.name))
        }
        #expect(Product.named("nav2") == nil && Product.named("mcap") == nil)
        for product in Product.maps {
            let ending = try #require(product.ending)
            #expect(Product.maps.filter { $0.ending == ending } == [product])
        }
    }

    @Test(arguments: [
        ("off", "; take ply"), ("USDZ", "; take glb"), ("laz", "; take las"), ("objj", "; did you mean obj?"),
        ("colmpa", "; did you mean colmap?"),
        ("tumm", "; did you mean tum?"), ("mcap", "; `mapeverything bag -o NAME.mcap` makes that"),
        ("tif", "; `mapeverything map -o NAME.tif` makes that"), ("nothing like it", ""),
    ])
    func whatIsNearIsNamed(word: String, hint: String) {
        #expect(Product.hint(word) == hint)
    }

    /// The page says of every export how it is made, and of nothing else.
    @Test func thePageHasThemAll() throws {
        let page = try String(contentsOfFile: Checkout.path("docs/exports.md").string, encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("--to") }
        let words = rows.flatMap { row -> [String] in
            let cell = row.split(separator: "|")[1]
            return cell.matches(of: /--to ([a-z0-9-]+)/).map { String($0.output.1) }
                + cell.matches(of: /`([a-z0-9-]+)`/).map { String($0.output.1) }
        }
        #expect(words.sorted() == Product.exports.map(\.name).sorted())
    }

    /// A new product of each family is a value; ``FrameFormatTests`` has one of frames.
    @Test func newOnesAreValues() async throws {
        let mesh = SurfaceMesh()
        var options = SampleOptions()
        (options.durationSeconds, options.framesPerSecond, options.imageSize) = (
            0.5, 2, GridSize(width: 64, height: 48)
        )
        let path = directory.appending("session")
        try await SyntheticSession.write(to: path, options: options)
        let recording = try OpenedRecording.open(path.string)
        let surface = Product("test", .surface(SurfaceFile { .init(Array($0.comments.joined().utf8)) }))
        guard case .surface(let file) = surface.making else { return }
        let heights = FixHeights()
        let made = try file.make(.init(mesh, of: recording, isCloud: false, version: "7", heights: heights))
        var bytes: [UInt8] = []
        try made.content.write { bytes += $0 }
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("mapeverything 7, session"))

        let track = Product("test", .track(TrackFile { export, version in Array("\(export.title) \(version)".utf8) }))
        guard case .track(let tracks) = track.making else { return }
        let sink = FixSink(title: "walk")
        #expect(tracks.bytes(await sink.export, "7") == Array("walk 7".utf8))

        let table = Product("test", .table(TableFormat("txt") { try CSVFile(creating: $0, $1) }))
        guard case .table(let format) = table.making else { return }
        let folder = try OutputFolder(creating: directory.appending("tables"))
        let tables = TableSink(folder, format)
        try await tables.open([Topic(name: "/pose", type: PoseStamped.self)])
        _ = try await tables.finish()
        try folder.show()
        #expect(try directoryEntries(directory.appending("tables")) == ["pose.txt"])
        #expect(track.isExport && table.isExport && surface.outputEnding == ".test")
    }
}
