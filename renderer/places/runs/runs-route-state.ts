import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import { runDifferenceKinds, type RunDifferenceKind } from '../../../shared/recordings/comparison/run-difference.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

interface RunsRouteState {
  /** As in `run-sources.ts`; empty while the address names none. */
  readonly before: ComputedRef<string>
  readonly after: ComputedRef<string>
  setRuns(before: string, after: string): void
  readonly layout: WritableComputedRef<'list' | 'lanes'>
  /** Empty if differences of all kinds are shown. */
  readonly kinds: WritableComputedRef<ReadonlySet<RunDifferenceKind>>
}

/** Keeps the two runs, the form and the filter in the address. */
export function useRunsRouteState(): RunsRouteState {
  const { getText, setTexts, getChoices } = useQueryTexts()
  return {
    before: computed(() => getText('before')),
    after: computed(() => getText('after')),
    setRuns: (before, after) => setTexts({ before, after }),
    layout: computed({
      get: () => (getText('view') === 'lanes' ? 'lanes' : 'list'),
      set: (layout) => setTexts({ view: layout === 'list' ? '' : layout }),
    }),
    kinds: computed({
      get: () => getChoices('kinds', runDifferenceKinds),
      set: (kinds) => setTexts({ kinds: [...kinds].join(',') }),
    }),
  }
}
