import BagTools
import Codecs

/// Decodes pictures for the check as the command does.
enum ImageDecoding {
    static let problem: BagCheckOptions.ImageProblem = { bytes, format in
        do {
            guard format == "jpeg" else { return nil }
            _ = try JPEGDecoder().decode(bytes)
            return nil
        } catch {
            return "\(error)"
        }
    }

    static let options = BagCheckOptions(imageProblem: problem)
}
