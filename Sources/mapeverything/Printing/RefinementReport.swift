import Maps
import Platform
import Recording
import Sessions

extension Report {
    /// The end of `refine`.
    init(_ refinement: PoseRefinement, from summary: SessionSummary, path: String) {
        self.init(
            refinement.facts(from: summary) + [
                Fact("written", "\(refinement.frameCount) poses to \(path)", "output", path)
            ],
            refinement.diagnostics,
            limitedTracking: nil
        )
    }

    /// The end of `refine` of two sessions.
    init(_ alignment: SessionAlignment, path: String) {
        let (word, reason): (String, String?) =
            switch alignment.verdict {
            case .aligned: ("aligned", nil)
            case .apart(let reason): ("apart", reason)
            case .doubtful(let reason): ("doubtful", reason)
            }
        let fits = [alignment.bestFit, alignment.nextFit].map { Format.number($0, decimals: 2) }
        let found = "\(alignment.foundCount) of \(alignment.triedCount) in the first session"
        var both = alignment.first.diagnostics
        both.append(alignment.other.diagnostics)
        let (count, isWritten) = (alignment.other.frameCount, alignment.correction != nil)
        self.init(
            [
                Fact("verdict", word + (reason.map { ": \($0)" } ?? ""), "verdict", word), .json("reason", reason),
                Fact("fit", "\(fits[0]), the next best way \(fits[1])", "fit", alignment.bestFit),
                .json("next_fit", alignment.nextFit), .json("candidates", alignment.candidateCount),
                Fact("submaps", alignment.triedCount == 0 ? "" : found, "submaps_found", alignment.foundCount),
                .json("submaps_tried", alignment.triedCount),
                Fact("first", alignment.first.line, "first", alignment.first.verdict.word),
                Fact("other", alignment.other.line, "other", alignment.other.verdict.word),
                Fact("written", isWritten ? "\(count) poses to \(path)" : "", "output", isWritten ? path : nil),
            ],
            both,
            limitedTracking: nil
        )
    }
}

extension PoseComparison {
    var text: String {
        let (before, after) = (Format.metres(recordedMetres), Format.metres(correctedMetres))
        return "\(pairCount) pairs of views are \(before) apart by the recorded poses, \(after) by these"
    }
}

extension PoseRefinement {
    /// The result in one line, for commands that use the poses.
    var line: String {
        guard correction != nil else { return verdict.word + (verdict.reason.map { ": \($0)" } ?? "") }
        let moved =
            "moved by \(Format.metres(movedMedianMetres)) in the median, \(Format.metres(movedMostMetres)) at most"
        return "\(verdict.word) by \(loops.count) loops, \(moved)"
    }

    func facts(from summary: SessionSummary) -> [Fact] {
        let loops = self.loops
        func degrees(_ radians: Double) -> String { Format.number(radians * 180 / .pi, decimals: 2) + " degrees" }
        func median(_ key: KeyPath<Loop, Double>) -> Double? { loops.map { $0[keyPath: key] }.median() }
        func seconds(_ time: Timestamp) -> Double { time.seconds(since: summary.firstTime) }
        let moved = "by \(Format.metres(movedMedianMetres)) in the median, \(Format.metres(movedMostMetres)) at most"
        let reason = verdict.reason.map { ": \($0)" } ?? ""
        let pairs = "\(pairsTried) tried, \(loops.count) loops, \(pairsUnlike) unlike, \(pairsImpossible) impossible"
        var residual = ""
        if let before = median(\.metresBefore), let after = median(\.metresAfter),
            let turnedBefore = median(\.radiansBefore), let turnedAfter = median(\.radiansAfter)
        {
            residual =
                "\(loops.count), off by \(Format.metres(before)) and \(degrees(turnedBefore)) before,"
                + " \(Format.metres(after)) and \(degrees(turnedAfter)) after"
        }
        let check = crossCheck.map {
            "off by \(Format.number($0.recordedSigmas, decimals: 2)) standard deviations as recorded,"
                + " \(Format.number($0.refinedSigmas, decimals: 2)) by the other half"
        }
        let jumpTimes = jumps.prefix(5).map { Format.number(seconds($0.time), decimals: 1) + " s" }
        let jumpText = jumps.isEmpty ? "" : "\(jumps.count), at " + jumpTimes.joined(separator: ", ")
        return [
            Fact("verdict", verdict.word + reason, "verdict", verdict.word), .json("reason", verdict.reason),
            Fact("moved", correction == nil ? "" : moved, "moved_median_m", movedMedianMetres),
            .json("moved_most_m", movedMostMetres),
            Fact("loops", residual, "loop_count", loops.count),
            Fact("held out", check ?? "", "held_out_sigmas_recorded", crossCheck?.recordedSigmas),
            .json("held_out_sigmas_refined", crossCheck?.refinedSigmas),
            Fact("overlap", comparison?.text ?? "", "overlap_recorded_m", comparison?.recordedMetres),
            .json("overlap_refined_m", comparison?.correctedMetres),
            Fact("jumps", jumpText, "jump_count", jumps.count),
            .json("jumps", each: jumps) { jump in
                .of(["seconds": seconds(jump.time), "metres": jump.metres, "degrees": jump.radians * 180 / .pi])
            },
            Fact("way", Format.metres(wayMetres), "way_m", wayMetres),
            Fact(
                "frames",
                "\(frameCount), \(keyFrameCount) key frames in \(submapCount) submaps",
                "frames",
                frameCount
            ),
            .json("key_frames", keyFrameCount), .json("submaps", submapCount), .json("depth_frames", depthFrameCount),
            .json("skipped_frames", skippedFrames), .json("limited_tracking", limitedTracking),
            Fact("pairs", pairsTried == 0 ? "" : pairs, "pairs_tried", pairsTried),
            .json("pairs_unlike", pairsUnlike), .json("pairs_impossible", pairsImpossible),
            .json("loops", each: loops) { loop in
                .of([
                    "from_s": seconds(loop.from), "to_s": seconds(loop.to), "before_m": loop.metresBefore,
                    "after_m": loop.metresAfter, "before_degrees": loop.radiansBefore * 180 / .pi,
                    "after_degrees": loop.radiansAfter * 180 / .pi, "inliers": loop.inlierShare,
                    "free_directions": loop.freeDirections, "by_tags": loop.isTag,
                ])
            },
        ]
    }
}
