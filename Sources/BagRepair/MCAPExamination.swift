import Bags
import Containers
import SystemPackage

/// What is wrong with an .mcap file.
struct MCAPExamination {
    /// The first of them; a cut file and one without index are among what is wrong.
    private(set) var complaints: [String] = []
    private(set) var messageCount = 0
    private(set) var messageBytes = 0

    var isSound: Bool { complaints.isEmpty }

    /// Reads the whole file.
    init(_ path: FilePath) throws(BagError) {
        do {
            try examine(try MCAPFile(opening: path))
        } catch let problem as MCAPProblem {
            complaints.append(problem.description)
        } catch let error as FileError {
            throw BagError(error)
        } catch {
            throw .io(path, reason: "\(error)")
        }
    }

    private mutating func examine(_ file: MCAPFile) throws {
        complaints += file.problems.list.prefix(3).map(\.description)
        if let problem = try file.dataSectionProblem() { complaints.append(problem.description) }
        let messages = file.messages(verifiesChecksums: true)
        while let message = try messages.next() {
            messageCount += 1
            messageBytes += message.byteCount
        }
        complaints += messages.problems.list.prefix(3).map(\.description)
        guard complaints.isEmpty else { return }
        // rosbag2 and others need the statistics, and time order needs the indexes.
        guard file.hasSummary, let statistics = file.statistics else {
            complaints.append("no summary")
            return
        }
        if statistics.messageCount != messageCount {
            complaints.append("statistics of \(statistics.messageCount) messages, \(messageCount) are there")
        } else if file.chunks.count != file.chunkIndexes.count {
            complaints.append("\(file.chunks.count) chunks, \(file.chunkIndexes.count) are in the index")
        } else if file.chunks.isEmpty, messageCount > 0 {
            complaints.append("messages outside of chunks, which have no index")
        }
    }
}
