import { computed, reactive, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { deviationKinds, type DeviationKind } from '../../../shared/contract/deviation.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

interface DeviationFilter {
  text: string
  kind: DeviationKind | ''
  showsMuted: boolean
  /** Also lists what is only otherwise than observed, which is held against nobody. */
  showsObserved: boolean
}

/** Keeps the filter and the selection of the deviations in the address. */
export function useDeviationRouteState() {
  const route = useRoute()
  const router = useRouter()
  const { getText, setTexts } = useQueryTexts()
  const parseFilter = (): DeviationFilter => ({
    text: getText('q'),
    kind: deviationKinds.find((kind) => kind === getText('kind')) ?? '',
    showsMuted: getText('muted') === '1',
    showsObserved: getText('observed') === '1',
  })
  // The address changes later than the fields, so they have a state of their own.
  const filter = reactive(parseFilter())
  watch(filter, ({ text, kind, showsMuted, showsObserved }) =>
    setTexts({ q: text, kind, muted: showsMuted ? '1' : '', observed: showsObserved ? '1' : '' }),
  )
  watch(
    () => JSON.stringify(parseFilter()),
    () => Object.assign(filter, parseFilter()),
  )
  const selectedId = computed<string | number | null>({
    get: () => getText('deviation') || null,
    set(id) {
      const query = { ...route.query, deviation: id === null ? undefined : String(id) }
      // Going through the rows adds one step to the history, not one per row.
      void (route.query['deviation'] ? router.replace({ query }) : router.push({ query }))
    },
  })
  return { filter, selectedId }
}
