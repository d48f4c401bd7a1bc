import { readRecordedCoverage } from '../../electron/services/traffic/recorded/recorded-coverage.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  createUsageError,
  dataDirFlags,
  exchangeFlags,
  outputFileFlags,
  parseExchangeFilter,
  parseRun,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { getDataDir } from '../base/session.ts'
import { coverageKinds, type ContractCoverage } from '../../electron/core/contract/contract-coverage.ts'
import { toPlainText } from '../base/io.ts'
import { toCode, toTable } from '../output/deviation-report.ts'

interface CoverageReport extends ContractCoverage {
  readonly exchanges: number
  /** False if all routes of the contract are counted, because those of the host are not known. */
  readonly isHostListKnown: boolean
}

const coverageFormats = ['text', 'json', 'markdown'] as const

/** Each report ends with a line break. */
const coverageReporters: Readonly<Record<(typeof coverageFormats)[number], (report: CoverageReport) => string>> = {
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
    ({ method, path }) => `${'uncounted'.padEnd(9)} ${toPlainText(`${method} ${path}`)}`,
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

const flags = [
  ...exchangeFlags,
  {
    name: 'fail-under',
    valueName: 'PERCENT',
    description: 'end with 11 if less was met, or nothing was recorded',
  },
  { name: 'format', valueName: 'FORMAT', choices: coverageFormats, description: 'what the report looks like' },
  ...outputFileFlags,
  ...dataDirFlags,
] as const satisfies readonly Flag[]

async function run(
  { io, env }: CommandContext,
  _: readonly string[],
  {
    dataDir: chosenDir,
    origin,
    run: runText,
    filter,
    failUnder,
    json,
    format,
    output,
    force,
  }: CommandOptions<typeof flags>,
): Promise<CommandExit> {
  const minPercent = parsePercent(failUnder)
  assertOutputWritable({ output, force })
  const dataDir = getDataDir(chosenDir, env)
  const { coverage, exchanges, isHostListKnown } = await readRecordedCoverage(dataDir, {
    origin,
    run: parseRun(runText),
    filter: parseExchangeFilter(filter),
  })
  const report = coverageReporters[format ?? (json ? 'json' : 'text')]
  await withOutput(io, { output }, (print) => print(report({ ...coverage, exchanges, isHostListKnown })))
  // Nothing was counted then, which must not look like untested routes.
  if (exchanges === 0) io.printStderr(`NOTHING_RECORDED: Of this, no exchange is recorded in ${dataDir}.`)
  else if (!isHostListKnown) io.printNote('The routes of the host are not known, so all of the contract are counted.')
  if (minPercent === null) return 'ok'
  return exchanges === 0 || coverage.met * 100 < minPercent * coverage.total ? 'unmet' : 'ok'
}

function parsePercent(value: string | undefined): number | null {
  if (value === undefined) return null
  const percent = /^\d{1,3}(?:\.\d{1,3})?$/.test(value) ? Number(value) : NaN
  if (!(percent <= 100)) throw createUsageError('--fail-under takes a number from 0 to 100.')
  return percent
}

export const coverageCommand = defineCommand({
  name: 'coverage',
  summary: 'What of the contract the recorded calls met',
  description: [
    'Reads the traffic that the app, or a command that writes, recorded in the data directory; the app may be running. Lists each route of the contract with the query parameters, statuses and error codes that no call met. Calls of the program itself do not count, unless --origin names them.',
    'Only what the contract states is counted, and no route that the host does not list. A response of an override counts, too.',
  ],
  args: [],
  flags,
  examples: [
    { commandLine: 'coverage --run last', description: 'of the last run' },
    {
      commandLine: 'coverage --origin panel --run last --fail-under 20',
      description: 'in CI, after the tests of a panel',
    },
    { commandLine: 'coverage --format markdown -o coverage.md', description: 'for a report' },
  ],
  run,
})
