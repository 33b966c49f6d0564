/// Why nothing can be published over DDS, or why it is not certain that it arrived.
package enum DDSError: Error, Hashable, CustomStringConvertible {
    /// No library is there; what was tried, each with what was found.
    case noLibrary(tried: [String])
    case otherVersion(path: String, found: String)
    case variable(name: String, expected: String, found: String)
    /// A function of the library failed.
    case failed(what: String, reason: String)
    /// No participant has its place any more.
    case noParticipantIndex(domain: Int)
    /// No reader of the awaited topics within the time.
    case noReader(topics: [String], seconds: Double)
    /// The memory that late joiners may take is full.
    case memoryFull(bytes: Int)
    /// Messages that not every reader has acknowledged, by topic.
    case unacknowledged(count: Int, topics: [String])

    /// Why a domain could not be joined.
    ///
    /// - Parameters:
    ///   - reason: What the library's result stands for.
    ///   - log: The lines of its log.
    init(joining environment: DDSEnvironment, _ reason: String, log: [String]) {
        let domain = environment.domain
        if log.contains(where: { $0.contains("participant index") }) {
            self = .noParticipantIndex(domain: domain)
            return
        }
        // Lines about a configuration name an element of it, or a file that is none; another one may be of what it asks for.
        let found = log.first { $0.hasPrefix("config: ") || $0.hasPrefix("can't open configuration") } ?? log.first
        let hasNetwork = !log.contains { $0.hasPrefix("failed to find interfaces") }
        if let found, hasNetwork, !environment.ownConfiguration.isEmpty {
            // Where it is in the text counts from the beginning of ours.
            let fault = found.firstRange(of: " (CYCLONEDDS_URI+").map { String(found[..<$0.lowerBound]) } ?? found
            self = .variable(name: "CYCLONEDDS_URI", expected: "a configuration of Cyclone DDS", found: fault)
        } else {
            self = .failed(what: "joining domain \(domain)", reason: found ?? reason)
        }
    }

    package var description: String {
        switch self {
        case .noLibrary(let tried):
            "Cyclone DDS: expected libddsc 0.10, found none (\(tried.joined(separator: "; ")))"
        case .otherVersion(let path, let found): "\(path): expected Cyclone DDS 0.10, found \(found)"
        case .variable(let name, let expected, let found): "\(name): expected \(expected), found \(found)"
        case .failed(let what, let reason): "DDS: \(what): \(reason)"
        case .noParticipantIndex(let domain):
            "DDS: no participant can join domain \(domain): expected a free place among those of this machine, found none"
        case .noReader(let topics, let seconds):
            "DDS: expected a reader of \(topics.joined(separator: " and ")), found none within \(seconds) s"
        case .memoryFull(let bytes):
            "DDS: what is kept for late joiners is more than \(bytes) bytes: give more with --max-memory"
        case .unacknowledged(let count, let topics):
            "DDS: expected every message acknowledged by every reader, found \(count) that were not, of "
                + topics.joined(separator: ", ")
        }
    }

    /// What can be done about it.
    package var advice: String? {
        switch self {
        case .noLibrary:
            "Install it (Debian, Ubuntu: apt install libddsc0debian), or name the file in MAPEVERYTHING_DDSC."
        case .otherVersion: "MAPEVERYTHING_DDSC names a file of version 0.10 under whatever name."
        case .noParticipantIndex:
            "End other ROS 2 programs of this domain, or take another one with --domain."
        case .noReader:
            "Start the recorder or node first (ROS_DOMAIN_ID and ROS_AUTOMATIC_DISCOVERY_RANGE must agree), or publish to "
                + "nobody with --wait-for-readers none."
        case .unacknowledged: "Record again: a reader was lost, or did not take what was sent."
        case .variable, .failed, .memoryFull: nil
        }
    }

    /// True for what the user wrote, in an option or in the environment.
    package var isUsage: Bool { if case .variable = self { true } else { false } }
}
