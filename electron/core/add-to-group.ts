/** Adds to a group that begins with its first item, and returns it. */
export function addToGroup<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): Item[] {
  const group = groups.get(key) ?? []
  group.push(item)
  if (group.length === 1) groups.set(key, group)
  return group
}
