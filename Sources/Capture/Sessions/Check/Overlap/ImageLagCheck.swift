import Recording

/// Finds images of other frames: depth whose edges lie on those of an image some frames before or behind, and not on its own.
///
/// Geometry shows nothing of it, as depth and poses fit each other. At 60 frames a second neighbours look alike, and at rest all do: there
/// nothing is said.
struct ImageLagCheck {
    /// Of frames that were looked at.
    private struct Row {
        var own: Double
        /// By the places of images, from ``NeighbourPairs/lag`` before to as many behind; `nil` where there is none.
        var others: [Double?]
    }

    /// How much better the mean correlation has to be, and what it has to be: own images have 0.15 to 0.45 where the scene has edges,
    /// others at most 0.1.
    private static let clearlyBetter = 0.1
    /// Of a frame whose own image fits so well no other is looked at.
    private static let wellCorrelated = 0.15
    private static let leastShare = 0.75
    private static let fewestFrames = 3
    private static let mostFrames = 8
    private static let places = (0...2 * NeighbourPairs.lag).filter { $0 != NeighbourPairs.lag }

    private var rows: [Row] = []
    private var witnesses = Witnesses()

    /// True once the images around a frame were looked at.
    var hasLooked: Bool { rows.contains { row in row.others.contains { $0 != nil } } }

    /// False where the first frames have their own images, or no other one fits the first that has not.
    var isOpen: Bool {
        hasLooked ? rows.count < Self.mostFrames && !candidates.isEmpty : rows.count < Self.fewestFrames
    }

    private var candidates: [Int] {
        Self.places.filter { place in
            let gains = rows.compactMap { row in row.others[place].map { $0 - row.own } }
            return gains.count * 2 >= rows.count && gains.reduce(0, +) >= Self.clearlyBetter * Double(gains.count)
        }
    }

    /// Takes a frame with the images around it, where it has one itself.
    mutating func add(_ member: NeighbourPairs.Member, _ view: ExaminedView, _ loader: any PayloadLoader) {
        let size = view.view.depth.size
        guard let brightness = view.brightness, witnesses.isNew(member.frame.worldFromCamera),
            let range = Edges(Edges.logarithms(of: view.view.depth), size.width, size.height),
            let own = Edges(brightness, size.width, size.height)
        else { return }
        let value = own.correlation(range, .none)
        guard value.isFinite else { return }
        var row = Row(own: value, others: [Double?](repeating: nil, count: 2 * NeighbourPairs.lag + 1))
        for place in hasLooked ? candidates : Self.places where value < Self.wellCorrelated {
            guard let frame = member.around[place],
                let brightness = ExaminedView.brightness(frame, size, loader),
                let edges = Edges(brightness, size.width, size.height)
            else { continue }
            let value = edges.correlation(range, .none)
            row.others[place] = value.isFinite ? value : nil
        }
        rows.append(row)
    }

    /// How many frames behind its own place in the list the image of a frame stands; `nil` where they are their own, or nothing can be said.
    var lag: (frames: Int, better: Int, count: Int)? {
        var best: (frames: Int, better: Int, count: Int, mean: Double)?
        for place in candidates {
            let pairs = rows.compactMap { row in row.others[place].map { (own: row.own, other: $0) } }
            let mean = pairs.reduce(0) { $0 + $1.other } / Double(max(1, pairs.count))
            let better = pairs.count { $0.other > $0.own }
            guard pairs.count >= Self.fewestFrames, mean >= Self.clearlyBetter, mean > best?.mean ?? 0,
                Double(better) >= Self.leastShare * Double(pairs.count)
            else { continue }
            best = (place - NeighbourPairs.lag, better, pairs.count, mean)
        }
        return best.map { ($0.frames, $0.better, $0.count) }
    }
}
