import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import type { SnapshotChoice } from '../../../shared/ipc/snapshots.ts'
import { changeKinds, type ChangeKind } from '../../../shared/snapshots/card-content.ts'
import { causeCertainties, type CauseCertainty } from '../../../shared/snapshots/cause.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

interface ChangesRouteState {
  /** Null while the address names none. */
  readonly before: ComputedRef<number | null>
  readonly after: ComputedRef<SnapshotChoice>
  setSnapshots(before: number | null, after: SnapshotChoice): void
  readonly layout: WritableComputedRef<'tree' | 'list'>
  /** Empty if changes of all kinds are shown. */
  readonly kinds: WritableComputedRef<ReadonlySet<ChangeKind>>
  readonly certainty: WritableComputedRef<CauseCertainty | ''>
  /** The id of the card that is selected as soon as its row was read; empty if none is. */
  readonly card: ComputedRef<string>
}

/** Keeps the two snapshots, the form and the filter in the address. */
export function useChangesRouteState(): ChangesRouteState {
  const { getText, setTexts, getChoices } = useQueryTexts()
  const setText = (name: string, value: string): void => setTexts({ [name]: value })
  const getId = (name: string): number | null => (/^[1-9]\d{0,14}$/.test(getText(name)) ? Number(getText(name)) : null)

  return {
    before: computed(() => getId('before')),
    after: computed(() => getId('after') ?? 'now'),
    setSnapshots: (before, after) =>
      setTexts({ before: String(before ?? ''), after: after === 'now' ? '' : String(after) }),
    layout: computed({
      get: () => (getText('view') === 'list' ? 'list' : 'tree'),
      set: (layout) => setText('view', layout === 'tree' ? '' : layout),
    }),
    kinds: computed({
      get: () => getChoices('kinds', changeKinds),
      set: (kinds) => setText('kinds', [...kinds].join(',')),
    }),
    certainty: computed({
      get: () => causeCertainties.find((certainty) => certainty === getText('cause')) ?? '',
      set: (certainty) => setText('cause', certainty),
    }),
    card: computed(() => getText('card')),
  }
}
