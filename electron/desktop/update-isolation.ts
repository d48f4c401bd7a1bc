import { session as sessions } from 'electron'
import { isSafeUpdateUrl } from '../../shared/ipc/updates.ts'

/** The name of the library's own session; nothing else uses it. */
const NAME = 'electron-updater'
let isIsolated = false

/**
 * Keeps the requests for updates to addresses that may be asked, redirects included, and takes the number off them by which the library
 * would let a server recognise this copy.
 */
export function isolateUpdateRequests(): void {
  if (isIsolated) return
  isIsolated = true
  const { webRequest } = sessions.fromPartition(NAME, { cache: false })
  webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isSafeUpdateUrl(url) }))
  webRequest.onBeforeSendHeaders(({ requestHeaders }, answer) => {
    const kept = Object.entries(requestHeaders).filter(([name]) => name.toLowerCase() !== 'x-user-staging-id')
    answer({ requestHeaders: Object.fromEntries(kept) })
  })
}
