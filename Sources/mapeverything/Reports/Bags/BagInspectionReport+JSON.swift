import Bags
import JSONText
import SystemPackage

extension BagInspectionReport {
    var json: JSONValue {
        .object(
            [("kind", "bag")] + facts.members + [
                ("topics", topics), ("frames", summary.frames.map(frames) ?? .null), ("files", files.json),
                ("warnings", .strings(summary.warnings)),
            ]
        )
    }

    private var topics: JSONValue {
        Table(amounts + timing + offers + [.json("headers") { $0.headers.map(headers) ?? .null }], summary.topics).json
    }

    private func headers(_ headers: BagSummary.Headers) -> JSONValue {
        [
            "count": .integer(headers.count), "unreadable": .integer(headers.unreadableCount),
            "unstamped": .integer(headers.unstampedCount), "backward": .integer(headers.backwardCount),
            "frame_ids": .strings(headers.frameIDs),
            "skew_s": headers.skewNanoseconds.map {
                [
                    "least": Self.seconds($0.minimum), "median": Self.seconds($0.median),
                    "most": Self.seconds($0.maximum),
                ]
            } ?? .null,
        ]
    }

    private func frames(_ tree: FrameTree) -> JSONValue {
        [
            "transforms": .array(
                tree.edges.map {
                    [
                        "parent": .string($0.parent), "child": .string($0.child), "static": .bool($0.isStatic),
                        "count": .integer($0.messageCount),
                    ]
                }
            ),
            "roots": .strings(tree.roots), "trees": .integer(tree.parts.count),
            "contested": .strings(tree.contested),
            "unconnected": .strings(tree.unconnected),
        ]
    }

    private static func seconds(_ nanoseconds: Int64) -> JSONValue { .number(Double(nanoseconds) / 1e9) }
}
