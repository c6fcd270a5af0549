"""The words that invented sessions are made of."""

from __future__ import annotations


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _phrases(
    """cache key|session store|render pool|migration|parser|token bucket|job queue|index builder|retry loop|
    config loader|schema version|file watcher|content hash|request handler|template context|worker process|
    connection pool|rate limiter|feature flag|lock file|build graph|dependency resolver|event bus|search index|
    upload handler|stream reader|diff engine|permission check|audit log|page cache|virtual environment|test fixture|
    snapshot test|benchmark harness|release script|error boundary|type checker|code generator|query planner|
    write-ahead log|row group|message bus|clock source|backoff policy|form validator|route table|asset pipeline|
    theme switcher|scroll handler|focus trap|service worker|static bundle"""
)
VERBS = _phrases(
    """normalises|rebuilds|invalidates|skips|walks|flushes|re-reads|serialises|deduplicates|batches|truncates|escapes|
    validates|retries|locks|merges|streams|buffers|hashes|prefetches|drops|rewrites|compares|wraps|forwards"""
)
ADJECTIVES = _phrases(
    """stale|idempotent|nested|slow|empty|duplicate|concurrent|unbounded|malformed|partial|cached|deterministic|legacy|
    optional|read-only|cold|warm|incremental|oversized|implicit|silent|flaky|redundant|canonical"""
)
ACTIONS = _words(
    "load parse build read write merge hash emit scan find make open close apply render split join fetch push pull"
    " check clean walk sort pack"
)
THINGS = _words(
    "session config index block page token tree graph chunk record entry batch cursor header manifest bundle theme"
    " route asset user team job queue node edge span frame"
)
MODULES = _words("core api utils models store cache render search cli web jobs auth sync parse export plugins themes")
SUFFIXES = ("py", "py", "py", "ts", "tsx", "md", "json", "sh", "toml", "sql", "css", "html", "yaml")
ERRORS = ("ValueError", "KeyError", "TimeoutError", "OSError", "TypeError")
SYMBOLS = ("✅", "⚠️", "🚀", "❌", "📦", "🔍", "→", "•", "…", "—")
FOREIGN = (
    "検索インデックスを再構築しました。",
    "缓存键必须是稳定的。",
    "Проверьте журнал сборки.",
    "El índice se reconstruye una sola vez.",
    "여러 세션을 병합합니다.",
)
SENTENCES = (
    "The «noun» «verb» the «adj» «noun» before the «noun» runs.",
    "I checked `«path»` and the «noun» only «verb» it when the «noun» is «adj».",
    "Instead of a «adj» «noun», I'd keep one «noun» per project and let the «noun» decide.",
    "That means `«ident»()` is called **«2-97» times** for every «noun», which explains the «adj» result.",
    "If the «noun» is «adj», `«Class»` raises `«error»` and the «noun» never sees the error.",
    "Running the tests again shows «2-97» passed and «10-99» failed; the failing ones all touch the «noun».",
    "There's one more place that «verb» the «noun»: see"
    " [`«path:p»`](https://example.com/«module»/blob/main/«path:p»#L«2-97»).",
    "It's *probably* safe, but a «adj» «noun» can still reach the «noun» through `«ident»`.",
    "The simplest fix is to make the «noun» «adj» and to compare `«ident».digest` with the stored value.",
    "Note that «noun»s are «adj» by default, so nothing changes for people who don't set `«CONST»`.",
    "We could also move this into `«Class».«ident»` and drop the «adj» branch entirely.",
    "On a cold run it took «2-97».«10-99» s; with the «noun» warm it's down to 0.«10-99» s.",
    "More detail is at https://docs.example.org/«module»/«ident»?page=«2-97»&v=«10-99» if you need it.",
    "I left the ~~old «noun»~~ in place behind a flag so that we can compare both.",
    "The order matters: first the «noun» «verb» the «noun:n», then the «noun» is flushed, and only then is the «adj»"
    " file renamed.",
    'This is the same "«adj» «noun»" problem as in #«2-97»«10-99», so I reused `«ident»` rather than writing another'
    " «noun».",
)
SHORT_PROMPTS = (
    "yes, go on",
    "continue",
    "ok do it",
    "run the tests again",
    "/compact",
    "that's wrong — look again at the «noun»",
)
COMMANDS = (
    "pytest -q «py» -x",
    "git diff --stat HEAD~«1-5»",
    "rg -n '«ident»' src | head -«10-60»",
    "npm run build 2>&1 | tail -40",
    "python - <<'EOF'\nimport json\nprint(json.dumps({'a': «1-9»}))\nEOF",
    "git log --oneline -«3-20» && ls -la src",
    'for f in src/*.py; do\n  wc -l "$f"\ndone | sort -n',
)
