import { computed } from 'vue'
import type { SnapshotChoice } from '../../../shared/ipc/snapshots.ts'
import { changeKinds } from '../../../shared/snapshots/card-content.ts'
import { causeCertainties } from '../../../shared/snapshots/cause.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

/** Keeps the two snapshots, the form and the filter in the address. */
export function useChangesRouteState() {
  const { getText, setTexts, bindChoice, bindChoices } = useQueryTexts()
  const getId = (name: string): number | null => (/^[1-9]\d{0,14}$/.test(getText(name)) ? Number(getText(name)) : null)
  return {
    /** Null while the address names none. */
    before: computed(() => getId('before')),
    after: computed<SnapshotChoice>(() => getId('after') ?? 'now'),
    setSnapshots: (before: number | null, after: SnapshotChoice): void =>
      setTexts({ before: String(before ?? ''), after: after === 'now' ? '' : String(after) }),
    layout: bindChoice('view', ['tree', 'list']),
    /** Empty if changes of all kinds are shown. */
    kinds: bindChoices('kinds', changeKinds),
    certainty: bindChoice('cause', ['', ...causeCertainties]),
    /** The id of the card that is selected as soon as its row was read; empty if none is. */
    card: computed(() => getText('card')),
  }
}
