"""What is changed of a small text: python3 -B tools/mutate/test_sites.py. Nothing is built."""

import unittest

import schemata
from sites import INFIX, Site, sites

TEXT = '''import Platform  // a < b

/* nested /* 1 + 1 */ */
@available(macOS 12, *)
func less<Value: Comparable>(_ a: Value, with: Int = 4) -> [4 of UInt8] {
    #if DEBUG && true
    #endif
    let text = "1 + \\(a < b ? "2 + \\(3)" : ")") < 2" + #"\\" + 1"#
    let offset = -1 &+ pair.0 << 0x1F
    if !isOpen, a == b || text.isEmpty { return a - b }
    for row in 0..<rows where flags & ~7 != 0 { sum += Float(row) * 1.5e-3 }
    switch value { case (true, let x): break; default: closure { $0 - 255 } }
    value = pointer![1] as? some Reader & Writer
}
enum Kind: UInt8 {
    case first = 1
}
'''


def found(text: str) -> list[tuple[str, str]]:
    return [(site.text, site.other) for site in sites("File.swift", text)]


class SiteTests(unittest.TestCase):
    def test_all_that_decides_is_found_and_nothing_else(self) -> None:
        self.assertEqual(found(TEXT), [
            ("4", "5"), ("+", "-"), ("-1", "0"), ("&+", "&-"), ("<<", ">>"), ("0x1F", "32"), ("!", ""), ("==", "!="),
            ("||", "&&"), ("-", "+"), ("0", "1"), ("..<", "..< one shorter"), ("&", "|"), ("~", ""), ("7", "8"),
            ("!=", "=="), ("0", "1"), ("+=", "-="), ("*", "/"), ("1.5e-3", "2 * 1.5e-3"),
            ("-", "+"), ("255", "254"), ("1", "2"),
        ])

    def test_places_are_those_of_the_text(self) -> None:
        for site in sites("File.swift", TEXT):
            self.assertEqual(TEXT[site.start:site.end], site.text)
            self.assertIn(site.text, TEXT.split("\n")[site.line - 1])

    def test_lines_stay_and_columns_are_known(self) -> None:
        all_sites = sites("File.swift", TEXT)
        for number, site in enumerate(all_sites):
            site.number = number
        text, columns = schemata.rewritten(TEXT, all_sites)
        self.assertEqual(text.count("\n"), TEXT.count("\n"))
        lines = text.encode().split(b"\n")
        for (line, column), number in columns.items():
            self.assertTrue(lines[line - 1][column - 1:].decode().startswith(schemata.name(all_sites[number])))

    def test_names_say_their_number(self) -> None:
        for number in (0, 239, 240, 12_345):
            site = Site("File.swift", 1, 0, 1, "infix", "<", "<=", number)
            self.assertEqual(schemata.number(schemata.name(site)), number)

    def test_each_operator_can_be_declared(self) -> None:
        for text, other in INFIX.items():
            lines = schemata.infix(Site("File.swift", 1, 0, 1, "infix", text, other, 7), {"Recording"})
            self.assertGreater(len(lines), 1, text)
            self.assertTrue(all("mutantIsChosen(7)" in line for line in lines[1:]), text)


if __name__ == "__main__":
    unittest.main()
