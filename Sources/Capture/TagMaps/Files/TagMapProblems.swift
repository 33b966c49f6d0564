/// What is wrong with a file of tags, counted by kind, with the first places of each.
package struct TagMapProblems: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case field = "fields that are missing or wrong"
        case pose = "matrices that are no rigid motions"
        case repeatedPose = "poses whose number was there before"
        case unknownPose = "detections of poses that are not there"
        case corners = "detections without four corners"
        case madeCorners = "detections whose corners were computed from the pose"
    }

    package private(set) var counts: [Kind: Int] = [:]
    package private(set) var examples: [Kind: [String]] = [:]

    package init() {}

    mutating func note(_ kind: Kind, _ place: String, expected: String, found: String) {
        counts[kind, default: 0] += 1
        if examples[kind, default: []].count < 3 {
            examples[kind, default: []].append("\(place): expected \(expected), found \(found)")
        }
    }

    package var count: Int { counts.values.reduce(0, +) }
}

/// Why a file is no map of tags.
package struct TagMapError: Error, Hashable, Sendable, CustomStringConvertible {
    package var expected: String
    package var found: String

    init(_ expected: String, found: String) {
        self.expected = expected
        self.found = found
    }

    package var description: String { "expected \(expected), found \(found)" }
}
