import type { SubMap } from '../../../shared/bridge/resources/library.ts'

export interface SubMapRow {
  readonly subMap: SubMap
  readonly level: number
  /** The path has a sub-map that is missing from the list, so that the parent is unknown. */
  readonly isOrphan: boolean
}

/** Titles from the top down; null without a list of texts (observed-0.49: `parentPath`). */
export function getParentTitles({ parentPath }: SubMap): readonly string[] | null {
  if (typeof parentPath === 'string') return parentPath === '' ? [] : parentPath.split('/').map((part) => part.trim())
  return Array.isArray(parentPath) && parentPath.every((part) => typeof part === 'string') ? parentPath : null
}

/**
 * Nests sub-maps by their paths, in the host's order. Paths contain titles, not ids: if two
 * sub-maps have the same path and title, the sub-maps that follow belong to the later one.
 */
export function buildSubMapOutline(subMaps: readonly SubMap[]): readonly SubMapRow[] {
  interface Node {
    readonly subMap: SubMap
    readonly isOrphan: boolean
    readonly children: Node[]
  }
  const tops: Node[] = []
  const byPath = new Map<string, Node>()
  const sorted = subMaps
    .map((subMap, index) => ({ subMap, at: index, path: getParentTitles(subMap) }))
    .sort((a, b) => (a.path?.length ?? 0) - (b.path?.length ?? 0) || a.at - b.at)
  for (const { subMap, path } of sorted) {
    const node: Node = { subMap, isOrphan: path === null, children: [] }
    let parent: Node | undefined
    for (let end = path?.length ?? 0; end > 0 && !parent; end -= 1)
      parent = byPath.get(keyOf(path?.slice(0, end) ?? []))
    const siblings = parent?.children ?? tops
    siblings.push(node)
    if (path) byPath.set(keyOf([...path, subMap.title ?? '']), node)
  }
  const rows: SubMapRow[] = []
  const stack = tops.toReversed().map((node) => ({ node, level: 0 }))
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { node, level } = item
    rows.push({ subMap: node.subMap, level, isOrphan: node.isOrphan })
    for (const child of node.children.toReversed()) stack.push({ node: child, level: level + 1 })
  }
  return rows
}

const keyOf = (titles: readonly string[]): string => JSON.stringify(titles)
