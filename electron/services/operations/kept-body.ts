/** Characters of a body that a record keeps. */
const MOST = 200_000
/** Of a longer one, the beginning. */
const BEGINNING = 20_000

/** A body as a record keeps it: whole, or the beginning of its JSON text with a mark. */
export function keptBody(body: unknown): { readonly body: unknown; readonly cut: boolean } {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (text === undefined || text.length <= MOST) return { body: body ?? null, cut: false }
  return { body: text.slice(0, BEGINNING), cut: true }
}
