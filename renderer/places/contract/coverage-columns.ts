import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import { listErrorCodes } from '../../../shared/bridge/endpoint-errors.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { RouteCoverage } from '../../../shared/panel/coverage.ts'
import type { Column } from '../../components/grid/columns.ts'

export interface CoverageRow {
  readonly key: string
  readonly method: string
  readonly template: string
  /** Null for a route that was never called. */
  readonly route: RouteCoverage | null
}

/** The columns of what was recorded of each route, beside what is known of it. */
export function useCoverageColumns(): ComputedRef<readonly Column<CoverageRow>[]> {
  const { t, n } = useI18n()
  const getText = (key: string, values: Readonly<Record<string, string>> = {}): string =>
    t(`contractPlace.coverage.${key}`, values)

  function formatNames(names: readonly string[], knownNames: readonly string[], label = (name: string) => name) {
    const total = new Set([...knownNames, ...names]).size
    if (names.length === 0) return total === 0 ? '' : getText('noneOf', { all: n(total) })
    return `${getText('seenOf', { seen: n(names.length), all: n(total) })}: ${names.map(label).join(', ')}`
  }
  const getEndpoint = ({ endpoint }: RouteCoverage) => (endpoint === null ? undefined : findEndpointById(endpoint))
  function formatParameters(route: RouteCoverage): string {
    const parameters = (getEndpoint(route)?.parameters ?? []).filter((parameter) => parameter.in === 'query')
    return formatNames(
      Object.keys(route.parameters),
      parameters.map(({ name }) => name),
    )
  }
  function formatCodes(route: RouteCoverage): string {
    const endpoint = getEndpoint(route)
    const isMade = (code: string): boolean => route.madeErrorCodes[code] === route.errorCodes[code]
    return formatNames(Object.keys(route.errorCodes), endpoint ? listErrorCodes(endpoint) : [], (code) =>
      isMade(code) ? getText('madeCode', { code }) : code,
    )
  }
  const formatCounts = (counts: Readonly<Record<string, number>>, group: 'size' | 'state'): string =>
    Object.entries(counts)
      .map(([name, calls]) => getText('counted', { n: n(calls), what: getText(`${group}.${name}`) }))
      .join(', ')
  const formatStates = ({ states, responders }: RouteCoverage): string =>
    [
      formatCounts(states, 'state'),
      ...Object.entries(responders).map(([name, calls]) => getText(`responder.${name}`, { n: n(calls) })),
    ].join(', ')
  const createColumn = (
    id: string,
    width: number,
    format: (route: RouteCoverage) => string,
    more: Partial<Column<CoverageRow>> = {},
  ): Column<CoverageRow> => ({
    id,
    fitsText: true,
    header: getText(id),
    width,
    minWidth: 80,
    value: ({ route }) => (route ? format(route) : ''),
    ...more,
  })

  return computed(() => [
    { id: 'method', header: getText('method'), width: 70, mono: true, value: ({ method }) => method },
    {
      id: 'path',
      neverCut: true,
      header: getText('path'),
      width: 180,
      grow: true,
      mono: true,
      value: ({ template }) => template,
    },
    {
      id: 'calls',
      header: getText('calls'),
      width: 70,
      neverCut: true,
      align: 'end',
      value: ({ route }) => route?.calls ?? 0,
      text: ({ route }) => (route ? n(route.calls) : getText('never')),
    },
    createColumn('codes', 190, formatCodes),
    createColumn('parameters', 180, formatParameters, { hidePriority: 2 }),
    createColumn('states', 170, formatStates, { hidePriority: 1 }),
    createColumn('content', 80, ({ mediaTypes }) => Object.keys(mediaTypes).join(', '), {
      neverCut: true,
      hidePriority: 3,
    }),
    createColumn('sizes', 80, ({ sizes }) => formatCounts(sizes, 'size'), { neverCut: true, hidePriority: 4 }),
  ])
}
