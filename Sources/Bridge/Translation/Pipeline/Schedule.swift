import Maps
import Playback
package import Recording
import Sessions

/// When a source is asked for messages.
package enum Trigger: Sendable, Hashable {
    /// A frame that has what the source needs, at most at a rate.
    case frame(PayloadNeeds)
    /// A frame that sees something new for the map, at most at a rate.
    case keyFrame
    /// Every frame of which anything else is published.
    case publishedFrame
    /// A record of one of the streams other than frames.
    case samples(RecordStream)
    /// The first record, of any kind, and then at most at a rate.
    case any
}

/// Decides, in capture order, which records are due for which source: the one place where rates are kept.
struct Schedule {
    struct Entry {
        var trigger: Trigger
        var gate: RateGate
        /// The topics of the source; needed only for live viewers.
        var topics: [String] = []
        /// True if a client subscribes to one of the topics, or the source is latched.
        var isWanted = true
        var isLatched = false
        /// The entry that this one goes along with: of frames that have what that one needs, it takes the same.
        var leader: Int?
    }

    private var entries: [Entry]
    private let keepsLimitedTracking: Bool
    /// True if frames of the session have pictures.
    private let hasPictures: Bool
    private var subscriptionVersion = -1
    /// True if each frame's line is read as a whole, for velocities between neighbours.
    let readsEveryFrame: Bool
    /// True if every source has the trigger `.any`, so that any record will do.
    private let onlyHasAnyTriggers: Bool
    private var previousFrame: FrameReference?
    private var picturedFrame: FrameReference?
    /// How old a picture may be to colour the cloud of a frame that has none.
    private static let maximumPictureAgeSeconds = 1.0
    private var health = RecordingHealth()
    /// Nil where no source wants key-frames.
    private var keyFrames: KeyFrameRule?

    init(_ entries: [Entry], keepsLimitedTracking: Bool, readsEveryFrame: Bool, hasPictures: Bool) {
        self.entries = entries
        self.hasPictures = hasPictures
        // What goes along with other messages has to stand by itself where there are no others.
        let hasFrames = entries.contains { if case .frame = $0.trigger { true } else { false } }
        for index in entries.indices where entries[index].trigger == .publishedFrame && !hasFrames {
            self.entries[index].trigger = .frame([])
        }
        onlyHasAnyTriggers = self.entries.allSatisfy { $0.trigger == .any }
        self.keepsLimitedTracking = keepsLimitedTracking
        let takesKeyFrames = entries.contains { $0.trigger == .keyFrame }
        keyFrames = takesKeyFrames ? KeyFrameRule() : nil
        // Whether a frame is a key-frame is told by its pose.
        self.readsEveryFrame = readsEveryFrame || takesKeyFrames
    }

    /// True if a frame of this time might be due for anything.
    func wantsFrame(at time: Timestamp) -> Bool {
        if readsEveryFrame || onlyHasAnyTriggers { return true }
        return entries.contains { entry in
            switch entry.trigger {
            case .frame: entry.gate.isDue(time)
            case .publishedFrame, .samples, .any, .keyFrame: false
            }
        }
    }

    /// Returns the work that is due for a record; `nil` where nothing is.
    ///
    /// - Parameter subscribed: The topics that live viewers subscribe to; `nil` where everything is published.
    mutating func claim(_ record: Record, subscribed: SubscribedTopics.Names? = nil) -> WorkItem? {
        if let subscribed { note(subscribed) }
        var isDue = false
        var item = WorkItem(record: record, dueSources: 0, needs: [])
        item.previousFrame = previousFrame
        health.add(record)
        if case .frame(let frame) = record {
            // A pose that is not trusted says nothing about a velocity either.
            previousFrame = keepsLimitedTracking || frame.tracking.isNormal ? frame : nil
            guard keepsLimitedTracking || frame.tracking.isNormal else { return nil }
            // The pictures of a video go by in order, and cannot be asked for again.
            if frame.hasImage, frame.depthSize != nil, frame.videoRow == nil { picturedFrame = frame }
            if !frame.hasImage, let other = picturedFrame,
                (0...Self.maximumPictureAgeSeconds).contains(frame.time.seconds(since: other.time))
            {
                item.picturedFrame = other
            }
            isDue = claimFrame(frame, &item)
        } else {
            isDue = pass(.samples(record.stream), record.time, &item)
        }
        guard isDue || onlyHasAnyTriggers else { return nil }
        // A topic without a subscriber still counts as due, so that playback time advances.
        guard pass(.any, record.time, &item) || isDue else { return nil }
        item.health = health
        return item
    }

    private mutating func note(_ subscribed: SubscribedTopics.Names) {
        guard subscribed.version != subscriptionVersion else { return }
        subscriptionVersion = subscribed.version
        for index in entries.indices {
            let isSubscribed = !subscribed.names.isDisjoint(with: entries[index].topics)
            entries[index].isWanted = entries[index].isLatched || isSubscribed
        }
        // What publishes nothing itself, such as the map, serves others of its kind.
        for index in entries.indices where entries[index].topics.isEmpty {
            let trigger = entries[index].trigger
            entries[index].isWanted = entries.contains { $0.trigger == trigger && $0.isWanted }
        }
    }

    /// - Returns: True if the frame is due for anything, wanted or not.
    private mutating func claimFrame(_ frame: FrameReference, _ item: inout WorkItem) -> Bool {
        var isDue = false
        for index in entries.indices {
            guard case .frame(let needs) = entries[index].trigger, isDueForFrame(index, frame, item.dueSources),
                frame.has(needs)
            else { continue }
            isDue = true
            // The rate gate stays open, so that a new subscriber gets the next frame.
            guard entries[index].isWanted else { continue }
            entries[index].gate.pass(frame.time)
            item.dueSources |= 1 << UInt64(index)
            item.needs.formUnion(needs)
        }
        if isDue {
            for index in entries.indices where entries[index].trigger == .publishedFrame && entries[index].isWanted {
                item.dueSources |= 1 << UInt64(index)
            }
        }
        let isKeyFrame = keyFrames?.takes(
            frame.time,
            frame.worldFromCamera,
            hasDepth: frame.has(.mapFrame),
            lacksPicture: hasPictures && !frame.hasImage
        )
        if isKeyFrame == true, pass(.keyFrame, frame.time, &item) {
            isDue = true
            if entries.contains(where: { $0.trigger == .keyFrame && $0.isWanted }) { item.needs.formUnion(.mapFrame) }
        }
        return isDue
    }

    private func isDueForFrame(_ index: Int, _ frame: FrameReference, _ dueSources: UInt64) -> Bool {
        let entry = entries[index]
        guard let leader = entry.leader, entries[leader].isWanted, case .frame(let needs) = entries[leader].trigger,
            frame.has(needs)
        else { return entry.gate.isDue(frame.time) }
        return dueSources & (1 << UInt64(leader)) != 0
    }

    /// - Returns: True if anything is due, wanted or not.
    @discardableResult
    private mutating func pass(_ trigger: Trigger, _ time: Timestamp, _ item: inout WorkItem) -> Bool {
        var isDue = false
        for index in entries.indices where entries[index].trigger == trigger && entries[index].gate.isDue(time) {
            isDue = true
            guard entries[index].isWanted else { continue }
            entries[index].gate.pass(time)
            item.dueSources |= 1 << UInt64(index)
        }
        return isDue
    }
}

extension FrameReference {
    /// True if the files that these payloads are made from exist and have the right size.
    ///
    /// A cloud does not need the image: a metric point without colour is worth more than none.
    func has(_ needs: PayloadNeeds) -> Bool {
        if !needs.isDisjoint(with: [.image, .tags]), !hasImage { return false }
        if !needs.isDisjoint(with: [.lidarCloud, .mapFrame]), !hasDepth { return false }
        if needs.contains(.depth), depthSize == nil { return false }
        if needs.contains(.denseDepth), denseDepthSize == nil { return false }
        if needs.contains(.relativeCloud), relativeDepthSize == nil || depthSize == nil { return false }
        return true
    }
}
