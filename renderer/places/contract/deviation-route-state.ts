import { computed, reactive, watch, type WritableComputedRef } from 'vue'
import { useRoute, useRouter, type LocationQuery } from 'vue-router'
import { deviationKinds, type DeviationKind } from '../../../shared/contract/deviation.ts'

interface DeviationFilter {
  text: string
  kind: DeviationKind | ''
  showsMuted: boolean
  /** Also lists what is only otherwise than observed, which is held against nobody. */
  showsObserved: boolean
}

interface DeviationRouteState {
  readonly filter: DeviationFilter
  /** Id of the open deviation; null if none is. */
  readonly selectedId: WritableComputedRef<string | number | null>
}

const getQueryText = (query: LocationQuery, name: string): string =>
  typeof query[name] === 'string' ? query[name] : ''
const parseFilter = (query: LocationQuery): DeviationFilter => ({
  text: getQueryText(query, 'q'),
  kind: deviationKinds.find((kind) => kind === getQueryText(query, 'kind')) ?? '',
  showsMuted: getQueryText(query, 'muted') === '1',
  showsObserved: getQueryText(query, 'observed') === '1',
})

/** Keeps the filter and the selection of the deviations in the address. */
export function useDeviationRouteState(): DeviationRouteState {
  const route = useRoute()
  const router = useRouter()
  // The address changes later than the fields, so they have a state of their own.
  const filter = reactive(parseFilter(route.query))
  watch(filter, ({ text, kind, showsMuted, showsObserved }) => {
    const query = {
      q: text || undefined,
      kind: kind || undefined,
      muted: showsMuted ? '1' : undefined,
      observed: showsObserved ? '1' : undefined,
    }
    void router.replace({ query: { ...route.query, ...query } })
  })
  watch(
    () => JSON.stringify(parseFilter(route.query)),
    () => Object.assign(filter, parseFilter(route.query)),
  )
  const selectedId = computed<string | number | null>({
    get: () => getQueryText(route.query, 'deviation') || null,
    set(id) {
      const query = { ...route.query, deviation: id === null ? undefined : String(id) }
      // Going through the rows adds one step to the history, not one per row.
      void (route.query['deviation'] ? router.replace({ query }) : router.push({ query }))
    },
  })
  return { filter, selectedId }
}
