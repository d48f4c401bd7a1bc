/** The entries of a listing, wherever the host put them. */
export interface Listed<T> {
  readonly items: readonly T[]
  /** Where each of them stands in the host's list. */
  readonly positions: readonly number[]
  /** Name of the member that holds them; null for an answer that is the list itself, or holds none. */
  readonly member: string | null
  /** Entries that are no objects: counted, not shown as rows; the raw answer shows them. */
  readonly odd: number
}

/**
 * The list in an answer. The documents do not show the names of most lists, so the expected one is only the first guess: then
 * the answer itself, then the only member that is a list of objects. What the contract misses is among the answer's findings.
 */
export function listedIn<T extends object>(value: unknown, expected: string): Listed<T> {
  if (Array.isArray(value)) return listed<T>(value, null)
  if (!isObject(value)) return nothing
  const named = value[expected]
  if (Array.isArray(named)) return listed<T>(named, expected)
  const others = Object.entries(value).filter((entry): entry is [string, unknown[]] => {
    const [, member] = entry
    return Array.isArray(member) && member.length > 0 && member.every(isObject)
  })
  const [only] = others
  return only && others.length === 1 ? listed<T>(only[1], only[0]) : nothing
}

const nothing = { items: [], positions: [], member: null, odd: 0 } as const

function listed<T extends object>(list: readonly unknown[], member: string | null): Listed<T> {
  const items: T[] = []
  const positions: number[] = []
  list.forEach((item, at) => {
    if (!isObject(item)) return
    items.push(item as T)
    positions.push(at)
  })
  return { items, positions, member, odd: list.length - items.length }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
