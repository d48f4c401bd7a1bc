import type { Forest } from './forest.ts'

/** Opens or closes a node and everything below it. */
export function setSubtreeExpanded(forest: Forest, root: number, open: boolean): void {
  const stack = [root]
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    forest.expanded[index] = open ? 1 : 0
    for (let child = forest.firstChild(index); child >= 0; child = forest.nextSibling(child)) stack.push(child)
  }
}

export function setAllExpanded(forest: Forest, open: boolean): void {
  forest.expanded.fill(open ? 1 : 0)
}

/** Opens the first `levels` levels and closes everything below: 1 shows the roots and their children. */
export function expandToLevel(forest: Forest, levels: number): void {
  forest.expanded.fill(0)
  let row: number[] = []
  for (let root = forest.firstRoot; root >= 0; root = forest.nextSibling(root)) row.push(root)
  for (let level = 0; level < levels && row.length > 0; level += 1) {
    const below: number[] = []
    for (const index of row) {
      forest.expanded[index] = 1
      for (let child = forest.firstChild(index); child >= 0; child = forest.nextSibling(child)) below.push(child)
    }
    row = below
  }
}

/** Opens everything above a node, so that its row exists. */
export function revealNode(forest: Forest, index: number): void {
  for (const above of forest.path(index).slice(0, -1)) forest.expanded[above] = 1
}
