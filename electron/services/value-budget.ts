/** Limits of a copied value. Everything beyond is left out. */
export interface ValueBudget {
  readonly maxValues: number
  readonly maxChars: number
  readonly maxDepth: number
}

/** Applies `text` to all strings, names included; texts say what beyond the budget is missing. */
export function truncateValue(value: unknown, budget: ValueBudget, transformText: (text: string) => string): unknown {
  let { maxValues: values, maxChars: characters } = budget

  function copyText(original: string): string {
    const maxChars = characters
    characters = Math.max(0, characters - original.length)
    return original.length <= maxChars
      ? transformText(original)
      : `${transformText(original.slice(0, maxChars))}… (${original.length - maxChars} more characters)`
  }

  function copy(source: unknown, depth: number): unknown {
    values -= 1
    if (typeof source === 'string') return copyText(source)
    if (typeof source !== 'object' || source === null) return source
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source
    if (depth >= budget.maxDepth) return '… (too deep to show)'
    if (Array.isArray(source)) {
      const items: unknown[] = []
      for (const item of source) {
        if (values <= 0) return [...items, `… (${source.length - items.length} more entries)`]
        items.push(copy(item, depth + 1))
      }
      return items
    }
    const members: [string, unknown][] = []
    const names = Object.keys(source)
    for (const name of names) {
      if (values <= 0) {
        members.push(['…', `${names.length - members.length} more members`])
        break
      }
      members.push([copyText(name), copy(Reflect.get(source, name), depth + 1)])
    }
    return Object.fromEntries(members)
  }

  return copy(value, 0)
}
