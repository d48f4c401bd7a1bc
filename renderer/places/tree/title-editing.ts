import { ref } from 'vue'
import { toExpectedPrefix } from '../../../shared/cards.ts'
import { getCardFieldValues } from '../../panes/write/card-field-values.ts'
import { useOperations } from '../../stores/operations.ts'
import { useTree } from '../../stores/tree.ts'

/**
 * Renames a card where it stands: what was typed goes to the review of the one write sheet,
 * together with how the title began that was changed, so that the host refuses if it is another one
 * by now.
 */
export function useTitleEditing(done: () => void) {
  const tree = useTree()
  const operations = useOperations()
  /** Index of the card being renamed; -1 = none. */
  const editedNode = ref(-1)

  function beginEditing(node: number): void {
    if (tree.forest.noteid(node) !== '') editedNode.value = node
  }

  function endEditing(title: string | null): void {
    const node = editedNode.value
    if (node < 0) return
    editedNode.value = -1
    // The focus first: the sheet gives it back to whatever had it.
    done()
    const before = tree.forest.title(node)
    if (title === null || title === before) return
    const values = getCardFieldValues(tree.forest.noteid(node), tree.key?.topicid ?? null)
    const given = { ...values, text: title, expectedPrefix: toExpectedPrefix(before) }
    operations.compose('notes.title', given, { review: true })
  }

  return { editing: editedNode, begin: beginEditing, end: endEditing }
}
