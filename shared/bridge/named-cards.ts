import { member, parsedBody } from './operation-facts.ts'

/** The cards that a body's JSON text names in its `noteIds` (observed-0.49: writes to several cards). */
export function namedCards(body: string | null): readonly string[] {
  const ids = member(parsedBody(body), 'noteIds')
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}
