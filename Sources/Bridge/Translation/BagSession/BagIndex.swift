import Bags
import Messages
import Recording
import Sessions
import SystemPackage

/// What one pass over a bag finds: poses, cameras and fixes as they are, of pictures where they lie.
struct BagIndex {
    struct Posed {
        /// Unix time in nanoseconds.
        var stamp: Int64
        var isFromTree: Bool
        /// Where the body is, in the frame of the topic.
        var pose: Recording.Transform
        /// The topic and the row, as problems name it.
        var place: RowPlace
    }

    struct Picture {
        var stamp: Int64
        var place: RowPlace
        /// 0 where the message does not say it.
        var width: Int32
        var height: Int32
        /// As the frame of the message says.
        var turn: ImageOrientation

        /// The size in the sensor's landscape grid; `nil` where the message does not say it.
        var sensorSize: GridSize? {
            guard width > 0, height > 0 else { return nil }
            let (width, height) = turn.inverse.storedSize(sensorWidth: Int(width), sensorHeight: Int(height))
            return GridSize(width: width, height: height)
        }
    }

    /// The cameras of one topic; the next is noted only where it is another than the one before.
    struct Cameras {
        struct Camera: Equatable {
            /// Of the image as it is stored.
            var intrinsics: CameraIntrinsics
            /// As the frame of the message says; `nil` where it does not.
            var turn: ImageOrientation?

            /// Of the sensor's landscape image.
            var ofSensor: CameraIntrinsics { (turn ?? .landscapeRight).sensorIntrinsics(intrinsics) }
        }

        private(set) var stamps: [Int64] = []
        private var places: [Int32] = []
        private var cameras: [Camera] = []

        var isEmpty: Bool { stamps.isEmpty }

        mutating func add(_ camera: Camera, stamp: Int64) {
            if cameras.last != camera { cameras.append(camera) }
            stamps.append(stamp)
            places.append(Int32(clamping: cameras.count - 1))
        }

        mutating func sort() {
            guard zip(stamps, stamps.dropFirst()).contains(where: { $0 > $1 }) else { return }
            let order = stamps.indices.sorted { (stamps[$0], $0) < (stamps[$1], $1) }
            (stamps, places) = (order.map { stamps[$0] }, order.map { places[$0] })
        }

        /// The one whose stamp is nearest.
        func nearest(to stamp: Int64) -> Camera? {
            let next = stamps.sortedIndex(where: { $0 >= stamp })
            guard next < stamps.count else { return stamps.isEmpty ? nil : cameras[Int(places[next - 1])] }
            let isBefore = next > 0 && stamp - stamps[next - 1] <= stamps[next] - stamp
            return cameras[Int(places[isBefore ? next - 1 : next])]
        }
    }

    var poses: [Posed] = []
    var images: [Picture] = []
    var depths: [Picture] = []
    var confidences: [Picture] = []
    var imageCameras = Cameras()
    var depthCameras = Cameras()
    var fixes: [(fix: NavSatFix, stamp: Int64, place: RowPlace)] = []
    /// By the stamps of their fixes.
    var fixMetadata: [Int64: (position: ServicePosition, unixSeconds: Double)] = [:]
    var session: MappingSession?
    /// The first frame in which a picture or its camera is.
    var pictureFrame: String?
    /// The largest difference between the stamp of a message and its time in the bag, in nanoseconds.
    var largestDelay: Int64 = 0
    /// Where lenses distort: the model that is left out, or nothing.
    var distortion: String?
    var problems = Diagnostics()
}

/// Reads the rows of a bag once, from front to back.
struct BagIndexer {
    private(set) var index = BagIndex()
    private let reader: BagReader
    private let roles: [Int: BagRole]
    private let decoders: [Int: RowDecoder]
    private var tree = BodyInTree()

    /// Stamps outside of this are no times of a recording; a header without a time is taken at the time of its row.
    private static let stamps: ClosedRange<Int64> = 1...4_000_000_000_000_000_000

    private static let longestSide: UInt32 = 1 << 14

    /// - Throws: an ``UnknownType`` where the bag describes a type in a way that does not read.
    init(_ reader: BagReader, _ topics: BagTopics) throws {
        self.reader = reader
        // IMU samples are many, and are read when they are wanted.
        roles = topics.roles.filter { $0.value != .imu }
        decoders = try roles.keys.reduce(into: [:]) { $0[$1] = try RowDecoder(reader.topics[$1]) }
    }

    mutating func run() throws {
        var wanted = [Int](repeating: 0, count: reader.topics.count)
        for (topic, decoder) in decoders {
            wanted[topic] = roles[topic]?.isLarge == true && decoder.readsHeads ? BagRole.headBytes : .max
        }
        let names = Set(roles.keys.map { reader.topics[$0].name })
        let cursor = reader.placedRows(BagQuery(topics: names), wantedBytes: wanted)
        while let row = try cursor.nextPlaced() { take(row) }
        for error in cursor.problems {
            index.problems.record(
                Problem(.damagedArchive, file: Self.name(reader), expected: "rows that read", found: "\(error)")
            )
        }
        let unnamed = cursor.missingCount - cursor.problems.count
        if unnamed > 0 {
            let found = "\(cursor.missingCount) that are not there"
            let problem = Problem(.damagedArchive, file: Self.name(reader), expected: "all rows", found: found)
            index.problems.record(problem, count: unnamed)
        }
        index.imageCameras.sort()
        index.depthCameras.sort()
    }

    static func name(_ reader: BagReader) -> String { reader.path.lastComponent?.string ?? reader.path.string }

    private mutating func take(_ placed: PlacedRow) {
        let row = placed.row
        guard let role = roles[row.topic], let decoder = decoders[row.topic] else { return }
        do {
            switch role {
            case .image, .rawImage, .depth, .compressedDepth, .confidence: try takePicture(role, placed, decoder)
            default: try takeSmall(role, placed, decoder)
            }
        } catch {
            let place = "\(reader.topics[row.topic].name): \(reader.text(of: placed.place))"
            if let problem = error as? Problem {
                index.problems.record(problem.at(place))
            } else {
                let expected = "a message of \(role.type.typeName) that decodes"
                index.problems.record(Problem(role.problemKind, file: place, expected: expected, found: "\(error)"))
            }
        }
    }

    private mutating func takePicture(_ role: BagRole, _ placed: PlacedRow, _ decoder: RowDecoder) throws {
        let head = try PictureHead(placed.row.bytes, decoder)
        let stamp = try stamp(head.header.stamp.nanosecondsSinceEpoch, placed.row)
        guard head.width <= Self.longestSide, head.height <= Self.longestSide else {
            let expected = "sides of at most \(Self.longestSide) pixels"
            throw Problem(role.problemKind, file: "", expected: expected, found: "\(head.width)x\(head.height)")
        }
        if index.pictureFrame == nil, role != .confidence { index.pictureFrame = head.header.frameID }
        let picture = BagIndex.Picture(
            stamp: stamp,
            place: placed.place,
            width: Int32(clamping: head.width),
            height: Int32(clamping: head.height),
            turn: ImageOrientation(opticalFrame: head.header.frameID) ?? .landscapeRight
        )
        switch role {
        case .depth, .compressedDepth: index.depths.append(picture)
        case .confidence: index.confidences.append(picture)
        default: index.images.append(picture)
        }
    }

    private mutating func takeSmall(_ role: BagRole, _ placed: PlacedRow, _ decoder: RowDecoder) throws {
        let row = placed.row
        switch role {
        case .pose:
            let message = try decoder.message(row.bytes, as: PoseStamped.self)
            let stamp = try stamp(message.header.stamp.nanosecondsSinceEpoch, row)
            let pose = try Recording.Transform(message.pose)
            index.poses.append(BagIndex.Posed(stamp: stamp, isFromTree: false, pose: pose, place: placed.place))
        case .transforms:
            let message = try decoder.message(row.bytes, as: TFMessage.self)
            guard let (pose, nanoseconds) = try tree.take(message) else { return }
            let stamp = try stamp(nanoseconds, row)
            index.poses.append(BagIndex.Posed(stamp: stamp, isFromTree: true, pose: pose, place: placed.place))
        case .imageCamera, .depthCamera:
            let message = try decoder.message(row.bytes, as: CameraInfo.self)
            let stamp = try stamp(message.header.stamp.nanosecondsSinceEpoch, row)
            if index.pictureFrame == nil { index.pictureFrame = message.header.frameID }
            let intrinsics = try CameraIntrinsics(message)
            if message.d.contains(where: { $0 != 0 }) {
                let model = message.distortionModel.isEmpty ? "without a name" : message.distortionModel
                index.distortion = intrinsics.distortion == nil ? model : index.distortion ?? ""
            }
            let camera = BagIndex.Cameras.Camera(
                intrinsics: intrinsics,
                turn: ImageOrientation(opticalFrame: message.header.frameID)
            )
            if role == .imageCamera {
                index.imageCameras.add(camera, stamp: stamp)
            } else {
                index.depthCameras.add(camera, stamp: stamp)
            }
        case .fix:
            let message = try decoder.message(row.bytes, as: NavSatFix.self)
            let stamp = try stamp(message.header.stamp.nanosecondsSinceEpoch, row)
            index.fixes.append((message, stamp, placed.place))
        case .fixMetadata:
            let message = try decoder.message(row.bytes, as: GPSMetadata.self)
            let nanoseconds = message.header.stamp.nanosecondsSinceEpoch
            index.fixMetadata[nanoseconds] = (message.position, message.unixTime)
        case .session:
            index.session = try index.session ?? decoder.message(row.bytes, as: MappingSession.self)
        case .image, .rawImage, .depth, .compressedDepth, .confidence, .imu: break
        }
    }

    private mutating func stamp(_ nanoseconds: Int64, _ row: BagRow) throws(Problem) -> Int64 {
        let stamp = nanoseconds == 0 ? row.timeNanoseconds : nanoseconds
        guard Self.stamps.contains(stamp) else {
            throw Problem(.timeOutOfSession, file: "", expected: "a time of a recording", found: "\(stamp) ns")
        }
        let delay = row.timeNanoseconds.subtractingReportingOverflow(stamp)
        if !delay.overflow {
            index.largestDelay = max(index.largestDelay, Int64(clamping: delay.partialValue.magnitude))
        }
        return stamp
    }
}

extension BagRole {
    /// What a message of the topic that does not decode is, as a problem.
    var problemKind: ProblemKind {
        switch self {
        case .pose, .transforms: .badTransform
        case .image, .rawImage: .brokenImage
        case .imageCamera, .depthCamera: .badIntrinsics
        case .depth, .compressedDepth: .brokenDepth
        case .confidence: .brokenConfidence
        case .imu: .badMotionSample
        case .fix: .badLocation
        case .fixMetadata, .session: .badOptionalField
        }
    }
}

/// The body in the tree of transforms: `map` → `odom` → `base_link`, or `map` → `base_link`.
struct BodyInTree {
    private var mapFromOdom = Recording.Transform.identity

    /// Where the body is in `map`, and when; `nil` for a message that does not say it.
    mutating func take(_ message: TFMessage) throws(Problem) -> (pose: Recording.Transform, nanoseconds: Int64)? {
        for one in message.transforms where isFrame(one.childFrameID, FrameName.odom) {
            guard isFrame(one.header.frameID, FrameName.map) else { continue }
            mapFromOdom = try Recording.Transform(one.transform)
        }
        for one in message.transforms where isFrame(one.childFrameID, FrameName.base) {
            let pose = try Recording.Transform(one.transform)
            let nanoseconds = one.header.stamp.nanosecondsSinceEpoch
            if isFrame(one.header.frameID, FrameName.map) { return (pose, nanoseconds) }
            if isFrame(one.header.frameID, FrameName.odom) { return (mapFromOdom * pose, nanoseconds) }
        }
        return nil
    }

    /// True for the name of a frame, behind any prefix.
    private func isFrame(_ name: String, _ wanted: String) -> Bool { name == wanted || name.hasSuffix("/\(wanted)") }
}
