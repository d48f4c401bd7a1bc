import { saveBlob } from '../components/file-download.ts'
import { useApp } from '../stores/app.ts'
import { SAVED_FILE_CODE, useNotices } from '../stores/notices.ts'

/** A longer text is not copied to the clipboard. */
const MAX_COPIED_BYTES = 1_000_000

/**
 * Saves a file and says so in a message, from which it can be shown or a text can be copied. The
 * desktop app asks where to save, so it is the main process that tells when a file is saved.
 */
export function saveFile(blob: Blob, name: string): void {
  const notices = useNotices()
  notices.savedText = /^text\/|json/.test(blob.type) && blob.size <= MAX_COPIED_BYTES ? blob : null
  saveBlob(blob, name)
  if (useApp().info?.mode === 'desktop') return
  notices.add({
    id: `saved-${crypto.randomUUID()}`,
    level: 'info',
    code: SAVED_FILE_CODE,
    message: `Saved ${name}.`,
    params: { file: name },
    at: Date.now(),
  })
}
