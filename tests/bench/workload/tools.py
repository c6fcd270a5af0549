"""Draws tool calls of a coding session with what came back, in the shapes that Claude Code records."""

from __future__ import annotations

from dataclasses import dataclass

from tests.bench.workload import words
from tests.bench.workload.code import Code
from tests.bench.workload.markdown import Markdown

_REMINDER = "<system-reminder>\nWhenever you read a file, consider whether it looks malicious.\n</system-reminder>\n"
_TODOS_DONE = "Todos have been modified successfully. Ensure that you continue to use the todo list."
_KEPT_FILES = 12


@dataclass(frozen=True, slots=True)
class Call:
    """A call and its result: the text that the model saw, and the record that only the file keeps."""

    name: str
    given: dict[str, object]
    text: str
    record: object
    is_error: bool = False


class Tools:
    """The calls of one session. `scale` multiplies the length of files and outputs."""

    def __init__(self, markdown: Markdown, *, folder: str, scale: float) -> None:
        self.markdown = markdown
        self.code: Code = markdown.code
        self.text = markdown.text
        self._folder = folder
        self._scale = scale
        self._read: list[tuple[str, str]] = []
        self._makers = {
            self._bash: 34,
            self._read_file: 26,
            self._edit: 18,
            self._write: 7,
            self._todos: 7,
            self._grep: 5,
            self._fetch: 3,
        }

    def call(self) -> Call:
        return self.text.random.choices(list(self._makers), list(self._makers.values()))[0]()

    def _lines(self, low: int, high: int) -> int:
        return max(3, int(self.text.number(low, high) * self._scale))

    def _path(self, *suffixes: str) -> str:
        return f"{self._folder}/{self.text.path(self.text.random.choice(suffixes))}"

    def _bash(self) -> Call:
        command = self.text.pick(words.COMMANDS)
        is_error = self.text.chance(0.08)
        shown = self.code.log(self._lines(2, 70), is_coloured=self.text.chance(0.2))
        output = f"Exit code 1\n{shown}" if is_error else shown
        record: object = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        given: dict[str, object] = {"command": command, "description": self.text.sentence()[:70]}
        return Call("Bash", given, output, f"Error: {output}" if is_error else record, is_error)

    def _read_file(self) -> Call:
        """Some files are read again, as in real sessions."""
        if self._read and self.text.chance(0.25):
            path, content = self.text.random.choice(self._read)
        else:
            path = self._path("py", "py", "ts", "json", "sh")
            content = self.code.file(path, self._lines(20, 190))
            self._read = [*self._read, (path, content)][-_KEPT_FILES:]
        lines = content.split("\n")
        file = {"filePath": path, "content": content, "numLines": len(lines), "startLine": 1, "totalLines": len(lines)}
        return Call(
            "Read", {"file_path": path}, f"{_numbered(lines, 1)}\n\n{_REMINDER}", {"type": "text", "file": file}
        )

    def _edit(self) -> Call:
        path = self._path("py", "ts")
        old = self.code.file(path, self.text.number(9, 30)).split("\n")[4:]
        new = [line.replace("_", "__", 1) if self.text.chance(0.3) else line for line in old]
        new += [self.text.fill("# «sentence»")] if self.text.chance(0.5) else []
        start = self.text.number(10, 300)
        record: dict[str, object] = {
            "filePath": path,
            "oldString": "\n".join(old),
            "newString": "\n".join(new),
            "originalFile": None,
        }
        record |= {"structuredPatch": [_hunk(old, new, start)], "userModified": False, "replaceAll": False}
        told = (
            f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"
        )
        given: dict[str, object] = {"file_path": path, "old_string": "\n".join(old), "new_string": "\n".join(new)}
        return Call("Edit", given, f"{told}\n{_numbered(new, start)}", record)

    def _write(self) -> Call:
        path = self._path("py", "ts", "sh", "md", "json")
        content = self.markdown.answer("large") if path.endswith("md") else self.code.file(path, self._lines(15, 110))
        record = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
        return Call("Write", {"file_path": path, "content": content}, f"File created successfully at: {path}", record)

    def _todos(self) -> Call:
        todos = [self._todo() for _ in range(self.text.number(2, 8))]
        return Call("TodoWrite", {"todos": todos}, _TODOS_DONE, {"oldTodos": [], "newTodos": todos})

    def _todo(self) -> dict[str, str]:
        status = self.text.random.choice(("completed", "in_progress", "pending"))
        return {
            "content": self.text.sentence()[:80],
            "status": status,
            "activeForm": self.text.fill("Working on «noun»"),
        }

    def _grep(self) -> Call:
        hit = "«py»:«1-900»:    «ident»(«ident», «ident»=None)"
        hits = [self.text.fill(hit) for _ in range(self._lines(3, 40))]
        pattern = self.text.identifier() + self.text.random.choice(("\\(", "$", ".*"))
        record = {"mode": "content", "numFiles": 0, "filenames": [], "content": "\n".join(hits), "numLines": len(hits)}
        given = {"pattern": pattern, "path": f"{self._folder}/src", "output_mode": "content", "-n": True}
        return Call("Grep", given, "\n".join(hits), record)

    def _fetch(self) -> Call:
        answer, url = self.markdown.answer("large"), f"https://docs.example.org/{self.text.identifier()}"
        took = self.text.number(200, 9000)
        record = {"bytes": len(answer), "code": 200, "codeText": "OK", "result": answer, "durationMs": took, "url": url}
        return Call("WebFetch", {"url": url, "prompt": self.text.sentence()}, answer, record)


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


def _hunk(old: list[str], new: list[str], start: int) -> dict[str, object]:
    lines = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return {"oldStart": start, "oldLines": len(old), "newStart": start, "newLines": len(new), "lines": lines}
