import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import { limits } from '../../shared/bridge/endpoints/limits.ts'

const rows = (tag: string): string =>
  endpoints
    .filter((row) => row.tag === tag)
    .map((row) => `| \`${row.method}\` | \`${row.path}\` | ${row.summary} |`)
    .join('\n')

const section = (title: string, tag: string): string =>
  `## ${title}\n\n| Method | Path | What it does |\n|---|---|---|\n${rows(tag)}\n`

/** `GET /guide` of the demo host, generated from the endpoint table. */
export const guide = `# Demo Notes bridge guide

This host is simulated. It behaves like a note-taking application with a bridge, and contains a demo library.

## Getting started

1. Send the token with every request except \`GET /status\`:

\`\`\`http
GET /bridge/v1/capabilities HTTP/1.1
Authorization: Bearer <token>
\`\`\`

2. Read \`GET /capabilities\`, which lists what this host can do.
3. Read \`GET /library/study-sets\`, then the tree of one of them.

> A write counts as done only when the answer says \`persisted: true\`.

## Reading a large tree

Pages hold at most **${limits.treeLimit.max}** nodes. Follow \`nextCursor\` until it is \`null\`; with \`sort=document\` the order holds
across pages. \`walkLimitReached\` says that the listing is incomplete even after the last page.

${section('Study sets and decks', 'study-sets')}
${section('Cards and excerpts', 'cards')}
${section('Handwriting sessions', 'handwriting')}
${section('Documents and pages', 'documents')}

## Errors

\`\`\`json
{ "error": { "code": "CONFIRM_REQUIRED", "message": "…" } }
\`\`\`

- **401** \`UNAUTHORIZED\`: the token is missing or wrong.
- **409**: the state is not the expected one; nothing was done.
- **429**: wait \`retryAfterSeconds\`; never resend at once.
`
