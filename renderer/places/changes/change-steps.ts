import { watch, type Ref } from 'vue'
import { getShortcutKey } from '../../../shared/format/shortcut-key.ts'
import type { SnapshotChangeRow } from '../../../shared/ipc/snapshots.ts'
import { useActions, useShortcuts } from '../../stores/shortcuts.ts'
import { changeActions } from './change-actions.ts'
import type { ListedChange } from './change-columns.ts'

interface ChangeSteps {
  step(delta: 1 | -1): void
  /** Must be called before the tree handles a key. */
  onTreeKey(event: KeyboardEvent): void
}

interface SteppedChanges {
  readonly rows: Readonly<Ref<readonly SnapshotChangeRow[]>>
  readonly listed: Readonly<Ref<readonly ListedChange[]>>
  /** The id of the card to begin with; empty if there is none. */
  readonly card: Readonly<Ref<string>>
  /** -1 if no row is selected. */
  readonly selectedRow: Ref<number>
}

/** Begins at the card of the address, and goes from change to change, with buttons and keys. */
export function useChangeSteps(
  { rows, listed, card, selectedRow }: SteppedChanges,
  show: (row: number) => void,
): ChangeSteps {
  const shortcuts = useShortcuts()

  watch([card, rows], () => {
    if (card.value === '' || selectedRow.value >= 0) return
    const isRowOfCard = (row: SnapshotChangeRow): boolean =>
      row.row !== 'gap' && row.row !== 'ghost' && row.noteid === card.value
    selectedRow.value = rows.value.findLastIndex(isRowOfCard)
    if (selectedRow.value >= 0) show(selectedRow.value)
  })

  function step(delta: 1 | -1): void {
    const { value: selected } = selectedRow
    const next =
      delta > 0
        ? listed.value.find(({ index }) => index > selected)
        : listed.value.findLast(({ index }) => selected < 0 || index < selected)
    if (!next) return
    selectedRow.value = next.index
    show(next.index)
  }

  const isEnabled = (): boolean => listed.value.length > 0
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
      const action = actions.find(
        ({ id }) => shortcuts.keysOf(id)?.toLowerCase() === getShortcutKey(event).toLowerCase(),
      )
      if (!action) return
      event.preventDefault()
      event.stopPropagation()
      action.run()
    },
  }
}
