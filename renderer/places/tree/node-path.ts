import type { Forest } from '../../model/tree/forest.ts'

/** Titles from the top down to a card, on one line for pasting. */
export const formatNodePath = (forest: Forest, node: number): string =>
  forest
    .path(node)
    .map((part) => forest.title(part))
    .join(' › ')
