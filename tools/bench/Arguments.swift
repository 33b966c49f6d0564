/// What the command line asks for: a subcommand, its operands and `--name value` options.
struct Arguments {
    var subcommand: String
    var operands: [String] = []
    private var options: [String: String] = [:]
    private var flags: Set<String> = []

    private static let valueOptions: Set<String> = [
        "--peers", "--rounds", "--repetitions", "--scratch", "--python", "--binary", "--seconds",
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

    /// The beginning of the command of a peer script, where `--peers` and `--python` are given.
    func python(_ script: String) -> [String]? {
        guard let folder = string("--peers"), let interpreter = string("--python") else { return nil }
        return [interpreter, "\(folder)/\(script)"]
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
    usage: bench SUBCOMMAND [OPERANDS] [--peers DIR] [--python FILE] [--binary FILE] [--scratch DIR]
                 [--rounds N] [--repetitions N] [--json]
      cloud SESSION              depth and decoded image to packed cloud
      map SESSION                40 frames to one mesh
      jpeg SESSION               JPEG to an eighth of its size
      calibration SESSION        the fit of relative depth
      encode                     messages to rosbridge JSON and CDR
      sqlite                     messages to a bag
      bag SESSION [SHORT]        whole process: a session of 20 s to a bag
      rosbridge SESSION [SHORT]  whole process: a session of 20 s to a WebSocket server
      convert BAG                whole process: a chunk of the phone app to CDR
      record                     poses to the recorder, until they are confirmed
      websocket                  messages to a WebSocket server, masked
      pace SESSION               whole process: how late a replay at rate 1 is (--seconds N)
      start [SESSION]            whole process: --version, inspect
    --scratch names a folder in which a new one is made, and removed again (default: in memory). --peers holds the peer
    programs (built in DIR/bin), --python runs their scripts, --binary is the command's release build;
    SHORT is a session whose JPEGs the decoder alone is timed with. What is not given is left out.
    """
