/// How large tags are: one size for all, others by number, or as LiDAR measures them.
package struct TagSizes: Sendable {
    /// Of tags without an own size, in metres; nil where it is to be measured.
    package var commonMetres: Double?
    package var byRange: [(ids: ClosedRange<Int>, metres: Double)] = []

    /// As LiDAR measures them.
    package init() {}

    /// From words such as `0.152`, `1-7=0.173`, `12=0.2` or `auto`; nil for a word that is none of these.
    package init?(_ words: [String]) {
        for word in words.flatMap({ $0.split(separator: ",") }) {
            if word == "auto" {
                commonMetres = nil
                continue
            }
            let parts = word.split(separator: "=", omittingEmptySubsequences: false)
            guard let last = parts.last, let metres = Double(last), metres > 0.001, metres <= 10 else { return nil }
            switch parts.count {
            case 1: commonMetres = metres
            case 2:
                let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
                guard let first = ends.first ?? nil, let end = ends.last ?? nil, ends.count <= 2, first >= 0,
                    first <= end
                else { return nil }
                byRange.append((first...end, metres))
            default: return nil
            }
        }
    }

    /// In metres, by the last range that has the number; nil where it is to be measured.
    package func metres(of id: Int) -> Double? {
        byRange.last { $0.ids.contains(id) }?.metres ?? commonMetres
    }
}
