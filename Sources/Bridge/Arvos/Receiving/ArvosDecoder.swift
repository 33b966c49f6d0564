package import Messages
import Recording
import Text
import Translation

/// Turns the messages of one sender into those of topics; nothing that it rejects spoils what follows.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
package final class ArvosDecoder {
    let topics: ArvosTopics
    let ledger: ArvosLedger
    private let now: @Sendable () -> Int64
    /// True if several devices may stand behind it, as behind requests by HTTP.
    private let isShared: Bool
    /// One, or one for each device and each kind of time where it is shared.
    private var clocks: [ArvosClock] = []
    private var sleepWatch = ArvosSleepWatch()
    private var handshake: JSONObject?
    private(set) var keepsROSAxes = false
    private var lastSequence: Int64?

    /// The seconds of a ROS stamp are 32 bits with a sign.
    private static let stamps = Int64(0)..<2_147_483_648_000_000_000

    /// Posts that come later than this against a clock are of another device.
    private static let sharedLatenessNanoseconds = 5_000_000_000
    private static let maximumClocks = 16

    /// - Parameters:
    ///   - isShared: whether messages of several devices come, without a word of which.
    ///   - now: Unix time in nanoseconds, for clocks that count from the start of a phone.
    package init(
        _ naming: ArvosNaming,
        ledger: ArvosLedger,
        isShared: Bool = false,
        now: @escaping @Sendable () -> Int64
    ) {
        topics = ArvosTopics(naming)
        self.isShared = isShared
        self.ledger = ledger
        self.now = now
    }

    package func messages(text bytes: [UInt8]) -> [StampedMessage] {
        attempt("text message") { () throws(ArvosProblem) in try ArvosParser.text(bytes) }
    }

    package func messages(binary bytes: [UInt8]) -> [StampedMessage] {
        attempt("binary message") { () throws(ArvosProblem) in try ArvosParser.binary(bytes) }
    }

    private func attempt(
        _ place: String,
        _ read: () throws(ArvosProblem) -> ArvosMessage
    ) -> [StampedMessage] {
        do throws(ArvosProblem) {
            let message = try read()
            if message.surplusBytes > 0 {
                ledger.counts.note(
                    ArvosProblem(
                        .surplus,
                        expected: "one frame in a message",
                        found: "\(message.surplusBytes) bytes behind it"
                    ),
                    message.type
                )
            }
            guard !isShared, ledger.fixedClock == nil else { return convert(message) }
            let time = (try? message.timestamp()).flatMap { Self.stamps.contains($0) ? $0 : nil }
            let uptime = time.flatMap { ArvosClock.isUnix($0) ? nil : $0 }
            return convert(sleepWatch.take(message, uptime, now: now()))
        } catch {
            ledger.counts.note(error, place)
            return []
        }
    }

    /// Releases the messages that are still held at the end of a connection.
    package func finish() -> [StampedMessage] { convert(sleepWatch.finish()) }

    private func convert(_ taken: (shift: Int64, messages: [ArvosMessage])) -> [StampedMessage] {
        if taken.shift != 0, let place = clocks.firstIndex(where: { !$0.isUnix }) {
            clocks[place].offsetNanoseconds &+= taken.shift
            ledger.note(clocks[place], of: deviceName, handshake)
        }
        return taken.messages.flatMap { convert($0) }
    }

    private func convert(_ message: ArvosMessage) -> [StampedMessage] {
        do throws(ArvosProblem) {
            let made = try messages(message)
            ledger.counts.messages[message.type, default: 0] += 1
            noteSequence(message)
            return made
        } catch {
            ledger.counts.note(error, message.type)
            return []
        }
    }

    private func noteSequence(_ message: ArvosMessage) {
        guard let sequence = message["sequence"]?.integer, sequence >= 0 else { return }
        if let last = lastSequence, sequence > last {
            ledger.counts.lostInSequence &+= Int(clamping: sequence - last - 1)
        }
        lastSequence = max(lastSequence ?? sequence, sequence)
    }

    /// Unix time of a message.
    func stamp(_ message: ArvosMessage) throws(ArvosProblem) -> Int64 {
        let timestamp = try message.timestamp()
        guard Self.stamps.contains(timestamp) else {
            throw ArvosProblem(.badValue, expected: "timestampNs before 2038", found: "\(timestamp)")
        }
        let stamp = timestamp &+ clock(for: timestamp).offsetNanoseconds
        guard Self.stamps.contains(stamp) else {
            throw ArvosProblem(.badValue, expected: "timestampNs of one clock", found: "\(timestamp)")
        }
        return stamp
    }

    private func clock(for timestamp: Int64) -> ArvosClock {
        if let clock = ledger.fixedClock { return clock }
        let (isUnix, now) = (ArvosClock.isUnix(timestamp), now())
        let place = clocks.firstIndex { clock in
            guard clock.isUnix == isUnix else { return false }
            let lateness = clock.lateness(of: timestamp, receivedNanoseconds: now)
            return isUnix || !isShared || lateness.magnitude <= Self.sharedLatenessNanoseconds
        }
        if let place { return clocks[place] }
        let clock = ledger.clock(of: deviceName, handshake, first: timestamp, now: now)
        if clocks.count >= Self.maximumClocks { clocks.removeFirst() }
        clocks.append(clock)
        return clock
    }

    private var deviceName: String {
        ["deviceName", "deviceModel"].compactMap { handshake?[$0]?.string }.map { String($0.prefix(100)) }
            .joined(separator: ", ")
    }

    private func messages(_ message: ArvosMessage) throws(ArvosProblem) -> [StampedMessage] {
        switch message.type {
        case "handshake":
            handshake = message.fields
            keepsROSAxes = message["axes"]?.string == "ros"
            return [text(message)]
        case "pose": return try pose(message)
        case "imu": return [try imu(message, topics.imu, FrameName.imu)]
        case "watch_imu": return [try imu(message, topics.watch, "watch")]
        case "gps": return try fix(message)
        case "camera": return try camera(message)
        case "depth": return [try cloud(message)]
        case "status", "error", "watch_attitude", "watch_activity", "command": return [text(message)]
        default:
            throw ArvosProblem(
                .unknownType,
                expected: "a type of Arvos",
                found: String(message.type.prefix(40))
            )
        }
    }

    func frame(_ message: ArvosMessage, _ standard: String) -> String {
        message["frameId"]?.string.map { String($0.prefix(200)) } ?? standard
    }

    func stamped(_ topic: Topic, _ stamp: Int64, _ message: any AnyMessage) -> StampedMessage {
        StampedMessage(topic: topic, timeNanoseconds: stamp, message: message)
    }

    private func text(_ message: ArvosMessage) -> StampedMessage {
        let stamp = (try? stamp(message)) ?? now()
        let text = JSONValue.object(message.fields).text()
        return stamped(topics.text(message.type), stamp, StringMessage(data: text))
    }
}

// Images and clouds of a phone as messages.
extension ArvosDecoder {
    func camera(_ message: ArvosMessage) throws(ArvosProblem) -> [StampedMessage] {
        let stamp = try stamp(message)
        let format = message["format"]?.string ?? "jpeg"
        guard !message.payload.isEmpty else {
            throw ArvosProblem(.dataSize, expected: "an image", found: "no bytes")
        }
        let header = Header(stampNanoseconds: stamp, frameID: frame(message, FrameName.optical))
        var result: [StampedMessage] = []
        switch format {
        case "jpeg", "jpg", "png":
            let coding = format == "png" ? "png" : "jpeg"
            var image = CompressedImage()
            image.header = header
            image.format = "rgb8; \(coding) compressed bgr8"
            image.data = message.payload
            result.append(stamped(topics.image, stamp, image))
        case "h264", "h265":
            var video = CompressedVideo()
            video.timestamp = header.stamp
            video.frameID = header.frameID
            video.data = message.payload
            video.format = format
            result.append(stamped(topics.video, stamp, video))
        default:
            throw ArvosProblem(.badValue, expected: "format jpeg, png, h264 or h265", found: String(format.prefix(40)))
        }
        if let info = cameraInfo(message, header) { result.append(stamped(topics.info, stamp, info)) }
        return result
    }

    func cameraInfo(_ message: ArvosMessage, _ header: Header) -> CameraInfo? {
        guard let intrinsics = message["intrinsics"], let width = message["width"]?.integer,
            let height = message["height"]?.integer, width > 0, height > 0
        else { return nil }
        let values = ["fx", "fy", "cx", "cy"].compactMap { intrinsics[$0]?.number }.filter(\.isFinite)
        guard values.count == 4 else { return nil }
        let size = GridSize(width: Int(clamping: width), height: Int(clamping: height))
        let camera = CameraIntrinsics(size: size, fx: values[0], fy: values[1], cx: values[2], cy: values[3])
        return Translation.cameraInfo(camera, header: header)
    }

    func cloud(_ message: ArvosMessage) throws(ArvosProblem) -> StampedMessage {
        let stamp = try stamp(message)
        let source = message["frameId"]?.string
        let isWorld = !keepsROSAxes && (source == nil || source == "arkit_world")
        let frame = isWorld ? FrameName.map : source.map { String($0.prefix(200)) } ?? FrameName.map
        let header = Header(stampNanoseconds: stamp, frameID: frame)
        return stamped(topics.cloud, stamp, try PLYCloud.read(message.payload, turnsToMap: isWorld).message(header))
    }
}
