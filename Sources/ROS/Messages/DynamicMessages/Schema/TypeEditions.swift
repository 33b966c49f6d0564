/// An edition of a type that this program knows itself: the type as some releases of ROS have it.
struct TypeEdition {
    /// The release that has it; nil for the latest edition.
    var release: String?
    var schema: MessageSchema

    /// The editions of a type, each once: the one that was claimed first, then the newest before the older ones.
    ///
    /// Where the messages were looked at there is only the one that they are of; none for a type that is not built in.
    static func all(of name: TypeName, _ claim: TypeClaim) -> [TypeEdition] {
        guard claim.edition != .unknown, let latest = MessageSchema.builtInLayout(name, as: nil) else { return [] }
        let labels = latest.editionLabels
        var releases = [nil] + CommonDefinitions.releases.filter { labels.contains($0) }
        if case .of(let release) = claim.edition {
            releases = [release]
        } else if claim.isOfHumble, !labels.isEmpty {
            releases.insert("humble", at: 0)
        }
        var editions: [TypeEdition] = []
        for release in releases {
            guard let layout = release == nil ? latest : MessageSchema.builtInLayout(name, as: release) else {
                continue
            }
            let schema = MessageSchema(layout: layout)
            let isKnown = editions.contains { $0.schema.typeHash == schema.typeHash }
            if !isKnown { editions.append(TypeEdition(release: release, schema: schema)) }
        }
        let stated = claim.typeHash.isEmpty ? nil : editions.firstIndex { $0.schema.typeHash == claim.typeHash }
        if let stated { editions.insert(editions.remove(at: stated), at: 0) }
        return editions
    }

    /// True if a type may be another one in another release.
    static func mayDiffer(_ name: TypeName) -> Bool {
        guard let latest = MessageSchema.builtInLayout(name, as: nil) else { return false }
        return CommonDefinitions.otherPackages.contains(name.package) || !latest.editionLabels.isEmpty
    }
}

/// Chooses the edition of a built-in type by the bytes of messages: the first one that most of them fit to their end.
package struct EditionChoice {
    package enum Outcome: Sendable, Hashable {
        /// The edition of that release; nil for the latest.
        case of(release: String?)
        /// None of those that are known fits.
        case unknown
    }

    /// How many messages are looked at, at most: some say nothing, such as lists without an element.
    package static let messageLimit = 64
    /// So many have to agree, as one of them may be damaged.
    private static let enough = 3

    private var editions: [(edition: TypeEdition, fitting: Int)]
    private var count = 0

    /// Nil where the bag describes the type itself, and for a type that is the same in every release.
    package init?(_ claim: TypeClaim) {
        guard claim.definitionEncoding != "ros2msg", let name = TypeName(LegacyNames.type(claim.typeName)),
            TypeEdition.mayDiffer(name)
        else { return nil }
        editions = TypeEdition.all(of: name, claim).map { ($0, 0) }
    }

    package mutating func note(_ message: [UInt8]) {
        count += 1
        for index in editions.indices where (try? editions[index].edition.schema.decode(cdr: message)) != nil {
            editions[index].fitting += 1
        }
    }

    /// True if more messages would tell no more.
    package var isDecided: Bool {
        let most = editions.map(\.fitting).max() ?? 0
        return count >= Self.messageLimit
            || count >= Self.enough && most > 0 && editions.count { $0.fitting == most } == 1
    }

    /// Nil where no message was looked at.
    package var outcome: Outcome? {
        guard count > 0 else { return nil }
        // Of equals the first: `max` would give the last.
        guard let best = editions.max(by: { $0.fitting < $1.fitting }), best.fitting > 0,
            let first = editions.first(where: { $0.fitting == best.fitting })
        else { return .unknown }
        return .of(release: first.edition.release)
    }
}

extension MessageLayout {
    /// The names beside the older editions of the type and of those below it.
    fileprivate var editionLabels: Set<String> {
        var labels = Set(TypeName(typeName).map(CommonDefinitions.labels) ?? [])
        for field in fields {
            if case .message(let layout) = field.element { labels.formUnion(layout.editionLabels) }
        }
        return labels
    }
}
