import Bags
import Messages
import Recording
import Sessions

/// Where the pictures of each frame lie; a frame is found by its line, from 1.
struct BagPayloadIndex: Sendable {
    fileprivate(set) var images: [RowPlace?] = []
    fileprivate(set) var depths: [RowPlace?] = []
    fileprivate(set) var confidences: [RowPlace?] = []

    func image(of frame: FrameReference) -> RowPlace? { Self.place(images, frame) }
    func depth(of frame: FrameReference) -> RowPlace? { Self.place(depths, frame) }
    func confidence(of frame: FrameReference) -> RowPlace? { Self.place(confidences, frame) }

    private static func place(_ places: [RowPlace?], _ frame: FrameReference) -> RowPlace? {
        places.indices.contains(frame.line - 1) ? places[frame.line - 1] : nil
    }
}

/// What the values of a bag mean: by the bag's own metadata where it has them, else by the names of frames.
struct BagConventions: Sendable {
    var axes: FramePolicy
    var location: LocationConvention
    /// The turns that images are stored in; `nil` where that is not known.
    var turns: [ImageOrientation]?

    static let prefix = "mapeverything."

    init(_ custom: [String: String], _ index: BagIndex, axes given: FramePolicy?) {
        func value<Value: RawRepresentable<String>>(_ key: String) -> Value? {
            custom[Self.prefix + key].flatMap { Value(rawValue: $0) }
        }
        let isAppFrame = index.pictureFrame.map { $0.hasSuffix(FrameName.camera) } ?? false
        axes = given ?? value("frames") ?? (isAppFrame ? .app : .ros)
        let isAppFix = index.fixes.first.map { $0.fix.header.frameID.hasSuffix(FrameName.earth) } ?? false
        location = value("conventions.location") ?? (isAppFix ? .app : .ros)
        turns = custom[Self.prefix + BagProvenance.imageTurns].map { text in
            text.split(separator: " ").compactMap { ImageOrientation(rawValue: String($0)) }
        }
    }

    /// The convention of an IMU by the frame of its messages.
    static func imu(_ custom: [String: String], frameID: String) -> ImuConvention {
        custom[prefix + "conventions.imu"].flatMap { ImuConvention(rawValue: $0) }
            ?? (frameID.hasSuffix(FrameName.camera) ? .app : .ros)
    }
}

/// Makes frames of the poses of a bag, with the pictures and the cameras of their times.
struct BagFrames {
    private(set) var payloads = BagPayloadIndex()
    private(set) var counts: [PayloadKind: Int] = [:]
    private let index: BagIndex
    private let conventions: BagConventions
    private let topics: BagTopics
    private let reader: BagReader
    /// The size of depth in messages that do not say it.
    private let depthSize: GridSize?

    init(
        _ index: BagIndex,
        _ conventions: BagConventions,
        _ topics: BagTopics,
        _ reader: BagReader,
        depthSize: GridSize?
    ) {
        (self.index, self.conventions, self.topics, self.reader) = (index, conventions, topics, reader)
        self.depthSize = depthSize
    }

    /// Adds a frame for each time at which there is a pose.
    mutating func add(to list: inout FrameList) {
        let poses = poses(&list)
        let stamps = poses.map(\.stamp)
        let tolerance = Self.tolerance(stamps)
        func matched(_ pictures: [BagIndex.Picture], _ role: BagRole, _ list: inout FrameList) -> [Int32] {
            let match = StampMatch(stamps, pictures.map(\.stamp), tolerance: tolerance)
            for place in match.unmatched {
                list.note(
                    Problem(
                        .pictureWithoutPose,
                        file: self.place(role, pictures[place].place),
                        expected: "a pose within \(Double(tolerance / 1000) / 1000) ms",
                        found: "none at \(Double(pictures[place].stamp) / 1e9)"
                    )
                )
            }
            return match.itemOf
        }
        let images = matched(index.images, topics.indices[.image] == nil ? .rawImage : .image, &list)
        let depths = matched(index.depths, topics.indices[.depth] == nil ? .compressedDepth : .depth, &list)
        let confidences = matched(index.confidences, .confidence, &list)
        for (place, posed) in poses.enumerated() {
            list.countLine()
            let depth = depths[place] < 0 ? nil : index.depths[Int(depths[place])]
            let frame = frame(posed, line: place + 1, hasImage: images[place] >= 0, depth)
            payloads.images.append(images[place] < 0 ? nil : index.images[Int(images[place])].place)
            payloads.depths.append(depth?.place)
            let confidence = confidences[place] < 0 || depth == nil ? nil : index.confidences[Int(confidences[place])]
            payloads.confidences.append(confidence?.place)
            counts[.images, default: 0] += images[place] < 0 ? 0 : 1
            counts[.depth, default: 0] += frame.depthSize == nil ? 0 : 1
            counts[.confidence, default: 0] += confidence == nil ? 0 : 1
            list.add(frame)
        }
    }

    private func place(_ role: BagRole, _ place: RowPlace) -> String {
        "\(topics.name(role) ?? ""): \(reader.text(of: place))"
    }

    /// The poses in the order of time, one for each time.
    ///
    /// Those of the tree of transforms are taken where there is no pose of their time, if those of equal times agree.
    private func poses(_ list: inout FrameList) -> [BagIndex.Posed] {
        let sorted = index.poses.enumerated().sorted {
            ($0.element.stamp, $0.element.isFromTree ? 1 : 0, $0.offset)
                < ($1.element.stamp, $1.element.isFromTree ? 1 : 0, $1.offset)
        }
        .map(\.element)
        let takesTree = Self.treeAgrees(sorted)
        var poses: [BagIndex.Posed] = []
        poses.reserveCapacity(sorted.count)
        for posed in sorted where takesTree || !posed.isFromTree {
            guard let last = poses.last, last.stamp == posed.stamp else {
                poses.append(posed)
                continue
            }
            guard last.isFromTree == posed.isFromTree else { continue }
            let file = place(posed.isFromTree ? .transforms : .pose, posed.place)
            let found = "\(Double(posed.stamp) / 1e9) again"
            list.note(Problem(.repeatedTime, file: file, expected: "a later time", found: found))
        }
        return poses
    }

    /// True if the tree has the poses of the topic of poses where both have one, or there is no such topic.
    private static func treeAgrees(_ sorted: [BagIndex.Posed]) -> Bool {
        guard sorted.contains(where: { !$0.isFromTree }) else { return true }
        var compared = 0
        for (one, next) in zip(sorted, sorted.dropFirst())
        where one.stamp == next.stamp && one.isFromTree != next.isFromTree {
            compared += 1
            let moved = (one.pose.translation - next.pose.translation).length
            let turned = (one.pose.rotation.inverse * next.pose.rotation).rotationVector.length
            guard moved <= 0.001, turned <= 0.001 else { return false }
        }
        return compared > 0
    }

    /// Half of the median interval between poses, in nanoseconds.
    private static func tolerance(_ stamps: [Int64]) -> Int64 {
        let intervals = zip(stamps.dropFirst(), stamps).map { $0 - $1 }.sorted()
        return intervals.isEmpty ? 50_000_000 : min(intervals[intervals.count / 2] / 2, 1_000_000_000)
    }

    private func frame(_ posed: BagIndex.Posed, line: Int, hasImage: Bool, _ depth: BagIndex.Picture?) -> FrameReference
    {
        let worldFromCamera = Coordinates.worldFromCamera(posed.pose, policy: conventions.axes)
        let (intrinsics, turn) = camera(at: posed.stamp, worldFromCamera)
        let size = depth.map { $0.sensorSize ?? depthSize }
        return FrameReference(
            index: line - 1,
            line: line,
            time: Timestamp(nanoseconds: posed.stamp),
            worldFromCamera: worldFromCamera,
            intrinsics: intrinsics,
            tracking: .unknown,
            declaredOrientation: turn,
            hasImage: hasImage,
            depthSize: size ?? nil
        )
    }

    /// The camera of the sensor's landscape image, and how images are stored; that of the nearest message, whenever that was.
    private func camera(
        at stamp: Int64,
        _ worldFromCamera: Recording.Transform
    ) -> (CameraIntrinsics, ImageOrientation?) {
        guard let camera = index.imageCameras.nearest(to: stamp) else {
            let none = CameraIntrinsics(width: 1, height: 1, fx: 1, fy: 1, cx: 0, cy: 0)
            return (index.depthCameras.nearest(to: stamp)?.ofSensor ?? none, nil)
        }
        let turn = conventions.axes == .ros ? camera.turn : turn(camera.intrinsics, worldFromCamera)
        return ((turn ?? .landscapeRight).sensorIntrinsics(camera.intrinsics), turn)
    }

    /// How an image is stored whose frame does not tell it: of the turns that its size leaves, the one that fits gravity.
    private func turn(_ stored: CameraIntrinsics, _ worldFromCamera: Recording.Transform) -> ImageOrientation? {
        let isUpright = stored.height > stored.width
        let candidates = (conventions.turns ?? ImageOrientation.allCases).filter { $0.swapsAxes == isUpright }
        return OrientationDecision.byGravity(worldFromCamera, among: candidates)
    }
}

/// The items nearest to given times, each for one time alone.
struct StampMatch {
    /// For each time the place of its item; -1 for none.
    private(set) var itemOf: [Int32]
    /// The places of items that belong to no time.
    private(set) var unmatched: [Int] = []

    /// - Parameters:
    ///   - times: in ascending order, each once.
    ///   - tolerance: how far an item may be from its time, in the unit of the times.
    init(_ times: [Int64], _ items: [Int64], tolerance: Int64) {
        itemOf = [Int32](repeating: -1, count: times.count)
        for (item, stamp) in items.enumerated() {
            let next = times.sortedIndex(where: { $0 >= stamp })
            func distance(_ place: Int) -> Int64 {
                times.indices.contains(place) ? abs(times[place] - stamp) : .max
            }
            let place = distance(next) < distance(next - 1) ? next : next - 1
            guard distance(place) <= tolerance else {
                unmatched.append(item)
                continue
            }
            let other = Int(itemOf[place])
            if other >= 0, abs(items[other] - times[place]) <= distance(place) {
                unmatched.append(item)
            } else {
                if other >= 0 { unmatched.append(other) }
                itemOf[place] = Int32(clamping: item)
            }
        }
    }
}
