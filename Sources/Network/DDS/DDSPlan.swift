package import Messages

/// What a sink would publish, and how a recorder keeps all of it; nothing is published for it.
package struct DDSPlan: Sendable {
    private let topics: [Topic]
    private let options: DDSOptions

    /// A topic as it is offered.
    package struct Offer: Sendable {
        package var topic: String
        /// Its name and type in DDS.
        package var name: String
        package var typeName: String
        package var typeHash: String
        package var durability: String
        /// How many messages readers get that come late: nil for none, 0 for all.
        package var lateDepth: Int?
    }

    package init(_ topics: [Topic], _ options: DDSOptions) {
        self.topics = topics.sorted { $0.name < $1.name }
        self.options = options
    }

    package var offers: [Offer] {
        topics.map { topic in
            let depth = options.lateDepth(of: topic)
            return Offer(
                topic: topic.name,
                name: DDSNames.topic(topic.name),
                typeName: DDSNames.type(topic.typeName) ?? topic.typeName,
                typeHash: topic.type.typeHash,
                durability: depth == nil ? "volatile" : "transient_local",
                lateDepth: depth
            )
        }
    }

    /// Cyclone's configuration that is in force.
    package var configuration: String { options.environment.configuration(processID: 0) }

    /// The QoS overrides of a recorder that keeps every message, in YAML, as rosbag2 reads them.
    package var recorderOverrides: String {
        offers.map { offer in
            """
            \(offer.topic):
              history: keep_all
              reliability: reliable
              durability: \(offer.durability)
            """
        }
        .joined(separator: "\n")
    }

    /// The command line of rosbag2's recorder.
    package func recorderLine(overrides file: String) -> String {
        var variables = ["ROS_DOMAIN_ID=\(options.environment.domain)"]
        if options.environment.range != .subnet {
            variables.append("ROS_AUTOMATIC_DISCOVERY_RANGE=\(options.environment.range.rawValue)")
        }
        return (variables + ["ros2 bag record --max-cache-size 0 --qos-profile-overrides-path \(file)"])
            .joined(separator: " ") + topics.map { " \($0.name)" }.joined()
    }
}
