import { host } from '#host'
import { call } from './call.ts'

/** URL of an opened content, for an element of the page. */
export const contentUrl = (handle: string): string => host.contentUrl(handle)

/**
 * Saves an opened content: the desktop app asks where, a browser does what it always does. Returns false if the user declined. Throws
 * `AppError`, but never in a browser, which reports failed downloads itself.
 */
export async function saveContent(handle: string, fileName: string): Promise<boolean> {
  if (host.kind === 'desktop') return (await call('content.save', { handle })).saved
  const link = document.createElement('a')
  link.href = host.contentUrl(handle, { download: true })
  link.download = fileName
  link.hidden = true
  document.body.append(link)
  link.click()
  link.remove()
  return true
}
