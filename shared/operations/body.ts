import { member } from '../json/object.ts'

/** The cards that a body's JSON text names in its `noteIds` (observed-0.49: writes to several cards). */
export function namedCards(body: string | null): readonly string[] {
  const ids = member(parsedBody(body), 'noteIds')
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}

/** The JSON text of a body as it was sent, parsed; null if there was none, or it is not JSON. */
export function parsedBody(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
