import Messages
import Perception
import Platform
import Playback
import Recording
import Sessions

/// One pass over a session with the real schedule and the real sources, but without payloads.
struct InspectionWalk {
    private let setup: ReplaySetup
    private var sources: [any TopicSource]
    private var schedule: Schedule
    private var statistics: [String: TopicStatistics] = [:]
    private var frameIDs: [String: Set<String>] = [:]
    private var samples: [SpreadSample<WorkItem>]
    private var result = Inspection()
    private var lastStamp: Int64?
    private var lastKeyFrame: Int64?
    private var motionSpan: (first: Timestamp, last: Timestamp)?
    private var fixes = SpreadSample<LocationSample>(limit: 4096)
    private var sizes: (depth: [GridSize: Int], relativeDepth: [GridSize: Int]) = ([:], [:])

    init(_ setup: ReplaySetup) {
        self.setup = setup
        sources = setup.makeSources()
        schedule = setup.makeSchedule(sources)
        samples = sources.map { _ in SpreadSample(limit: 16) }
        result.diagnostics = setup.diagnostics
        result.frameCount = setup.session.summary.frameCount
        for topic in setup.topics {
            statistics[topic.name] = TopicStatistics(name: topic.name, typeName: topic.typeName)
        }
    }

    mutating func run(_ progress: ProgressHandler) async throws -> Inspection {
        let walk = try FrameWalk(setup.session, RecordRequest(span: setup.span))
        let seconds = setup.session.summary.durationSeconds
        var recordCount = 0
        while let record = try walk.next() {
            if recordCount % 1024 == 0 {
                try Task.checkCancellation()
                let done = min(seconds, max(0, record.time.seconds(since: setup.session.summary.firstTime)))
                progress(WorkProgress("reading", done, of: seconds, .seconds))
            }
            recordCount += 1
            count(record)
            if let item = schedule.claim(record) { add(item) }
        }
        close()
        result.diagnostics.append(walk.damage)
        for index in sources.indices { result.diagnostics.append(sources[index].takeDiagnostics()) }
        result.diagnostics.append(setup.session.orphans())
        result.terrain = TerrainComparison(fixes.items, setup.session.tiles, &result.diagnostics)
        result.counts.append(setup.leftOut(walk))
        if let problem = result.gravity.problem { result.diagnostics.record(problem) }
        // Where the IMU is published, the setup has said it.
        if !setup.enabled.contains(.imu), let problem = result.attitude.problem { result.diagnostics.record(problem) }
        if let span = motionSpan, result.motionSamples > 1 {
            let seconds = span.last.seconds(since: span.first)
            if seconds > 0 { result.motionRateHertz = Double(result.motionSamples - 1) / seconds }
        }
        progress(WorkProgress("measuring", 0, of: 1, .steps))
        let estimated = try measureSamples().union(await measureMap()).union(ofPlayback)
        finishLines(estimated)
        result.framesWithDepth = sizes.depth.values.reduce(0, +)
        result.framesWithRelativeDepth = sizes.relativeDepth.values.reduce(0, +)
        result.depthSizes = Self.byFrequency(sizes.depth)
        result.relativeDepthSizes = Self.byFrequency(sizes.relativeDepth)
        return result
    }

    private static func byFrequency(_ counts: [GridSize: Int]) -> [GridSize] {
        counts.sorted { ($0.value, $0.key.width, $0.key.height) > ($1.value, $1.key.width, $1.key.height) }.map(\.key)
    }

    private mutating func count(_ record: Record) {
        result.gravity.add(record)
        result.alignment.add(record)
        switch record {
        case .frame(let frame):
            if frame.hasImage { result.framesWithImage += 1 }
            if let size = frame.depthSize { sizes.depth[size, default: 0] += 1 }
            if let size = frame.relativeDepthSize { sizes.relativeDepth[size, default: 0] += 1 }
        case .motion(let sample):
            result.motionSamples += 1
            result.attitude.add(sample)
            motionSpan = (motionSpan?.first ?? sample.time, sample.time)
        case .location(let fix): fixes.add(fix)
        case .heading, .radio, .indoor: break
        }
    }

    /// Sources without payloads make their real messages; of the others the times are counted.
    private mutating func add(_ item: WorkItem) {
        let stamp = setup.anchor.stamp(item.record.time)
        lastStamp = stamp
        let prepared = PreparedItem(item)
        for index in sources.indices where item.dueSources & (1 << UInt64(index)) != 0 {
            if case .frame(let needs) = sources[index].trigger, !needs.isEmpty {
                samples[index].add(item)
                noteTimes(of: index, stamp)
            } else if sources[index].trigger == .keyFrame {
                if sources[index].topics.isEmpty {
                    samples[index].add(item)
                    lastKeyFrame = stamp
                }
                noteTimes(of: index, stamp)
            } else {
                if sources[index].tellsOfPlayback { sources[index].update(with: playback) }
                var batch: [StampedMessage] = []
                sources[index].messages(for: prepared, stamp: stamp, into: &batch)
                for message in batch { record(message) }
            }
        }
    }

    /// Topics whose messages tell of sinks, of which there is none here.
    private var ofPlayback: Set<String> {
        Set(sources.filter(\.tellsOfPlayback).flatMap(\.topics).map(\.name))
    }

    /// The status of the playback as far as it is known without sinks.
    private var playback: PlaybackStatus {
        PlaybackStatus(topics: statistics.values.filter { $0.count > 0 }.sorted { $0.name < $1.name })
    }

    private mutating func noteTimes(of index: Int, _ stamp: Int64) {
        for topic in sources[index].topics { statistics[topic.name]?.add(timeNanoseconds: stamp, bytes: 0) }
    }

    private mutating func close() {
        guard let lastStamp else { return }
        var batch: [StampedMessage] = []
        for index in sources.indices where sources[index].hasClosingMessages {
            while sources[index].closingMessages(stamp: lastStamp, into: &batch) {}
        }
        for message in batch { record(message) }
    }

    private mutating func record(_ message: StampedMessage) {
        let name = message.topic.name
        statistics[name]?.add(timeNanoseconds: message.timeNanoseconds, bytes: message.message.encodedCDRSize)
        if let frameID = message.message.headerFrameID { frameIDs[name, default: []].insert(frameID) }
    }

    /// Prepares the sampled frames as a replay would, but for the colours, and scales their sizes up.
    private mutating func measureSamples() throws -> Set<String> {
        var settings = setup.preparation
        settings.decodesImages = false
        let preparer = FramePreparer(setup.session, settings: settings)
        var estimated: Set<String> = []
        var shares = DepthShareCounter()
        var examined: Set<Int> = []
        for index in sources.indices where samples[index].seen > 0 {
            var bytes: [String: (sum: Int, count: Int)] = [:]
            let items = measured(samples[index].items)
            for item in items {
                var item = item
                guard case .frame(let needs) = sources[index].trigger else { continue }
                item.needs = needs
                if case .frame(let frame) = item.record { examined.insert(frame.index) }
                let prepared = preparer.prepare(item)
                result.diagnostics.append(prepared.diagnostics)
                result.counts.append(prepared.remarks)
                if needs.contains(.lidarCloud), let depth = prepared.depth ?? shares.load(item, setup) {
                    shares.add(depth)
                }
                var batch: [StampedMessage] = []
                sources[index].messages(for: prepared, stamp: 0, into: &batch)
                for message in batch {
                    let size = message.message.encodedCDRSize
                    bytes[message.topic.name, default: (0, 0)].sum += size
                    bytes[message.topic.name, default: (0, 0)].count += 1
                    if let frameID = message.message.headerFrameID {
                        frameIDs[message.topic.name, default: []].insert(frameID)
                    }
                }
            }
            let sampled = items.count
            for topic in sources[index].topics {
                scale(topic.name, bytes[topic.name] ?? (0, 0), sampled: sampled)
                if sampled < samples[index].seen { estimated.insert(topic.name) }
            }
        }
        (result.depth, result.examinedFrames) = (shares.shares, examined.count)
        return estimated
    }

    /// Only the first pictures of a video are measured: those behind them cost as much as all before them.
    private func measured(_ items: [WorkItem]) -> [WorkItem] {
        guard setup.session.summary.imageSource != nil else { return items }
        let near = items.enumerated().filter { place, item in
            guard case .frame(let frame) = item.record else { return true }
            return place == 0 || frame.videoRow ?? 0 < 300
        }
        return near.map(\.element)
    }

    /// Fuses the sampled key-frames, and takes the size of the topics of the map from their last messages.
    ///
    /// A map grows fast at first: in the mean it has three quarters of its last size. Markers of a place come about twice.
    private mutating func measureMap() async -> Set<String> {
        let indices = sources.indices.filter { sources[$0].trigger == .keyFrame }
        guard let fusion = indices.first(where: { samples[$0].seen > 0 }) else { return [] }
        var settings = setup.preparation
        settings.decodesImages = false
        let preparer = FramePreparer(setup.session, settings: settings)
        for item in samples[fusion].items {
            var item = item
            item.needs = .mapFrame
            let prepared = preparer.prepare(item)
            result.diagnostics.append(prepared.diagnostics)
            if let frame = prepared.mapFrame { await sources[fusion].update(with: frame) }
        }
        var estimated: Set<String> = []
        for index in indices where index != fusion && sources[index].hasClosingMessages {
            await sources[index].updateForClosing()
            var batch: [StampedMessage] = []
            while sources[index].closingMessages(stamp: lastStamp ?? 0, into: &batch) {}
            let bytes = batch.reduce(0) { $0 + $1.message.encodedCDRSize }
            let hasParts = sources[index].closesWithParts
            for topic in sources[index].topics {
                guard var line = statistics[topic.name] else { continue }
                // A map that was shown already is not shown again.
                if let lastStamp, hasParts || line.lastNanoseconds < lastKeyFrame ?? lastStamp {
                    line.add(timeNanoseconds: lastStamp, bytes: 0)
                    line.count += batch.count - 1
                }
                line.bytes = hasParts ? 2 * bytes : line.count * bytes / 4 * 3
                statistics[topic.name] = line
                if let frameID = batch.first?.message.headerFrameID { frameIDs[topic.name] = [frameID] }
                estimated.insert(topic.name)
            }
        }
        return estimated
    }

    private mutating func scale(_ name: String, _ measured: (sum: Int, count: Int), sampled: Int) {
        guard var line = statistics[name], sampled > 0 else { return }
        // Where some of the samples gave no message (a refused calibration), as many of all will not.
        line.count = Int((Double(line.count) * Double(measured.count) / Double(sampled)).rounded())
        line.bytes = measured.count == 0 ? 0 : Int(Double(measured.sum) / Double(measured.count) * Double(line.count))
        statistics[name] = line
    }

    private mutating func finishLines(_ estimated: Set<String>) {
        let rates = Dictionary(
            sources.flatMap { source in source.topics.map { ($0.name, source.rateHertz) } },
            uniquingKeysWith: { first, _ in first }
        )
        result.topics = statistics.values.sorted { $0.name < $1.name }.map { line in
            Inspection.TopicLine(
                statistics: line,
                frameIDs: (frameIDs[line.name] ?? []).sorted(),
                rateAskedHertz: rates[line.name] ?? nil,
                isEstimated: estimated.contains(line.name)
            )
        }
    }
}

/// Shares of valid depth and of each confidence, over sampled frames.
private struct DepthShareCounter {
    private var frames = 0
    private var pixels = 0
    private var valid = 0
    private var confidence = [0, 0, 0]

    func load(_ item: WorkItem, _ setup: ReplaySetup) -> DepthMap? {
        guard case .frame(let frame) = item.record else { return nil }
        var ignored = Diagnostics()
        return setup.session.makeLoader().lidarDepth(of: frame, &ignored)
    }

    mutating func add(_ depth: DepthMap) {
        frames += 1
        pixels += depth.metres.count
        valid += depth.metres.reduce(0) { $0 + ($1.isFinite && $1 > 0 ? 1 : 0) }
        for value in depth.confidence ?? [] { confidence[min(Int(value), 2)] += 1 }
    }

    var shares: Inspection.DepthShares {
        var shares = Inspection.DepthShares()
        shares.sampledFrames = frames
        if pixels > 0 { shares.valid = Double(valid) / Double(pixels) }
        let sum = confidence.reduce(0, +)
        if sum > 0 { shares.confidence = confidence.map { Double($0) / Double(sum) } }
        return shares
    }
}
