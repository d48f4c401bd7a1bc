/** An id found in a value of unknown shape, and what it seems to be (observed-0.49: ids are upper-case UUIDs, documents 32 hex digits). */
export type RecognizedId = {
  readonly id: string
  readonly kind: 'note' | 'studySet' | 'document'
  readonly name: string
}

const uuid = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/
const md5 = /^[0-9a-fA-F]{32}$/
const MAX_IDS = 50

/** Ids anywhere in a value, each once and at most 50, recognised by their form and by the name they appear under. */
export function findIds(value: unknown): readonly RecognizedId[] {
  const found = new Map<string, RecognizedId>()
  const open: { value: unknown; name: string; depth: number }[] = [{ value, name: '', depth: 0 }]
  for (let next = open.shift(); next && found.size < MAX_IDS; next = open.shift()) {
    const { value: at, name, depth } = next
    if (typeof at === 'string') {
      const kind = md5.test(at)
        ? 'document'
        : uuid.test(at)
          ? /topic|studyset/i.test(name)
            ? 'studySet'
            : 'note'
          : null
      if (kind !== null && !found.has(at)) found.set(at, { id: at, kind, name })
    } else if (typeof at === 'object' && at !== null && depth < 8) {
      for (const [key, member] of Object.entries(at).slice(0, 200)) {
        open.push({ value: member, name: Array.isArray(at) ? name : key, depth: depth + 1 })
      }
    }
  }
  return [...found.values()]
}
