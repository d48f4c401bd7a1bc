import { ref } from 'vue'
import { toExpectedPrefix } from '../../../shared/cards.ts'
import { getCardFieldValues } from '../../panes/write/card-field-values.ts'
import { useOperations } from '../../stores/operations.ts'
import { useTree } from '../../stores/tree.ts'

/**
 * Renames a card in its row. The new title goes to the review in the write sheet, together with the
 * beginning of the old title, so that the host refuses the write if the title has changed since.
 * @param onEnd returns the focus to the tree.
 */
export function useTitleEditing(onEnd: () => void) {
  const tree = useTree()
  const operations = useOperations()
  /** Index of the card being renamed; -1 if there is none. */
  const editedNode = ref(-1)

  function beginEditing(node: number): void {
    if (tree.forest.getNoteid(node) !== '') editedNode.value = node
  }

  function endEditing(title: string | null): void {
    const node = editedNode.value
    if (node < 0) return
    editedNode.value = -1
    // The focus returns first: the write sheet restores it to the element that has it now.
    onEnd()
    const before = tree.forest.getTitle(node)
    if (title === null || title === before) return
    const values = getCardFieldValues(tree.forest.getNoteid(node), tree.key?.topicid ?? null)
    const expected = tree.forest.hasTitle(node) ? { expectedPrefix: toExpectedPrefix(before) } : {}
    const fieldValues = { ...values, text: title, ...expected }
    operations.compose('notes.title', fieldValues, { review: true })
  }

  return { editedNode, beginEditing, endEditing }
}
