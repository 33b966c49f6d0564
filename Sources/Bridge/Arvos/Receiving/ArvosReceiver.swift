package import Messages
package import Rosbridge
import Text
import WebSocket

/// Receives what phones send, as a server or as a client of a phone that serves, and hands it on as messages.
package actor ArvosReceiver {
    package enum Mode: Sendable {
        case listen(ServerOptions)
        case connect(RosbridgeURL, TransportOptions)
        /// HTTP POST.
        case post(ServerOptions)
    }

    /// The hooks of a receiver: its clock, its notices, and where messages go.
    package struct Delivery: Sendable {
        package var naming = ArvosNaming.mapping
        /// Unix time in nanoseconds.
        package var now: @Sendable () -> Int64
        /// Told who comes and goes.
        package var notice: @Sendable (String) -> Void
        /// Takes messages in their order; an error ends the receiver.
        package var deliver: @Sendable ([StampedMessage]) async throws -> Void

        package init(
            now: @escaping @Sendable () -> Int64,
            notice: @escaping @Sendable (String) -> Void,
            deliver: @escaping @Sendable ([StampedMessage]) async throws -> Void
        ) {
            self.now = now
            self.notice = notice
            self.deliver = deliver
        }
    }

    private let modes: [Mode]
    private let delivery: Delivery
    private let ledger = ArvosLedger()
    private var servers: [Server] = []
    private var postListeners: [Listener] = []
    /// Decoders of posts, which belong to no connection, by the sender's address; the one that was used last at the end.
    private var postDecoders: [(address: String, decoder: ArvosDecoder)] = []
    /// The connection to a phone that serves.
    private var followed: WebSocketTransport?
    private var connectedCount = 0
    private var isStopping = false
    private var hasTold: Set<ArvosProblem.Kind> = []
    private var failure: (any Error)?
    package private(set) var clientCount = 0

    package init(_ modes: [Mode], _ delivery: Delivery) { (self.modes, self.delivery) = (modes, delivery) }

    package var counts: ArvosCounts { ledger.counts }

    /// Names of the devices, and the offsets from their clocks to Unix time, for a bag's metadata.
    package var provenance: [String: String] {
        var values: [String: String] = ["mapeverything.frames": "ros"]
        for (number, device) in ledger.devices.enumerated() {
            let suffix = number == 0 ? "" : "_\(number + 1)"
            values["mapeverything.epoch_offset_ns\(suffix)"] = "\(device.clock.offsetNanoseconds)"
            values["mapeverything.arvos_first_ns\(suffix)"] = "\(device.clock.firstNanoseconds)"
            values["mapeverything.epoch_source\(suffix)"] =
                device.clock.isUnix ? "the phone's times, which are Unix time" : "the time when the first message came"
            let names = [("device", "deviceModel"), ("device_name", "deviceName"), ("device_os", "osVersion")]
            for (key, member) in names {
                guard let text = device.handshake?[member]?.string, !text.isEmpty else { continue }
                values["mapeverything.\(key)\(suffix)"] = String(text.prefix(200))
            }
        }
        return values
    }

    /// Where it receives from.
    package struct Place: Sendable {
        package var scheme: String
        /// Nil for a phone that serves.
        package var address: String?
        package var port: Int?
        package var text: String
    }

    /// Starts listening, and says where.
    package func start() async throws -> [Place] {
        var places: [Place] = []
        func add(_ scheme: String, _ options: ServerOptions, _ port: Int) {
            let address = LocalAddresses.bracketed(options.address)
            let text = "listening on \(scheme)://\(address):\(port)"
            places.append(Place(scheme: scheme, address: options.address, port: port, text: text))
        }
        for mode in modes {
            switch mode {
            case .listen(let options):
                let server = try await Server(options)
                servers.append(server)
                add(options.tls == nil ? "ws" : "wss", options, server.port)
            case .connect(let url, _): places.append(Place(scheme: "ws", text: "from \(url)"))
            case .post(let options):
                let listener = try await ArvosPost.listen(options) { content, address in
                    await self.take(posted: content, from: address)
                }
                postListeners.append(listener)
                add(options.tls == nil ? "http" : "https", options, listener.port)
            }
        }
        return places
    }

    /// Receives until ``stop()`` or, with clients only, until their connections end.
    ///
    /// - Parameter untilDisconnect: ends when the last client leaves.
    package func run(untilDisconnect: Bool) async throws {
        await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                for server in servers {
                    group.addTask {
                        await server.run { client in
                            await self.serve(client.transport, client.address)
                            if untilDisconnect, await self.connectedCount == 0 { await self.stop() }
                        }
                    }
                }
                for case .connect(let url, let options) in modes {
                    group.addTask {
                        await self.follow(url, options, untilDisconnect: untilDisconnect)
                        if untilDisconnect { await self.stop() }
                    }
                }
                for listener in postListeners { group.addTask { await listener.waitUntilClosed() } }
            }
        } onCancel: {
            Task { await self.stop() }
        }
        if let failure { throw failure }
    }

    /// Receives from a phone that serves, and looks for it again for a minute where it is lost.
    private func follow(_ url: RosbridgeURL, _ options: TransportOptions, untilDisconnect: Bool) async {
        do {
            var transport = try await WebSocketTransport.connect(to: url, options: options)
            while true {
                followed = transport
                if isStopping { await stop() }
                guard await serve(transport, url.description), !untilDisconnect else { return }
                delivery.notice("\(url): trying again")
                transport = try await .connect(
                    to: url,
                    options: options,
                    tryingFor: .seconds(60),
                    every: .milliseconds(500)
                ) { !self.isStopping }
            }
        } catch {
            if !isStopping { failure = failure ?? error }
        }
    }

    package func stop() async {
        isStopping = true
        for server in servers { await server.close(.goingAway) }
        for listener in postListeners { listener.close() }
        if let followed { Task { await followed.close(.goingAway) } }
    }

    /// Serves a connection to its end; returns true if it was lost.
    @discardableResult
    private func serve(_ transport: WebSocketTransport, _ name: String) async -> Bool {
        clientCount += 1
        connectedCount += 1
        delivery.notice("\(name) connected")
        let decoder = ArvosDecoder(delivery.naming, ledger: ledger, now: delivery.now)
        transport.receiveMore()
        var isLost = false
        do {
            for try await batch in transport.batches {
                for message in batch {
                    let foreign = ledger.counts.rejected[.otherProtocol]
                    let isText = message.kind == .text
                    let payload = message.payload
                    try await take(isText ? decoder.messages(text: payload) : decoder.messages(binary: payload))
                    if foreign == nil, ledger.counts.rejected[.otherProtocol] != nil {
                        // A client that has left already is not told; what it sent is still taken.
                        try? await transport.send(WebSocketMessage(.text, Array(Self.answerToRosbridge.utf8)))
                    }
                }
                transport.receiveMore()
            }
            delivery.notice("\(name) left")
        } catch {
            isLost = failure == nil && (error as? RosbridgeError)?.isProperEnd == false
            if failure == nil { delivery.notice("\(name) left" + (isLost ? ": \(error)" : "")) }
        }
        transport.abort()
        connectedCount -= 1
        if failure == nil { try? await take(decoder.finish()) }
        return isLost
    }

    /// Told to a publisher of rosbridge in its own words.
    private static let answerToRosbridge =
        #"{"op":"status","level":"error","msg":"this server receives Arvos; `record` without --arvos receives rosbridge"}"#

    /// Takes what came by HTTP; returns what is wrong with it.
    private func take(posted content: ArvosPost.Content, from address: String) async -> String? {
        let decoder = postDecoder(of: address)
        let before = ledger.counts.rejectedCount
        let made =
            switch content {
            case .telemetry(let bytes): decoder.messages(text: bytes)
            case .frame(let bytes): decoder.messages(binary: bytes)
            }
        if ledger.counts.rejectedCount > before { return ledger.counts.lastProblem.map { "\($0)" } ?? "rejected" }
        do {
            try await take(made)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func postDecoder(of address: String) -> ArvosDecoder {
        let known = postDecoders.firstIndex { $0.address == address }.map { postDecoders.remove(at: $0).decoder }
        let decoder = known ?? ArvosDecoder(delivery.naming, ledger: ledger, isShared: true, now: delivery.now)
        if postDecoders.count >= Self.maximumPostAddresses { postDecoders.removeFirst() }
        postDecoders.append((address, decoder))
        return decoder
    }

    private static let maximumPostAddresses = 64

    private func take(_ made: [StampedMessage]) async throws {
        tellProblems()
        guard !made.isEmpty else { return }
        do {
            try await delivery.deliver(made)
        } catch {
            failure = failure ?? error
            await stop()
            throw error
        }
    }

    /// Each kind of problem is told once; all are counted.
    private func tellProblems() {
        guard ledger.counts.rejected.count > hasTold.count, let problem = ledger.counts.lastProblem else { return }
        hasTold = Set(ledger.counts.rejected.keys)
        delivery.notice("rejected: \(problem)")
    }
}

/// The names under which received messages are recorded.
package enum ArvosNaming: String, Sendable, CaseIterable {
    /// Those of the bags.
    case mapping
    /// Those of Arvos's own bridge to ROS 2.
    case arvos
}

/// The topics of received messages.
struct ArvosTopics {
    let pose: Topic
    let imu: Topic
    let fix: Topic
    let metadata: Topic
    let image: Topic
    let info: Topic
    let video: Topic
    let cloud: Topic
    let watch: Topic
    let transforms = Topic(name: "/tf", type: TFMessage.self, qos: .reliable(depth: 100))
    let staticTransforms = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched, delivery: .control)
    private let prefix: String

    init(_ naming: ArvosNaming) {
        func topic(_ mapping: String, _ arvos: String, _ type: any Message.Type) -> Topic {
            Topic(name: naming == .mapping ? mapping : arvos, type: type, qos: .reliable(depth: 10))
        }
        pose = topic("/mapping/pose", "/arvos/pose", PoseStamped.self)
        imu = topic("/mapping/imu", "/arvos/imu", Imu.self)
        fix = topic("/mapping/gps/fix", "/arvos/gps", NavSatFix.self)
        metadata = topic("/mapping/gps/metadata", "/arvos/gps/metadata", GPSMetadata.self)
        image = topic("/mapping/camera/image/compressed", "/arvos/camera/image_raw/compressed", CompressedImage.self)
        info = topic("/mapping/camera/camera_info", "/arvos/camera/info", CameraInfo.self)
        video = topic("/mapping/camera/video", "/arvos/camera/video", CompressedVideo.self)
        cloud = topic("/mapping/pointcloud/lidar", "/arvos/depth/points", PointCloud2.self)
        watch = topic("/mapping/watch/imu", "/arvos/watch/imu", Imu.self)
        prefix = naming == .mapping ? "/mapping/arvos" : "/arvos"
    }

    /// The topic of a type that has no message of its own in ROS; its content is kept as JSON.
    func text(_ type: String) -> Topic {
        Topic(name: "\(prefix)/\(type)", type: StringMessage.self, qos: .reliable(depth: 10))
    }
}
