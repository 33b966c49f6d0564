/// Words that were probably meant.
package enum Spelling {
    /// The nearest of the words, if a slip of the fingers may have been meant for it.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let nearest = known.min { distance($0, word) < distance($1, word) }
        return nearest.flatMap { distance($0, word) <= 2 ? $0 : nil }
    }

    /// How many letters have to be put in, left out or exchanged.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8.prefix(40)), Array(other.utf8.prefix(40)))
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var before = row[0]
            row[0] = index + 1
            for place in 0..<other.count {
                let change = before + (letter == other[place] ? 0 : 1)
                before = row[place + 1]
                row[place + 1] = min(change, row[place] + 1, row[place + 1] + 1)
            }
        }
        return row[other.count]
    }
}
