package import Sessions
package import Text

/// A page of pictures and tables in one HTML file: no request, no library, readable without scripts, in the dark, on paper.
///
/// The same content gives the same bytes, and everything that is text is escaped.
package struct ReportPage: Sendable {
    /// How much of a verdict's colour something has.
    package enum Tone: String, Sendable {
        case good
        case warn
        case plain
    }

    /// Where a section stands.
    package enum Place: Sendable {
        /// On the first screen, with the picture at the cursor beside it.
        case first
        case open
        /// Below, to be opened.
        case closed
        /// What a recording does not have: a sentence at the end.
        case absent
    }

    /// A picture with what it shows.
    package struct Figure: Sendable {
        /// For a file of its own.
        package enum Picture: Sendable {
            case vector(SVG)
            /// The bytes of a PNG, and its size in pixels.
            case png([UInt8], size: SIMD2<Double>)
        }

        let content: String
        let caption: String
        package let picture: (name: String, picture: Picture)?
        /// For comparisons: the strips, and how many pixels of the picture a metre has.
        let chart: StripChart?
        let metreScale: Double?

        package init(_ svg: SVG, name: String, caption: String = "", metreScale: Double? = nil) {
            self.init(html: svg.element, caption: caption, picture: (name, .vector(svg)), metreScale: metreScale)
        }

        package init(_ chart: StripChart, caption: String = "") {
            self.init(html: chart.html, caption: caption, picture: (chart.name, .vector(chart.svg)), chart: chart)
        }

        /// - Parameter html: The content of the figure, HTML that was escaped.
        package init(html: String, caption: String = "", picture: (name: String, picture: Picture)? = nil) {
            self.init(html: html, caption: caption, picture: picture, chart: nil)
        }

        private init(
            html: String,
            caption: String,
            picture: (name: String, picture: Picture)?,
            chart: StripChart? = nil,
            metreScale: Double? = nil
        ) {
            content = html
            (self.caption, self.picture, self.chart, self.metreScale) = (caption, picture, chart, metreScale)
        }
    }

    /// What a cursor of time moves through.
    package struct Cursor: Sendable {
        package var seconds: Double
        /// Nanoseconds of Unix time.
        package var begins: Int64
        /// What the camera sees to either side at a distance of 1 m.
        package var view: SIMD2<Double>
        /// Base64 of 20 bytes a place: seconds, x, y and z as little-endian floats, then what turns optical axes as four signed
        /// bytes.
        package var way: String

        package init(seconds: Double, begins: Int64, view: SIMD2<Double>, way: String) {
            (self.seconds, self.begins, self.view, self.way) = (seconds, begins, view, way)
        }
    }

    package struct Row: Sendable {
        package var cells: [String]
        /// The target of the first cell's link, and a picture before its text: relative addresses, percent-encoded.
        package var link: String?
        package var picture: String?

        package init(_ cells: String...) { self.cells = cells }
        package init(_ cells: [String]) { self.cells = cells }
    }

    /// A command line to copy, and what it does.
    package struct Command: Sendable, Hashable {
        package var line: String
        package var purpose: String

        package init(_ line: String, _ purpose: String) { (self.line, self.purpose) = (line, purpose) }
    }

    package struct Section: Sendable {
        package var id: String
        package var title: String
        /// Short paragraphs, text.
        package var notes: [String] = []
        package var figures: [Figure] = []
        /// The numbers behind the pictures; the first row are the names of the columns.
        package var rows: [Row] = []
        /// True if the table is seen without being asked for.
        package var showsRows = false
        package var place = Place.open

        package init(_ id: String, _ title: String) {
            self.id = id
            self.title = title
        }
    }

    package var title: String
    package var subtitle: String
    package var verdict: (text: String, tone: Tone) = ("", .plain)
    /// Findings with what can be done about them.
    package var findings: [(tone: Tone, text: String, advice: String)] = []
    /// What there is of each stream; a mark leads to the section of its name.
    package var streams: [(share: StreamShare, section: String)] = []
    /// What fits it next.
    package var commands: [Command] = []
    /// Name and number; the first four are seen at once.
    package var facts: [(name: String, value: String)] = []
    package var sections: [Section] = []
    package var footer = ""
    /// Everything as JSON, for machines.
    package var json = JSONValue.null
    /// The time of the whole page, which strips, map, images and cloud share; nil for a page without.
    package var cursor: Cursor?
    /// Blocks of data for the script, by identifier: base64.
    package var blocks: [(id: String, base64: String)] = []
    /// True if pictures of rows are files beside the page.
    package var showsFiles = false

    package init(title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
    }
}
