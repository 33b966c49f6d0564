package import SystemPackage
import Text

/// Advice on a recording or a bag, in which commands stand between backticks and without its path.
package enum Advice {
    /// The advice with each command as it can be typed.
    ///
    /// - Parameter path: The path of the recording or the bag.
    package static func text(_ advice: String, on path: String) -> String {
        let parts = advice.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.map { index in
            let words = parts[index].split(separator: " ", maxSplits: 2)
            guard !index.isMultiple(of: 2), words.count > 1, words[0] == "mapeverything" else { return parts[index] }
            var command = words[0...1].map { String($0) } + [ForeignPath.shellWord(path)]
            let ends = ["convert": "converted", "trim": "trimmed"]
            if let end = ends[command[1]] {
                command += ["-o", FilePath(ForeignPath.told(path)).beside(end).string.shellWord]
            }
            return (command + words.dropFirst(2).map { String($0) }).joined(separator: " ")[...]
        }.joined(separator: "`")
    }
}

extension FilePath {
    /// The endings of files that are a whole recording or bag, or the packed part of one.
    package static let wholeEndings: Set<String> = ["zip", "tar", "r3d", "db3", "mcap", "zstd"]

    /// `NAME_what` beside a recording or a bag, for a lone file too.
    package func beside(_ what: String) -> FilePath {
        guard let name = lastComponent else { return appending(what) }
        let isFile = name.extension.map(Self.wholeEndings.contains) ?? false
        return removingLastComponent().appending("\(isFile ? name.stem : name.string)_\(what)")
    }
}
