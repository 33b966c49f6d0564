import Bags
import Messages
import Recording
import Sessions

/// The IMU samples of a bag in time order, read as they are wanted.
struct BagMotion: SampleSource {
    private let reader: BagReader
    private let topic: Int
    private let decoder: RowDecoder
    private let custom: [String: String]
    private let rows: BagRowCursor
    private var convention: ImuConvention?
    private var gate: SampleGate
    private var problems = Diagnostics()
    private var waiting = TimeHeap<(record: Record, line: Int)>()
    private var count = 0
    private var isAtEnd = false
    private var upcoming: (record: Record, line: Int)?

    /// - Parameters:
    ///   - span: that of the session's samples.
    ///   - times: the rows that are wanted, by their time in the bag in nanoseconds.
    init(
        _ reader: BagReader,
        topic: Int,
        custom: [String: String],
        span: ClosedRange<Timestamp>,
        times: ClosedRange<Int64>
    ) throws {
        (self.reader, self.topic, self.custom) = (reader, topic, custom)
        decoder = try RowDecoder(reader.topics[topic])
        rows = reader.placedRows(
            BagQuery(topics: [reader.topics[topic].name], first: times.lowerBound, last: times.upperBound)
        )
        gate = SampleGate(span: span, file: reader.topics[topic].name, field: "header.stamp")
        advance()
    }

    var upcomingTime: Timestamp? { upcoming?.record.time }

    var diagnostics: Diagnostics {
        var all = problems
        all.append(gate.diagnostics)
        return all
    }

    mutating func next() -> (record: Record, line: Int)? {
        guard let taken = upcoming else { return nil }
        advance()
        return taken
    }

    private mutating func advance() {
        upcoming = nil
        while true {
            while waiting.count < TimeHeap<Record>.window, let sample = read() {
                waiting.insert(.init(time: sample.time, content: (.motion(sample), count)))
            }
            guard let (record, line) = waiting.removeFirst()?.content else { return }
            if gate.judge(record.time, line: line) == .kept {
                upcoming = (record, line)
                return
            }
        }
    }

    /// The sample of the next row that reads.
    private mutating func read() -> MotionSample? {
        while !isAtEnd {
            do {
                guard let placed = try rows.nextPlaced() else {
                    finish(rows.problems)
                    return nil
                }
                guard placed.row.topic == topic else { continue }
                count += 1
                if let sample = sample(placed) { return sample }
            } catch {
                finish(rows.problems + [error])
            }
        }
        return nil
    }

    private mutating func finish(_ errors: [BagError]) {
        isAtEnd = true
        for error in errors {
            problems.record(
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
            problems.record(Problem(problem.kind, file: file, expected: problem.expected, found: problem.found))
        } catch {
            let expected = "a message of \(Imu.typeName) that decodes"
            problems.record(Problem(.badMotionSample, file: file, expected: expected, found: "\(error)"))
        }
        return nil
    }
}
