/// The rule that chooses the index of a quantile where its share falls between two values.
@usableFromInline
package enum QuantileRule: Sendable {
    /// The value that `share * count` values precede: the upper of the two in the middle, for the median.
    case upper
    /// The nearest rank, with which `share * count` values are reached: the lower of the two in the middle.
    case lower

    /// The index of a quantile among `count` values in ascending order; `count` is above 0.
    @inlinable
    package func index(of share: Double, in count: Int) -> Int {
        let position = share * Double(count)
        let index = self == .upper ? Int(position) : Int(position.rounded(.up)) - 1
        return min(max(index, 0), count - 1)
    }
}

extension RandomAccessCollection {
    /// The quantile of values that stand in ascending order; nil without values.
    @inlinable
    package func quantile(_ share: Double, _ rule: QuantileRule = .upper) -> Element? {
        isEmpty ? nil : self[index(startIndex, offsetBy: rule.index(of: share, in: count))]
    }
}

extension Sequence where Element: Comparable {
    /// The median of values in any order; nil without values.
    @inlinable
    package func median(_ rule: QuantileRule = .upper) -> Element? {
        var values = Array(self)
        return values.isEmpty ? nil : values.select(rule.index(of: 0.5, in: values.count))
    }
}

extension Array where Element: Comparable {
    /// The element that stands at a place in ascending order; the elements change their places.
    @inlinable
    package mutating func select(_ place: Int) -> Element {
        withUnsafeMutableBufferPointer { $0.select(place, in: 0..<$0.count) { $0 } }
        return self[place]
    }
}

extension UnsafeMutableBufferPointer {
    /// Brings the element of a range to `place` that belongs there in the order of `key`, lesser ones before it and greater
    /// ones behind it (Hoare 1961, "Find").
    ///
    /// Keys that no order holds for, such as NaN, leave open which element that is.
    @inlinable
    package func select(_ place: Int, in range: Range<Int>, by key: (Element) -> some Comparable) {
        var (first, last) = (range.lowerBound, range.upperBound - 1)
        while first < last {
            let pivot = key(self[place])
            var (i, j) = (first, last)
            repeat {
                while key(self[i]) < pivot { i += 1 }
                while pivot < key(self[j]) { j -= 1 }
                if i <= j {
                    swapAt(i, j)
                    (i, j) = (i + 1, j - 1)
                }
            } while i <= j
            if j < place { first = i }
            if place < i { last = j }
        }
    }
}

extension Sequence<Double> {
    /// The median of values in any order: the mean of the two in the middle where their number is even.
    @inlinable
    package var meanMedian: Double? {
        let sorted = sorted()
        guard let lower = sorted.quantile(0.5, .lower), let upper = sorted.quantile(0.5) else { return nil }
        return (lower + upper) / 2
    }
}

/// Counts values by bins, so that quantiles need no list of the values.
package struct BinCounts: Sendable, Hashable {
    /// The number of values in each bin, up to the last bin that has any.
    package private(set) var bins: [Int] = []
    /// The number of all values.
    package private(set) var count = 0

    package init() {}

    /// Counts a value in a bin, whose index is at least 0.
    package mutating func add(toBin index: Int) { add(1, toBin: index) }

    /// Adds several values to a bin, whose index is at least 0.
    package mutating func add(_ values: Int, toBin index: Int) {
        guard values > 0 else { return }
        if index >= bins.count { bins += repeatElement(0, count: index + 1 - bins.count) }
        bins[index] += values
        count += values
    }

    /// The bin of a quantile; nil without values.
    package func bin(ofQuantile share: Double, _ rule: QuantileRule = .upper) -> Int? {
        guard count > 0 else { return nil }
        var left = rule.index(of: share, in: count)
        return bins.firstIndex { inBin in
            left -= inBin
            return left < 0
        }
    }

    /// The share of the values that are in a bin or in one after it; 0 without values.
    package func share(fromBin index: Int) -> Double {
        count == 0 ? 0 : Double(bins.dropFirst(index).reduce(0, +)) / Double(count)
    }
}
