/** The query parameters of an upload; empty fields are left out. */
export interface UploadFields {
  readonly filename: string
  readonly folder: string
  readonly topicid: string
}

/** A host accepts no slash, no two dots in a row, and no leading dot (observed-0.49 §2). */
export function sanitizeFilename(name: string): string {
  return name
    .replace(/[/\\\u0000-\u001f]/g, '_')
    .replace(/\.{2,}/g, '.')
    .replace(/^\./, '_')
}
