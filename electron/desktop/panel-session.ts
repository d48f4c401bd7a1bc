import { session as sessions, type Session } from 'electron'
import type { PanelInView } from '../handlers/ipc-dispatcher.ts'
import { PANEL_SCHEME, createBlockingProxy, findPanelRefusal, getDestination, isPanelUrl } from './panel-isolation.ts'

/** Longer addresses are cut in a panel's notes. */
const MAX_REPORTED_CHARS = 2_000

let sessionCount = 0

/** Adds a note that the page tried something forbidden. */
export function reportRefusal(
  panel: PanelInView,
  kind: NonNullable<Parameters<PanelInView['addNote']>[0]['what']>,
  text: string,
): void {
  panel.addNote({ kind: 'refused', level: 'warning', what: kind, text: text.slice(0, MAX_REPORTED_CHARS) })
}

/**
 * Opens the session for one opening of a panel: in memory, shared with no other page, and with
 * access only to the panel's own origin. Resolves when the isolation is complete.
 */
export async function openPanelSession(id: string, panel: PanelInView): Promise<Session> {
  // A partition without `persist:` writes nothing to the disk.
  const session = sessions.fromPartition(`panel-${(sessionCount += 1)}`)
  session.setSpellCheckerEnabled(false)
  session.setPermissionRequestHandler((_contents, permission, respond) => {
    reportRefusal(panel, 'permission', permission)
    respond(false)
  })
  session.on('will-download', (event, item) => {
    event.preventDefault()
    reportRefusal(panel, 'download', item.getFilename())
  })
  session.webRequest.onBeforeRequest((request, respond) => {
    const refusal = findPanelRefusal(request, id, panel.devServer)
    const isFirstTry = panel.devServer !== null && request.url.startsWith(`ws://${id}/`)
    if (refusal !== null && !isFirstTry) reportRefusal(panel, refusal, request.url)
    respond({ cancel: refusal !== null })
  })
  session.webRequest.onBeforeSendHeaders((request, respond) => {
    const destination = isPanelUrl(request.url, id) ? getDestination(request) : null
    const header = destination === null ? {} : { 'Sec-Fetch-Dest': destination }
    respond({ requestHeaders: { ...request.requestHeaders, ...header } })
  })
  session.protocol.handle(PANEL_SCHEME, async (request) =>
    adaptResponse(await panel.originServer.serve(request), id, panel.devServer),
  )
  await session.setProxy(createBlockingProxy(panel.devServer))
  return session
}

/**
 * Adapts a response to the view. `Origin-Agent-Cluster` is removed, because on a page of a custom
 * scheme that header can end the program, and the view has a separate process anyway. A bundler's
 * client first tries a socket on the page's own host and tries the next one when that fails, but
 * the client would not learn of a refusal by the page's policy. So the policy allows the socket,
 * and the session refuses it.
 */
function adaptResponse(response: Response, id: string, server: URL | null): Response {
  // A response of type `error` stands for a connection that ends without a response, so there are
  // no headers to change.
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

/** Removes the scheme's handler and the data that the page stored. */
export async function closePanelSession(session: Session): Promise<void> {
  session.protocol.unhandle(PANEL_SCHEME)
  session.webRequest.onBeforeRequest((_request, respond) => respond({ cancel: true }))
  await session.clearStorageData()
}
