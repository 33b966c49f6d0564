import Exports
import Maps
import Perception
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// Exports that this program reads as sessions itself: the numbers are those of the recording.
@Suite struct ExportedSessionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func sample(_ orientation: ImageOrientation) async throws -> any Session {
        var options = SampleOptions()
        options.durationSeconds = 1
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 160, height: 120)
        options.orientation = .fixed(orientation)
        let path = directory.appending("session")
        try await SyntheticSession.write(to: path, options: options)
        return try SessionFormats.open(path: path.string)
    }

    /// - Returns: the export's folder.
    private func export(
        _ session: any Session,
        _ format: FrameFormat,
        _ change: (inout ExportPlan) -> Void = { _ in }
    ) async throws -> (path: FilePath, report: FrameExportReport) {
        var plan = ExportPlan(format: format)
        plan.acceptsSlowMotion = true
        change(&plan)
        let folder = try OutputFolder(creating: directory.appending(format.name))
        let report = try await SessionExport(OpenedRecording(session), plan).run(
            into: folder,
            surface: { SurfaceMesh() }
        )
        try folder.show()
        return (folder.path, report)
    }

    private func frames(_ session: any Session) throws -> [FrameReference] {
        let cursor = try session.records(RecordRequest(streams: [.frames]))
        var frames: [FrameReference] = []
        while let record = try cursor.next() {
            if case .frame(let frame) = record { frames.append(frame) }
        }
        return frames
    }

    @Test(arguments: [ImageOrientation.landscapeRight, .portrait])
    func whatWeWriteReadsAsItWasRecorded(orientation: ImageOrientation) async throws {
        let session = try await sample(orientation)
        let recorded = try frames(session)
        var read: [FrameFormat] = []
        for format in FrameFormat.all where !format.isFile {
            let path = try await export(session, format).path
            guard let again = try? SessionFormats.open(path: path.string) else { continue }
            read.append(format)
            let views = try frames(again)
            try #require(views.count == recorded.count, "\(format)")
            for (view, frame) in zip(views, recorded) {
                let (k, truth) = (view.intrinsics, frame.intrinsics)
                #expect(k.width == truth.width && k.height == truth.height, "\(format)")
                for (found, expected) in [(k.fx, truth.fx), (k.fy, truth.fy), (k.cx, truth.cx), (k.cy, truth.cy)] {
                    #expect(abs(found - expected) < 1e-9, "\(format): \(found), not \(expected)")
                }
                let difference = frame.worldFromCamera.inverse * view.worldFromCamera
                #expect(difference.translation.length < 1e-6, "\(format): \(difference)")
                #expect(difference.rotation.angleRadians < 1e-5, "\(format): \(difference)")
            }
        }
        #expect(read == [.nerfstudio, .ngp, .splatam])
    }

    @Test func limitsActOnEveryDepthImage() async throws {
        let session = try await sample(.portrait)
        let (path, report) = try await export(session, .nerfstudio) { plan in
            plan.depth.minimumDepthMetres = 1
            plan.depth.maximumDepthMetres = 2
            plan.depth.edgeFilter = false
        }
        #expect(report.depthPixels.known > report.depthPixels.kept && report.depthPixels.kept > 0)
        let (loader, truth) = (try SessionFormats.open(path: path.string).makeLoader(), session.makeLoader())
        var problems = Diagnostics()
        var (kept, wrong) = (0, 0)
        for (view, frame) in zip(try frames(SessionFormats.open(path: path.string)), try frames(session)) {
            let depth = try #require(loader.depth(of: view, &problems)).metres
            let recorded = try #require(truth.depth(of: frame, &problems))
            for (pixel, metres) in recorded.metres.enumerated() {
                let isSure = recorded.confidence.map { $0[pixel] >= 1 } ?? true
                let expected = metres > 1 && metres < 2 && isSure ? metres : 0
                let found = depth[pixel].isFinite ? depth[pixel] : 0
                kept += found > 0 ? 1 : 0
                wrong += abs(found - expected) > 0.00051 ? 1 : 0
            }
        }
        #expect(wrong == 0 && kept == report.depthPixels.kept)
    }
}
