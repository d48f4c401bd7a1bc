import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRoute, useRouter, type LocationQueryRaw } from 'vue-router'
import { findingClasses, type FindingClass, type FindingScope } from '../../../shared/protocol/finding.ts'
import { useFindings } from '../../stores/findings.ts'
import { usePanel } from '../../stores/panel.ts'
import { useQueryTexts } from '../query-texts.ts'
import { useExchangeTexts } from '../exchange-texts.ts'

const toScopeKey = ({ caller = '', load }: FindingScope): string => (load === undefined ? caller : `${caller} ${load}`)

/** Keeps the scope of the listed findings in the address. */
export function useFindingRouteState() {
  const { t } = useI18n()
  const route = useRoute()
  const router = useRouter()
  const findings = useFindings()
  const panel = usePanel()
  const exchange = useExchangeTexts()

  const { getText } = useQueryTexts()
  /** Undefined removes a member. */
  const mergeQuery = (query: Readonly<Record<string, string | undefined>>): LocationQueryRaw =>
    Object.fromEntries(Object.entries({ ...route.query, ...query }).filter(([, value]) => value !== undefined))

  /** All findings, those of one caller, or those of one load of a panel. */
  const scope = computed<FindingScope>(() => {
    const [caller, load] = [getText('caller').slice(0, 100), Number(getText('load'))]
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
  const scopeKey = computed<string>({
    get: () => toScopeKey(scope.value),
    set(choice) {
      const [caller, load] = choice.split(' ')
      void router.replace({
        query: mergeQuery({ caller: caller === '' ? undefined : caller, load, finding: undefined }),
      })
    },
  })
  /** Findings unless the address says otherwise. */
  const listedClass = computed<FindingClass>({
    get: () => findingClasses.find((name) => name === getText('class')) ?? 'findings',
    set: (name) =>
      void router.replace({
        query: mergeQuery({ class: name === 'findings' ? undefined : name, finding: undefined }),
      }),
  })
  return { scope, listedClass, scopeKey, scopeOptions, getText, mergeQuery }
}
