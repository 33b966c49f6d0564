import BagTools
import Bags
import SystemPackage
import TestSupport
import Testing

/// What a finding advises is done, and the finding is gone.
@Suite("Check: advice", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct AdviceTests {
    @Test("a command that a finding names mends what it found")
    func followed() async throws {
        let directory = try TemporaryDirectory()
        let verdicts = try await BrokenBags.make(Breakage.all, in: directory)
        var circles: [String] = []
        var followed = 0
        for (breakage, verdict) in zip(Breakage.all, verdicts) {
            let path = FilePath(verdict.path)
            let findings = try BagChecker.check(path, options: ImageDecoding.options).findings
            // Which of two types is meant is for the user to say, before anything else can be done.
            if findings.contains(where: { $0.kind == .topicTwoTypes }) { continue }
            for finding in findings where finding.severity > .note {
                guard let command = Command(finding.advice) else { continue }
                followed += 1
                let output = directory.appending("followed-\(followed)")
                do {
                    try await command.run(path, output)
                    let left = try BagChecker.check(output, options: ImageDecoding.options).findings
                    let same = left.first { $0.kind == finding.kind && $0.severity > .note }
                    if let same { circles.append("\(breakage.name): \(finding.kind.rawValue) remains: \(same.advice)") }
                } catch {
                    circles.append("\(breakage.name): \(finding.kind.rawValue) \(command): \(error)")
                }
            }
        }
        #expect(followed > 60 && circles.isEmpty, "\(followed)\n\(circles.joined(separator: "\n"))")
    }

    /// A command of ours in an advice, as far as it needs nothing that only the user knows.
    private enum Command {
        case repair
        case convert(dropsDuplicates: Bool)

        init?(_ advice: String) {
            if advice.contains("mapeverything repair") {
                self = .repair
            } else if advice.contains("mapeverything convert"), !advice.contains("--msg-path"),
                !advice.contains("--type")
            {
                self = .convert(dropsDuplicates: advice.contains("--drop-duplicates"))
            } else {
                return nil
            }
        }

        func run(_ bag: FilePath, _ output: FilePath) async throws {
            switch self {
            case .repair: _ = try BagRepairer.repair(bag, .newBag(output))
            case .convert(let dropsDuplicates):
                var options = ConversionOptions()
                options.dropsDuplicates = dropsDuplicates
                let plan: ConversionPlan
                do {
                    plan = try ConversionPlan(inputs: [bag], options: options)
                } catch {
                    // What lacks messages is refused with the advice to repair it first.
                    let mended = FilePath("\(output)-mended")
                    _ = try BagRepairer.repair(bag, .newBag(mended))
                    plan = try ConversionPlan(inputs: [mended], options: options)
                }
                _ = try await BagConverter(plan, output: output).run()
            }
        }
    }
}
