import { host } from '#host'
import { call } from './call.ts'

/** Address of an opened content for an element of the page. */
export const contentUrl = (handle: string): string => host.contentUrl(handle)

/**
 * Saves an opened content: the desktop app asks where, a browser as it always does. False when the person did not want to. Throws
 * `AppError`, and in a browser nothing, which shows a failed download itself.
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
