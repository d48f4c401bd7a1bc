import {
  readMutedDeviations,
  readRecordedDeviations,
} from '../../../electron/services/traffic/recorded/recorded-deviations.ts'
import { isBindingDeviation, type Deviation } from '../../../shared/contract/deviation.ts'
import { askReads, type PlannedRead, type ReadOutcome } from '../../../shared/contract/read-plan.ts'
import { AppError, toWireError } from '../../../shared/errors.ts'
import type { IpcOutput } from '../../../shared/ipc/index.ts'
import type { CommandContext, CommandExit } from '../../base/command.ts'
import type { Io } from '../../base/io.ts'
import { assertArtifact, chooseFormat, outputFileFlags } from '../../base/flags.ts'
import { assertOutputWritable, withOutput } from '../../base/output-file.ts'
import { toProgramConfig, type ConnectedSession } from '../../base/session.ts'
import {
  formatDeviationJson,
  formatDeviationMarkdown,
  formatDeviationText,
  type DeviationReport,
} from '../../output/deviation-report.ts'
import { formatSarif, toResults, type SkippedRead } from '../../../electron/core/sarif/deviation-sarif.ts'
import { formatAnnotations } from '../../output/finding-reports.ts'
import { parseJson } from '../../output/response-list.ts'
import { checkFlags, type ContractAction, type ContractOptions } from './contract-action.ts'

/** Each report ends with a line break. `version` is that of this program. */
const reporters = {
  text: formatDeviationText,
  json: formatDeviationJson,
  sarif: formatSarif,
  markdown: formatDeviationMarkdown,
  github: ({ deviations }, _, artifact) => formatAnnotations(toResults(deviations, artifact)),
} as const satisfies Record<string, (report: DeviationReport, version: string, artifact?: string) => string>

async function run(context: CommandContext, _: readonly string[], options: ContractOptions): Promise<CommandExit> {
  const { io, version } = context
  const format = chooseFormat(['json', 'sarif', 'markdown', 'github'], options)
  assertOutputWritable(options)
  assertArtifact(options.artifact, format === 'sarif' || format === 'github')
  const hasHost = options.profile !== undefined || options.baseUrl !== undefined || options.demo === true
  const done = new AbortController()
  const stop: Stop = { isStopped: false, whenStopped: waitForStop(context, done.signal, () => (stop.isStopped = true)) }
  try {
    const list = hasHost ? await askHost(context, options, stop) : await readRecordedReport(context, options, stop)
    const report = { ...list, listsObserved: options.observed === true }
    io.showProgress(null)
    await withOutput(io, options, (print) =>
      Promise.resolve(print(reporters[format](report, version, options.artifact))),
    )
    printRemarks(context, report)
    return getExit(report, options.fail === true)
  } finally {
    done.abort()
  }
}

/** The first Ctrl+C ends the work, and what was found by then is printed. */
interface Stop {
  isStopped: boolean
  readonly whenStopped: Promise<void>
}

async function waitForStop({ waitForSignal }: CommandContext, until: AbortSignal, onStop: () => void): Promise<void> {
  if ((await waitForSignal(until)) !== null) onStop()
}

async function askHost(
  { io, openSession, env }: CommandContext,
  options: ContractOptions,
  stop: Stop,
): Promise<Omit<DeviationReport, 'listsObserved'>> {
  const session = await openSession({
    host: options,
    keepsTraffic: true,
    isAnyResponseAllowed: true,
    timeLimit: 'request',
  })
  const muted = await readMutes(io, toProgramConfig(options, env).dataDir)
  const skipped: Record<'refused' | 'failed', SkippedRead[]> = { refused: [], failed: [] }
  let count = 0
  const { plan, isWhole } = await askReads(async (read) => {
    const { method, path } = read.endpoint
    io.showProgress(`${(count += 1)} reads: ${method} ${path}`)
    const outcome = await Promise.race([askRead(session, read), stop.whenStopped.then(() => 'stopped' as const)])
    if (outcome === 'stopped') return null
    if (outcome.problem) {
      const { kind, code, reason } = outcome.problem
      skipped[kind].push({ method, path, code, reason })
    }
    return outcome
  })
  const list = await readDeviations(session, stop)
  const deviations = list.deviations.map((deviation) => ({ ...deviation, muted: muted.get(deviation.id) ?? null }))
  const unasked = plan.listUnasked().map(({ endpoint: { method, path }, missing }) => ({
    method,
    path,
    code: null,
    reason: missing === '' ? 'it was stopped before' : `no response names a value for ${missing}`,
  }))
  if (plan.unlistedCount > 0) io.printNote(`${plan.unlistedCount} reads that the host does not list were left out.`)
  return createReport({ ...list, deviations }, session.state.profile?.baseUrl ?? '', {
    unasked,
    ...skipped,
    isPartial: stop.isStopped || !isWhole,
  })
}

/** A host can be asked where nothing recorded can be read, for example by an older Node. */
async function readMutes(io: Io, dataDir: string): ReturnType<typeof readMutedDeviations> {
  try {
    return await readMutedDeviations(dataDir)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    io.printNote(`What was muted is listed too: ${error.message}`)
    return new Map()
  }
}

/** Each call judges some of what was recorded. */
async function readDeviations({ call }: ConnectedSession, stop: Stop): Promise<IpcOutput<'contract.deviations'>> {
  let list = await call('contract.deviations', {})
  while (list.unjudgedExchanges > 0 && !stop.isStopped) list = await call('contract.deviations', {})
  return list
}

interface JudgedReadOutcome extends ReadOutcome {
  /** Why the usual response could not be judged; null if it could. */
  readonly problem: { readonly kind: 'refused' | 'failed'; readonly code: string; readonly reason: string } | null
}

async function askRead({ call }: ConnectedSession, { endpoint, ...request }: PlannedRead): Promise<JudgedReadOutcome> {
  try {
    const { bytes } = await call('bridge.read', { endpoint: endpoint.id, ...request })
    const body = endpoint.response.kind === 'json' ? parseJson(new Uint8Array(bytes)) : undefined
    return { body, isLost: false, problem: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { kind, code = kind, message } = toWireError(error)
    const isLost = kind === 'offline' || kind === 'timeout'
    const reason = `${code}: ${message}`
    return { body: undefined, isLost, problem: { kind: kind === 'host' ? 'refused' : 'failed', code, reason } }
  }
}

async function readRecordedReport(
  { io, env }: CommandContext,
  options: ContractOptions,
  stop: Stop,
): Promise<Omit<DeviationReport, 'listsObserved'>> {
  const list = await readRecordedDeviations(toProgramConfig(options, env).dataDir, {
    onProgress: (left) => io.showProgress(`${left} exchanges left to judge`),
    isStopped: () => stop.isStopped,
  })
  return createReport(list, null, { unasked: [], refused: [], failed: [], isPartial: stop.isStopped })
}

const toSortKey = ({ template, method, pointer, kind }: Deviation): string => `${template} ${method} ${pointer} ${kind}`

const isMuted = ({ muted }: Deviation): boolean => muted !== null

function createReport(
  list: IpcOutput<'contract.deviations'> | null,
  baseUrl: string | null,
  facts: Pick<DeviationReport, 'unasked' | 'refused' | 'failed' | 'isPartial'>,
): Omit<DeviationReport, 'listsObserved'> {
  const sorted = [...(list?.deviations ?? [])].sort((first, second) => (toSortKey(first) < toSortKey(second) ? -1 : 1))
  const { ungroupedCount = 0, judgedExchanges = 0, unjudgedExchanges = 0 } = list ?? {}
  const binding = sorted.filter(isBindingDeviation)
  return {
    baseUrl,
    deviations: binding.filter((deviation) => !isMuted(deviation)),
    muted: binding.filter(isMuted),
    observed: sorted.filter((deviation) => !isBindingDeviation(deviation) && !isMuted(deviation)),
    ungroupedCount,
    exchanges: judgedExchanges,
    ...facts,
    isPartial: facts.isPartial || unjudgedExchanges > 0,
  }
}

function printRemarks({ io }: CommandContext, report: DeviationReport): void {
  const { exchanges, deviations, muted, observed, ungroupedCount, isPartial, unasked, refused, failed } = report
  // Nothing was checked then, which must not look like a success.
  if (exchanges === 0) io.printStderr('NOTHING_JUDGED: There is no response that could be held against the contract.')
  else if (deviations.length === 0) io.printNote(`No deviations in the ${exchanges} responses that could be judged.`)
  if (isPartial) io.printStderr('STOPPED: This is only a part: not everything was asked or judged.')
  if (failed.length > 0) io.printStderr(`NOT_JUDGED: ${failed.length} reads got no usable response.`)
  if (refused.length > 0) io.printNote(`${refused.length} reads were answered with an error.`)
  if (unasked.length > 0) io.printNote(`${unasked.length} reads were not asked.`)
  if (ungroupedCount > 0) io.printStderr(`NOT_LISTED: ${ungroupedCount} further places deviate.`)
  if (muted.length > 0) io.printNote(`Muted, and not listed: ${muted.length}.`)
  if (observed.length > 0 && !report.listsObserved)
    io.printNote(`Otherwise than seen on 0.49, where the contract is open: ${observed.length}. --observed lists them.`)
}

function getExit(report: DeviationReport, shouldFail: boolean): CommandExit {
  const { deviations, ungroupedCount, exchanges, isPartial, failed } = report
  if (shouldFail && (deviations.length > 0 || ungroupedCount > 0 || exchanges === 0)) return 'unmet'
  return isPartial || failed.length > 0 ? 'partial' : 'ok'
}

export const checkAction: ContractAction = {
  name: 'check',
  description:
    'check lists in what a host deviates from the contract: unknown routes and members, missing ones, other types and values, limits and promises. Only what the contract or the host itself states counts; --observed also lists, in a group of its own, what is otherwise than seen on a host of version 0.49. With --profile, --base-url or --demo it asks each read of the contract that the host lists once; nothing is written, nothing takes over the screen, and nothing is recorded. Without them it judges what was recorded in the data directory. Muted deviations are left out. --sarif, --github and --markdown show types instead of values, because such files are passed on. Ctrl+C ends it with what was found by then.',
  flags: [...checkFlags, ...outputFileFlags],
  hasHostFlags: true,
  examples: [
    { commandLine: 'contract check --profile work', description: 'in what this host deviates' },
    { commandLine: 'contract check --fail --sarif -o contract.sarif --demo', description: 'for CI' },
  ],
  run,
}
