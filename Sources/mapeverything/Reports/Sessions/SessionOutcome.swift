import Earth
import JSONText
import Playback
import Replay
import Sessions

extension Outcome.Subject {
    /// A session that was played.
    static func session(_ setup: ReplaySetup, _ report: ReplayReport) -> Outcome.Subject {
        let problems = SessionText.problems(report.diagnostics, report.counts)
        let clouds = SessionFacts.clouds(setup, report.counts)
        let absent = SessionFacts.absent(setup.absent)
        return Outcome.Subject(
            playback: report.playback,
            heading: SessionText.anchor(setup) + "\n" + SessionText.georeference(setup.georeference),
            remarks: [clouds.textOfRows, problems, absent.textOfRows, Format.warnings(setup.warnings)]
                .filter { !$0.isEmpty },
            lostAnything: report.lostAnything || !setup.warnings.isEmpty,
            leadingMembers: [
                ("session", .string(setup.session.summary.name)), ("profile", .string(setup.plan.profile.name)),
                ("frames", .string(setup.plan.profile.frames.rawValue)), ("epoch", SessionJSON.anchor(setup.anchor)),
                ("georeference", SessionJSON.georeference(setup.georeference)),
            ],
            trailingMembers: [
                ("absent", absent.json), ("problems", SessionJSON.problems(report.diagnostics)),
                ("left_out", .object(SessionFacts.leftOut(report.counts).members)), ("clouds", clouds.json),
                ("warnings", .strings(setup.warnings)),
            ]
        )
    }
}
