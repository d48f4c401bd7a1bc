import { ListedCardParser } from '../../../../shared/snapshots/card-content.ts'
import type { SnapshotSide } from '../../../../shared/snapshots/compare.ts'
import { ForestBuilder, type Forest } from '../../../../shared/snapshots/forest.ts'

export function buildListedForest(nodes: readonly unknown[]): Forest {
  const builder = new ForestBuilder()
  const parser = new ListedCardParser()
  for (const node of nodes) {
    const card = parser.parse(node)
    if (card) builder.add(card.noteid, card.parentId, card.content)
  }
  return builder.build()
}

export const toSide = (nodes: readonly unknown[], facts: Partial<SnapshotSide> = {}): SnapshotSide => ({
  forest: buildListedForest(nodes),
  isWhole: true,
  isInTreeOrder: true,
  members: null,
  ...facts,
})

export interface ListedNode {
  readonly noteid: string
  readonly parent: string | null
  readonly [member: string]: unknown
}

/** A card of a listing, whose title is its id unless `facts` say otherwise. */
export const listCard = (noteid: string, parent: string | null = null, facts: object = {}): ListedNode => ({
  noteid,
  parent,
  title: noteid,
  ...facts,
})
