import { coverageKinds, type ContractCoverage } from '../../electron/core/contract/contract-coverage.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { toSingleLine } from '../base/io.ts'
import { toCode, toTable } from './deviation-report.ts'

interface CoverageReport extends ContractCoverage {
  /** Number of exchanges that were counted. */
  readonly exchanges: number
  /** False if all routes of the contract are counted, because those of the host are not known. */
  readonly isHostListKnown: boolean
}

export const coverageFormats = ['text', 'json', 'markdown'] as const

/** Each report ends with a line break. */
export const coverageReporters: Readonly<Record<(typeof coverageFormats)[number], (report: CoverageReport) => string>> =
  {
    text: formatText,
    json: (report) => `${JSON.stringify(report, null, 2)}\n`,
    markdown: formatMarkdown,
  }

type Route = ContractCoverage['routes'][number]
const kindTexts = { route: 'routes', parameter: 'parameters', status: 'statuses', code: 'error codes' } as const

const listUnmet = ({ cases }: Route): string[] => cases.filter(({ count }) => count === 0).map(({ name }) => name)

const describeSums = ({ kinds }: CoverageReport): string =>
  coverageKinds.map((kind) => `${kinds[kind].met} of ${kinds[kind].total} ${kindTexts[kind]}`).join(', ')

function formatText(report: CoverageReport): string {
  const routes = report.routes.map((route) => {
    const unmet = listUnmet(route)
    const state = route.calls === 0 ? 'not met' : unmet.length === 0 ? 'met' : 'in part'
    const rest = route.calls === 0 || unmet.length === 0 ? '' : `  not met: ${unmet.join(', ')}`
    return `${state.padEnd(9)}${route.method} ${route.path}${rest}`
  })
  const uncounted = report.uncounted.map(
    ({ method, path }) => `${'uncounted'.padEnd(9)} ${escapeInvisible(toSingleLine(`${method} ${path}`))}`,
  )
  return `${[...routes, ...uncounted, `${report.percent}% met: ${describeSums(report)}`].join('\n')}\n`
}

function formatMarkdown(report: CoverageReport): string {
  const rows = report.routes.map((route) => [
    toCode(`${route.method} ${route.path}`),
    String(route.calls),
    listUnmet(route).map(toCode).join(' '),
  ])
  const uncounted = report.uncounted.map(({ method, path, calls }) => [toCode(`${method} ${path}`), String(calls)])
  return [
    `# Coverage of the contract\n\n${report.percent}% met: ${describeSums(report)}.\n`,
    toTable(['Route', 'Calls', 'Not met'], rows),
    toTable(['Not counted', 'Calls'], uncounted),
  ]
    .filter((part) => part !== '')
    .join('\n')
}
