import JSONText
import Replay
import Sessions
import TagMaps
import Tags

/// What became of the frames of a session that was searched for tags.
struct TagSearchReport {
    private let counts: SessionTagCounts

    init(_ counts: SessionTagCounts) {
        self.counts = counts
    }

    var facts: [Fact] {
        let sources = TagSighting.Source.allCases.compactMap { source in
            counts.bySource[source].map { "\($0) by \(Self.name(source))" }
        }
        let unknown = counts.withoutSize > 0 ? ["\(counts.withoutSize) of unknown size"] : []
        let rejected = counts.rejected.reasons + unknown
        let frames =
            "\(counts.frames)"
            + (counts.limitedTracking > 0 ? ", \(counts.limitedTracking) of limited tracking left out" : "")
            + (counts.withoutImage > 0 ? ", \(counts.withoutImage) without a usable image" : "")
        return [
            Fact("frames", frames, "frames", .integer(counts.frames)),
            .json("limited_tracking", .integer(counts.limitedTracking)),
            .json("without_image", .integer(counts.withoutImage)),
            Fact(
                "tags seen",
                "\(counts.sightings)" + (sources.isEmpty ? "" : ": " + sources.joined(separator: ", ")),
                "tags_seen",
                .integer(counts.sightings)
            ),
            .json(
                "by_source",
                .object(TagSighting.Source.allCases.map { ($0.rawValue, .integer(counts.bySource[$0] ?? 0)) })
            ),
            Fact("not believed", rejected.joined(separator: ", ")),
            .json(
                "rejected",
                .object([
                    "hamming": .integer(counts.rejected.hamming), "margin": .integer(counts.rejected.margin),
                    "edge": .integer(counts.rejected.edge), "size": .integer(counts.withoutSize),
                ])
            ),
            Fact(
                "other planes",
                counts.otherPlanes == 0
                    ? "" : "\(counts.otherPlanes) sightings had LiDAR of another plane than the tag's",
                "other_planes",
                .integer(counts.otherPlanes)
            ),
            Fact(
                "wrong sizes",
                counts.wrongSizes.map { size in
                    "tag \(size.tag) was given as \(Format.number(size.given, decimals: 3)) m and measures "
                        + "\(Format.number(size.measured, decimals: 3)) m"
                }.joined(separator: "; ")
            ),
            .json("wrong_sizes", each: counts.wrongSizes) {
                .object(["tag": .integer($0.tag), "given_m": .number($0.given), "measured_m": .number($0.measured)])
            },
            .json("problems", SessionJSON.problems(counts.diagnostics)),
        ]
    }

    private static func name(_ source: TagSighting.Source) -> String {
        switch source {
        case .lidar: "LiDAR"
        case .corners: "corners alone"
        case .ambiguous: "corners that allow two poses"
        }
    }
}
