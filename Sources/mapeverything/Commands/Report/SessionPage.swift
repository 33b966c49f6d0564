import Drawing
import Files
import Replay
import Reports
import Sessions

/// The page of a session: its check, and a look at some of its frames.
struct SessionPage {
    var command = "report"
    let progress: ProgressOptions
    let path: String
    let recording: RecordingOptions
    let jobs: Int
    let points: Int

    func page() async throws -> ReportPage {
        let session = try SessionFormats.openExamined(path: path, options: recording.opening())
        let anchor = EpochAnchor.resolve(
            try recording.policy(),
            summary: session.summary,
            zoneOffset: try recording.zoneOffset(),
            nowNanoseconds: WallClock.nowNanoseconds()
        )
        var report = SessionReport(anchor: anchor)
        (report.points, report.jobs, report.toolVersion) = (points, jobs, Tool.version)
        let (path, jobs) = (path, jobs)
        // All images take longer than everything else.
        let step = max(1, session.summary.frameCount / 60)
        return try await progress.run(command) { [report] tell in
            let check = try await SessionCheck(path: path, jobs: jobs, imageStep: step).run(progress: tell)
            return try await report.page(of: session, check: check, imageStep: step, progress: tell)
        }
    }
}
