import JSONText
import ROS
import Rosbridge

/// Publishing that an error ends: what was confirmed by then is told all the same.
enum FailedRun {
    /// Runs `body`; if it fails after something was published, prints what became of it before the error goes on.
    static func reporting<Result>(
        _ publisher: RosbridgePublisher,
        json: Bool,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            let report = await publisher.report()
            guard !(error is CancellationError), report.topics.contains(where: { $0.written + $0.unsent > 0 }) else {
                throw error
            }
            let text = ErrorReport.describe(error)?.0 ?? "\(error)"
            let value: JSONValue = ["error": .string(text), "sinks": .array([DeliveryText.json(report)])]
            Terminal.print(json ? value.text(style: .pretty) : DeliveryText.afterFailure(report))
            throw error
        }
    }
}
