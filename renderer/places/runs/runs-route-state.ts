import { computed } from 'vue'
import { runDifferenceKinds, type RunDifferenceKind } from '../../../shared/recordings/comparison/run-difference.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

/** Keeps the two runs, the form and the filter in the address. */
export function useRunsRouteState() {
  const { getText, setTexts, getChoices } = useQueryTexts()
  return {
    /** As in `run-sources.ts`; empty while the address names none. */
    before: computed(() => getText('before')),
    after: computed(() => getText('after')),
    setRuns: (before: string, after: string): void => setTexts({ before, after }),
    layout: computed<'list' | 'lanes'>({
      get: () => (getText('view') === 'lanes' ? 'lanes' : 'list'),
      set: (layout) => setTexts({ view: layout === 'list' ? '' : layout }),
    }),
    /** Empty if differences of all kinds are shown. */
    kinds: computed<ReadonlySet<RunDifferenceKind>>({
      get: () => getChoices('kinds', runDifferenceKinds),
      set: (kinds) => setTexts({ kinds: [...kinds].join(',') }),
    }),
  }
}
