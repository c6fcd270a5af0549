"""Code for invented sessions: pieces of each language, with «kinds» of words to be drawn (see `text.Text.fill`)."""

from __future__ import annotations

PYTHON_HEAD = """from __future__ import annotations

import «library»
from «module».«thing» import «Class», «ident»

«CONST» = «1-4096»
_PATTERN = re.compile(r"^(?P<«thing»>[a-z_]+)\\s*=\\s*(\\d+)$")
"""
PYTHON = (
    '''
class «Class»(«Class»):
    """«sentence»

    «sentence»
    """

    «thing:b»: dict[str, list[int]] = {}

    def __init__(self, «thing:b»: str, *, «thing:c»: int = «0-99») -> None:
        self.«thing:b» = «thing:b»
        self._«thing:c» = «thing:c»
        super().__init__(«thing:b», retries=«1-9»)

    @property
    def «ident»(self) -> bool:
        return self._«thing:c» > 0 and not self.«thing:b».startswith(("_", '.'))
''',
    '''
def «ident»(«thing:b»: Path, «thing:c»: str | None = None) -> dict[str, int]:
    """«sentence»"""
    result = {}  # «noun»
    for line_no, line in enumerate(«thing:b».read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _PATTERN.match(line)
        if match is None:
            raise ValueError(f"{«thing:b»}:{line_no}: «adj» «noun» {line!r}")
        result[match["«thing:b»"]] = int(match[2], «base») % 0x«1000-9999»
    return dict(sorted(result.items(), key=lambda kv: (-kv[1], kv[0])))
''',
    """
async def «ident:a»(client, urls: list[str], limit: int = «2-64»):
    try:
        async with asyncio.Semaphore(limit), client.stream("GET", urls[0], timeout=«0-9».«10-99») as resp:
            data = [json.loads(chunk) async for chunk in resp.aiter_lines() if chunk and len(chunk) < «100-9999»]
    except (TimeoutError, OSError) as exc:
        log.warning("%s failed after %d tries: %s", "«ident:a»", limit, exc)
        return None
    return [«Class»(**item) for item in data if item.get("«thing»") is not None]
""",
)
PYTHON_WEIGHTS = (30, 45, 25)

TYPESCRIPT_HEAD = """import { «Class», type «Class» } from "../«module»/«thing»";
import { useMemo, useState } from "react";
"""
TYPESCRIPT = (
    """/** «sentence» */
export interface «Class:t»<T extends object = {}> {
  readonly «thing:b»: string;
  «thing:c»?: Array<T | null>;
  «camel»(input: Partial<T>, options?: { signal?: AbortSignal; retries?: number }): Promise<Map<string, T>>;
  kind: "«thing:b»" | "«thing:c»" | `«thing:b»-${number}`;
}
""",
    """export async function «camel»(«thing:b»: «Class», «thing:c» = «0-500»): Promise<number> {
  const cache = new Map<string, number>(); // «noun»
  for (const [key, value] of Object.entries(«thing:b».«thing:c» ?? {})) {
    if (!/^[a-z]+-\\d{2,}$/i.test(key) || value === undefined) continue;
    cache.set(key, (cache.get(key) ?? 0) + Number(value) * 0.«100-999»);
  }
  const total = [...cache.values()].reduce((sum, n) => sum + n, 0);
  if (total > «thing:c») {
    throw new RangeError(`«adj» ${total} > ${«thing:c»} in «thing:b»`);
  }
  return total;
}
""",
)
TYPESCRIPT_WEIGHTS = (40, 60)

BASH_HEAD = "#!/usr/bin/env bash\nset -euo pipefail\n"
BASH = (
    """# «sentence»
«CONST:a»="${1:-/var/lib/«thing»}"
mkdir -p "$«CONST:a»" && cd "$«CONST:a»"
""",
    """for file in $(git ls-files '*.«suffix»' | sort -u); do
  if ! grep -qE '^«action»[[:space:]]+[0-9]+$' "$file"; then
    echo "skip $file" >&2; continue
  fi
  python -m «module».«ident» --jobs «1-16» "$file" | tee -a build.log
done
""",
    """curl -fsSL https://example.com/«ident».tar.gz | tar -xz --strip-components=«1-3» -C ./«thing:b»
export PATH="$PWD/«thing:b»/bin:$PATH"
""",
    """«ident»() {
  local name=$1 tries=${2:-3}
  until docker run --rm -v "$PWD:/w" «thing»:latest «action»-«thing» "$name"; do
    (( tries-- > 0 )) || return 1
    sleep «1-9»
  done
}
""",
)
BASH_WEIGHTS = (25, 25, 25, 25)

SQL = (
    """-- «sentence»
SELECT «thing:t».id, count(*) AS n, max(«thing:u».created_at) FILTER (WHERE «thing:u».kind = '«action»')
FROM «thing:t»s AS «thing:t»
LEFT JOIN «thing:u»s AS «thing:u» ON «thing:u».«thing:t»_id = «thing:t».id AND «thing:u».size > «1-999999»
GROUP BY 1
HAVING n >= «1-9»
ORDER BY n DESC NULLS LAST;
""",
)
YAML_HEAD = 'version: "3.9"\nservices:'
YAML = (
    """  «ident»:
    image: registry.example.com/«thing»:«1-9».«0-9»
    environment:
      - «CONST»=«0-999»
    command: ["python", "-m", "«module»", "--port=«1000-9999»"]
    healthcheck: { interval: 10s, retries: 5 }  # keep""",
)
