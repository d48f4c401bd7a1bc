import type { Forest } from '../../model/tree/forest.ts'

/** The titles from the top of the tree down to a card, joined into one line. */
export function formatNodePath(forest: Forest, node: number): string {
  return forest
    .getPath(node)
    .map((part) => forest.formatTitle(part, ''))
    .join(' › ')
}
