import Bags
import Messages
import Recording
import Sessions

/// The IMU samples of a bag in the order of their rows, read as they are wanted.
struct BagMotion: RecordedSamples {
    private let reader: BagReader
    private let topic: Int
    private let decoder: RowDecoder
    private let custom: [String: String]
    private let rows: BagRowCursor
    private var convention: ImuConvention?
    private(set) var diagnostics = Diagnostics()
    private(set) var line = 0
    private var isAtEnd = false

    /// - Parameter times: the rows that are wanted, by their time in the bag in nanoseconds.
    init(
        _ reader: BagReader,
        topic: Int,
        custom: [String: String],
        times: ClosedRange<Int64>
    ) throws {
        (self.reader, self.topic, self.custom) = (reader, topic, custom)
        decoder = try RowDecoder(reader.topics[topic])
        rows = reader.placedRows(
            BagQuery(topics: [reader.topics[topic].name], first: times.lowerBound, last: times.upperBound)
        )
    }

    /// The sample of the next row that reads.
    mutating func next() -> Record? {
        while !isAtEnd {
            do {
                guard let placed = try rows.nextPlaced() else {
                    finish(rows.problems)
                    return nil
                }
                guard placed.row.topic == topic else { continue }
                line += 1
                if let sample = sample(placed) { return .motion(sample) }
            } catch {
                finish(rows.problems + [error])
            }
        }
        return nil
    }

    private mutating func finish(_ errors: [BagError]) {
        isAtEnd = true
        for error in errors {
            diagnostics.record(
                Problem(
                    .badMotionSample,
                    file: reader.topics[topic].name,
                    expected: "rows that read",
                    found: "\(error)"
                )
            )
        }
    }

    private mutating func sample(_ placed: PlacedRow) -> MotionSample? {
        let file = "\(reader.topics[topic].name): \(reader.text(of: placed.place))"
        do {
            let message = try decoder.message(placed.row.bytes, as: Imu.self)
            let convention = convention ?? BagConventions.imu(custom, frameID: message.header.frameID)
            self.convention = convention
            let stamp = message.header.stamp.nanosecondsSinceEpoch
            let time = Timestamp(nanoseconds: stamp == 0 ? placed.row.timeNanoseconds : stamp)
            return try MotionSample(message, time: time, convention)
        } catch let problem as Problem {
            diagnostics.record(problem.at(file))
        } catch {
            let expected = "a message of \(Imu.typeName) that decodes"
            diagnostics.record(Problem(.badMotionSample, file: file, expected: expected, found: "\(error)"))
        }
        return nil
    }
}
