"""Writes a file so that each of its sites asks a switch which of two things to do."""

from sites import Site

# Operators of one module, so many that no site shares one; none of these characters is used in the sources.
FIRST, COUNT = 0x2200, 240

PRECEDENCE = {
    "RangeFormation": ["..<", "..."], "LogicalConjunction": ["&&"], "LogicalDisjunction": ["||"],
    "Comparison": ["<", "<=", ">", ">=", "==", "!=", ".<", ".<=", ".>", ".>=", ".==", ".!="],
    "Addition": ["+", "-", "|", "^", "&+", "&-", ".|"], "Multiplication": ["*", "/", "%", "&", "&*", ".&"],
    "BitwiseShift": ["<<", ">>", "&<<", "&>>"],
}
GROUPS = {operator: f"{group}Precedence" for group, operators in PRECEDENCE.items() for operator in operators}

# What each operator takes: the generic parameters, both sides, the result; those marked * only where no other fits.
COMPARED = ["T: Comparable; T; T; Bool", "*T: BinaryInteger, U: BinaryInteger; T; U; Bool"]
EQUATED = ["T: Equatable; T; T; Bool", "*T: BinaryInteger, U: BinaryInteger; T; U; Bool",
           "*T: StringProtocol, U: StringProtocol; T; U; Bool", "T; T?; _OptionalNilComparisonType; Bool",
           "*; Any.Type?; Any.Type?; Bool"]
FLOATS = ["T: SIMD; T; T; T | T.Scalar: FloatingPoint", "T: SIMD; T; T.Scalar; T | T.Scalar: FloatingPoint",
          "T: SIMD; T.Scalar; T; T | T.Scalar: FloatingPoint"]
LANES = [form.replace("FloatingPoint", "FixedWidthInteger") for form in FLOATS]
ADDED = ["T: AdditiveArithmetic; T; T; T", *FLOATS, "*T: Strideable; T; T.Stride; T",
         "*T: RangeReplaceableCollection, U: Sequence; T; U; T | T.Element == U.Element"]
DIVIDED = ["T: BinaryInteger; T; T; T", "T: FloatingPoint; T; T; T", *FLOATS]
SHIFTED = ["T: BinaryInteger, U: BinaryInteger; T; U; T"]
WRAPPED = ["T: FixedWidthInteger; T; T; T", *LANES]
SLID = ["T: FixedWidthInteger, U: BinaryInteger; T; U; T", *LANES[:2]]
BITS = ["T: BinaryInteger; T; T; T", *LANES]
ORDERED = ["T: SIMD; T; T; SIMDMask<T.MaskStorage> | T.Scalar: Comparable",
           "T: SIMD; T; T.Scalar; SIMDMask<T.MaskStorage> | T.Scalar: Comparable"]
FORMS = {
    **dict.fromkeys(["<", "<=", ">", ">="], COMPARED), **dict.fromkeys(["==", "!="], EQUATED),
    **dict.fromkeys(["+", "-"], ADDED), **dict.fromkeys(["*", "/"], DIVIDED), "%": DIVIDED[:1],
    **dict.fromkeys(["&", "|", "^"], BITS), **dict.fromkeys(["<<", ">>"], SHIFTED),
    **dict.fromkeys(["&+", "&-", "&*"], WRAPPED), **dict.fromkeys(["&<<", "&>>"], SLID),
    **dict.fromkeys([".<", ".<=", ".>", ".>="], ORDERED),
    **dict.fromkeys([".==", ".!="], [form.replace("Comparable", "Equatable") for form in ORDERED]),
    **dict.fromkeys([".&", ".|"], ["S; SIMDMask<S>; SIMDMask<S>; SIMDMask<S>"]),
}
# Types of this package that a module may see, and the operators that they have of their own.
VECTORS = ["*; Vector3; Vector3; Vector3"]
OWN = {
    "Recording": {
        "+": VECTORS, "-": VECTORS,
        "*": [
            "*; Transform; Transform; Transform", "*; Quaternion; Quaternion; Quaternion",
            "*; Vector3; Double; Vector3",
        ],
    }
}
# Where an order can be exchanged but no operator.
EXCHANGED = {"Transform", "Quaternion"}

LITERALS = {
    "integer": "<T: Numeric & ExpressibleByIntegerLiteral>(_ value: T) -> T",
    "float": "<T: FloatingPoint & ExpressibleByFloatLiteral>(_ value: T) -> T",
    "truth": "(_ value: Bool) -> Bool",
}


def name(site: Site) -> str:
    if site.kind in ("infix", "prefix"):
        return chr(FIRST + site.number // COUNT) + chr(FIRST + site.number % COUNT)
    return f"mutated{site.number}"


def number(name: str) -> int:
    return (ord(name[0]) - FIRST) * COUNT + ord(name[1]) - FIRST


def rewritten(text: str, sites: list[Site]) -> tuple[str, dict[tuple[int, int], int]]:
    """The file with its sites exchanged, on the same lines, and where (line, byte column) each is now."""
    parts, place, columns, line, column = [], 0, {}, 1, 1

    def append(part: str) -> None:
        nonlocal line, column
        parts.append(part)
        line += part.count("\n")
        rest = part.rsplit("\n", 1)
        column = len(rest[-1].encode()) + (column if len(rest) == 1 else 1)

    for site in sites:
        append(text[place:site.start])
        columns[line, column] = site.number
        append(name(site) if site.kind in ("infix", "prefix") else f"{name(site)}({site.text})")
        place = site.end
    append(text[place:])
    return "".join(parts), columns


def function(head: str, site: Site, first: str, second: str) -> str:
    return f"@inline(__always) package func {head} {{ mutantIsChosen({site.number}) ? {second} : {first} }}"


def literal(site: Site) -> str:
    if site.kind == "truth":
        other = "!value"
    elif site.kind == "integer":
        other = "value + 1" if int(site.other, 0) > value_of(site.text) else "value - 1"
    else:
        other = "1" if site.other == "1" else "2 * value"
    return function(name(site) + LITERALS[site.kind], site, "value", other)


def value_of(text: str) -> int:
    plain = text.replace("_", "")
    return int(plain) if plain.lstrip("-").isdigit() else int(plain, 0)


def prefix(site: Site) -> list[str]:
    operator = name(site)
    simd = "<T: SIMD>(_ a: T) -> T where T.Scalar: "
    forms = {
        "!": ["(_ a: Bool) -> Bool"], "-": ["<T: SignedNumeric>(_ a: T) -> T", simd + "FloatingPoint"],
        "~": ["<T: BinaryInteger>(_ a: T) -> T", simd + "FixedWidthInteger"],
    }
    lines = [f"prefix operator {operator}"]
    for form in forms[site.text]:
        line = function(f"{operator}{' ' if form[0] == '<' else ''}{form}", site, f"{site.text}a", "a")
        lines.append(line.replace("package func", "package prefix func"))
    return lines


def infix(site: Site, imports: set[str]) -> list[str]:
    """The declaration of the site's operator, for each kind of value that it may be used on."""
    operator, text = name(site), site.text
    lines = [f"infix operator {operator}: {GROUPS.get(text, 'AssignmentPrecedence')}"]
    if text in ("&&", "||"):
        head = f"{operator} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool"
        line = function(head, site, f"a {text} b()", f"a {site.other} b()")
        return lines + [line.replace("{ mutant", "{ try mutant")]
    if text in ("..<", "..."):
        result = "Range<T>" if text == "..<" else "ClosedRange<T>"
        head = f"{operator} <T: Strideable>(a: T, b: T) -> {result} where T.Stride: SignedInteger"
        return lines + [function(head, site, f"a {text} b", f"a {text} (b > a ? b.advanced(by: -1) : b)")]
    assigns = text.endswith("=") and text not in FORMS
    basis, other = (text[:-1], site.other[:-1]) if assigns else (text, site.other)
    forms = list(FORMS[basis])
    for module in sorted(imports & OWN.keys()):
        forms += OWN[module].get(basis, [])
    for form in forms:
        form, _, condition = form.partition(" | ")
        generics, left, right, result = (part.strip() for part in form.split(";"))
        attribute = "@_disfavoredOverload " if generics.startswith("*") else ""
        generics = generics.lstrip("*")
        where = f" where {condition}" if condition else ""
        first, second = f"a {basis} b", f"a {other} b"
        if left in EXCHANGED:
            second = "b * a"
        elif "Vector3" in left and basis == "*":
            second = "a * (1 / b)"
        elif "Strideable" in generics:
            sign = "-" if basis == "-" else ""
            first, second = f"a.advanced(by: {sign}b)", f"a.advanced(by: {'' if sign else '-'}b)"
        elif "RangeReplaceable" in generics:
            if basis == "-":
                continue
            second = "a"
        head = f"{operator} {f'<{generics}>' if generics else ''}"
        if assigns:
            if left != result:
                continue
            lines.append(attribute + function(f"{head}(a: inout {left}, b: {right}){where}", site, first, second)
                         .replace("{ mutant", "{ a = mutant"))
        else:
            lines.append(attribute + function(f"{head}(a: {left}, b: {right}) -> {result}{where}", site, first, second))
    if basis == "-" and not assigns:
        head = f"{operator} <T: Strideable>(a: T, b: T) -> T.Stride"
        lines.append("@_disfavoredOverload " + function(head, site, "b.distance(to: a)", "a.distance(to: b)"))
    return lines


def declarations(sites: list[Site], imports: set[str]) -> str:
    """A file of the module that declares what the sites became."""
    lines = ["import CMutants"] + [f"package import {module}" for module in sorted(imports & OWN.keys())]
    for site in sites:
        if site.kind == "infix":
            lines += infix(site, imports)
        elif site.kind == "prefix":
            lines += prefix(site)
        else:
            lines.append(literal(site))
    return "\n".join(lines) + "\n"


HEADER = """#include <stdbool.h>
#include <stdint.h>
extern int32_t mutant_chosen;
extern uint8_t mutant_reached[65536];
/// True where the site of this number is to do the other thing; notes that it was asked.
static inline bool mutantIsChosen(int32_t number) {
    if (!mutant_reached[number]) mutant_reached[number] = 1;
    return mutant_chosen == number;
}
"""

SOURCE = """#include "CMutants.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
int32_t mutant_chosen = -1;
uint8_t mutant_reached[65536] __attribute__((aligned(65536)));
/// The switch is read once; what is reached goes into a file that all processes of a test share.
__attribute__((constructor)) static void begin(void) {
    const char *chosen = getenv("MAPEVERYTHING_MUTANT"), *path = getenv("MAPEVERYTHING_MUTANTS_REACHED");
    if (chosen) mutant_chosen = atoi(chosen);
    int file = path ? open(path, O_RDWR) : -1;
    if (file < 0) return;
    mmap(mutant_reached, sizeof mutant_reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
}
"""
