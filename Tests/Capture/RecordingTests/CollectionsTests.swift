import Recording
import Testing

@Suite struct CollectionsTests {
    @Test func findsPlacesInSortedCollections() {
        let numbers = [1, 3, 3, 3, 8, 9]
        for wanted in 0...10 {
            #expect(numbers.sortedIndex { $0 >= wanted } == numbers.firstIndex { $0 >= wanted } ?? numbers.endIndex)
            #expect(numbers.containsSorted(wanted) == numbers.contains(wanted))
            let slice = numbers[2..<5]
            #expect(slice.sortedIndex { $0 >= wanted } == slice.firstIndex { $0 >= wanted } ?? slice.endIndex)
            #expect(slice.containsSorted(wanted) == slice.contains(wanted))
        }
        #expect([Int]().sortedIndex { _ in true } == 0)
        #expect(![Int]().containsSorted(1))
    }

    @Test func heapGivesElementsInOrder() {
        var heap = Heap<(key: Int, number: Int)> { ($0.key, $0.number) < ($1.key, $1.number) }
        let keys = (0..<200).map { $0 * 37 % 23 }
        for (number, key) in keys.enumerated() { heap.insert((key, number)) }
        #expect(heap.count == 200)
        #expect(heap.first.map { $0 == (0, 0) } == true)

        var taken: [[Int]] = []
        while let next = heap.removeFirst() { taken.append([next.key, next.number]) }
        let expected = keys.enumerated().map { [$0.element, $0.offset] }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(taken == expected)
        #expect(heap.count == 0 && heap.first == nil)
    }

    @Test func smallestMemberStandsForASet() {
        #expect(DisjointSets.roots(count: 0, joining: []) == [])
        #expect(DisjointSets.roots(count: 3, joining: []) == [0, 1, 2])
        let pairs = [(5, 4), (2, 6), (4, 2), (1, 3), (3, 3)]
        #expect(DisjointSets.roots(count: 8, joining: pairs) == [0, 1, 2, 1, 2, 2, 2, 7])
    }

    @Test func partsOfSetsFollowOneAnother() {
        let sets = DisjointSets(parts: [[0, 0, 2], [], [0, 1, 0]])
        #expect(sets.roots(count: 6) == [0, 0, 2, 3, 4, 3])
        sets.join(5, 1)
        sets.join(4, 2)
        #expect(sets.roots(count: 6) == [0, 0, 2, 0, 2, 0])
        #expect(DisjointSets(parts: []).roots(count: 0) == [])
    }
}
