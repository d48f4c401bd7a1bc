import { session as sessions } from 'electron'
import { isSafeUpdateUrl } from '../../shared/ipc/updates.ts'

/** The name that electron-updater gives to its session. */
const UPDATER_SESSION_NAME = 'electron-updater'
let isIsolated = false

/**
 * Restricts requests for updates, redirects included, to safe addresses, and removes the header by
 * which a server could recognise this copy.
 */
export function isolateUpdateRequests(): void {
  if (isIsolated) return
  isIsolated = true
  const { webRequest } = sessions.fromPartition(UPDATER_SESSION_NAME, { cache: false })
  webRequest.onBeforeRequest(({ url }, respond) => respond({ cancel: !isSafeUpdateUrl(url) }))
  webRequest.onBeforeSendHeaders(({ requestHeaders }, respond) => {
    const headers = Object.entries(requestHeaders).filter(([name]) => name.toLowerCase() !== 'x-user-staging-id')
    respond({ requestHeaders: Object.fromEntries(headers) })
  })
}
