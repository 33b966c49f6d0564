/// One line of the report: what was measured, and against what it is judged.
struct ReportLine {
    var name: String
    var samples: Samples
    var note = ""
    var peer: Comparison?
}

/// What a subcommand found, as a table for people or as JSON.
struct Report {
    var title: String
    var lines: [ReportLine] = []

    var table: String {
        var text = "\(title)\n" + padded("", 46) + "   median  minimum     n       peer  ratio  goal\n"
        for line in lines {
            text += padded(line.name, 46) + fixed(line.samples.median, 9) + fixed(line.samples.minimum, 9)
            text += padded(left: "\(line.samples.count)", 6)
            if let peer = line.peer {
                text += fixed(peer.median, 11) + fixed(peer.ratio, 7, digits: 2) + "  "
                if let goal = peer.goal {
                    text +=
                        "<=" + fixed(goal.must, 1, digits: 2)
                        + (goal.stretch.map { " (\(fixed($0, 1, digits: 2)))" } ?? "")
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
                #""median":\#(number(line.samples.median))"#,
                #""minimum":\#(number(line.samples.minimum))"#,
                #""count":\#(line.samples.count)"#,
            ]
            if !line.note.isEmpty { fields.append(#""note":"\#(line.note)""#) }
            if let peer = line.peer {
                fields.append(#""peer":"\#(peer.name)","peer_median":\#(number(peer.median))"#)
                fields.append(#""ratio":\#(number(peer.ratio))"#)
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

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

private func padded(left text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}

/// A number with a fixed number of digits behind the point, right-aligned.
func fixed(_ value: Double, _ width: Int, digits: Int = 4) -> String {
    guard value.isFinite else { return padded(left: "-", width) }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((abs(value) * scale).rounded())
    let sign = value < 0 ? "-" : ""
    guard digits > 0 else { return padded(left: "\(sign)\(scaled)", width) }
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return padded(left: "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)", width)
}
