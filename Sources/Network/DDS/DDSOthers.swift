import CCycloneDDS
import Messages
import Platform

/// Who else is in a domain, and why those who ask for a topic cannot have it; each is said once.
struct DDSOthers {
    /// After so long a participant that is heard has said what it reads and writes, if it can be reached.
    private static let patienceNanoseconds: Int64 = 10_000_000_000

    private struct Silent {
        var peer: DDSParticipant.Peer
        var since: Int64
        /// When it was heard last, if it has no address: the library does not report when such a participant leaves.
        var lastNanoseconds: Int64?
    }

    /// Those of whom no reader or writer is known.
    private var silent: [[UInt8]: Silent] = [:]
    /// Those of whom one is known.
    private var known: Set<[UInt8]> = []
    private var said: Set<String> = []
    /// The size of gids in the announcements of other nodes, in bytes; nil before the first one.
    private(set) var gidBytes: Int?

    /// Looks who came, and returns what there is to say about them.
    ///
    /// - Parameters:
    ///   - publications: What they have begun to publish since the last look.
    ///   - lanes: What is published here.
    mutating func look(
        _ participant: DDSParticipant,
        _ publications: [DDSParticipant.Endpoint],
        _ lanes: [DDSLane] = []
    ) -> [String] {
        let now = MonotonicClock.nowNanoseconds()
        let changes = participant.newParticipants()
        for peer in changes.came where !known.contains(peer.key) && !participant.isOwn(peer.key) {
            silent[peer.key] = silent[peer.key] ?? Silent(peer: peer, since: now)
        }
        var texts: [String] = []
        for line in participant.library.log() {
            guard let key = DDSNames.unreachable(inTrace: line) else {
                texts.append("Cyclone DDS: \(line)")
                continue
            }
            guard !known.contains(key) else { continue }
            silent[key, default: Silent(peer: DDSParticipant.Peer(key: key), since: now)].lastNanoseconds = now
        }
        gidBytes = gidBytes ?? publications.gidBytes
        for endpoint in publications { note(endpoint) }
        for endpoint in participant.newSubscriptions() {
            note(endpoint)
            for lane in lanes where DDSNames.topic(lane.topic.name) == endpoint.name {
                if let reason = Self.refusal(of: endpoint, lane) {
                    texts.append("a reader of \(lane.topic.name) cannot have it: \(reason)")
                }
            }
        }
        for lane in lanes {
            guard let policy = participant.newRefusal(lane.writer), let name = Self.policyNames[policy] else {
                continue
            }
            texts.append("a reader of \(lane.topic.name) cannot have it: it asks for another \(name)")
        }
        for key in changes.left {
            silent[key] = nil
            known.remove(key)
        }
        for (key, heard) in silent where now - heard.since > Self.patienceNanoseconds {
            silent[key] = nil
            let hasAddress = heard.lastNanoseconds == nil
            if let last = heard.lastNanoseconds, now - last > Self.patienceNanoseconds { continue }
            if hasAddress { known.insert(key) }
            let reason =
                hasAddress
                ? "nothing comes of what it reads and writes; it may be bound to another network interface, or behind a firewall"
                : "none of its addresses is on a network interface that is used here"
            let doubt = heard.peer.isROS || !hasAddress ? "" : ", or reads and writes nothing"
            texts.append("\(heard.peer.name) is heard and cannot be reached\(doubt): \(reason)")
        }
        return texts.sorted().filter { said.count < 1000 && said.insert($0).inserted }
    }

    private mutating func note(_ endpoint: DDSParticipant.Endpoint) {
        silent[endpoint.participant] = nil
        known.insert(endpoint.participant)
    }

    /// Why a reader of a topic does not match its writer, as far as its announcement tells.
    private static func refusal(of reader: DDSParticipant.Endpoint, _ lane: DDSLane) -> String? {
        let own = DDSNames.type(lane.topic.typeName)
        if reader.typeName != own {
            let type = DDSNames.type(ofName: reader.typeName) ?? reader.typeName
            return "it expects \(type), not \(lane.topic.typeName)"
        }
        guard reader.isTransientLocal, !lane.writer.keepsForLate else { return nil }
        return "it asks for what was published before it came (transient_local); --keep-all-for-late-joiners gives it"
    }

    /// The policies that can keep a reader out and that its announcement does not show.
    private static let policyNames = [
        UInt32(med_policy_presentation): "presentation",
        UInt32(med_policy_deadline): "deadline",
        UInt32(med_policy_latency_budget): "latency budget",
        UInt32(med_policy_ownership): "ownership",
        UInt32(med_policy_liveliness): "liveliness",
        UInt32(med_policy_partition): "partition",
        UInt32(med_policy_destination_order): "destination order",
        UInt32(med_policy_data_representation): "data representation",
    ]
}

extension DDSParticipant.Peer {
    /// What is known of one that has said no more than that it is there.
    fileprivate var name: String {
        let vendors: [[UInt8]: String] = [
            [1, 1]: "RTI Connext", [1, 3]: "OpenDDS", [1, 15]: "Fast DDS", [1, 16]: "Cyclone DDS",
        ]
        let kind = isROS ? "a program of ROS 2" : "a participant"
        let digits = key.prefix(12).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let parts = [vendors[Array(key.prefix(2))] ?? "", process.isEmpty ? "" : "process \(process)", address, digits]
        return "\(kind) (\(parts.filter { !$0.isEmpty }.joined(separator: ", ")))"
    }
}
