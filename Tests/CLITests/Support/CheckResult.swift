import Foundation

/// What `check --json` says.
struct CheckResult: Decodable {
    struct Finding: Decodable {
        var severity: String
        var kind: String
        var topic: String?
        var count: Int
        var places: [String]
        var advice: String
    }

    var kind: String
    var sound: Bool
    var errors: Int
    var warnings: Int
    var examined: [String: Int]
    var findings: [Finding]

    init(_ outcome: Outcome) throws {
        self = try JSONDecoder().decode(CheckResult.self, from: Data(outcome.output.utf8))
    }

    static func of(_ path: String) async throws -> (result: CheckResult, status: Int32) {
        let outcome = try await Command.run(["check", path, "--json"])
        return (try CheckResult(outcome), outcome.status)
    }
}

/// What `repair --json` says.
struct RepairResult: Decodable {
    var sound: Bool
    var output: String?
    var saved: String
    var done: [String]
    var lost: [String]
    var stillWrong: [String]
    /// 0 only for a bag that holds all that it held, and in which nothing is wrong.
    var expectedStatus: Int32 { lost.isEmpty && stillWrong.isEmpty ? 0 : 1 }

    private enum CodingKeys: String, CodingKey {
        case sound, output, saved, done, lost
        case stillWrong = "still_wrong"
    }

    init(_ outcome: Outcome) throws {
        self = try JSONDecoder().decode(RepairResult.self, from: Data(outcome.output.utf8))
    }
}
