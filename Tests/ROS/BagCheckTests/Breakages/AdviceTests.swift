import BagTools
import Foundation
import TestSupport
import Testing
import mapeverything

/// What a finding advises is typed as it is printed, and the finding is gone.
@Suite("Check: advice", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct AdviceTests {
    /// Breakages of which only the user knows what is right: a type of no package.
    private static let needsUser = ["mcap: a Schema without a package"]

    @Test("a command that a finding names mends what it found, and no kind with a command is without a case")
    func followed() async throws {
        let directory = try TemporaryDirectory()
        let breakages = Breakage.all + Breakage.forAdvice
        let verdicts = try await BrokenBags.make(breakages, in: directory)
        var circles: [String] = []
        var followed: Set<String> = []
        for (breakage, verdict) in zip(breakages, verdicts) where !Self.needsUser.contains(breakage.name) {
            let findings = try await Self.findings(verdict.path)
            // Which of two types is meant is for the user to say, before anything else can be done.
            if findings.contains(where: { $0.kind == BagFindingKind.topicTwoTypes.rawValue }) { continue }
            var outcomes: [[String]: Outcome] = [:]
            for finding in findings {
                guard let command = finding.command else { continue }
                followed.insert(finding.kind)
                if outcomes[command] == nil { outcomes[command] = try await Self.enter(command, findings) }
                let outcome = try #require(outcomes[command])
                let isLeft = outcome.left.contains { left in
                    left.kind == finding.kind && (left.severity != "note" || finding.severity == "note")
                }
                guard isLeft || !outcome.isDone else { continue }
                let text = isLeft ? "it remains" : "status \(outcome.status): \(outcome.text)"
                circles.append("\(breakage.name): \(finding.kind): \(command.joined(separator: " ")): \(text)")
            }
        }
        #expect(circles.isEmpty, "\(circles.joined(separator: "\n"))")
        let named = BagFindingKind.allCases.filter { $0.advice.contains("`mapeverything ") }.map(\.rawValue)
        #expect(named.count > 50 && Set(named).subtracting(followed).isEmpty, "\(Set(named).subtracting(followed))")
    }

    /// What became of a command that was typed.
    private struct Outcome {
        var status: Int32
        var text: String
        /// What `check` finds in what was written.
        var left: [PrintedFinding]

        /// True if it ended well, or with less than there was, which it says.
        var isDone: Bool {
            status == 0
                || status == 1 && ["lost:", "still wrong:", "left out", "skipped"].contains { text.contains($0) }
        }
    }

    private static func findings(_ path: String) async throws -> [PrintedFinding] {
        PrintedFinding.all(in: await MapEverything.answer(to: ["check", path], columns: 80).output)
    }

    /// Types a command; a bag that is refused as damaged is repaired before, where a finding advises that.
    private static func enter(_ words: [String], _ findings: [PrintedFinding]) async throws -> Outcome {
        var output = "\(words[1].replacing(/\.mcap$/, with: ""))_repaired"
        if let place = words.firstIndex(of: "-o") { output = words[place + 1] }
        if FileManager.default.fileExists(atPath: output) { try FileManager.default.removeItem(atPath: output) }
        let answer = await MapEverything.answer(to: words, columns: 80)
        let repair = findings.lazy.compactMap(\.command).first { $0[0] == "repair" }
        if answer.status == 65, words[0] != "repair", let repair {
            _ = try await enter(repair, [])
            var again = words
            again[1] = "\(words[1].replacing(/\.mcap$/, with: ""))_repaired"
            return try await enter(again, [])
        }
        // Where nothing is to be mended nothing is written.
        let isWritten = FileManager.default.fileExists(atPath: output)
        let left = try await Self.findings(isWritten ? output : words[1])
        return Outcome(status: answer.status, text: answer.output + answer.errors, left: left)
    }
}
