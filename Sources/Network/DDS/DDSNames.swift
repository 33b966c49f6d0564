/// The names of ROS 2 in DDS, as rmw_cyclonedds writes them.
package enum DDSNames {
    /// `rt/a/b` for the topic `/a/b`.
    package static func topic(_ name: String) -> String { "rt" + name }

    /// The topic of `rt/a/b`; nil for what is none, such as a part of a service.
    package static func topic(ofName name: String) -> String? {
        name.hasPrefix("rt/") ? String(name.dropFirst(2)) : nil
    }

    /// `pkg/msg/Name` of `pkg::msg::dds_::Name_`; nil for what is no type of ROS 2.
    package static func type(ofName name: String) -> String? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 7, parts[1].isEmpty, parts[3].isEmpty, parts[4] == "dds_", parts[5].isEmpty,
            parts[6].hasSuffix("_"), parts[6].utf8.count > 1, !parts[0].isEmpty, !parts[2].isEmpty
        else { return nil }
        return "\(parts[0])/\(parts[2])/\(parts[6].dropLast())"
    }

    /// `pkg::msg::dds_::Name_` for `pkg/msg/Name`; nil for what is no such name.
    package static func type(_ name: String) -> String? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        return "\(parts[0])::\(parts[1])::dds_::\(parts[2])_"
    }

    /// The USER_DATA of a writer or reader (REP 2011); empty for a type without a hash.
    package static func userData(typeHash: String) -> String { typeHash.isEmpty ? "" : "typehash=\(typeHash);" }

    /// The hash in the USER_DATA of a writer or reader; nil where it says none.
    package static func typeHash(inUserData text: String) -> String? {
        text.split(separator: ";").first { $0.hasPrefix("typehash=") }.map { String($0.dropFirst("typehash=".count)) }
    }

    /// The 16 bytes of the name of a participant of which a line of Cyclone's trace says that none of its addresses can be used:
    /// `SPDP ST0 10f949d:2a660000:0:1c1 ... (no unicast address`; nil for another line.
    package static func unreachable(inTrace line: String) -> [UInt8]? {
        guard line.hasPrefix("SPDP "), line.contains("(no unicast address") else { return nil }
        let words = line.split(separator: " ").dropFirst(2).first?.split(
            separator: ":",
            omittingEmptySubsequences: false
        )
        guard let words, words.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for word in words {
            guard let number = UInt32(word, radix: 16) else { return nil }
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return bytes
    }

    /// The USER_DATA of a participant, without which ROS 2 does not take it for one of its own.
    package static let participantUserData = "enclave=/;"
}

/// The topic on which participants say which nodes they have, and which readers and writers each of them.
package enum NodeAnnouncement {
    package static let topic = "ros_discovery_info"
    package static let typeName = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
    /// The hash of the type with gids of 16 bytes; Humble, which has 24, knows no hashes.
    package static let typeHash = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"

    /// A message of CDR: the participant with one node and its writers (rmw_dds_common/msg/ParticipantEntitiesInfo).
    ///
    /// - Parameters:
    ///   - node: The full name of the node, such as `/robot/replay`.
    ///   - gids: Those of the participant, and of its readers and writers, of 16 bytes each.
    ///   - gidBytes: 16, or 24 for Humble and before.
    package static func message(
        node: String,
        participant: [UInt8],
        readers: [[UInt8]] = [],
        writers: [[UInt8]],
        gidBytes: Int
    ) -> [UInt8] {
        let slash = node.lastIndex(of: "/")
        let name = slash.map { String(node[node.index(after: $0)...]) } ?? node
        let namespace = slash.map { $0 == node.startIndex ? "/" : String(node[..<$0]) } ?? "/"
        var bytes: [UInt8] = [0, 1, 0, 0]
        func add(_ number: Int) {
            while (bytes.count - 4) % 4 != 0 { bytes.append(0) }
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        func add(_ text: String) {
            add(text.utf8.count + 1)
            bytes += Array(text.utf8) + [0]
        }
        func add(gid: [UInt8]) {
            bytes += gid.prefix(gidBytes) + [UInt8](repeating: 0, count: max(0, gidBytes - gid.count))
        }
        add(gid: participant)
        add(1)
        add(namespace)
        add(name)
        for gids in [readers, writers] {
            add(gids.count)
            for one in gids { add(gid: one) }
        }
        return bytes
    }
}
