import CCycloneDDS

/// What others publish, and their messages.
extension DDSParticipant {
    /// What others have begun to publish since this was asked last, nodes' announcements among it.
    func newPublications() -> [Endpoint] { newEndpoints(publications) }

    /// What others have begun to read since this was asked last, whether it is published here or not.
    func newSubscriptions() -> [Endpoint] { newEndpoints(subscriptions) }

    private func newEndpoints(_ topic: med_entity) -> [Endpoint] {
        var own = med_guid()
        med_dds_get_guid(dds, participant, &own)
        var found: [Endpoint] = []
        take(topic, med_endpoint.self) { sample, _ in
            if let sample, bytes(sample.participant_key) != bytes(own), let endpoint = endpoint(sample) {
                found.append(endpoint)
            }
        }
        return found
    }

    /// Whom this has begun to hear, and no longer hears, since it was asked last; itself among them.
    func newParticipants() -> (came: [Peer], left: [[UInt8]]) {
        var changes: (came: [Peer], left: [[UInt8]]) = ([], [])
        take(participants, med_participant.self) { sample, key in
            if let sample {
                changes.came.append(peer(sample))
            } else {
                changes.left.append(bytes(key))
            }
        }
        return changes
    }

    private func peer(_ sample: med_participant) -> Peer {
        var peer = Peer(key: bytes(sample.key))
        guard let qos = sample.qos else { return peer }
        func property(_ names: String...) -> String? {
            for name in names {
                var value: UnsafeMutablePointer<CChar>?
                guard med_dds_qget_prop(dds, qos, name, &value), let value else { continue }
                defer { med_dds_free(dds, value) }
                return String(cString: value)
            }
            return nil
        }
        peer.isROS = userData(qos).contains("enclave=")
        // Those of Cyclone, then those of Fast DDS.
        let process = property("__Pid", "fastdds.physical_data.process")
        peer.process = [property("__ProcessName"), process].compactMap { $0 }.joined(separator: " ")
        peer.address = property("__NetworkAddresses") ?? ""
        return peer
    }

    /// True for this participant's own name.
    func isOwn(_ key: [UInt8]) -> Bool {
        var own = med_guid()
        return med_dds_get_guid(dds, participant, &own) == 0 && bytes(own) == key
    }

    /// The policy for which the last reader was turned away, if there was one since this was asked last.
    func newRefusal(_ writer: Writer) -> UInt32? {
        var status = med_incompatible_status()
        med_dds_get_offered_incompatible_qos_status(dds, writer.entity, &status)
        return status.total_change > 0 ? status.last_policy : nil
    }

    /// Takes what the library has by itself of others: `body` gets each that came, or nil and the key of one that left.
    private func take<Sample>(_ topic: med_entity, _: Sample.Type, _ body: (Sample?, med_guid) -> Void) {
        var samples = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
        var information = [med_sample_info](repeating: med_sample_info(), count: samples.count)
        while true {
            samples[0] = nil
            let count = med_dds_take(dds, topic, &samples, &information, samples.count, UInt32(samples.count))
            guard count > 0 else { return }
            for index in 0..<Int(count) {
                guard let sample = samples[index] else { continue }
                // Every such sample begins with its key, the only part that one without data has.
                let key = sample.loadUnaligned(as: med_guid.self)
                let isThere = information[index].has_data && information[index].instance_state == UInt32(med_alive)
                body(isThere ? sample.assumingMemoryBound(to: Sample.self).pointee : nil, key)
            }
            med_dds_return_loan(dds, topic, &samples, count)
        }
    }

    private func endpoint(_ sample: med_endpoint) -> Endpoint? {
        guard let name = sample.topic_name, let type = sample.type_name, let qos = sample.qos else { return nil }
        var endpoint = Endpoint(
            name: String(cString: name),
            typeName: String(cString: type),
            participant: bytes(sample.participant_key)
        )
        var (kind, depth, blocking) = (Int32(0), Int32(0), Int64(0))
        if med_dds_qget_reliability(dds, qos, &kind, &blocking) { endpoint.isReliable = kind == Int32(med_reliable) }
        if med_dds_qget_durability(dds, qos, &kind) { endpoint.isTransientLocal = kind >= Int32(med_transient_local) }
        if med_dds_qget_history(dds, qos, &kind, &depth) {
            endpoint.depth = kind == Int32(med_keep_all) ? nil : Int(depth)
        }
        endpoint.typeHash = DDSNames.typeHash(inUserData: userData(qos))
        return endpoint
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

extension [DDSParticipant.Endpoint] {
    /// The size of gids in announcements of nodes, in bytes, if one of these publishes them.
    var gidBytes: Int? { first { $0.name == NodeAnnouncement.topic }.map { $0.typeHash == nil ? 24 : 16 } }
}
