import Recording

/// In which order the unknowns of a sparse system are eliminated, and which blocks that fills.
///
/// Minimum degree (Tinney and Walker 1967): a pose between two others costs least, so the chain of a walk is folded from
/// all its ends at once, and what ties many poses together, tags, comes late. Ties go to what was there first: the order
/// depends on nothing but the graph.
struct EliminationOrder {
    /// By step of the elimination: the unknown.
    private(set) var unknowns: [Int] = []
    /// By unknown: its step.
    private(set) var steps: [Int]
    /// By step: the later steps that its column has blocks for, ascending.
    private(set) var columns: [[Int32]] = []

    init(count: Int, links: [(Int, Int)]) {
        steps = [Int](repeating: 0, count: count)
        var neighbours = [[Int32]](repeating: [], count: count)
        for (a, b) in links where a != b {
            neighbours[a].append(Int32(b))
            neighbours[b].append(Int32(a))
        }
        for node in 0..<count { neighbours[node] = Self.sortedUnique(neighbours[node]) }
        unknowns.reserveCapacity(count)
        var raw: [[Int32]] = []
        raw.reserveCapacity(count)
        var isDone = [Bool](repeating: false, count: count)
        // By degree, the unknowns that had it at some time; those whose degree changed since are passed over.
        var buckets: [[Int32]] = [[]]
        func put(_ node: Int32) {
            let degree = neighbours[Int(node)].count
            while buckets.count <= degree { buckets.append([]) }
            buckets[degree].append(node)
        }
        for node in stride(from: count - 1, through: 0, by: -1) { put(Int32(node)) }
        var degree = 0
        while unknowns.count < count {
            guard let node = buckets[degree].popLast() else {
                degree += 1
                continue
            }
            guard !isDone[Int(node)], neighbours[Int(node)].count == degree else { continue }
            isDone[Int(node)] = true
            steps[Int(node)] = unknowns.count
            unknowns.append(Int(node))
            let clique = neighbours[Int(node)]
            raw.append(clique)
            neighbours[Int(node)] = []
            for other in clique {
                Self.connect(&neighbours[Int(other)], to: clique, of: other, without: node)
                put(other)
                degree = min(degree, neighbours[Int(other)].count)
            }
        }
        columns = raw.map { column in column.map { Int32(steps[Int($0)]) }.sorted() }
    }

    private static func sortedUnique(_ values: [Int32]) -> [Int32] {
        var result: [Int32] = []
        for value in values.sorted() where result.last != value { result.append(value) }
        return result
    }

    /// Adds what an ascending list does not have of another one, but for the list's owner, and takes one out of it.
    private static func connect(_ list: inout [Int32], to others: [Int32], of owner: Int32, without node: Int32) {
        list.remove(at: list.firstIndex(sortedWhere: { $0 >= node }))
        for other in others where other != owner {
            let place = list.firstIndex(sortedWhere: { $0 >= other })
            if place == list.count || list[place] != other { list.insert(other, at: place) }
        }
    }
}
