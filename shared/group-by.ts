/** Groups items by a key, in the order in which they come. Node 20 has no `Map.groupBy`. */
export function groupBy<Key, Item>(items: Iterable<Item>, toKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) addToGroup(groups, toKey(item), item)
  return groups
}

/** @returns the group, which begins with its first item */
export function addToGroup<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): Item[] {
  const group = groups.get(key) ?? []
  group.push(item)
  if (group.length === 1) groups.set(key, group)
  return group
}
