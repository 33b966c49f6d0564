import Bags
import Messages
import SystemPackage

/// What a topic of a bag is to a session.
enum BagRole: CaseIterable, Sendable {
    case pose
    case transforms
    case image
    case rawImage
    case imageCamera
    case depth
    case compressedDepth
    case confidence
    case depthCamera
    case imu
    case fix
    case fixMetadata
    case session

    var type: any Message.Type {
        switch self {
        case .pose: PoseStamped.self
        case .transforms: TFMessage.self
        case .image, .compressedDepth: CompressedImage.self
        case .rawImage, .depth, .confidence: Image.self
        case .imageCamera, .depthCamera: CameraInfo.self
        case .imu: Imu.self
        case .fix: NavSatFix.self
        case .fixMetadata: GPSMetadata.self
        case .session: MappingSession.self
        }
    }

    /// The names that the topic may have behind any namespace.
    var names: [String] {
        switch self {
        case .pose: [TopicKind.pose.rawValue]
        case .transforms: [TopicKind.transforms.rawValue]
        case .image: [TopicKind.cameraImage.rawValue]
        case .rawImage: ["/image", "/image_raw", "/image/raw"].map { "/mapping/camera" + $0 }
        case .imageCamera: [TopicKind.cameraInfo.rawValue]
        case .depth: [TopicKind.depthImage.rawValue]
        case .compressedDepth: [TopicKind.compressedDepth.rawValue]
        case .confidence: [TopicKind.depthConfidence.rawValue]
        case .depthCamera: [TopicKind.depthCameraInfo.rawValue]
        case .imu: [TopicKind.imu.rawValue]
        case .fix: [TopicKind.locationFix.rawValue]
        case .fixMetadata: [TopicKind.locationMetadata.rawValue]
        case .session: [TopicKind.session.rawValue]
        }
    }

    /// How many of the first bytes of a message say when and how large a picture is; a frame name of more than a thousand
    /// letters is taken for damage.
    static let headBytes = 1200

    /// True if a message is so large that it is read no further than that where only its time is wanted.
    var isLarge: Bool {
        switch self {
        case .image, .rawImage, .depth, .compressedDepth, .confidence: true
        default: false
        }
    }
}

/// Why a bag is no session.
package enum BagSessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No topic of a kind that a session cannot do without.
    case missing(path: String, wanted: [String], found: [String])
    /// No message that says what a picture's camera is.
    case noCamera(path: String, found: String)
    /// Several topics that could be meant.
    case ambiguous(path: String, wanted: String, found: [String])

    package var description: String {
        switch self {
        case .missing(let path, let wanted, let found):
            "bag: \(path): expected \(wanted.joined(separator: " or ")), found "
                + (found.isEmpty ? "no topic" : Self.list(found))
        case .noCamera(let path, let found):
            "bag: \(path): expected at least one usable CameraInfo, found none (first problem: \(found))"
        case .ambiguous(let path, let wanted, let found):
            "bag: \(path): expected one topic for \(wanted), found \(Self.list(found)); name the namespace that is meant"
        }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(12).joined(separator: ", ") + (names.count > 12 ? " and \(names.count - 12) more" : "")
    }
}

/// The topics of a bag that make up a session, by their types and the ends of their names.
struct BagTopics: Sendable {
    private(set) var indices: [BagRole: Int] = [:]
    private let path: String
    private let topics: [BagTopic]

    /// - Parameter namespace: What the names of all topics but `/tf` begin with; `nil` for any.
    init(_ reader: BagReader, namespace: String?) throws(BagSessionError) {
        path = reader.path.string
        topics = reader.topics
        // A recorder announces topics of which nothing comes.
        let isCounted = reader.readableCount != nil
        let filled = reader.topics.indices.filter { !isCounted || reader.heldCount(ofTopic: $0) > 0 }
        for role in BagRole.allCases {
            let candidates = filled.filter { index in
                let topic = reader.topics[index]
                return !topic.isOfForeignForm && Self.isType(topic.typeName, role)
                    && (role == .transforms || namespace.map { topic.name.hasPrefix($0) } ?? true)
            }
            indices[role] = try choice(role, candidates)
        }
        // Of two forms of one thing: the one that is stored as the phone stored it, and the one without rounding.
        if indices[.image] != nil { indices[.rawImage] = nil }
        if indices[.depth] != nil { indices[.compressedDepth] = nil }
    }

    var imageIndex: Int? { indices[.image] ?? indices[.rawImage] }
    var depthIndex: Int? { indices[.depth] ?? indices[.compressedDepth] }

    /// The role of each topic of the bag that has one.
    var roles: [Int: BagRole] { Dictionary(indices.map { ($0.value, $0.key) }) { first, _ in first } }

    func name(_ role: BagRole) -> String? { indices[role].map { topics[$0].name } }

    /// Refuses a bag that lacks all topics of some roles.
    func require(_ roles: [BagRole]) throws(BagSessionError) {
        guard roles.allSatisfy({ indices[$0] == nil }) else { return }
        let found = topics.map { "\($0.name) (\($0.typeName))" }.sorted()
        throw .missing(path: path, wanted: roles.map(Self.text), found: found)
    }

    private static func text(_ role: BagRole) -> String { "a topic …\(role.names[0]) (\(role.type.typeName))" }

    /// The topic whose name fits best; several that fit alike are refused.
    private func choice(_ role: BagRole, _ candidates: [Int]) throws(BagSessionError) -> Int? {
        var tiers: [[Int]] = [[], [], []]
        for index in candidates {
            let name = topics[index].name
            let tier = role.names.compactMap { Self.tier(name, $0) }.min()
            if let tier { tiers[tier].append(index) }
        }
        guard let best = tiers.first(where: { !$0.isEmpty }) else { return nil }
        guard best.count == 1 else {
            throw .ambiguous(path: path, wanted: Self.text(role), found: best.map { topics[$0].name }.sorted())
        }
        return best[0]
    }

    /// 0 for the very name, 1 for one behind a namespace, 2 for one without `/mapping`; `nil` for another.
    private static func tier(_ name: String, _ wanted: String) -> Int? {
        if name == wanted { return 0 }
        if name.hasSuffix(wanted) { return 1 }
        let root = "/mapping"
        return wanted.hasPrefix(root) && name.hasSuffix(wanted.dropFirst(root.count)) ? 2 : nil
    }

    private static func isType(_ name: String, _ role: BagRole) -> Bool {
        MessageTypes.type(named: name).map { $0.typeName == role.type.typeName } ?? false
    }
}
