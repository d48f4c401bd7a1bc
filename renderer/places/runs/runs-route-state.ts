import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { runDifferenceKinds, type RunDifferenceKind } from '../../../shared/recordings/comparison/run-difference.ts'

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
  const route = useRoute()
  const router = useRouter()
  const getText = (name: string): string => {
    const value = route.query[name]
    return typeof value === 'string' ? value : ''
  }
  const setTexts = (texts: Readonly<Record<string, string>>): void => {
    const query = Object.entries(texts).map(([name, value]) => [name, value || undefined] as const)
    void router.replace({ query: { ...route.query, ...Object.fromEntries(query) } })
  }
  return {
    before: computed(() => getText('before')),
    after: computed(() => getText('after')),
    setRuns: (before, after) => setTexts({ before, after }),
    layout: computed({
      get: () => (getText('view') === 'lanes' ? 'lanes' : 'list'),
      set: (layout) => setTexts({ view: layout === 'list' ? '' : layout }),
    }),
    kinds: computed({
      get: () => new Set(runDifferenceKinds.filter((kind) => getText('kinds').split(',').includes(kind))),
      set: (kinds) => setTexts({ kinds: [...kinds].join(',') }),
    }),
  }
}
