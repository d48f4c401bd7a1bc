/** Redacts a value as a whole, or members of an object, or of each object in a list. */
export type Shape = ((value: never) => unknown) | { readonly [member: string]: Shape }

export function redactShape<Value>(value: Value, shape: Shape): Value {
  if (value === null || value === undefined) return value
  if (typeof shape === 'function') return shape(value as never) as Value
  if (Array.isArray(value)) return value.map((element: unknown) => redactShape(element, shape)) as Value
  const changed = Object.entries(shape).flatMap(([member, inner]) => {
    const before: unknown = Reflect.get(value, member)
    return before === undefined ? [] : [[member, redactShape(before, inner)]]
  })
  return { ...value, ...(Object.fromEntries(changed) as Partial<Value>) }
}

export function forEach<Element>(redact: (element: Element) => unknown) {
  return (list: readonly Element[]): unknown => list.map(redact)
}
