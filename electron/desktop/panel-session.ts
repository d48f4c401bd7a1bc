import { session as sessions, type Session } from 'electron'
import type { PanelInView } from '../handlers/door.ts'
import { PANEL_SCHEME, deadEnd, refusalOf } from './panel-wall.ts'

/** Longer addresses are cut in notes. */
const LONGEST_NOTED = 2_000

let opened = 0

/** Tells that the page tried something that it may not. */
export function noteRefused(
  panel: PanelInView,
  what: NonNullable<Parameters<PanelInView['note']>[0]['what']>,
  text: string,
): void {
  panel.note({ kind: 'refused', level: 'warning', what, text: text.slice(0, LONGEST_NOTED) })
}

/**
 * The session of one opening of a panel: in memory, shared with nothing, and without a way out but the panel's own origin, which `door`
 * serves. Resolves once the walls stand.
 */
export async function openPanelSession(id: string, panel: PanelInView): Promise<Session> {
  // Without `persist:` nothing is written to the disk.
  const session = sessions.fromPartition(`panel-${(opened += 1)}`)
  session.setSpellCheckerEnabled(false)
  session.setPermissionRequestHandler((_contents, permission, answer) => {
    noteRefused(panel, 'permission', permission)
    answer(false)
  })
  session.on('will-download', (event, item) => {
    event.preventDefault()
    noteRefused(panel, 'download', item.getFilename())
  })
  session.webRequest.onBeforeRequest((request, answer) => {
    const refusal = refusalOf(request, id, panel.server)
    const isFirstTry = panel.server !== null && request.url.startsWith(`ws://${id}/`)
    if (refusal !== null && !isFirstTry) noteRefused(panel, refusal, request.url)
    answer({ cancel: refusal !== null })
  })
  session.protocol.handle(PANEL_SCHEME, async (request) => fitting(await panel.door.serve(request), id, panel.server))
  await session.setProxy(deadEnd(panel.server))
  return session
}

/**
 * The response as a view takes it. It has a process of its own anyway, and `Origin-Agent-Cluster` on a page XX tries a socket of the page's own host first and goes on when that fails, which it does
 * not hear of if the policy refuses it; the session does instead.
 */
function fitting(response: Response, id: string, server: URL | null): Response {
  // A connection that ends without an answer has no headers that could be changed.
  if (response.type === 'error') return response
  const { headers } = response
  headers.delete('origin-agent-cluster')
  headers.delete('connection-allowlist')
  const policy = headers.get('content-security-policy')
  if (server && policy) {
    headers.set('content-security-policy', policy.replace("connect-src 'self'", `connect-src 'self' ws://${id}`))
  }
  return response
}

/** Takes the handler away, and what the page stored. */
export async function closePanelSession(session: Session): Promise<void> {
  session.protocol.unhandle(PANEL_SCHEME)
  session.webRequest.onBeforeRequest((_request, answer) => answer({ cancel: true }))
  await session.clearStorageData()
}
