"""A lexer of PDN, which splits a stream into tokens (tags, moves, results, notes, faults) in constant memory.

It does not know the rules of checkers; `game.pdn.game` groups the tokens into games.
"""

from __future__ import annotations

import codecs
import io
import re
import tempfile
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from game.notation import TAGS, read_word, tag_name

BLOCK = 1 << 16
AHEAD = 8192
"""Minimum number of characters in memory after the start of a token, so that no short token is cut."""

_BEHIND = 64
"""Number of characters in memory before the position, to recognise starts of lines and empty lines."""

LIMIT = 8 << 20
"""Maximum length of a comment, variation or game in characters, so that a damaged file does not fill the memory."""

_SQUARE = r"(?:0[1-9]|[1-9][0-9]?)"
_PATH = rf"{_SQUARE}(?:[-x:]{_SQUARE}){{1,12}}"
_LETTERS = r"[a-h][1-8](?:[-x:][a-h][1-8]){1,12}"
_STOP = r"(?=[\s{}()\[\];$\x1a])"
_RESULT = r"(?:1/2-1/2|0\.5-0\.5|(?:1-0|0-1|2-0|0-2|1-1|0-0)|(?:1:0|0:1|2:0|0:2|1:1|0:0)|\*)"

MOVE = re.compile(r"[0-9a-h][0-9]?(?:[-x:][0-9a-h][0-9]?){1,12}")
"""A move in the text of a token; the lexer has checked it."""

TAG = re.compile(r'\[[ \t]*([A-Za-z0-9_]{1,255})[ \t]*"((?:[^"\\\n]++|\\.)*+)"[ \t]*\]')

# Most text consists of moves with their numbers. One match takes up to 64 of them, which are shorter than AHEAD.
_RUN = re.compile(rf"(?:(?:[0-9]{{1,6}}\.{{1,3}}\s{{0,16}})?(?!1[-:]1\s){_PATH}\s{{1,16}}){{1,64}}")
_TOKEN = re.compile(
    rf"(?P<result>{_RESULT}){_STOP}"
    rf"|(?P<number>[0-9]{{1,6}}\.{{1,3}}|\.\.\.)"
    rf"|(?P<moves>{_PATH}|{_LETTERS})(?P<mark>[!?*]{{0,8}}){_STOP}"
    rf"|\$(?P<nag>[0-9]{{1,9}}){_STOP}"
    rf"|(?P<strength>[!?]{{1,8}}){_STOP}"
    r"|(?P<word>[^\s{}()\[\];\x1a]{1,200}|[]})])"
)
# Tags as they come from word processors and from hand: other quotation marks or none, and quotation marks inside.
_QUOTE = (
    "(?:\\\\?[\"'`\xab\xb4\xbb\u2018-\u201f\u2032-\u2036\u2039\u203a\u300c-\u300f\u301d-\u301f\uff02\uff07]"
    "|&(?:quot|apos|#34|#39);)"
)
_NAME = r"\[\s{0,9}([A-Za-z0-9_]{1,255}(?:[ .-][A-Za-z0-9_]{1,255}){0,2})(?![\w.-])\s{0,9}[:=,]?\s{0,9}"
_QUOTED_TAG = re.compile(
    rf"{_NAME}{_QUOTE}{{1,2}}([^\n]*?(?:\n[^\n\[]*?){{0,9}}?){_QUOTE}{{1,2}}"
    r"(?:\s{0,9}\](?=\s|\[|\Z)|[ \t]{0,9}(?=\n))"
)
_BARE_TAG = re.compile(rf"{_NAME.replace('[ .-]', '[.-]')}{_QUOTE}{{0,2}}([^\n\[\]]*)\](?=\s|\[|\Z)")
_INDENT = re.compile(r"\n[ \t\xa0\ufeff]*\Z")
_NO_LETTER = re.compile(r"\W")
_QUOTE_AT_END = re.compile(rf"{_QUOTE}{{1,2}}\Z")
_COMMAND = re.compile(r"\[(%[^\[\]\n]{0,255})\]")
_LONGEST_TAG = 4096
_WINDOW = re.compile(r"(?:&#?\w{1,10};|[^{}(\[\];$\n\x1a]){0,100}")
# Ctrl-Z ends old DOS files; marks of byte order and zero-width spaces come with text from elsewhere.
_SPACE = re.compile(r"[\s\x1a\u200b-\u200f\u2060\ufeff]*")
_EMPTY_LINE = re.compile(r"\n\s*\n[ \t]*\Z")
_TAG_LINE = re.compile(r'\n\[[ \t]*[A-Za-z0-9_]{1,255}[ \t]+"')
_GAPS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_INSIDE = re.compile(r"[(){;]|\n[%[]")
MARKS = re.compile(r"[!?]{1,8}")
"""Text in parentheses that is a mark, not a variation."""

NO_END, NO_BRACE = -1, -2


class Token(NamedTuple):
    """One piece of the text.

    Attributes:
        kind: "tag", "header" (a tag after an empty line), "moves" (one or more, with their numbers), "mark", "nag",
            "comment", "variation", "result", "fault", "bad tag" or "lost".
        text: comments and variations without brackets and with single spaces; NAGs with the dollar; a message for the
            last three kinds. After "lost", the text up to the next line that starts with a tag was skipped.
    """

    kind: str
    line: int
    text: str


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start : error.start + 1]
    sign = byte.decode("cp1252", "replace")
    return byte.decode("latin-1") if sign == "\ufffd" else sign, error.start + 1


codecs.register_error("crownhead.windows-1252", _windows_1252)

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(head: bytes) -> str:
    """Return the encoding of a file by its first bytes: UTF-8 unless a byte order mark says otherwise."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")


def why_no_text(head: bytes, otherwise: str) -> str:
    """Return why a file with these first bytes is no text, which may be another encoding; empty if it may be one."""
    if b"\0" not in head or encoding_of(head) != "utf-8":
        return ""
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        text = head[: len(head) // 4 * 4].decode(encoding, "replace")
        plain = sum(sign.isascii() and (sign.isprintable() or sign.isspace()) for sign in text[:200])
        if plain * 2 > len(text[:200]):
            return f"is text in {encoding[:6].upper()} without its mark: save it as UTF-8"
    return otherwise


def collapse_spaces(text: str) -> str:
    """Collapse white space and control characters to single spaces, and strip them at the ends."""
    return _GAPS.sub(" ", make_encodable(text)).strip(" ")


def make_encodable(text: str) -> str:
    """Replace lone surrogates, which occur in file names but cannot be written as UTF-8, by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def plain_variation(text: str, start: int, no_brace: int = 0) -> tuple[str, int]:
    """Read the variation that opens at `start`, given that no closing brace comes before `no_brace`.

    Returns:
        Its content, with single spaces, without escape lines, and with line comments turned into comments in braces;
        and the offset after its closing parenthesis. The offset is 0 if a line with a tag comes first, NO_END if
        the text ends, and NO_BRACE if it ends within a comment in braces.
    """
    parts = []
    depth, begin, at = 0, start + 1, start
    while True:
        match = _INSIDE.search(text, at)
        if match is None:
            return "", NO_END
        sign, at = match[0], match.end()
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                parts.append(text[begin : at - 1])
                return collapse_spaces("".join(parts)), at
        elif sign == "{":
            at = text.find("}", max(at, no_brace))
            if at < 0:
                return "", NO_BRACE
        elif sign == "\n[":
            if TAG.match(text, at - 1):
                return "", 0
        else:  # a line comment or an escape line
            parts.append(text[begin : at - 1])
            begin = text.find("\n", at)
            if sign == ";":
                parts.append("{" + text[at:begin].replace("}", ")").strip() + "}")
            at = begin
            if at < 0:
                return "", NO_END


class KeptText:
    """The text of the game that is being read, for copies of games that cannot be read; a long one is in a file."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(LIMIT)  # noqa: SIM115  # closed with the object
        self._end = 0

    def add(self, text: str) -> None:
        self._file.write(text.encode("utf-8", "replace"))

    def mark(self, left_off: int = 0) -> None:
        """Let the game end here, or some bytes before, unless it goes on with what is added next."""
        self._end = self._file.tell() - left_off

    def forget(self) -> None:
        """Forget the text up to the mark."""
        self._file.seek(self._end)
        rest = self._file.read()
        self._file.seek(0)
        self._file.truncate()
        self._file.write(rest)

    def close(self) -> None:
        self._file.close()

    def copy_to(self, stream: IO[str]) -> None:
        """Write the text up to the mark as it was read, and end its last line."""
        self._file.seek(0)
        decoder, left, text = codecs.getincrementaldecoder("utf-8")(), self._end, ""
        while left:
            block = self._file.read(min(left, BLOCK))
            left -= len(block)
            text = decoder.decode(block)
            stream.write(text)
        if not text.endswith("\n"):
            stream.write("\n")
        self._file.seek(0, io.SEEK_END)


class Lexer:
    """A reader of tokens from a stream. It keeps the text of the current token in memory, at most about twice LIMIT."""

    def __init__(self, stream: IO[Any], kept: KeptText | None = None) -> None:
        self._stream = stream
        self._kept = kept
        self._decoder: codecs.IncrementalDecoder | None = None
        self._newlines = io.IncrementalNewlineDecoder(None, translate=True)
        self._ended = False
        self._text = "\n"  # so that there is always a character before the position
        self._pos = 1
        self._no_brace = 0  # there is no closing brace between the position and here
        self._line = 1

    def tokens(self) -> Iterator[Token]:
        self._fill()
        if self._text.startswith("\ufeff", 1):
            self._text = "\n" + self._text[2:]
        while True:
            self._advance(_SPACE.match(self._text, self._pos).end())  # type: ignore[union-attr]  # always matches
            if len(self._text) - self._pos < AHEAD and self._fill():
                continue
            if self._kept is not None:
                self._kept.mark(int(self._pos == len(self._text)))  # not the line feed that was added at the end
            if self._pos == len(self._text):
                return
            run = _RUN.match(self._text, self._pos)
            if run is not None:
                yield self._token("moves", run[0], run.end())
                continue
            sign = self._text[self._pos]
            if sign == "[":
                yield self._tag()
            elif sign == "{":
                yield self._comment()
            elif sign == "(":
                yield self._variation()
            elif sign == ";":
                end = self._find("\n", 1)
                yield self._token("comment", collapse_spaces(self._text[self._pos + 1 : end]), end)
            elif sign == "%" and self._text[self._pos - 1] == "\n":
                self._advance(self._find("\n", 1))
            else:
                yield from self._short()

    def skip(self) -> None:
        """Skip to the next line that starts with a tag."""
        while True:
            match = _TAG_LINE.search(self._text, self._pos - 1)
            if match is not None:
                self._advance(match.start() + 1)
                return
            self._advance(len(self._text) if self._ended else max(self._pos, len(self._text) - AHEAD))
            if not self._fill():
                return

    def _short(self) -> Iterator[Token]:
        match = _TOKEN.match(self._text, self._pos)
        assert match is not None, "every visible character is a token or starts one"
        kind = str(match.lastgroup)
        if kind == "word":
            word = read_word(_WINDOW.match(self._text, self._pos)[0])  # type: ignore[index]  # always matches
            if word is not None:
                if word.text:
                    yield Token("moves" if word.kind == "move" else "result", self._line, word.text)
                if word.mark:
                    yield Token("mark", self._line, word.mark)
                self._advance(self._pos + word.length)
                return
        if kind == "number":
            self._advance(match.end())
        elif kind in ("moves", "mark"):  # `mark` is a group of every move, possibly empty
            yield self._token("moves", match["moves"], match.end())
            if match["mark"]:
                yield Token("mark", self._line, match["mark"])
        elif kind == "nag":
            yield self._token("nag", f"${int(match['nag'])}", match.end())
        elif kind == "strength":
            yield self._token("mark", match["strength"], match.end())
        elif kind == "result":
            yield self._token("result", match["result"], match.end())
        else:
            yield self._token("fault", f"{quote_text(match[0])}: {_advice(match[0])}", match.end())

    def _tag(self) -> Token:
        kind = "header" if _EMPTY_LINE.search(self._text, max(self._pos - _BEHIND, 0), self._pos) else "tag"
        match = TAG.match(self._text, self._pos)
        if match is None:
            end = self._find("\n", 1)
            match = TAG.match(self._text, self._pos)
            if match is None:
                command = _COMMAND.match(self._text, self._pos)
                if command is not None:  # a clock or another sign of a program, usually in a comment
                    return self._token("comment", command[0], command.end())
                match = self._loose_tag()
                if match is not None:
                    value = _QUOTE_AT_END.sub("", collapse_spaces(match[2])).replace("\\", "\\\\").replace('"', '\\"')
                    name = _NO_LETTER.sub("_", match[1])
                    return self._token(kind, f'[{name} "{value}"]', match.end())
                written = quote_text(self._text[self._pos : min(end, self._pos + 200)])
                return self._token("bad tag", f'{written}: expected a tag on one line, like [Event "Open"]', end)
        return self._token(kind, match[0], match.end())

    def _loose_tag(self) -> re.Match[str] | None:
        """Return the tag at the position as people write it: its name, and its value without escapes."""
        limit = self._pos + _LONGEST_TAG
        quoted = _QUOTED_TAG.match(self._text, self._pos, limit)
        if quoted is not None:
            return quoted
        bare = _BARE_TAG.match(self._text, self._pos, limit)
        known = bare is not None and tag_name(_NO_LETTER.sub("_", bare[1])) in TAGS
        return bare if known and _INDENT.search(self._text, max(self._pos - _BEHIND, 0), self._pos) else None

    def _comment(self) -> Token:
        end = self._find("}", 1)
        if end < 0:
            return self._unclosed("{", "}", "comment")
        body = self._text[self._pos + 1 : end]
        if "\n[" in body:
            # Braces do not nest. An opening brace after a line with a tag therefore shows that this comment was never
            # closed: the closing brace belongs to a comment of a later game.
            tag = _TAG_LINE.search(body)
            if tag is not None and body.find("{", tag.end()) >= 0:
                return self._unclosed("{", "}", "comment")
        return self._token("comment", collapse_spaces(body), end + 1)

    def _variation(self) -> Token:
        content, end = plain_variation(self._text, self._pos, self._no_brace)
        while end < 0 and len(self._text) - self._pos <= LIMIT and self._fill():
            content, end = plain_variation(self._text, self._pos, self._no_brace)
        if end == NO_BRACE:
            self._no_brace = len(self._text)
        if end <= 0:
            return self._unclosed("(", ")", "variation")
        return self._token("mark" if MARKS.fullmatch(content) else "variation", content, end)

    def _unclosed(self, opening: str, closing: str, name: str) -> Token:
        line = self._line
        self.skip()
        return Token("lost", line, f"the {name} that starts here with {opening} has no closing {closing}: add it")

    def _token(self, kind: str, text: str, end: int) -> Token:
        token = Token(kind, self._line, text)
        self._advance(end)
        return token

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._pos, end)
        if self._kept is not None:
            self._kept.add(self._text[self._pos : end])
        self._pos = end

    def _find(self, sign: str, offset: int) -> int:
        """Find the first `sign` at least `offset` characters after the position, reading as much as needed.

        Return -1 if there is none.
        """
        while True:
            start = self._pos + offset
            if sign == "}":
                # Without this, each brace in a file of opening braces would cause a search up to LIMIT.
                start = max(start, self._no_brace)
            at = self._text.find(sign, start)
            if at >= 0:
                return at
            offset = len(self._text) - self._pos
            if sign == "}":
                self._no_brace = len(self._text)
            if offset > LIMIT or not self._fill():
                return len(self._text) if sign == "\n" else -1

    def _fill(self) -> bool:
        """Read at least as much text as is in memory, so that searches take linear time; return False at the end."""
        if self._ended:
            return False
        dropped = max(self._pos - _BEHIND, 0)
        parts = [self._text[dropped:]]
        held, enough = len(parts[0]), max(BLOCK, 2 * len(parts[0]))
        while held < enough:
            block = self._stream.read(max(BLOCK, enough - held))
            text = self._decode(block)
            self._ended = not block
            parts.append(text + "\n" if self._ended else text)
            held += len(text)
            if self._ended:
                break
        self._no_brace = max(self._no_brace - dropped, 0)
        self._text, self._pos = "".join(parts), self._pos - dropped
        return True

    def _decode(self, block: Any) -> str:
        if isinstance(block, bytes):
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder(encoding_of(block))("crownhead.windows-1252")
            block = self._decoder.decode(block, final=not block)
        elif not isinstance(block, str):  # None from a stream that does not block
            block = ""
        return self._newlines.decode(block, final=not block)


def quote_text(text: str) -> str:
    """Quote text of a file for a message: in ASCII, at most 40 characters."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def _advice(word: str) -> str:
    if word in ("]", "}", ")"):
        return f"this closes nothing: remove it, or put its {'[{('[']})'.index(word)]} where it belongs"
    return "expected a move like 11-15 or 22x15, a move number like 7., a comment or a result"
