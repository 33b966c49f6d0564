package import Recording

/// Where tags truly are: lines `rpy ID x y z roll pitch yaw`, in metres and radians, z up.
package struct TagTruth: Sendable {
    package private(set) var places: [Int64: Vector3] = [:]

    /// - Throws: a ``TagMapError`` that names the line, for a file that has another form.
    package init(parsing text: String) throws(TagMapError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, first != "#", !first.hasPrefix("#") else { continue }
            let numbers = words.dropFirst(2).prefix(3).compactMap { Double($0) }.filter(\.isFinite)
            guard first == "rpy", words.count >= 5, let id = Int64(words[1]), numbers.count == 3 else {
                throw TagMapError("line \(index + 1) as rpy ID x y z ...", found: "\"\(line.prefix(80))\"")
            }
            places[id] = Vector3(numbers[0], numbers[1], numbers[2])
        }
        guard !places.isEmpty else { throw TagMapError("lines of rpy ID x y z ...", found: "none") }
    }
}
