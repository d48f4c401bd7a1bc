import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute, useRouter, type LocationQueryRaw } from 'vue-router'
import { findingClasses, type FindingClass, type FindingScope } from '../../../shared/protocol/finding.ts'
import { useFindings } from '../../stores/findings.ts'
import { usePanel } from '../../stores/panel.ts'
import { useExchangeTexts } from '../exchange-texts.ts'

interface FindingRouteState {
  /** The scope is all findings, those of one caller, or those of one load of a panel. */
  readonly scope: ComputedRef<FindingScope>
  /** The scope as the value of a select; `''` stands for all. */
  readonly scopeKey: WritableComputedRef<string>
  /** Findings unless the address says otherwise. */
  readonly listedClass: WritableComputedRef<FindingClass>
  readonly scopeOptions: ComputedRef<readonly { readonly value: string; readonly label: string }[]>
  /** Empty if the query has no such member. */
  getQueryText(name: string): string
  /** Undefined removes a member. */
  mergeQuery(query: Readonly<Record<string, string | undefined>>): LocationQueryRaw
}

const toScopeKey = ({ caller = '', load }: FindingScope): string => (load === undefined ? caller : `${caller} ${load}`)

/** Keeps the scope of the listed findings in the address. */
export function useFindingRouteState(): FindingRouteState {
  const { t } = useI18n()
  const route = useRoute()
  const router = useRouter()
  const findings = useFindings()
  const panel = usePanel()
  const exchange = useExchangeTexts()

  const getQueryText = (name: string): string => (typeof route.query[name] === 'string' ? route.query[name] : '')
  const mergeQuery: FindingRouteState['mergeQuery'] = (query) =>
    Object.fromEntries(Object.entries({ ...route.query, ...query }).filter(([, value]) => value !== undefined))

  const scope = computed<FindingScope>(() => {
    const [caller, load] = [getQueryText('caller').slice(0, 100), Number(getQueryText('load'))]
    if (caller === '') return {}
    return Number.isInteger(load) && load > 0 ? { caller, load } : { caller }
  })
  const scopeOptions = computed(() => {
    const all = findings.list.flatMap(({ origins }) => origins).filter(({ caller }) => caller !== undefined)
    const names = new Map(all.toReversed().map((origin) => [origin.caller ?? '', exchange.formatOrigin(origin)]))
    const { caller = null, pageLoad = 0, name = '' } = panel.state ?? {}
    if (caller !== null) names.set(caller, exchange.formatOrigin({ kind: 'panel', label: name }))
    const callers = [...names].map(([value, label]) => ({ value, label }))
    const current = caller === null ? [] : [{ value: `${caller} ${pageLoad}`, label: t('protocol.scope.load') }]
    const listed = [...current, ...callers]
    const chosen = toScopeKey(scope.value)
    if (chosen === '' || listed.some(({ value }) => value === chosen)) return listed
    return [...listed, { value: chosen, label: t(`protocol.scope.${scope.value.load ? 'earlierLoad' : 'other'}`) }]
  })
  const scopeKey = computed({
    get: () => toScopeKey(scope.value),
    set(choice) {
      const [caller, load] = choice.split(' ')
      void router.replace({
        query: mergeQuery({ caller: caller === '' ? undefined : caller, load, finding: undefined }),
      })
    },
  })
  const listedClass = computed({
    get: () => findingClasses.find((name) => name === getQueryText('class')) ?? 'findings',
    set: (name) =>
      void router.replace({
        query: mergeQuery({ class: name === 'findings' ? undefined : name, finding: undefined }),
      }),
  })
  return { scope, listedClass, scopeKey, scopeOptions, getQueryText, mergeQuery }
}
