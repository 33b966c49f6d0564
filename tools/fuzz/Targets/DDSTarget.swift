import DDS

extension FuzzTarget {
    /// What other participants of a domain send about themselves, and the variables that say how they are met.
    static let ddsNames = FuzzTarget(
        name: "dds-names",
        seeds: {
            [
                "rt/mapping/pose", "geometry_msgs::msg::dds_::PoseStamped_", "typehash=RIHS01_0123;", "enclave=/;a=b;",
                "SPDP ST0 10f949d:2a660000:0:1c1 bes c3f NEW (data meta) (no unicast address", "10.0.0.1;robot & co",
                "42",
            ].map { Array($0.utf8) }
        },
        dictionary: [
            "rt/", "::", "dds_", "_", "typehash=", ";", "SPDP ", ":", "(no unicast address", "<", "\"", "&", "/",
        ],
        maximumBytes: 512,
        run: { input in
            let text = String(decoding: input, as: UTF8.self)
            if let topic = DDSNames.topic(ofName: text) {
                require(DDSNames.topic(topic) == text, "\(text) is \(topic), and not the other way round")
            }
            if let type = DDSNames.type(ofName: text), let name = DDSNames.type(type) {
                require(name.utf8.count == text.utf8.count, "\(text) is \(type), which is \(name)")
            }
            if let hash = DDSNames.typeHash(inUserData: text), !hash.isEmpty {
                let again = DDSNames.typeHash(inUserData: DDSNames.userData(typeHash: hash))
                require(again == hash, "the hash \(hash) is read again as \(again ?? "none")")
            }
            if let key = DDSNames.unreachable(inTrace: text) { require(key.count == 16, "a key of \(key.count) bytes") }
            for name in DDSEnvironment.names {
                guard let environment = try? DDSEnvironment([name: text]) else { continue }
                require(DDSEnvironment.domains.contains(environment.domain), "domain \(environment.domain)")
                guard environment.ownConfiguration.isEmpty else { continue }
                let parts = Array(environment.configuration(processID: 1).utf8).split(
                    separator: "<Peer Address=\"".utf8
                )
                // Of this machine alone localhost is one, too.
                let count = environment.peers.count + (environment.range == .localhost ? 1 : 0)
                let isSystem = environment.range == .off || environment.range == .systemDefault
                require(parts.count - 1 == (isSystem ? 0 : count), "\(parts.count - 1) of \(environment.peers)")
            }
        }
    )
}
