import CCycloneDDS
import Messages

/// A participant of a domain with its writers: what Cyclone holds for one replay.
///
/// Not for two threads at once. A write blocks its thread, for at most ``blockNanoseconds``, while a reader is behind.
final class DDSParticipant {
    /// A topic that is written.
    struct Writer {
        let entity: med_entity
        fileprivate let type: UnsafePointer<med_type>
        fileprivate let count: UnsafeMutablePointer<med_count>
        /// True if it keeps messages for readers that come late.
        let keepsForLate: Bool
    }

    /// What became of a writer's messages.
    struct Count {
        /// How many are settled: of each all readers have acknowledged it, or have left.
        var released: Int
        /// As many of them as an acknowledgement settled.
        var acknowledged: Int
        /// How many were written when the last reader came.
        var writtenAtMatch: Int
        /// How often readers came or left.
        var changes: UInt64
    }

    /// A reader of a topic as it announces itself.
    struct Reader {
        var handle: UInt64
        /// How many messages it keeps; nil where it keeps all, or does not say.
        var depth: Int?
        /// True if it says how many it keeps: those of Cyclone do, those of Fast DDS do not.
        var saysDepth = false
        /// Nil where it says none, as before Iron.
        var typeHash: String?
    }

    /// A topic that is read.
    struct Subscription {
        var entity: med_entity
    }

    /// A writer or a reader of another participant, with the names of DDS.
    struct Endpoint {
        var name: String
        var typeName: String
        /// The 16 bytes of its participant's name.
        var participant: [UInt8]
        var isReliable = true
        var isTransientLocal = false
        /// Nil where all messages are kept.
        var depth: Int?
        var typeHash: String?
    }

    /// A participant of the domain.
    struct Peer {
        /// The 16 bytes of its name.
        var key: [UInt8]
        /// True if it says that it is a program of ROS 2.
        var isROS = false
        /// Its process, and where it is; empty where it does not say.
        var process = ""
        var address = ""
    }

    /// How long a write waits for a reader before it is tried again.
    static let blockNanoseconds: Int64 = 20_000_000

    let library: CycloneLibrary
    var dds: MedDDS { library.dds }
    private let domain: med_entity
    let participant: med_entity
    let publications: med_entity
    let subscriptions: med_entity
    let participants: med_entity
    private var counts: [UnsafeMutablePointer<med_count>] = []
    private var announcer: Writer?

    /// Joins a domain.
    init(_ library: CycloneLibrary, _ environment: DDSEnvironment, processID: Int32) throws(DDSError) {
        self.library = library
        let dds = library.dds
        _ = library.log()
        if environment.tracesDiscovery { med_trace_discovery(dds) }
        let number = UInt32(environment.domain)
        let configuration = environment.configuration(processID: processID)
        let domain = configuration.withCString { med_dds_create_domain(dds, number, $0) }
        guard domain > 0 else {
            throw DDSError(joining: environment, library.reason(domain), log: library.log())
        }
        self.domain = domain
        let qos = med_dds_create_qos(dds)
        defer { med_dds_delete_qos(dds, qos) }
        let userData = Array(DDSNames.participantUserData.utf8)
        userData.withUnsafeBytes { med_dds_qset_userdata(dds, qos, $0.baseAddress, $0.count) }
        let participant = med_dds_create_participant(dds, number, qos, nil)
        guard participant > 0 else {
            med_dds_delete(dds, domain)
            throw .noParticipantIndex(domain: environment.domain)
        }
        self.participant = participant
        publications = med_dds_create_reader(dds, participant, med_entity(med_topic_publications), nil, nil)
        subscriptions = med_dds_create_reader(dds, participant, med_entity(med_topic_subscriptions), nil, nil)
        participants = med_dds_create_reader(dds, participant, med_entity(med_topic_participants), nil, nil)
    }

    /// Leaves the domain: readers learn it at once.
    func close() {
        // Its threads have ended then.
        guard med_dds_delete(dds, domain) == 0 else { return }
        for count in counts { count.deallocate() }
        counts = []
    }

    /// Makes the writer of a topic, which keeps every message until every reader has acknowledged it.
    ///
    /// - Parameter lateDepth: How many messages readers get that come late: 0 for all, nil for none.
    func makeWriter(_ topic: Topic, lateDepth: Int?) throws(DDSError) -> Writer {
        guard let typeName = DDSNames.type(topic.typeName) else {
            throw .failed(what: topic.name, reason: "\"\(topic.typeName)\" is no name of a type of ROS 2")
        }
        return try makeWriter(
            DDSNames.topic(topic.name),
            typeName,
            userData: DDSNames.userData(typeHash: topic.type.typeHash),
            lateDepth: lateDepth
        )
    }

    private func makeWriter(
        _ name: String,
        _ typeName: String,
        userData: String,
        lateDepth: Int?
    ) throws(DDSError) -> Writer {
        var type: UnsafePointer<med_type>?
        let topic = try library.check(med_cdr_topic(dds, participant, name, typeName, &type), "the topic \(name)")
        guard let type else { throw .failed(what: "the topic \(name)", reason: "it has no type") }
        let qos = med_dds_create_qos(dds)
        defer { med_dds_delete_qos(dds, qos) }
        // Reliable whatever was recorded: readers of both kinds match, and none loses a message.
        med_dds_qset_reliability(dds, qos, Int32(med_reliable), Self.blockNanoseconds)
        med_dds_qset_history(dds, qos, Int32(med_keep_all), 0)
        if let lateDepth {
            let history = lateDepth == 0 ? med_keep_all : med_keep_last
            med_dds_qset_durability(dds, qos, Int32(med_transient_local))
            let unlimited = Int32(med_unlimited)
            med_dds_qset_durability_service(
                dds,
                qos,
                0,
                Int32(history),
                Int32(clamping: lateDepth),
                unlimited,
                unlimited,
                unlimited
            )
        } else {
            med_dds_qset_durability(dds, qos, Int32(med_volatile))
        }
        med_dds_qset_writer_data_lifecycle(dds, qos, false)
        var representation = Int16(med_representation_xcdr1)
        med_dds_qset_data_representation(dds, qos, 1, &representation)
        let bytes = Array(userData.utf8)
        if !bytes.isEmpty { bytes.withUnsafeBytes { med_dds_qset_userdata(dds, qos, $0.baseAddress, $0.count) } }
        let count = UnsafeMutablePointer<med_count>.allocate(capacity: 1)
        count.initialize(to: med_count())
        counts.append(count)
        let listener = med_dds_create_listener(dds, count)
        defer { med_dds_delete_listener(dds, listener) }
        med_dds_lset_publication_matched(dds, listener, med_note_match)
        let made = med_dds_create_writer(dds, participant, topic, qos, listener)
        let entity = try library.check(made, "a writer of \(name)")
        return Writer(entity: entity, type: type, count: count, keepsForLate: lateDepth != nil)
    }

    /// Writes CDR with its header; returns false if a reader is so far behind that it has to be tried again.
    func write(_ bytes: [UInt8], to writer: Writer) throws(DDSError) -> Bool {
        let result = bytes.withUnsafeBytes {
            med_cdr_write(dds, writer.entity, writer.type, writer.count, $0.baseAddress, $0.count)
        }
        if result == Int32(med_timeout) { return false }
        try library.check(result, "a message of \(bytes.count) bytes")
        return true
    }

    func count(_ writer: Writer) -> Count {
        let now = med_count_now(writer.count)
        return Count(
            released: Int(truncatingIfNeeded: now.released),
            acknowledged: Int(truncatingIfNeeded: now.acknowledged),
            writtenAtMatch: Int(truncatingIfNeeded: now.written_at_match),
            changes: now.changes
        )
    }

    /// True if every reader has acknowledged all that was written.
    func isAcknowledged(_ writer: Writer, within nanoseconds: Int64 = 0) throws(DDSError) -> Bool {
        let result = med_dds_wait_for_acks(dds, writer.entity, nanoseconds)
        if result == Int32(med_timeout) { return false }
        try library.check(result, "waiting for acknowledgements")
        return true
    }

    /// How many readers there are: those whose acknowledgements are waited for.
    func readerCount(_ writer: Writer) -> Int {
        max(0, Int(med_dds_get_matched_subscriptions(dds, writer.entity, nil, 0)))
    }

    /// The readers there are; each has a number that no other gets.
    func readerHandles(_ writer: Writer) -> Set<UInt64> {
        var handles = [UInt64](repeating: 0, count: readerCount(writer) + 8)
        let count = Int(med_dds_get_matched_subscriptions(dds, writer.entity, &handles, handles.count))
        return Set(handles.prefix(max(0, count)))
    }

    func readers(_ writer: Writer) -> [Reader] {
        readerHandles(writer).sorted().compactMap { reader(of: writer, $0) }
    }

    private func reader(of writer: Writer, _ handle: UInt64) -> Reader? {
        guard let endpoint = med_dds_get_matched_subscription_data(dds, writer.entity, handle) else { return nil }
        defer { med_dds_builtintopic_free_endpoint(dds, endpoint) }
        var reader = Reader(handle: handle)
        guard let qos = endpoint.pointee.qos else { return reader }
        var (kind, depth) = (Int32(0), Int32(0))
        // The name of a participant begins with the number of its vendor. What others do not say reads as the default, 1.
        reader.saysDepth = bytes(endpoint.pointee.key).prefix(2) == [1, 16]
        if reader.saysDepth, med_dds_qget_history(dds, qos, &kind, &depth), kind == Int32(med_keep_last) {
            reader.depth = Int(depth)
        }
        reader.typeHash = DDSNames.typeHash(inUserData: userData(qos))
        return reader
    }

    func userData(_ qos: OpaquePointer) -> String {
        var (bytes, count) = (UnsafeMutableRawPointer?.none, 0)
        guard med_dds_qget_userdata(dds, qos, &bytes, &count), let bytes else { return "" }
        defer { med_dds_free(dds, bytes) }
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Says which node readers and writers belong to.
    func announce(
        node: String,
        readers: [Subscription] = [],
        writers: [Writer] = [],
        gidBytes: Int
    ) throws(DDSError) {
        let announcer =
            if let announcer { announcer } else {
                try makeWriter(
                    NodeAnnouncement.topic,
                    NodeAnnouncement.typeName,
                    userData: gidBytes == 16 ? DDSNames.userData(typeHash: NodeAnnouncement.typeHash) : "",
                    lateDepth: 1
                )
            }
        self.announcer = announcer
        let message = NodeAnnouncement.message(
            node: node,
            participant: try gid(participant),
            readers: try readers.map { reader throws(DDSError) in try gid(reader.entity) },
            writers: try writers.map { writer throws(DDSError) in try gid(writer.entity) },
            gidBytes: gidBytes
        )
        _ = try write(message, to: announcer)
    }

    private func gid(_ entity: med_entity) throws(DDSError) -> [UInt8] {
        var guid = med_guid()
        try library.check(med_dds_get_guid(dds, entity, &guid), "the name of an entity")
        return bytes(guid)
    }

    func bytes(_ guid: med_guid) -> [UInt8] { withUnsafeBytes(of: guid) { Array($0) } }
}
