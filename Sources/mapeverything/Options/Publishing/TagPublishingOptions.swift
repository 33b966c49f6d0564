import ArgumentParser
import Replay
import TagMaps
import Tags

/// What of AprilTags is published of a session.
struct TagPublishingOptions: ParsableArguments {
    @Option(
        name: .customLong("tag-map"),
        help: ArgumentHelp(
            "Map of AprilTags, as tags map writes it: its tags become frames below map, such as tag36h11:7.",
            discussion: "The map has to be in the session's world: made of this session alone, or with --corrected."
        )
    )
    var map: String?

    @Option(
        name: .customLong("tag-family"),
        help: "Family of the tags of --tag-map and of the topic /mapping/tags. Default: tag36h11."
    )
    var family: String?

    func tagFamily() throws(UsageError) -> TagFamily {
        try family.map { name throws(UsageError) in try TagFamily.named(name, by: "--tag-family") } ?? .tag36h11
    }

    /// The tags of the map by their numbers.
    func frames() throws -> [TagFrame] {
        guard let path = map else { return [] }
        let family = try tagFamily()
        return try TagFiles.processedMap(path).tags.sorted { $0.key < $1.key }.map { id, worldFromTag in
            TagFrame(name: "\(family.rawValue):\(id)", worldFromTag: worldFromTag)
        }
    }
}
