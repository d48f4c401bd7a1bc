/** What of an upload stands in the query; empty = left out. */
export interface UploadFields {
  readonly filename: string
  readonly folder: string
  readonly topicid: string
}

/** A name as the route takes it: no slash, no two dots in a row, no leading dot (observed-0.49 §2). */
export const sanitizeFilename = (name: string): string =>
  name
    .replace(/[/\\\u0000-\u001f]/g, '_')
    .replace(/\.{2,}/g, '.')
    .replace(/^\./, '_')
