/// Words that were probably meant.
package enum Spelling {
    /// The nearest of the words, if a slip of the fingers may have been meant for it, or else the only one that begins so;
    /// in capitals or not.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let word = word.lowercased()
        func distance(_ other: String) -> Int { Self.distance(other.lowercased(), word) }
        if let nearest = known.min(by: { distance($0) < distance($1) }), distance(nearest) <= 2 { return nearest }
        let begun = known.filter { letters($0).hasPrefix(letters(word)) }
        return letters(word).count > 2 && begun.count == 1 ? begun[0] : nil
    }

    /// The one of the words that is meant: in capitals or not, and with any signs between its parts.
    package static func match(_ word: String, among known: [String]) -> String? {
        known.first { letters($0) == letters(word) }
    }

    private static func letters(_ word: String) -> String { word.lowercased().filter { $0.isLetter || $0.isNumber } }

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
