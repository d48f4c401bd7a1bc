import type { SubMap } from '../../../shared/bridge/resources/library.ts'

/** A sub-map, and how many sub-maps are above it. */
export interface SubMapRow {
  readonly subMap: SubMap
  readonly level: number
  /** Its path names a sub-map that should be in the list but is not, so nothing is known about where it belongs. */
  readonly isOrphan: boolean
}

/** Titles above a sub-map, from the top; null if the host sent none, or something else (observed-0.49: `parentPath`). */
export function getParentTitles({ parentPath }: SubMap): readonly string[] | null {
  if (typeof parentPath === 'string') return parentPath === '' ? [] : parentPath.split('/').map((part) => part.trim())
  return Array.isArray(parentPath) && parentPath.every((part) => typeof part === 'string') ? parentPath : null
}

/**
 * Sub-maps nested by their paths, in the host's order. Paths hold titles, not ids: if two sub-maps have the same path and title, the
 * later one is taken as the parent of what follows it.
 */
export function buildSubMapOutline(subMaps: readonly SubMap[]): readonly SubMapRow[] {
  interface Node {
    readonly subMap: SubMap
    readonly orphan: boolean
    readonly children: Node[]
  }
  const tops: Node[] = []
  const byPath = new Map<string, Node>()
  const sorted = subMaps
    .map((subMap, at) => ({ subMap, at, path: getParentTitles(subMap) }))
    .sort((a, b) => (a.path?.length ?? 0) - (b.path?.length ?? 0) || a.at - b.at)
  for (const { subMap, path } of sorted) {
    const node: Node = { subMap, orphan: path === null, children: [] }
    let parent: Node | undefined
    for (let end = path?.length ?? 0; end > 0 && !parent; end -= 1)
      parent = byPath.get(keyOf(path?.slice(0, end) ?? []))
    const siblings = parent?.children ?? tops
    siblings.push(node)
    if (path) byPath.set(keyOf([...path, subMap.title ?? '']), node)
  }
  const rows: SubMapRow[] = []
  const stack = tops.toReversed().map((node) => ({ node, level: 0 }))
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, level } = next
    rows.push({ subMap: node.subMap, level, isOrphan: node.orphan })
    for (const child of node.children.toReversed()) stack.push({ node: child, level: level + 1 })
  }
  return rows
}

const keyOf = (titles: readonly string[]): string => JSON.stringify(titles)
