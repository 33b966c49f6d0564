import Bags
import Codecs
import Messages
import Recording
import Sessions
import SystemPackage
import Testing
import Translation

/// Bags that are not as ours: other forms of pictures, topics that are missing or of other names.
@Suite struct BagSessionContentTests {
    private static let poseAndImage = "/mapping/camera/image"
    private static let depth = "/mapping/depth/image_raw"

    private static func image(
        at place: Int,
        _ encoding: String,
        width: UInt32,
        height: UInt32,
        step: UInt32,
        isBigEndian: Bool = false,
        _ data: [UInt8]
    ) -> Image {
        var image = Image()
        image.header = BagOfMessages.header(place)
        (image.encoding, image.width, image.height, image.step) = (encoding, width, height, step)
        image.isBigEndian = isBigEndian ? 1 : 0
        image.data = data
        return image
    }

    @Test(arguments: [("rgb8", [1, 2, 3]), ("bgr8", [3, 2, 1]), ("rgba8", [1, 2, 3]), ("mono8", [1, 1, 1])])
    func rawImagesAreRead(_ encoding: String, _ colour: [UInt8]) async throws {
        let bag = try await BagOfMessages()
        try await bag.writePose(at: 0)
        try await bag.writeCamera(at: 0)
        let channels = encoding == "rgba8" ? 4 : encoding == "mono8" ? 1 : 3
        // Rows with two bytes of padding.
        let row = Array(repeating: Array([1, 2, 3, 9].prefix(channels)), count: 8).flatMap(\.self) + [7, 7]
        let data = Array(repeating: row.map { UInt8($0) }, count: 6).flatMap(\.self)
        let step = UInt32(8 * channels + 2)
        try await bag.write(
            Self.poseAndImage,
            Self.image(at: 0, encoding, width: 8, height: 6, step: step, data),
            at: 0
        )
        let session = try await bag.open()
        let frame = try #require(try BaggedSample.frames(session).first)
        var problems = Diagnostics()
        let loader = session.makeLoader()
        let stored = try #require(loader.image(of: frame, &problems))
        let picture = try #require(loader.decode(stored, of: frame, fullSize: true, &problems))
        #expect(stored.format == .png && picture.width == 8 && picture.height == 6)
        #expect(picture.pixels == Array(repeating: colour, count: 48).flatMap(\.self))
        #expect(problems.isEmpty)
    }

    @Test(arguments: [false, true]) func millimetresAreRead(_ isBigEndian: Bool) async throws {
        let bag = try await BagOfMessages(storage: .mcap)
        try await bag.writePose(at: 0)
        try await bag.writeCamera(at: 0)
        let values: [UInt16] = [1500, 0, 65_535, 1]
        let data = values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let swapped = stride(from: 0, to: 8, by: 2).flatMap { [data[$0 + 1], data[$0]] }
        let image = Self.image(
            at: 0,
            "16UC1",
            width: 2,
            height: 2,
            step: 4,
            isBigEndian: isBigEndian,
            isBigEndian ? swapped : data
        )
        try await bag.write(Self.depth, image, at: 0)
        let depth = try await Self.onlyDepth(bag)
        #expect(depth.metres.map { $0.isNaN ? -1 : $0 } == [1.5, -1, 65.535, 0.001])
    }

    @Test func compressedDepthIsRead() async throws {
        let name = "/mapping/depth/image_raw/compressedDepth"
        let bagged = try await BaggedSample { $0.selection.excluded = [Self.depth] }
        let session = try bagged.open()
        let recorded = try bagged.recordedFrames()
        let frames = try BaggedSample.frames(session).filter(\.hasDepth)
        #expect(frames.count == 10 && session.summary.hasConfidence)
        var problems = Diagnostics()
        let (loader, original) = (session.makeLoader(), bagged.recorded.makeLoader())
        for frame in frames {
            let depth = try #require(loader.depth(of: frame, &problems))
            let other = try #require(original.depth(of: recorded[frame.time.nanoseconds] ?? frame, &problems))
            #expect(zip(depth.metres, other.metres).allSatisfy { abs($0 - $1) <= 0.000_51 || !($1 > 0) && $0.isNaN })
            #expect(loader.depthFile(of: frame).hasPrefix(name))
        }
        #expect(problems.isEmpty)
    }

    /// Inverse depth in steps, as compressed_depth_image_transport packs 32FC1: depth = a / (step - b).
    @Test func quantisedDepthIsRead() async throws {
        let bag = try await BagOfMessages()
        try await bag.writePose(at: 0)
        try await bag.writeCamera(at: 0)
        var image = CompressedImage()
        image.header = BagOfMessages.header(0)
        image.format = "32FC1; compressedDepth png"
        let parameters: [Float] = [100, 0.5]
        let head =
            [UInt8](repeating: 0, count: 4)
            + parameters.flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
            }
        image.data = head + (try PNG16.encode(width: 2, height: 1, samples: [0, 50]))
        try await bag.write("/mapping/depth/image_raw/compressedDepth", image, at: 0)
        let depth = try await Self.onlyDepth(bag)
        #expect(depth.metres[0].isNaN && abs(depth.metres[1] - 100 / 49.5) < 1e-6)
    }

    private static func onlyDepth(_ bag: BagOfMessages) async throws -> DepthMap {
        let session = try await bag.open()
        let frame = try #require(try BaggedSample.frames(session).first)
        var problems = Diagnostics()
        let depth = session.makeLoader().depth(of: frame, &problems)
        #expect(problems.isEmpty, "\(problems.entries)")
        return try #require(depth)
    }

    @Test func imagesMayBeMissing() async throws {
        let bagged = try await BaggedSample { plan in
            plan.selection.excluded = ["/mapping/camera/image/compressed", "/mapping/camera/camera_info"]
        }
        let session = try bagged.open()
        #expect(!session.summary.hasImages && session.summary.hasDepth)
        let frames = try BaggedSample.frames(session)
        #expect(frames.count == 60 && !frames.contains(where: \.hasImage))
        #expect(frames[0].intrinsics.size == frames[0].depthSize)
        var problems = Diagnostics()
        #expect(session.makeLoader().image(of: frames[0], &problems) == nil && problems.isEmpty)
    }

    /// The camera of an image without one is that of the depth, at the size of the image.
    @Test func cameraOfTheDepthServesTheImage() async throws {
        let bagged = try await BaggedSample { $0.selection.excluded = ["/mapping/camera/camera_info"] }
        let (recorded, frames) = (try bagged.recordedFrames(), try BaggedSample.frames(bagged.open()))
        #expect(frames.filter(\.hasImage).count == 4)
        for frame in frames {
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect(frame.intrinsics.size == other.intrinsics.size)
            #expect(abs(frame.intrinsics.cx - other.intrinsics.cx) < 1e-9)
            #expect(abs(frame.intrinsics.fy - other.intrinsics.fy) < 1e-9)
        }
    }

    @Test func depthMayBeMissing() async throws {
        let bagged = try await BaggedSample {
            $0.selection.excluded = ["/mapping/depth/image_raw/compressedDepth", Self.depth]
        }
        let session = try bagged.open()
        #expect(session.summary.hasImages && !session.summary.hasDepth && !session.summary.hasConfidence)
        var problems = Diagnostics()
        for frame in try BaggedSample.frames(session) {
            #expect(!frame.hasDepth && session.makeLoader().depth(of: frame, &problems) == nil)
        }
    }

    @Test func posesOfTheTreeAreEnough() async throws {
        let bagged = try await BaggedSample { $0.selection.only = ["/tf", "/mapping/camera/camera_info"] }
        let (recorded, frames) = (try bagged.recordedFrames(), try BaggedSample.frames(bagged.open()))
        #expect(frames.count >= 4)
        for frame in frames {
            let other = try #require(recorded[frame.time.nanoseconds])
            #expect((frame.worldFromCamera.translation - other.worldFromCamera.translation).length < 1e-9)
        }
    }

    /// A tree that says something else, such as where a robot is, is not mixed with the poses.
    @Test func anotherTreeIsNotTaken() async throws {
        let bag = try await BagOfMessages()
        for place in 0..<4 {
            try await bag.writeCamera(at: place)
            var transform = TransformStamped()
            transform.header = BagOfMessages.header(place, FrameName.odom)
            transform.childFrameID = FrameName.base
            transform.transform.rotation.w = 1
            transform.transform.translation.x = 5
            var message = TFMessage()
            message.transforms = [transform]
            try await bag.write("/tf", message, at: place)
            if place % 2 == 0 { try await bag.writePose(at: place, x: 1) }
        }
        let frames = try BaggedSample.frames(try await bag.open())
        #expect(frames.map(\.worldFromCamera.translation.x) == [1, 1])
    }

    @Test func missingTopicsAreNamed() async throws {
        let bag = try await BagOfMessages()
        try await bag.writeCamera(at: 0)
        let error = await #expect(throws: BagSessionError.self) { try await bag.open() }
        #expect(
            error?.description
                == "bag: \(bag.path): expected a topic …/mapping/pose (geometry_msgs/msg/PoseStamped) or a "
                + "topic …/tf (tf2_msgs/msg/TFMessage), found /mapping/camera/camera_info (sensor_msgs/msg/CameraInfo)"
        )
        let other = try await BagOfMessages()
        try await other.writePose(at: 0)
        let camera = await #expect(throws: BagSessionError.self) { try await other.open() }
        #expect(camera?.description.contains("…/mapping/camera/camera_info") ?? false)
    }

    @Test func namespacesAreFound() async throws {
        let one = try await BaggedSample { $0.naming.namespace = "/phone/left" }
        #expect(try BaggedSample.frames(one.open()).count == 60)
        let bag = try await BagOfMessages()
        for (place, name) in ["/a", "/b"].enumerated() {
            try await bag.writePose(at: place, x: Double(place), "\(name)/mapping/pose")
            try await bag.writeCamera(at: place, "\(name)/mapping/camera/camera_info")
        }
        let error = await #expect(throws: BagSessionError.self) { try await bag.open() }
        #expect(error?.description.contains("found /a/mapping/pose, /b/mapping/pose") ?? false)
        let second = try BaggedSample.frames(BagSession.open(path: bag.path.string, namespace: "/b"))
        #expect(second.map(\.worldFromCamera.translation.x) == [1])
    }

    /// Of other rates than the poses: the nearest within half an interval, each for one frame.
    @Test func picturesGoToTheNearestPose() async throws {
        let bag = try await BagOfMessages()
        for place in 0..<5 {
            try await bag.writePose(at: place, x: Double(place))
            try await bag.writeCamera(at: place)
        }
        let late: [Int64] = [40_000_000, 140_000_000, 160_000_000, 451_000_000]
        for (place, delay) in late.enumerated() {
            var image = Self.image(
                at: 0,
                "mono8",
                width: 8,
                height: 6,
                step: 8,
                [UInt8](repeating: UInt8(place), count: 48)
            )
            image.header = Header(stampNanoseconds: BagOfMessages.second + delay, frameID: FrameName.optical)
            try await bag.write("/mapping/camera/image_raw", image, at: place)
        }
        let session = try await bag.open()
        let frames = try BaggedSample.frames(session)
        var problems = Diagnostics()
        let loader = session.makeLoader()
        let found = frames.map { frame in
            loader.image(of: frame, &problems).flatMap {
                loader.decode($0, of: frame, fullSize: true, &problems)?.pixels[0]
            }
        }
        #expect(found == [0, 1, 2, nil, nil])
        #expect(session.diagnostics.count(of: .pictureWithoutPose) == 1)
    }
}
