import Exports
import Maps
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// A format that only this test knows is exported, read back and judged as the others are.
@Suite struct FrameFormatTests {
    /// A line for each view: number, image file, x; the poses are kept in memory, not read back.
    private final class TestWriter: ExportWriter {
        private let context: ExportContext
        private let metresOff: Double
        private let readsIntrinsics: Bool
        private var text = ""
        private var views: [Int: ReadView] = [:]

        init(_ context: ExportContext, metresOff: Double, readsIntrinsics: Bool) {
            self.context = context
            self.metresOff = metresOff
            self.readsIntrinsics = readsIntrinsics
        }

        func add(_ view: ExportedView) {
            text += "\(view.number) \(view.imageFile) \(view.worldFromOptical.translation.x)\n"
            var pose = view.worldFromOptical
            pose.translation.x += view.number.isMultiple(of: 2) ? metresOff : 0
            views[view.number] = ReadView(worldFromOptical: pose, intrinsics: readsIntrinsics ? view.intrinsics : nil)
        }

        func finish(_ surface: SurfaceMesh) throws { try context.write(text, to: "views.txt") }

        func readBack(_ numbers: Set<Int>) -> [Int: ReadView] { views.filter { numbers.contains($0.key) } }

        let readme = ["A format of a test."]
    }

    private static func format(metresOff: Double = 0, readsIntrinsics: Bool = true) -> FrameFormat {
        FrameFormat("test") { _, _ in
            ViewLayout(image: ("pictures", .stored), name: .padded)
        } writer: {
            TestWriter($0, metresOff: metresOff, readsIntrinsics: readsIntrinsics)
        }
    }

    private static func bytes(_ path: FilePath) throws -> [UInt8] {
        try RegularFile.head(of: path, byteCount: 1 << 20)
    }

    private func session(
        in directory: TemporaryDirectory,
        name: String = "session",
        imuRateHertz: Double = 100
    ) async throws -> any Session {
        var options = SampleOptions()
        options.durationSeconds = 2
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 160, height: 120)
        options.imuRateHertz = imuRateHertz
        let path = directory.appending(name)
        try await SyntheticSession.write(to: path, options: options)
        return try SessionFormats.open(path: path.string)
    }

    @Test func aNewFormatIsADescriptionAndAWriter() async throws {
        let directory = try TemporaryDirectory()
        let session = try await session(in: directory)
        var plan = ExportPlan(format: Self.format())
        plan.rule.every = 2
        let folder = try OutputFolder(creating: directory.appending("out"))
        let report = try await SessionExport(OpenedRecording(session), plan).run(
            into: folder,
            surface: { SurfaceMesh() }
        )
        try folder.show()
        #expect(report.viewCount == 5 && report.counts.trusted == 10 && report.counts.notSelected == 5)
        #expect(report.selfTest.pairCount > 0)
        let lines = try String(decoding: Self.bytes(folder.path.appending("views.txt")), as: UTF8.self)
        #expect(lines.split(separator: "\n").count == 5)
        let picture = try Self.bytes(folder.path.appending("pictures/000004.jpg"))
        let recorded = try Self.bytes(directory.appending("session/rgb/000008.jpg"))
        #expect(picture == recorded)
        let readme = try String(decoding: Self.bytes(folder.path.appending("README.txt")), as: UTF8.self)
        #expect(readme.hasPrefix("A format of a test."))
    }

    @Test func itsPosesAreTestedAsThoseOfTheOthers() async throws {
        let directory = try TemporaryDirectory()
        let session = try await session(in: directory)
        let plan = ExportPlan(format: Self.format(metresOff: 0.3))
        let folder = try OutputFolder(creating: directory.appending("out"))
        await #expect(throws: ExportError.self) {
            try await SessionExport(OpenedRecording(session), plan).run(into: folder, surface: { SurfaceMesh() })
        }
    }

    @Test("a format with images has to read their intrinsics back: the size of each image is compared with them")
    func intrinsicsOfImagesAreReadBack() async throws {
        let directory = try TemporaryDirectory()
        let session = try await session(in: directory)
        let plan = ExportPlan(format: Self.format(readsIntrinsics: false))
        let folder = try OutputFolder(creating: directory.appending("out"))
        let error = try await #require(throws: ExportError.self) {
            try await SessionExport(OpenedRecording(session), plan).run(into: folder, surface: { SurfaceMesh() })
        }
        #expect("\(error)".contains("its camera's size, which is missing"))
    }

    @Test("refusals for its IMU samples name the format")
    func refusalsNameTheFormat() async throws {
        let directory = try TemporaryDirectory()
        var format = Self.format()
        format.needsMotion = true
        let refusals = [
            (0.0, "expected IMU samples, found 0"), (20, "expected IMU samples at 50 Hz or more, found 20.0 Hz"),
        ]
        for (rate, refusal) in refusals {
            let session = try await session(in: directory, name: "\(rate)", imuRateHertz: rate)
            let error = try #require(throws: ExportError.self) {
                try SessionExport(OpenedRecording(session), ExportPlan(format: format))
            }
            #expect("\(error)".hasPrefix("--to test: \(refusal)"), "\(error)")
        }
    }

    @Test func namesAreThoseOfTheCommandLine() {
        #expect(Set(FrameFormat.all.map(\.name)).count == FrameFormat.all.count)
        #expect(FrameFormat.all.map(\.name).contains("tum-rgbd"))
    }
}
