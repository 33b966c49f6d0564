/// What the command line asks for: a subcommand, its operands and `--name value` options.
struct Arguments {
    var subcommand: String
    var operands: [String] = []
    private var options: [String: String] = [:]
    private var flags: Set<String> = []

    private static let valueOptions: Set<String> = [
        "--peers", "--rounds", "--repetitions", "--scratch", "--python", "--binary", "--prefix", "--voxel",
    ]

    init(_ words: [String]) throws(BenchError) {
        guard let first = words.first else { throw BenchError(usage) }
        subcommand = first
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if Self.valueOptions.contains(word) {
                guard let value = rest.popFirst() else { throw BenchError("\(word): expected a value") }
                options[word] = value
            } else if word.hasPrefix("--") {
                flags.insert(word)
            } else {
                operands.append(word)
            }
        }
    }

    func string(_ name: String) -> String? { options[name] }

    func number(_ name: String, default fallback: Int) throws(BenchError) -> Int {
        guard let text = options[name] else { return fallback }
        guard let value = Int(text), value > 0 else { throw BenchError("\(name): expected a count, found \(text)") }
        return value
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func operand(_ index: Int, _ what: String) throws(BenchError) -> String {
        guard operands.indices.contains(index) else { throw BenchError("\(subcommand): expected \(what)\n\(usage)") }
        return operands[index]
    }

    /// The path of a peer program, where `--peers` names the folder of the built peers.
    func peer(_ name: String) -> String? {
        string("--peers").map { "\($0)/bin/\(name)" }
    }
}

/// A message for the person at the terminal.
struct BenchError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

let usage = """
    usage: bench SUBCOMMAND [OPERANDS] [--peers DIR] [--rounds N] [--repetitions N] [--json]
      cloud SESSION        depth and decoded image to packed cloud; peer: ref_cloud
      jpeg SESSION         JPEG to an eighth of its size; peer: jpeg_bench
      calibration SESSION  the fit of relative depth; peer: calib_bench
    """
