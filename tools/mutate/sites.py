"""Finds what can be changed in a Swift file: operators, numbers, true and false."""

import re
from dataclasses import dataclass

# The operator that each becomes. What stands here has spaces on both sides in Swift that is formatted, but for ranges.
INFIX = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<",
    "&+": "&-", "&-": "&+", "&*": "&+", "&<<": "&>>", "&>>": "&<<", "&&": "||", "||": "&&",
    "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "&=": "|=", "|=": "&=", "^=": "&=", "<<=": ">>=", ">>=": "<<=",
    "&+=": "&-=", "&-=": "&+=", "&*=": "&+=",
    ".<": ".<=", ".<=": ".<", ".>": ".>=", ".>=": ".>", ".==": ".!=", ".!=": ".==", ".&": ".|", ".|": ".&",
    "..<": "..< one shorter", "...": "... one shorter",
}
PREFIX = {"!": "", "-": "", "~": ""}

OPERATOR = re.compile(r"\.[./=\-+!*%<>&|^~?]+|[/=\-+!*%<>&|^~?]+")
NUMBER = re.compile(r"0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?")
WORD = re.compile(r"[A-Za-z_$`][A-Za-z0-9_$`]*")
STRING = re.compile(r'#*"')
OPENING = set(" \t\n([{,;:")
CLOSING = set(" \t\n)]},;:")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int


@dataclass
class Site:
    """A place that can be changed; `kind` is infix, prefix, integer, float or truth."""

    file: str
    line: int
    start: int
    end: int
    kind: str
    text: str
    other: str
    number: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text} → {self.other or 'nothing'}"


def end_of_string(text: str, start: int) -> int:
    """The place after the literal, whatever is interpolated in it."""
    hashes = len(STRING.match(text, start).group()) - 1
    quote = '"""' if text.startswith('"""', start + hashes) else '"'
    place = start + hashes + len(quote)
    escape = "\\" + "#" * hashes
    while place < len(text):
        if text.startswith(escape + "(", place):
            place = end_of_interpolation(text, place + len(escape) + 1)
        elif text.startswith(escape, place):
            place += len(escape) + 1
        elif text.startswith(quote + "#" * hashes, place):
            return place + len(quote) + hashes
        else:
            place += 1
    return place


def end_of_interpolation(text: str, place: int) -> int:
    depth = 1
    while depth and place < len(text):
        if STRING.match(text, place):
            place = end_of_string(text, place)
            continue
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        place += 1
    return place


def end_of_comment(text: str, start: int) -> int:
    if text.startswith("//", start):
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    depth, place = 0, start
    while place < len(text):
        if text.startswith("/*", place):
            depth, place = depth + 1, place + 2
        elif text.startswith("*/", place):
            depth, place = depth - 1, place + 2
            if depth == 0:
                break
        else:
            place += 1
    return place


def end_of_brackets(text: str, start: int) -> int:
    """The place after the brackets that begin here, if any do."""
    if not text.startswith("(", start):
        return start
    return end_of_interpolation(text, start + 1)


def tokens(text: str) -> list[Token]:
    """The words, numbers, operators and marks of a file, without comments, strings, attributes and `#if` lines."""
    found, place = [], 0
    while place < len(text):
        character = text[place]
        if text.startswith(("//", "/*"), place):
            place = end_of_comment(text, place)
        elif STRING.match(text, place):
            found.append(Token("string", '"', place))
            place = end_of_string(text, place)
        elif character == "#":
            word = WORD.match(text, place + 1)
            name = word.group() if word else ""
            ends = name in ("if", "elseif", "else", "endif", "sourceLocation")
            place = text.find("\n", place) if ends else place + 1 + len(name)
        elif character == "@":
            word = WORD.match(text, place + 1)
            place = end_of_brackets(text, word.end()) if word else place + 1
        else:
            for kind, pattern in (("number", NUMBER), ("word", WORD), ("operator", OPERATOR)):
                match = pattern.match(text, place)
                if match and (kind != "operator" or match.group() != "."):
                    found.append(Token(kind, match.group(), place))
                    place = match.end()
                    break
            else:
                if not character.isspace():
                    found.append(Token("mark", character, place))
                place += 1
    return found


def value(text: str) -> int:
    plain = text.replace("_", "")
    return int(plain, 0) if re.match("0[xbo]", plain) else int(plain)


def integer(text: str) -> str:
    """What an integer becomes: one more, or one less where it may be the last that its type holds."""
    number = value(text.lstrip("-"))
    is_full = number >= 127 and number & (number + 1) == 0
    step = -1 if is_full or text.startswith("-") and number in (128, 1 << 15, 1 << 31, 1 << 63) else 1
    signed = -number if text.startswith("-") else number
    return str(signed + step)


def sites(file: str, text: str) -> list[Site]:
    """All that can be changed, in the order of the file."""
    found: list[Site] = []
    all_tokens = tokens(text)
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    number_of_line = 0
    for index, token in enumerate(all_tokens):
        while starts[number_of_line + 1] <= token.start:
            number_of_line += 1
        line = lines[number_of_line]
        before = text[token.start - 1] if token.start else "\n"
        end = token.start + len(token.text)
        after = text[end] if end < len(text) else "\n"
        previous = all_tokens[index - 1] if index else Token("mark", "", 0)
        following = all_tokens[index + 1] if index + 1 < len(all_tokens) else Token("mark", "", 0)

        def add(kind: str, other: str, place: tuple[int, int, int] = (number_of_line + 1, token.start, end)) -> None:
            number, start, end = place
            found.append(Site(file, number, start, end, kind, text[start:end], other))

        if token.kind == "operator":
            spaced = before.isspace() and after.isspace()
            is_range = token.text in ("..<", "...") and before not in OPENING and after not in CLOSING
            if previous.text == "func" or token.text in ("&", "|") and is_type(line, following):
                continue
            if token.text in INFIX and (spaced or is_range):
                add("infix", INFIX[token.text])
            elif token.text in PREFIX and (before in OPENING or before in "!") and after not in CLOSING:
                if token.text == "-" and following.kind == "number" and following.start == end:
                    continue
                add("prefix", PREFIX[token.text])
        elif token.kind == "number":
            if before in ".$" or following.text == "of" or re.match(r"\s*(indirect )?case \w+ = ", line):
                continue
            start = token.start
            if before == "-" and previous.kind == "operator" and previous.text == "-" and text[start - 2] in OPENING:
                start -= 1
            place = (number_of_line + 1, start, end)
            if re.fullmatch(r"[0-9_]+|0[xbo].*", token.text):
                add("integer", integer(text[start:end]), place)
            else:
                add("float", "1" if float(token.text.replace("_", "")) == 0 else f"2 * {text[start:end]}", place)
        elif token.text in ("true", "false"):
            # A pattern has to be a literal: what is missing of a switch is judged by it.
            if not re.search(r"\bcase\b[^:]*$", text[starts[number_of_line]:token.start]):
                add("truth", "false" if token.text == "true" else "true")
    return found


def is_type(line: str, following: Token) -> bool:
    """True where `&` joins two protocols."""
    is_name = following.kind == "word" and following.text[0].isupper()
    return is_name and bool(re.search(r"\b(any|some|where)\b|[:<] *[A-Z]\w* &", line))
