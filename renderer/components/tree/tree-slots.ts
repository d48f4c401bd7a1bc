import type { VNodeChild } from 'vue'

/**
 * Functions with which the owner of a tree adds content to rows: `row` at the end, `edit` in place
 * of the title that is being edited.
 */
export interface TreeSlots {
  row?(props: { node: number }): VNodeChild
  edit?(props: { node: number }): VNodeChild
}
