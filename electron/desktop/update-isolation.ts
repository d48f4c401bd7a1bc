import { session as sessions } from 'electron'
import { isSafeUpdateUrl } from '../../shared/ipc/updates.ts'

/** The name that electron-updater gives to its session. */
const UPDATER_SESSION_NAME = 'electron-updater'
let isIsolated = false

/** Updates and redirects go to safe addresses only, without the header that identifies a copy. */
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
