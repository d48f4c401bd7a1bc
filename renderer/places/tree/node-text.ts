import type { Forest } from '../../../shared/tree/forest.ts'

/** Titles from the top down to a card, as one line to paste. */
export const pathText = (forest: Forest, node: number): string =>
  forest
    .path(node)
    .map((part) => forest.title(part))
    .join(' › ')

/** Address with which the host's own app opens a card (observed-0.49). */
export const hostLink = (noteid: string): string => `marginnote4app://note/${encodeURIComponent(noteid)}`
