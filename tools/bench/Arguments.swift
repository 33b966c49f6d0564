import Glibc

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

    /// The options as they were given, for another process.
    var given: [String] { options.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } + flags.sorted() }

    /// The value of an option; of what is not given, what lies where the tools of this repository put it.
    func string(_ name: String) -> String? { options[name] ?? Self.usual(name) }

    private static func usual(_ name: String) -> String? {
        let path: String? =
            switch name {
            case "--binary": Repository.programs.map { "\($0)/mapeverything" }
            case "--python": Repository.root.map { "\($0)/.build/peers/bin/python" }
            default: nil
            }
        return path.flatMap { access($0, X_OK) == 0 ? $0 : nil }
    }

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

    /// The interpreter, where it has all of these packages.
    func interpreter(with packages: String...) throws(BenchError) -> String? {
        guard let python = string("--python") else { return nil }
        let question = "import importlib.util as u, sys; sys.exit(any(u.find_spec(p) is None for p in sys.argv[1:]))"
        return try run([python, "-c", question] + packages).status == 0 ? python : nil
    }

    /// The beginning of the command of a peer script, where `--peers` and `--python` are given.
    func python(_ script: String) -> [String]? {
        guard let folder = string("--peers"), let interpreter = string("--python") else { return nil }
        return [interpreter, "\(folder)/\(script)"]
    }
}

/// Where this program and the scripts that it runs lie, whatever folder it is called from.
enum Repository {
    /// The folder of this program.
    static let programs: String? = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return parent(of: String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }()

    /// The nearest folder above this program, else above the current one, that has its scripts.
    static let root: String? = {
        let current = getcwd(nil, 0)
        defer { free(current) }
        for start in [programs, current.map { String(cString: $0) }] {
            var folder = start
            while let path = folder {
                if access("\(path)/tools/peers/convert_chunk.py", R_OK) == 0 { return path }
                folder = parent(of: path)
            }
        }
        return nil
    }()

    /// The path of a file of the repository.
    static func path(_ file: String) throws(BenchError) -> String {
        guard let root else { throw BenchError("\(file): not found above the folder of this program") }
        return "\(root)/\(file)"
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return nil }
        return String(path[..<slash])
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
      session SESSION            whole processes: inspect, check beside decoding, export beside cp -r
      record                     poses to the recorder, until they are confirmed
      dds                        whole process: bags into ROS 2 over DDS, and one through rosbridge
      websocket                  messages to a WebSocket server, masked
      pace SESSION               whole process: how late a replay at rate 1 is (--seconds N)
      start [SESSION]            whole process: --version, inspect
      all                        all of these, on sessions that are made for it
    --scratch names a folder in which a new one is made, and removed again (default: in memory; all: 1.2 GB).
    --binary is the command's release build (default: beside this program), --python runs the peers' scripts (default:
    .build/peers of this repository), --peers holds the peer programs (built in DIR/bin). SHORT is a session whose JPEGs
    the decoder alone is timed with. What is not there is left out.
    """
