/** These fields of an upload are sent in the query; empty fields are left out. */
export interface UploadFields {
  readonly filename: string
  readonly folder: string
  readonly topicid: string
}

/**
 * Changes a name to one that the route accepts: no slash, no two dots in a row, no leading dot
 * (observed-0.49 §2).
 */
export const sanitizeFilename = (name: string): string =>
  name
    .replace(/[/\\\u0000-\u001f]/g, '_')
    .replace(/\.{2,}/g, '.')
    .replace(/^\./, '_')
