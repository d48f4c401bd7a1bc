import { randomInt } from 'node:crypto'
import type { DemoRequest, DemoState, RouteTable } from '../state/context.ts'
import { DemoError, type DemoReply } from '../state/reply.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'

const createRows = (tag: string): string =>
  endpoints
    .filter((row) => row.tag === tag)
    .map((row) => `| \`${row.method}\` | \`${row.path}\` | ${row.summary} |`)
    .join('\n')

const createSection = (title: string, tag: string): string =>
  `## ${title}\n\n| Method | Path | What it does |\n|---|---|---|\n${createRows(tag)}\n`

/** The text of `GET /guide`, generated from the endpoint table. */
export const guideMarkdown = `# Demo Notes bridge guide

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

Pages hold at most **${documentedLimits.treeLimit.max}** nodes. Follow \`nextCursor\` until it is \`null\`; with \`sort=document\` the order holds
across pages. \`walkLimitReached\` says that the listing is incomplete even after the last page.

${createSection('Study sets and decks', 'study-sets')}
${createSection('Cards and excerpts', 'cards')}
${createSection('Handwriting sessions', 'handwriting')}
${createSection('Documents and pages', 'documents')}

## Errors

\`\`\`json
{ "error": { "code": "CONFIRM_REQUIRED", "message": "…" } }
\`\`\`

- **401** \`UNAUTHORIZED\`: the token is missing or wrong.
- **409**: the state is not the expected one; nothing was done.
- **429**: wait \`retryAfterSeconds\`; never resend at once.
`

const CODE_LIFETIME_MS = 10 * 60_000

const createScriptReply = (text: string): DemoReply => ({
  kind: 'text',
  contentType: 'text/x-shellscript; charset=utf-8',
  text,
})

const tools = [
  { name: 'mn_guide', description: 'The guide of this host.', inputSchema: { type: 'object' } },
  {
    name: 'mn_call',
    description: 'Calls a route of the bridge.',
    inputSchema: {
      type: 'object',
      required: ['method', 'path'],
      properties: { method: { type: 'string' }, path: { type: 'string' }, body: { type: 'object' } },
    },
  },
]

type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

function toContent(reply: DemoReply): Content {
  if (reply.kind === 'bytes' && reply.mimeType.startsWith('image/')) {
    return { type: 'image', data: reply.bytes.toString('base64'), mimeType: reply.mimeType }
  }
  if (reply.kind === 'bytes') return { type: 'text', text: reply.bytes.toString('utf8') }
  return { type: 'text', text: reply.kind === 'made' ? `${reply.size} bytes of ${reply.mimeType}` : reply.text }
}

/** Returns null for an unknown tool. A route's error is the tool's result, none of JSON-RPC. */
async function callTool(
  params: Readonly<Record<string, unknown>>,
  callRoute: DemoRequest['callRoute'],
): Promise<object | null> {
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, unknown>>
  if (params['name'] === 'mn_guide') return { content: [{ type: 'text', text: guideMarkdown }] }
  if (params['name'] !== 'mn_call') return null
  try {
    const reply = await callRoute(String(args['method'] ?? 'GET'), String(args['path'] ?? ''), args['body'])
    return { content: [toContent(reply)] }
  } catch (error) {
    if (!(error instanceof DemoError)) throw error
    return { content: [toContent(error.reply())], isError: true }
  }
}

async function getResult(
  body: Readonly<Record<string, unknown>>,
  callRoute: DemoRequest['callRoute'],
): Promise<object | null> {
  const params = (body['params'] ?? {}) as Readonly<Record<string, unknown>>
  switch (body['method']) {
    case 'initialize':
      return {
        protocolVersion: '2025-03-26',
        capabilities: { tools: {} },
        serverInfo: { name: 'Demo Notes', version: '4.9.1' },
      }
    case 'tools/list':
      return { tools }
    case 'tools/call':
      return callTool(params, callRoute)
    default:
      return null
  }
}

const createRpcReply = (value: object): DemoReply => ({
  kind: 'json',
  status: 200,
  text: JSON.stringify({ jsonrpc: '2.0', ...value }),
})

/** Routes for installation and JSON-RPC (observed §1). */
export const setupRoutes = {
  'install.code'({ install }: DemoState) {
    install.code = String(randomInt(1_000_000)).padStart(6, '0')
    install.until = Date.now() + CODE_LIFETIME_MS
    return {
      kind: 'json',
      status: 200,
      text: JSON.stringify({ code: install.code, expiresInSeconds: CODE_LIFETIME_MS / 1000 }),
    }
  },

  'install.get'({ install }: DemoState, { query }) {
    const isValid = install.code !== null && query['code'] === install.code && Date.now() < install.until
    install.code = isValid ? null : install.code
    if (!isValid)
      return { ...createScriptReply('echo "The code is wrong, used or expired." >&2; exit 1\n'), status: 403 }
    return createScriptReply('#!/bin/sh\necho "This demo host has nothing to install."\n')
  },

  async 'mcp.post'(_state, { body, callRoute }) {
    const id = body['id'] ?? null
    const result = await getResult(body, callRoute)
    if (result === null)
      return createRpcReply({ id, error: { code: -32601, message: 'There is no such method or tool.' } })
    return createRpcReply({ id, result })
  },
} satisfies RouteTable
