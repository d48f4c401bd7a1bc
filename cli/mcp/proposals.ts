import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { proposeToApp } from '../../electron/services/agents/client.ts'
import type { Outcome } from '../../shared/agents/wire.ts'
import { AppError, refused } from '../../shared/errors.ts'
import type { Opened } from '../session/session.ts'
import { verdictText } from '../writing/verdict.ts'
import { proposals, readOf } from './tools.ts'

/** How long a person may take; what was reviewed is good for that long. */
const DECIDE_MS = 10 * 60_000
/** How long the outcome of what was sent is waited for. */
const SETTLE_MS = 120_000
/** A client that waits is told this often that there is still something to wait for. */
const TELL_MS = 10_000

interface Extra {
  readonly signal: AbortSignal
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined
  readonly sendNotification: (notification: {
    method: 'notifications/progress'
    params: { progressToken: string | number; progress: number; message: string }
  }) => Promise<void>
}

/** Every write of the contract as a tool that hands it to the running app and answers with what became of it. */
export function registerProposals(server: McpServer, session: Opened): void {
  for (const tool of proposals) {
    const { name, description, input, row } = tool
    const annotations = { title: row.summary, readOnlyHint: false, destructiveHint: true, idempotentHint: false }
    server.registerTool(name, { description, inputSchema: input, annotations }, async (given, extra) => {
      const agent = server.server.getClientVersion()?.name ?? 'unnamed'
      try {
        const outcome = await propose(session, { agent, draft: readOf(tool, given), extra })
        const { verdict, status } = outcome
        const failed = status === null || status >= 400
        const text = JSON.stringify({ ...outcome, says: verdictText(verdict) }, null, 2)
        return { content: [{ type: 'text' as const, text }], isError: failed }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const text = `${error.code ?? error.kind}: ${error.message}`
        return { content: [{ type: 'text' as const, text }], isError: true }
      }
    })
  }
}

interface Asked {
  readonly agent: string
  readonly draft: ReturnType<typeof readOf>
  readonly extra: Extra
}

async function propose({ call, state }: Opened, { agent, draft, extra }: Asked): Promise<Outcome> {
  const baseUrl = state.profile?.baseUrl
  if (baseUrl === undefined) throw refused('NOT_CONNECTED', 'No host is connected. Nothing was sent.')
  const { dataDir } = await call('app.info', {})
  const late = new AbortController()
  let decision: NodeJS.Timeout | null = setTimeout(() => late.abort(), DECIDE_MS)
  let progress = 0
  let message = 'handing it to the app'
  const tell = (): void => {
    const progressToken = extra._meta?.progressToken
    if (progressToken === undefined) return
    const params = { progressToken, progress: (progress += 1), message }
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  const telling = setInterval(tell, TELL_MS)
  const decided = (): void => {
    if (decision) clearTimeout(decision)
    decision = null
  }
  try {
    return await proposeToApp({
      dataDir,
      proposal: { agent: agent.slice(0, 100) || 'unnamed', baseUrl, draft, settleMs: SETTLE_MS },
      signal: AbortSignal.any([extra.signal, late.signal]),
      onMessage({ kind }) {
        message = kind === 'waiting' ? 'waiting for a person to confirm it in the app' : 'sent, waiting for the outcome'
        if (kind === 'sent') decided()
        tell()
      },
    })
  } catch (error) {
    if (!late.signal.aborted) throw error
    throw refused('NOT_DECIDED', 'Nobody decided within ten minutes. It was withdrawn, and nothing was sent.')
  } finally {
    decided()
    clearInterval(telling)
  }
}
