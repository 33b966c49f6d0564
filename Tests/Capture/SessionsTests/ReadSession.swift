import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// A session on disk that was opened and read to its end.
final class ReadSession {
    let directory: TemporaryDirectory
    let path: FilePath
    let session: any Session
    private(set) var frames: [FrameReference] = []
    private(set) var motion: [MotionSample] = []
    private(set) var locations: [LocationSample] = []
    /// Of opening and of reading all records; those of images and depth are added by ``loadAll()``.
    private(set) var diagnostics: Diagnostics
    /// Every record in the order in which it came.
    private(set) var records: [Record] = []

    var summary: SessionSummary { session.summary }

    convenience init(_ builder: SessionBuilder, as name: String = SessionBuilder.name) throws {
        let directory = try TemporaryDirectory()
        try self.init(directory, path: builder.write(into: directory.path, as: name))
    }

    init(_ directory: TemporaryDirectory, path: FilePath, request: RecordRequest = RecordRequest()) throws {
        self.directory = directory
        self.path = path
        session = try SessionFormats.open(path: path.string)
        diagnostics = session.diagnostics
        let cursor = try session.records(request)
        while let record = try cursor.next() {
            records.append(record)
            switch record {
            case .frame(let frame): frames.append(frame)
            case .motion(let sample): motion.append(sample)
            case .location(let sample): locations.append(sample)
            case .heading, .radio, .indoor: break
            }
        }
        diagnostics.append(cursor.diagnostics)
    }

    /// A session that may be damaged in any way; `nil` where it is refused, which has to be by a documented error.
    static func orRefused(_ directory: TemporaryDirectory, path: FilePath) throws -> ReadSession? {
        do {
            let session = try ReadSession(directory, path: path)
            let examples = session.diagnostics.entries.flatMap(\.examples)
            #expect(examples.allSatisfy { !$0.expected.isEmpty && !$0.file.isEmpty })
            return session
        } catch let error as SessionError {
            #expect("\(error)".contains("expected"))
        } catch let problem as Problem {
            #expect(!problem.expected.isEmpty)
        }
        return nil
    }

    var indices: [Int] { frames.map(\.index) }

    /// Loads every payload of every frame.
    @discardableResult
    func loadAll() -> [Payloads] {
        let loader = session.makeLoader()
        return frames.map { frame in
            var payloads = Payloads()
            payloads.image = loader.image(of: frame, &diagnostics)
            if let image = payloads.image {
                payloads.decoded = loader.decode(image, of: frame, fullSize: true, &diagnostics)
            }
            payloads.depth = loader.depth(of: frame, &diagnostics)
            payloads.relativeDepth = loader.relativeDepth(of: frame, &diagnostics)
            return payloads
        }
    }

    struct Payloads {
        var image: StoredImage?
        var decoded: RGBImage?
        var depth: DepthMap?
        var relativeDepth: RelativeDepthMap?
    }

    /// The one example of a kind of which there must be exactly one problem.
    func only(_ kind: ProblemKind) -> Problem? {
        diagnostics.count(of: kind) == 1 ? diagnostics.entries.first { $0.kind == kind }?.examples.first : nil
    }

    /// Every kind that was met, with its count.
    var kinds: [ProblemKind: Int] {
        Dictionary(uniqueKeysWithValues: diagnostics.entries.map { ($0.kind, $0.count) })
    }
}

extension Problem {
    /// The place, as short text: `frames.jsonl:3:timestamp`.
    var place: String {
        [file, line.map { "\($0)" }, field].compactMap { $0 }.joined(separator: ":")
    }
}

extension ReadSession {
    /// The session as a command opens it that publishes it.
    func examined() throws -> any Session { try SessionFormats.open(path: path.string).examined() }
}
