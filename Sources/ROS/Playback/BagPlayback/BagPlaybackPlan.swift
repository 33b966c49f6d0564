package import Bags
package import Messages
package import SystemPackage

/// Everything that decides what of a bag is published, when and under which names.
package struct BagPlaybackPlan: Sendable {
    /// The chosen topics, by the names of the bag: after legacy names were brought up to date and before ``naming``.
    package var selection = TopicSelection()
    package var naming = TopicNaming()
    package var start: PlaybackPlace?
    package var end: PlaybackPlace?
    package var durationSeconds: Double?
    /// Types of topics that the bag names wrongly, by topic.
    package var types: [String: String] = [:]
    /// True if topics that cannot be published are left out knowingly, and one of two types under one name too.
    package var skipsUnknown = false
    /// Finds the definitions of types.
    package var resolver = TypeResolver()
    /// Plays of a damaged bag what can be read, and counts what is missing, instead of refusing it.
    package var acceptsDamage = false
    /// How large compressed files may become.
    package var unpackLimit = UnpackLimit()
    /// How it is played: rate, loops, stamps; the clock's topic is found by the setup.
    package var playback = PlaybackOptions()
    /// How often `/clock` is published; `nil` for never: then a recorded one is.
    package var clockHertz: Double?

    package init() {}
}

/// Why a bag cannot be played as it was asked for.
package enum BagPlaybackError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bag has no messages.
    case empty(FilePath)
    case emptySpan(asked: String, held: String)
    case noSuchFrame(index: Int, last: Int)
    /// No topic was selected; what was asked for and is not there, a line each.
    case noTopic([String])
    /// None of the selected topics can be published.
    case nothingLeft(reasons: [String])
    case badName(String)
    /// Topics of different types that would have one name.
    case sameName(String, types: [String])

    package var description: String {
        switch self {
        case .empty(let path): "bag: \(path): expected messages, found none"
        case .emptySpan(let asked, let held):
            "span: expected a part of the bag, which holds \(held), found \(asked)"
        case .noSuchFrame(let index, let last):
            "span: expected the number of a moment that the bag has (up to \(last)), found \(index)"
        case .noTopic(let unmatched):
            "topics: expected at least one that the bag has, found none"
                + (unmatched.isEmpty ? "" : " (\(unmatched.joined(separator: "; ")))")
        case .nothingLeft(let reasons):
            "topics: expected at least one that can be published, found none (\(reasons.joined(separator: "; ")))"
        case .badName(let name):
            "topics: \(name): expected a ROS name (letters, digits and _ between slashes), found another"
        case .sameName(let name, let types):
            "topics: \(name): expected one type for each name, found \(types.joined(separator: " and "))"
        }
    }
}
