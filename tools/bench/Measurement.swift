/// Times of one thing in milliseconds.
struct Samples {
    private(set) var milliseconds: [Double] = []

    mutating func append(_ value: Double) {
        milliseconds.append(value)
    }

    var count: Int { milliseconds.count }
    var minimum: Double { milliseconds.min() ?? .nan }

    var median: Double {
        guard !milliseconds.isEmpty else { return .nan }
        return milliseconds.sorted()[milliseconds.count / 2]
    }

    /// Adds the time that `body` takes.
    mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        append((ContinuousClock.now - start).milliseconds)
        return result
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
    }
}

/// One line of the report: what was measured, and against what it is judged.
struct ReportLine {
    var name: String
    var samples: Samples
    var note = ""
    var peer: Comparison?

    /// Medians of interleaved rounds, theirs and ours.
    struct Comparison {
        var name: String
        var median: Double
        /// Ours divided by theirs.
        var ratio: Double
        var goal: Goal?
    }

    /// The largest ratio that is good enough, and the one that is wanted.
    struct Goal {
        var must: Double
        var stretch: Double?

        func verdict(_ ratio: Double) -> String {
            if let stretch, ratio <= stretch { return "stretch met" }
            return ratio <= must ? "met" : "NOT MET"
        }
    }
}

/// What a subcommand found, as a table for people or as JSON.
struct Report {
    var title: String
    var lines: [ReportLine] = []

    var table: String {
        var text = "\(title)\n" + padded("", 46) + "median ms  minimum     n    peer ms  ratio  goal\n"
        for line in lines {
            text += padded(line.name, 46) + fixed(line.samples.median, 9) + fixed(line.samples.minimum, 9)
            text += padded(left: "\(line.samples.count)", 6)
            if let peer = line.peer {
                text += fixed(peer.median, 11) + fixed(peer.ratio, 7, digits: 2) + "  "
                if let goal = peer.goal {
                    text += "<= \(goal.must)" + (goal.stretch.map { " (\($0))" } ?? "")
                    text += ", \(goal.verdict(peer.ratio)); "
                }
                text += "against \(peer.name)"
            }
            text += line.note.isEmpty ? "\n" : "  \(line.note)\n"
        }
        return text
    }

    var json: String {
        let rows = lines.map { line in
            var fields = [
                #""name":"\#(line.name)""#,
                #""median_ms":\#(number(line.samples.median))"#,
                #""minimum_ms":\#(number(line.samples.minimum))"#,
                #""count":\#(line.samples.count)"#,
            ]
            if !line.note.isEmpty { fields.append(#""note":"\#(line.note)""#) }
            if let peer = line.peer {
                fields.append(
                    #""peer":"\#(peer.name)","peer_ms":\#(number(peer.median)),"ratio":\#(number(peer.ratio))"#
                )
                if let goal = peer.goal {
                    fields.append(#""goal":\#(goal.must),"met":\#(peer.ratio <= goal.must)"#)
                }
            }
            return "{" + fields.joined(separator: ",") + "}"
        }
        return #"{"title":"\#(title)","lines":[\#(rows.joined(separator: ","))]}"#
    }
}

private func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

func padded(left text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}

/// A number with a fixed number of digits behind the point, right-aligned.
func fixed(_ value: Double, _ width: Int, digits: Int = 4) -> String {
    guard value.isFinite else { return padded(left: "-", width) }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return padded(left: "\(value < 0 ? "-" : "")\(scaled / Int(scale)).\(zeros)\(fraction)", width)
}
