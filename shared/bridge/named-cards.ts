import { isObject } from './operation-facts.ts'

/** The cards that the JSON text of a body names in its `noteIds` (observed-0.49: writes to several cards). */
export function namedCards(body: string | null): readonly string[] {
  if (body === null) return []
  try {
    const value: unknown = JSON.parse(body)
    const ids = isObject(value) ? value['noteIds'] : undefined
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
  } catch {
    return []
  }
}
