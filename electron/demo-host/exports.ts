import type { DemoState } from './context.ts'
import { DemoError } from './reply.ts'

/** Number of steps that writing an exported file takes. */
const EXPORT_STEPS = 2

/** "Writes" a file into an export folder of the host, one at a time. Throws `EXPORT_BUSY` while another one is being written. */
export function exportFile(
  { exports, stepMs }: DemoState,
  folder: string,
  name: string,
): { fileName: string; path: string } {
  const left = exports.busyUntil - Date.now()
  if (left > 0) {
    throw new DemoError(429, 'EXPORT_BUSY', 'Another export is being written.', {
      details: { retryAfterSeconds: Math.max(1, Math.ceil(left / 1000)) },
    })
  }
  exports.busyUntil = Date.now() + EXPORT_STEPS * stepMs
  const fileName = name.replace(/\.pdf$/i, '').replace(/[/\\:]/g, '_') + '.pdf'
  const path = `${folder}/${fileName}`
  exports.files.push(path)
  return { fileName, path }
}
