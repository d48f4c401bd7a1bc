import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { LearnedFilter } from '../../../shared/ipc/contract-schemas.ts'

interface LearnedRouteState {
  readonly filter: WritableComputedRef<LearnedFilter>
  /** Method and template of the selected route; empty if none is. */
  readonly selectedKey: WritableComputedRef<string | number | null>
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Keeps the filter and the selected route of what was learned in the address. */
export function useLearnedRouteState(): LearnedRouteState {
  const route = useRoute()
  const router = useRouter()
  const getQueryText = (name: string): string | null =>
    typeof route.query[name] === 'string' && route.query[name] !== '' ? route.query[name] : null
  const getDay = (name: string): string | null => (DAY.test(getQueryText(name) ?? '') ? getQueryText(name) : null)
  const setQuery = (query: Readonly<Record<string, string | undefined>>): void =>
    void router.replace({ query: { ...route.query, ...query } })
  return {
    filter: computed({
      get: () => ({
        host: getQueryText('host')?.slice(0, 2_000) ?? null,
        version: getQueryText('version')?.slice(0, 200) ?? null,
        from: getDay('from'),
        to: getDay('to'),
      }),
      set: ({ host, version, from, to }) =>
        setQuery({
          host: host ?? undefined,
          version: version ?? undefined,
          from: from ?? undefined,
          to: to ?? undefined,
        }),
    }),
    selectedKey: computed({
      get: () => getQueryText('route'),
      set: (key) => setQuery({ route: key === null ? undefined : String(key) }),
    }),
  }
}
