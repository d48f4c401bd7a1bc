import type { VNodeChild } from 'vue'

/**
 * Functions with which the owner of a tree adds content to rows: `lead` before the title, `marks`
 * after it if the node has a description, `row` at the end, `edit` in place of the title that is
 * being edited.
 */
export interface TreeSlots {
  lead?(props: { node: number }): VNodeChild
  marks?(props: { node: number; description: string }): VNodeChild
  row?(props: { node: number }): VNodeChild
  edit?(props: { node: number }): VNodeChild
}
