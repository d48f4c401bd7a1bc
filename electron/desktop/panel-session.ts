import { session as sessions, type Session } from 'electron'
import type { PanelInView } from '../handlers/ipc-dispatcher.ts'
import { PANEL_SCHEME, createBlockingProxy, findPanelRefusal } from './panel-isolation.ts'

/** Longer addresses are cut in notes. */
const MAX_REPORTED_CHARS = 2_000

let opened = 0

/** Tells that the page tried something that it may not. */
export function reportRefusal(
  panel: PanelInView,
  what: NonNullable<Parameters<PanelInView['addNote']>[0]['what']>,
  text: string,
): void {
  panel.addNote({ kind: 'refused', level: 'warning', what, text: text.slice(0, MAX_REPORTED_CHARS) })
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
    reportRefusal(panel, 'permission', permission)
    answer(false)
  })
  session.on('will-download', (event, item) => {
    event.preventDefault()
    reportRefusal(panel, 'download', item.getFilename())
  })
  session.webRequest.onBeforeRequest((request, answer) => {
    const refusal = findPanelRefusal(request, id, panel.devServer)
    const isFirstTry = panel.devServer !== null && request.url.startsWith(`ws://${id}/`)
    if (refusal !== null && !isFirstTry) reportRefusal(panel, refusal, request.url)
    answer({ cancel: refusal !== null })
  })
  session.protocol.handle(PANEL_SCHEME, async (request) =>
    adaptResponse(await panel.originServer.serve(request), id, panel.devServer),
  )
  await session.setProxy(createBlockingProxy(panel.devServer))
  return session
}

/**
 * The response as a view takes it. It has a process of its own anyway, and `Origin-Agent-Cluster` on a page XX tries a socket of the page's own host first and goes on when that fails, which it does
 * not hear of if the policy refuses it; the session does instead.
 */
function adaptResponse(response: Response, id: string, server: URL | null): Response {
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
