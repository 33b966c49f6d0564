import CCycloneDDS

/// What others publish, and their messages.
extension DDSParticipant {
    /// What others have begun to publish since this was asked last, nodes' announcements among it.
    func newPublications() -> [Publication] {
        var own = med_guid()
        med_dds_get_guid(dds, participant, &own)
        var samples = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
        var information = [med_sample_info](repeating: med_sample_info(), count: samples.count)
        var found: [Publication] = []
        while true {
            samples[0] = nil
            let count = med_dds_take(dds, publications, &samples, &information, samples.count, UInt32(samples.count))
            guard count > 0 else { return found }
            for index in 0..<Int(count) where information[index].has_data {
                guard let endpoint = samples[index]?.assumingMemoryBound(to: med_endpoint.self).pointee,
                    bytes(endpoint.participant_key) != bytes(own), let publication = publication(endpoint)
                else { continue }
                found.append(publication)
            }
            med_dds_return_loan(dds, publications, &samples, count)
        }
    }

    private func publication(_ endpoint: med_endpoint) -> Publication? {
        guard let name = endpoint.topic_name, let type = endpoint.type_name, let qos = endpoint.qos else { return nil }
        var publication = Publication(name: String(cString: name), typeName: String(cString: type))
        var (kind, depth, blocking) = (Int32(0), Int32(0), Int64(0))
        if med_dds_qget_reliability(dds, qos, &kind, &blocking) { publication.isReliable = kind == Int32(med_reliable) }
        if med_dds_qget_durability(dds, qos, &kind) {
            publication.isTransientLocal = kind >= Int32(med_transient_local)
        }
        if med_dds_qget_history(dds, qos, &kind, &depth) {
            publication.depth = kind == Int32(med_keep_all) ? nil : Int(depth)
        }
        publication.typeHash = DDSNames.typeHash(inUserData: userData(qos))
        return publication
    }

    /// Reads a topic from now on, with all that its writers keep for late readers where it is latched.
    ///
    /// - Parameters:
    ///   - name: The name in DDS.
    ///   - typeName: That of its type.
    func subscribe(
        _ name: String,
        _ typeName: String,
        isReliable: Bool,
        isLatched: Bool
    ) throws(DDSError) -> Subscription {
        var type: UnsafePointer<med_type>?
        let topic = try library.check(med_cdr_topic(dds, participant, name, typeName, &type), "the topic \(name)")
        let qos = med_dds_create_qos(dds)
        defer { med_dds_delete_qos(dds, qos) }
        med_dds_qset_reliability(dds, qos, Int32(isReliable ? med_reliable : med_best_effort), Int64.max)
        med_dds_qset_durability(dds, qos, Int32(isLatched ? med_transient_local : med_volatile))
        med_dds_qset_history(dds, qos, Int32(med_keep_all), 0)
        let made = med_dds_create_reader(dds, participant, topic, qos, nil)
        return Subscription(entity: try library.check(made, "a reader of \(name)"))
    }

    /// Takes what has come, some messages at most; calls `body` with the bytes of each, which are valid only during the call.
    ///
    /// - Returns: How many there were.
    func take(_ subscription: Subscription, _ body: (UnsafeRawBufferPointer) -> Void) -> Int {
        let limit = 64
        var data = [UnsafeMutablePointer<med_data>?](repeating: nil, count: limit)
        var information = [med_sample_info](repeating: med_sample_info(), count: limit)
        let count = med_dds_takecdr(dds, subscription.entity, &data, UInt32(limit), &information, UInt32(med_any_state))
        for index in 0..<max(0, Int(count)) {
            guard let message = data[index] else { continue }
            if information[index].has_data {
                body(UnsafeRawBufferPointer(start: med_cdr_bytes(message), count: med_cdr_size(message)))
            }
            med_cdr_release(message)
        }
        return max(0, Int(count))
    }

    /// How many messages a reader has not got although it should have, and how many publish now.
    func state(_ subscription: Subscription) -> (lost: Int, publishers: Int) {
        var lost = med_lost_status()
        var matched = med_matched_status()
        med_dds_get_sample_lost_status(dds, subscription.entity, &lost)
        med_dds_get_subscription_matched_status(dds, subscription.entity, &matched)
        return (Int(lost.total_count), Int(matched.current_count))
    }
}

extension [DDSParticipant.Publication] {
    /// The size of the gids in announcements of nodes: what the distribution says, else what others announce; nil for neither.
    func gidBytes(_ environment: DDSEnvironment) -> Int? {
        if let known = environment.gidBytes { return known }
        return first { $0.name == NodeAnnouncement.topic }.map { $0.typeHash == nil ? 24 : 16 }
    }
}
