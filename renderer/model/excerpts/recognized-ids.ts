/** Ids are upper-case UUIDs, document ids 32 hexadecimal digits (observed-0.49). */
export type RecognizedId = {
  readonly id: string
  readonly kind: 'note' | 'studySet' | 'document'
  readonly name: string
}

const uuidPattern = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/
const md5Pattern = /^[0-9a-fA-F]{32}$/
const MAX_IDS = 50

/** Finds at most 50. The kind follows from the form of the id and the name of its member. */
export function findIds(value: unknown): readonly RecognizedId[] {
  const ids = new Map<string, RecognizedId>()
  const queue: { value: unknown; name: string; depth: number }[] = [{ value, name: '', depth: 0 }]
  for (let next = queue.shift(); next && ids.size < MAX_IDS; next = queue.shift()) {
    const { value: item, name, depth } = next
    if (typeof item === 'string') {
      const kind = md5Pattern.test(item)
        ? 'document'
        : uuidPattern.test(item)
          ? /topic|studyset/i.test(name)
            ? 'studySet'
            : 'note'
          : null
      if (kind !== null && !ids.has(item)) ids.set(item, { id: item, kind, name })
    } else if (typeof item === 'object' && item !== null && depth < 8) {
      for (const [key, member] of Object.entries(item).slice(0, 200)) {
        queue.push({ value: member, name: Array.isArray(item) ? name : key, depth: depth + 1 })
      }
    }
  }
  return [...ids.values()]
}
