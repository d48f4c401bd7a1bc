/** How much of a value is kept; everything beyond is left out. */
export interface ValueBudget {
  readonly maxValues: number
  readonly maxChars: number
  readonly maxDepth: number
}

/**
 * A copy of a value in which `text` has replaced every text, names included. Whatever exceeds the budget is left out, with a text in its
 * place that says how much is missing. Bytes stay as they are.
 */
export function truncateValue(value: unknown, budget: ValueBudget, text: (text: string) => string): unknown {
  let { maxValues: values, maxChars: characters } = budget

  function shown(one: string): string {
    const most = characters
    characters = Math.max(0, characters - one.length)
    return one.length <= most ? text(one) : `${text(one.slice(0, most))}… (${one.length - most} more characters)`
  }

  function copy(one: unknown, depth: number): unknown {
    values -= 1
    if (typeof one === 'string') return shown(one)
    if (typeof one !== 'object' || one === null) return one
    if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) return one
    if (depth >= budget.maxDepth) return '… (too deep to show)'
    if (Array.isArray(one)) {
      const items: unknown[] = []
      for (const item of one) {
        if (values <= 0) return [...items, `… (${one.length - items.length} more entries)`]
        items.push(copy(item, depth + 1))
      }
      return items
    }
    const members: [string, unknown][] = []
    const names = Object.keys(one)
    for (const name of names) {
      if (values <= 0) {
        members.push(['…', `${names.length - members.length} more members`])
        break
      }
      members.push([shown(name), copy(Reflect.get(one, name), depth + 1)])
    }
    return Object.fromEntries(members)
  }

  return copy(value, 0)
}
