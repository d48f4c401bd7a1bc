import { computed } from 'vue'
import { runDifferenceKinds } from '../../../shared/recordings/comparison/run-difference.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

/** Keeps the two runs, the form and the filter in the address. */
export function useRunsRouteState() {
  const { getText, setTexts, bindChoice, bindChoices } = useQueryTexts()
  return {
    /** As in `panes/recordings/run-sources.ts`; empty while the address names none. */
    before: computed(() => getText('before')),
    after: computed(() => getText('after')),
    setRuns: (before: string, after: string): void => setTexts({ before, after }),
    layout: bindChoice('view', ['list', 'lanes']),
    /** Empty if differences of all kinds are shown. */
    kinds: bindChoices('kinds', runDifferenceKinds),
  }
}
