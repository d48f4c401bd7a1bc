/** All values of an iterable. */
export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}
