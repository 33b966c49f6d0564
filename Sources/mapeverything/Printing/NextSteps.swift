import HTMLReports
import Platform
import Sessions
import Text

/// What a person is likely to type next, for an input that was looked at.
enum NextSteps {
    /// For a session: what fits its streams; of a damaged one what tells all of the damage first.
    static func of(_ summary: SessionSummary, at path: String, _ verdict: Verdict) -> [ReportPage.Command] {
        var steps = verdict.word == .damaged ? [step("check", path, "all that is wrong, and what helps")] : []
        steps.append(step("serve", path, "look at it in a browser"))
        steps.append(step("bag", path, "write it as a ROS 2 bag"))
        if summary.hasDepth {
            steps.append(step("map", path, "make a mesh of what was seen"))
        } else if summary.hasImages {
            steps.append(step("export", path, "write its images and poses for COLMAP", "--to colmap"))
        } else {
            steps.append(step("export", path, "write its poses for evo", "--to tum"))
        }
        return steps
    }

    static func ofBag(at path: String, _ verdict: Verdict) -> [ReportPage.Command] {
        (verdict.word == .damaged ? [step("check", path, "all that is wrong, and what helps")] : []) + [
            step("serve", path, "look at it in a browser"), step("replay", path, "publish it to a rosbridge server"),
            step("export", path, "write its messages as tables", "--to csv"),
        ]
    }

    static func ofModel(at path: String) -> [ReportPage.Command] {
        [step("serve", path, "look at it in a browser")]
    }

    static func ofMany(below path: String, haveSessions: Bool) -> [ReportPage.Command] {
        let check = step("check", path, "what is wrong with them")
        guard haveSessions else { return [check] }
        return [
            step("list", path, "a line for each recording"), check,
            step("export", path, "make one data set of them", "--to lerobot"),
            step("batch plan", path, "plan a bag of each", "--to bag -o plan.jsonl"),
        ]
    }

    private static func step(
        _ command: String,
        _ path: String,
        _ purpose: String,
        _ options: String = ""
    )
        -> ReportPage.Command
    {
        let line = ["mapeverything", command, ForeignPath.shellWord(path), options].filter { !$0.isEmpty }.joined(
            separator: " "
        )
        return ReportPage.Command(line, purpose)
    }
}

extension ReportPage.Command: JSONRepresentable {
    var json: JSONValue { .of(["command": line, "purpose": purpose]) }
}

extension StreamShare: JSONRepresentable {
    var json: JSONValue { .of(["name": name, "text": text, "amount": amount.rawValue]) }
}

extension [ReportPage.Command] {
    /// A line for each, the purposes in a column of their own where there is room for it: a command is never broken.
    var text: String {
        let width = (map(\.line.count).max() ?? 0) + 2
        let limit = Terminal.textColumns ?? .max
        let isNarrow = contains { 2 + width + $0.purpose.count > limit }
        return map { step in
            let spaces = String(repeating: " ", count: width - step.line.count)
            return "  " + step.line + (isNarrow ? "" : spaces + step.purpose)
        }
        .joined(separator: "\n")
    }
}
