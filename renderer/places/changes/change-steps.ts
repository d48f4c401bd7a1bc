import type { Ref } from 'vue'
import { useActions, useShortcuts } from '../../stores/shortcuts.ts'
import { changeActions } from './change-actions.ts'
import type { ListedChange } from './change-columns.ts'

interface ChangeSteps {
  step(delta: 1 | -1): void
  /** To be called before the tree handles a key. */
  onTreeKey(event: KeyboardEvent): void
}

/** Goes from change to change, with buttons and keys. */
export function useChangeSteps(
  changes: () => readonly ListedChange[],
  selectedRow: Ref<number>,
  show: (row: number) => void,
): ChangeSteps {
  const shortcuts = useShortcuts()

  function step(delta: 1 | -1): void {
    const { value: selected } = selectedRow
    const next =
      delta > 0
        ? changes().find(({ index }) => index > selected)
        : changes().findLast(({ index }) => selected < 0 || index < selected)
    if (!next) return
    selectedRow.value = next.index
    show(next.index)
  }

  const isEnabled = (): boolean => changes().length > 0
  const actions = [
    { ...changeActions.next, isEnabled, run: () => step(1) },
    { ...changeActions.previous, isEnabled, run: () => step(-1) },
  ]
  useActions(actions)

  return {
    step,
    // Otherwise the letter would go to the next card whose title begins with it.
    onTreeKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const action = actions.find(({ id }) => shortcuts.keysOf(id)?.toLowerCase() === event.key.toLowerCase())
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      action.run()
    },
  }
}
