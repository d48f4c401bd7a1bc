import { session as sessions, type Session } from 'electron'
import type { PanelInView } from '../handlers/door.ts'
import { PANEL_SCHEME } from './panel-scheme.ts'
import { deadEnd, refusalOf } from './panel-wall.ts'

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
    if (refusal !== null) noteRefused(panel, refusal, request.url)
    answer({ cancel: refusal !== null })
  })
  session.protocol.handle(PANEL_SCHEME, async (request) => unclustered(await panel.door.serve(request)))
  await session.setProxy(deadEnd(panel.server))
  return session
}

/**
 * The view has a process of its own anyway, and on a page of a scheme like ours this header ends the whole program (Electron 33): neither
 * we nor a development server may send it here.
 */
function unclustered(response: Response): Response {
  response.headers.delete('origin-agent-cluster')
  return response
}

/** Takes the handler away, and what the page stored. */
export async function closePanelSession(session: Session): Promise<void> {
  session.protocol.unhandle(PANEL_SCHEME)
  session.webRequest.onBeforeRequest((_request, answer) => answer({ cancel: true }))
  await session.clearStorageData()
}
