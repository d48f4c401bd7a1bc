import { trimChars } from '../../shared/format/trim-chars.ts'

/** Creates a name for any file system; `fallback` if the title has no valid character. */
export function toFileName(title: string, extension: string, fallback: string): string {
  const safeTitle = title.replace(/[\u0000-\u001f\u007f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ')
  return `${trimChars(safeTitle.replace(/\s+/g, ' '), '. ').slice(0, 80) || fallback}.${extension}`
}

/** Saves a file: the browser as it is configured to, the desktop app after a dialog. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
