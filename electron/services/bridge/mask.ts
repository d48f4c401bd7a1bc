import { tokenForms } from '../redact.ts'

/** Characters of a form that are enough to know it by; tokens shorter than that could be a word of the host's own. */
const KNOWN_BY = 16
const STAR = '*'.charCodeAt(0)
/** What may follow the first characters of a token, in any of its forms. */
const tail = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=%-'))

/**
 * Takes the token out of the bytes of an answer, in place: hosts echo what they were sent, and what a page gets is no place for
 * it. Each character becomes a star, so that the text stays as long and as well formed as it was. Answers how many times it
 * was found; that number is shown beside the answer, because these bytes are no longer exactly what came.
 */
export function maskToken(bytes: Uint8Array, token: string | null): number {
  if (token === null || token.length < KNOWN_BY) return 0
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let found = 0
  for (const form of beginnings(token)) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at)) {
      let end = at + form.length
      while (tail.has(text[end] ?? 0)) end += 1
      text.fill(STAR, at, end)
      found += 1
    }
  }
  return found
}

function beginnings(token: string): Set<string> {
  const forms = tokenForms(token).map((form) => form.slice(0, KNOWN_BY))
  return new Set([...forms, Buffer.from(token).toString('hex').slice(0, KNOWN_BY).toUpperCase()])
}
