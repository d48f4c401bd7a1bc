import type { Forest } from './forest.ts'

export function setSubtreeExpanded(forest: Forest, root: number, isExpanded: boolean): void {
  const stack = [root]
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    forest.expanded[index] = isExpanded ? 1 : 0
    for (let child = forest.getFirstChild(index); child >= 0; child = forest.getNextSibling(child)) stack.push(child)
  }
}

export function setAllExpanded(forest: Forest, isExpanded: boolean): void {
  forest.expanded.fill(isExpanded ? 1 : 0)
}

/** Collapses all deeper levels. With 1, the roots and their children are visible. */
export function expandToLevel(forest: Forest, levels: number): void {
  forest.expanded.fill(0)
  let nodesOfLevel: number[] = []
  for (let root = forest.firstRoot; root >= 0; root = forest.getNextSibling(root)) nodesOfLevel.push(root)
  for (let level = 0; level < levels && nodesOfLevel.length > 0; level += 1) {
    const children: number[] = []
    for (const index of nodesOfLevel) {
      forest.expanded[index] = 1
      for (let child = forest.getFirstChild(index); child >= 0; child = forest.getNextSibling(child))
        children.push(child)
    }
    nodesOfLevel = children
  }
}

/** Yields a node among the children of its parent, or among the roots. */
export function* listSiblings(forest: Forest, node: number): Generator<number> {
  const parent = forest.getParent(node)
  const first = parent < 0 ? forest.firstRoot : forest.getFirstChild(parent)
  for (let sibling = first; sibling >= 0; sibling = forest.getNextSibling(sibling)) yield sibling
}

/** Expands all ancestors of a node, so that the node becomes visible. */
export function revealNode(forest: Forest, index: number): void {
  for (const ancestor of forest.getPath(index).slice(0, -1)) forest.expanded[ancestor] = 1
}
