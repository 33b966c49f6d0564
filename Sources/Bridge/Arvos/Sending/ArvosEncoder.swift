import Codecs
import Messages
import Recording
import Text
import Translation
import WebSocket

/// Turns the messages of topics into those of Arvos.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
final class ArvosEncoder {
    private let options: ArvosOptions
    private let roles: ArvosRoles
    private(set) var counts = ArvosEncodingCounts()
    private var sequence: Int64 = 0
    private var cameraInfo: CameraInfo?
    private var waitingImage: (message: CompressedImage, stamp: Int64)?
    private var fix: (message: NavSatFix, stamp: Int64)?
    private var hasMetadata = false
    /// In ARKit's world, where that is what is sent.
    private var lastPose: (worldFromCamera: Recording.Transform, stamp: Int64)?
    private lazy var images = ArvosImages()

    init(_ topics: [Topic], _ options: ArvosOptions) {
        self.options = options
        roles = ArvosRoles(topics, options.streams)
        hasMetadata = roles.topics[.metadata] != nil
    }

    /// The first message, with capabilities that are true of the topics.
    func handshake(_ stamp: Int64) -> ArvosPacket {
        let capabilities: [(String, JSONValue)] = [
            ("hasLiDAR", .bool(roles.topics[.cloud] != nil)), ("hasARKit", .bool(roles.topics[.pose] != nil)),
            ("hasGPS", .bool(roles.topics[.fix] != nil)), ("hasIMU", .bool(roles.topics[.imu] != nil)),
            ("hasWatch", false),
            ("supportedModes", .strings(ArvosStream.Preset.allCases.map(\.rawValue))),
        ]
        return packet(
            "handshake",
            nil,
            [
                ("deviceName", .string(options.deviceName)), ("deviceModel", .string(options.deviceModel)),
                ("osVersion", .string(options.osVersion)), ("appVersion", .string(options.appVersion)),
                ("timestampNs", .integer(time(stamp))), ("capabilities", .object(capabilities)),
                ("protocolVersion", .integer(1)), ("axes", .string(options.keepsROSAxes ? "ros" : "arkit")),
                ("clock", .string(options.epochOffsetNanoseconds == 0 ? "unix" : "uptime")),
            ]
        )
    }

    func status(_ status: String, _ text: String) -> ArvosPacket {
        packet("status", nil, [("status", .string(status)), ("message", .string(text))])
    }

    /// The topics that have no form in Arvos.
    var ignoredTopics: [String] { roles.ignored }

    /// The topic that a stream is made of.
    func topic(of stream: ArvosStream?) -> String? {
        let role: ArvosRoles.Role? =
            switch stream {
            case .camera: .image
            case .depth: .cloud
            case .pose: .pose
            case .imu: .imu
            case .gps: .fix
            case nil: nil
            }
        return role.flatMap { roles.topics[$0] }
    }

    /// Encodes a message as packets; a fix waits for its metadata, an image for its calibration.
    ///
    /// Returns nil for a message that has no form in Arvos.
    func packets(_ message: StampedMessage) -> [ArvosPacket]? {
        let payload = message.message
        let stamp = payload.headerStampNanoseconds ?? message.timeNanoseconds
        if message.topic.name == roles.placing {
            if let pose = payload.compiled(as: PoseStamped.self), pose.pose.isFinite { _ = take(pose, stamp) }
            return []
        }
        guard let role = roles.role(of: message.topic.name) else { return nil }
        switch role {
        case .pose:
            guard let pose = payload.compiled(as: PoseStamped.self), pose.pose.isFinite else {
                return unusable(message)
            }
            return [self.pose(pose, stamp)]
        case .imu:
            guard let imu = payload.compiled(as: Imu.self), imu.isFinite else { return unusable(message) }
            return [self.imu(imu, stamp)]
        case .cloud: return payload.compiled(as: PointCloud2.self).flatMap { cloud($0, stamp) } ?? unusable(message)
        case .image:
            guard let image = payload.compiled(as: CompressedImage.self) else { return unusable(message) }
            let earlier = flushImage()
            waitingImage = (image, stamp)
            return roles.topics[.info] == nil ? earlier + flushImage() : earlier
        case .info:
            cameraInfo = payload.compiled(as: CameraInfo.self)
            return flushImage()
        case .fix:
            guard let fix = payload.compiled(as: NavSatFix.self) else { return unusable(message) }
            self.fix = (fix, stamp)
            return hasMetadata ? [] : takeFix(nil)
        case .metadata:
            return takeFix(payload.compiled(as: GPSMetadata.self)?.position)
        }
    }

    /// Returns the packets that still wait at the end.
    func finish() -> [ArvosPacket] { flushImage() + takeFix(nil) }

    private func unusable(_ message: StampedMessage) -> [ArvosPacket]? {
        counts.unusable[message.topic.name, default: 0] += 1
        return nil
    }

    private func time(_ stamp: Int64) -> Int64 { stamp &- options.epochOffsetNanoseconds }

    private func packet(_ type: String, _ stream: ArvosStream?, _ members: [(String, JSONValue)]) -> ArvosPacket {
        ArvosPacket(stream: stream, message: WebSocketMessage(.text, ArvosWriter.text(type, members)))
    }

    private func tail(_ frame: String) -> [(String, JSONValue)] {
        sequence += 1
        return [("frameId", .string(frame)), ("sequence", .integer(sequence))]
    }

    // MARK: - Telemetry

    /// True if ROS's axes are turned to ARKit's.
    private var turnsAxes: Bool { options.input == .ros && !options.keepsROSAxes }

    /// The pose in the axes that are sent, kept for clouds of its stamp.
    private func take(_ message: PoseStamped, _ stamp: Int64) -> Recording.Transform {
        let (p, q) = (message.pose.position, message.pose.orientation)
        var pose = Recording.Transform(
            rotation: Recording.Quaternion(x: q.x, y: q.y, z: q.z, w: q.w),
            translation: Recording.Vector3(p.x, p.y, p.z)
        )
        if turnsAxes { pose = ArvosAxes.worldFromCamera(mapFromBase: pose) }
        if turnsAxes || options.input == .app { lastPose = (pose, stamp) }
        return pose
    }

    private func pose(_ message: PoseStamped, _ stamp: Int64) -> ArvosPacket {
        let pose = take(message, stamp)
        let rotation = pose.rotation
        return packet(
            "pose",
            .pose,
            [
                ("timestampNs", .integer(time(stamp))),
                ("position", .numbers([pose.translation.x, pose.translation.y, pose.translation.z])),
                ("orientation", .numbers([rotation.x, rotation.y, rotation.z, rotation.w])),
                ("trackingState", "normal"),
            ] + tail(turnsAxes || options.input == .app ? "arkit_world" : message.header.frameID)
        )
    }

    private func imu(_ message: Imu, _ stamp: Int64) -> ArvosPacket {
        let (rate, force) = (message.angularVelocity, message.linearAcceleration)
        let measured = Recording.Vector3(force.x, force.y, force.z)
        var members: [(String, JSONValue)] = [
            ("timestampNs", .integer(time(stamp))), ("angularVelocity", .numbers([rate.x, rate.y, rate.z])),
        ]
        let hasAttitude = message.orientationCovariance[0] >= 0
        let q = message.orientation
        let attitude = Recording.Quaternion(x: q.x, y: q.y, z: q.z, w: q.w)
        let sign: Double = options.keepsROSAxes ? 1 : -1
        // Apple's acceleration is the negative of specific force; the app's bags have it that way round already.
        let appleTotal = options.input == .ros ? -measured : measured
        if hasAttitude, attitude.norm > 0.5 {
            let gravity = attitude.normalized.inverse.rotating(Recording.Vector3(0, 0, -MotionSample.standardGravity))
            let user = (appleTotal - gravity) * -sign
            members.append(("linearAcceleration", .numbers([user.x, user.y, user.z])))
            let shown = gravity * -sign
            members.append(("gravity", .numbers([shown.x, shown.y, shown.z])))
            let angles = ArvosAxes.rollPitchYaw(attitude.normalized)
            members.append(
                (
                    "attitude",
                    ["roll": .number(angles.roll), "pitch": .number(angles.pitch), "yaw": .number(angles.yaw)]
                )
            )
        } else {
            counts.withoutGravity += 1
            let shown = appleTotal * -sign
            members.append(("linearAcceleration", .numbers([shown.x, shown.y, shown.z])))
        }
        return packet("imu", .imu, members + tail(message.header.frameID))
    }

    /// All eight keys or none: one SDK drops a fix that lacks one.
    ///
    /// An unknown value is -1, as CoreLocation has it.
    private func takeFix(_ position: ServicePosition?) -> [ArvosPacket] {
        guard let (fix, stamp) = fix else { return [] }
        self.fix = nil
        guard fix.latitude.isFinite, fix.longitude.isFinite else { return [] }
        func known(_ value: Double?) -> Double { value.flatMap { $0.isFinite ? $0 : nil } ?? -1 }
        let isKnown = fix.positionCovarianceType != NavSatFix.covarianceUnknown
        let horizontal = isKnown ? LocationSample.sigmasInRadius * fix.positionCovariance[0].squareRoot() : nil
        let vertical = isKnown ? fix.positionCovariance[8].squareRoot() : nil
        return [
            packet(
                "gps",
                .gps,
                [
                    ("timestampNs", .integer(time(stamp))), ("latitude", .number(fix.latitude)),
                    ("longitude", .number(fix.longitude)),
                    ("altitude", .number(known(position?.altitude ?? fix.altitude))),
                    ("horizontalAccuracy", .number(known(position?.horizontalAccuracy ?? horizontal))),
                    ("verticalAccuracy", .number(known(position?.verticalAccuracy ?? vertical))),
                    ("speed", .number(known(position?.speed))), ("course", .number(known(position?.course))),
                ] + (fix.altitude.isFinite ? [("ellipsoidalAltitude", .number(fix.altitude))] : [])
                    + tail(fix.header.frameID)
            )
        ]
    }

    // MARK: - Frames

    private func flushImage() -> [ArvosPacket] {
        guard let (image, stamp) = waitingImage else { return [] }
        waitingImage = nil
        guard let fitting = images.fitting(image.data, limit: ArvosParser.maximumMessageBytes - 4096) else {
            counts.unusable[roles.topics[.image] ?? "image", default: 0] += 1
            return []
        }
        if fitting.isShrunk { counts.shrunkImages += 1 }
        var members: [(String, JSONValue)] = [
            ("timestampNs", .integer(time(stamp))), ("width", .integer(fitting.width)),
            ("height", .integer(fitting.height)), ("format", "jpeg"), ("compressedSize", .integer(fitting.bytes.count)),
        ]
        if let info = cameraInfo, info.width > 0, info.height > 0 {
            let scale = Double(fitting.width) / Double(info.width)
            // Whole numbers are centres of pixels, at any size.
            members.append(
                (
                    "intrinsics",
                    [
                        "fx": .number(info.k[0] * scale), "fy": .number(info.k[4] * scale),
                        "cx": .number((info.k[2] + 0.5) * scale - 0.5), "cy": .number((info.k[5] + 0.5) * scale - 0.5),
                    ]
                )
            )
        }
        let bytes = ArvosWriter.binary("camera", members + tail(image.header.frameID), fitting.bytes)
        return [ArvosPacket(stream: .camera, message: .binary(bytes))]
    }

    private func cloud(_ message: PointCloud2, _ stamp: Int64) -> [ArvosPacket]? {
        var place: ((Float, Float, Float) -> (Float, Float, Float))?
        if turnsAxes, message.header.frameID == FrameName.map { place = ArvosAxes.world }
        // In the camera's frame as of the pose of the same moment.
        if let lastPose, lastPose.stamp == stamp {
            if turnsAxes, message.header.frameID == FrameName.optical {
                place = ArvosAxes.placing(lastPose.worldFromCamera * Coordinates.opticalFromCamera.inverse)
            } else if options.input == .app, message.header.frameID == FrameName.camera {
                place = ArvosAxes.placing(lastPose.worldFromCamera)
            }
        }
        let limit = (ArvosParser.maximumMessageBytes - 4096) / ArvosPLY.bytesPerPoint
        guard let ply = ArvosPLY(message, pointLimit: limit, place: place) else { return nil }
        counts.offeredPoints += ply.offeredPoints
        counts.keptPoints += ply.pointCount
        if ply.pointCount < ply.offeredPoints { counts.thinnedClouds += 1 }
        let members: [(String, JSONValue)] = [
            ("timestampNs", .integer(time(stamp))), ("pointCount", .integer(ply.pointCount)),
            ("minDepth", .number(ply.nearest)), ("maxDepth", .number(ply.farthest)), ("format", "point_cloud"),
        ]
        let isOfMap = options.input == .app && message.header.frameID == FrameName.map
        let frame = place != nil || isOfMap ? "arkit_world" : message.header.frameID
        let bytes = ArvosWriter.binary("depth", members + tail(frame), ply.bytes)
        return [ArvosPacket(stream: .depth, message: .binary(bytes))]
    }
}

// JSON has no other numbers, and neither SDK takes null.
extension Pose {
    fileprivate var isFinite: Bool {
        [position.x, position.y, position.z, orientation.x, orientation.y, orientation.z, orientation.w]
            .allSatisfy(\.isFinite)
    }
}

extension Imu {
    fileprivate var isFinite: Bool {
        let (rate, force, turn) = (angularVelocity, linearAcceleration, orientation)
        return [rate.x, rate.y, rate.z, force.x, force.y, force.z, turn.x, turn.y, turn.z, turn.w]
            .allSatisfy(\.isFinite)
    }
}
