import { spawn } from 'node:child_process'
import { nameBody } from '../../../electron/recording-file/index.ts'
import { removeTokens } from '../../../electron/config.ts'
import { startServedRecording, type ServedRequest } from '../../../electron/demo-host/recorded/recorded-host.ts'
import { judgeRepeatedExchanges } from '../../../electron/services/recordings/reduction/repeated-findings.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { parseBodyText } from '../../../shared/operations/prepared-write.ts'
import { getFindingGroupId, type Finding } from '../../../shared/protocol/finding.ts'
import type { Candidate, ReducibleRecording } from '../../../electron/core/recordings/reduction/candidate.ts'
import {
  reduceRecording,
  type Reduction,
  type ReductionProgress,
  type RepeatedExchange,
} from '../../../electron/core/recordings/reduction/recording-reduction.ts'
import type { CommandContext } from '../../base/command.ts'
import { toProcessCommand } from '../../base/windows-command.ts'

export interface ReductionLimits {
  readonly signal: AbortSignal
  readonly timeLimitMs: number
  readonly onProgress: (progress: ReductionProgress) => void
}

export interface FailingCommand {
  readonly command: readonly string[]
  /** The rule that has to be broken by what the command sends; without one it has to fail. */
  readonly rule: string | undefined
  /** Text in the output of the command that fails. */
  readonly match: string | undefined
}

interface CommandRun {
  /** Null if the command did not end by itself. */
  readonly code: number | null
  /** The output is cut after `MAX_OUTPUT_CHARS`. */
  readonly output: string
  readonly findings: readonly Finding[]
}

/** A command that runs this many times as long as with the whole recording is ended. */
const MAX_RUN_RATIO = 5
const MIN_RUN_LIMIT_MS = 5_000
const MAX_OUTPUT_CHARS = 10_000_000

/**
 * Runs a command against each candidate, as long as it breaks the same rule in the same way, or
 * fails with the same exit code and the text in its output.
 * @throws COMMAND_PASSES if it does not so with the whole recording, COMMAND_FAILED if it cannot be
 *   started
 */
export async function reduceToFailure(
  context: CommandContext,
  recording: ReducibleRecording,
  { command, rule, match }: FailingCommand,
  { signal, timeLimitMs, onProgress }: ReductionLimits,
): Promise<Reduction> {
  const endsAt = performance.now() + timeLimitMs
  let first: CommandRun | null = null
  let runLimitMs = timeLimitMs
  const listBrokenRules = ({ findings }: CommandRun): string[] =>
    findings.filter((finding) => finding.rule === rule).map(getFindingGroupId)

  async function isShown(candidate: Candidate): Promise<boolean> {
    const startedAt = performance.now()
    const run = await runCommand(
      context,
      candidate,
      command,
      AbortSignal.any([signal, AbortSignal.timeout(runLimitMs)]),
    )
    if (first === null) {
      first = run
      runLimitMs = Math.max(MIN_RUN_LIMIT_MS, Math.ceil((performance.now() - startedAt) * MAX_RUN_RATIO))
    }
    if (match !== undefined && !run.output.includes(match)) return false
    if (rule === undefined) return run.code !== null && run.code !== 0 && run.code === first.code
    const expected = new Set(listBrokenRules(first))
    return listBrokenRules(run).some((group) => expected.has(group))
  }

  const isOver = (): boolean => performance.now() > endsAt
  const reduction = await reduceRecording(recording, isShown, { signal, isOver, nameBody, onProgress })
  if (!reduction) throw createPassesError(first, rule)
  return reduction
}

function createPassesError(run: CommandRun | null, rule: string | undefined) {
  if (run?.code === null)
    return createRefusedError('COMMAND_PASSES', 'The command did not end with the whole recording.')
  const failure = rule === undefined ? 'does not fail as described' : `does not break the rule ${rule}`
  return createRefusedError('COMMAND_PASSES', `With the whole recording, the command ${failure}.`)
}

async function runCommand(
  { env }: CommandContext,
  candidate: Candidate,
  [program = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<CommandRun> {
  const exchanges: RepeatedExchange[] = []
  const served = await startServedRecording(candidate, {
    observe: (request) => exchanges.push(toExchange(request, exchanges.length + 1)),
  })
  try {
    const childEnv = { ...removeTokens(env), BRIDGE_BASE_URL: served.baseUrl, BRIDGE_TOKEN: served.token }
    const { code, output } = await spawnCommand(program, args, childEnv, signal)
    return { code, output, findings: await judgeRepeatedExchanges(exchanges) }
  } finally {
    await served.close()
  }
}

function spawnCommand(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Pick<CommandRun, 'code' | 'output'>> {
  const isWindows = process.platform === 'win32'
  const command = toProcessCommand(program, args, env)
  const child = spawn(command.file, command.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    windowsVerbatimArguments: command.isVerbatim,
    // A group of its own, so that what it started is ended with it.
    detached: !isWindows,
  })
  let output = ''
  const onOutput = (chunk: Buffer): void => {
    if (output.length < MAX_OUTPUT_CHARS) output += chunk.toString()
  }
  child.stdout.on('data', onOutput)
  child.stderr.on('data', onOutput)
  const end = (): void => {
    try {
      if (isWindows || child.pid === undefined) child.kill()
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
  return new Promise((resolve, reject) => {
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    child.once('error', (error) =>
      reject(createRefusedError('COMMAND_FAILED', `The command cannot be started: ${error.message}`)),
    )
    child.once('close', (code) => {
      signal.removeEventListener('abort', end)
      resolve({ code: signal.aborted ? null : code, output })
    })
  })
}

/** Each candidate has another address, which says nothing about the command. */
const HOST = 'http://127.0.0.1/bridge/v1'

function toExchange(served: ServedRequest, seq: number): RepeatedExchange {
  const { method, path, endpoint, startedAt, request, status, response } = served
  const id = `request-${seq}`
  return {
    row: {
      seq,
      id,
      group: id,
      attempt: 1,
      epoch: 1,
      instance: null,
      host: HOST,
      startedAt,
      durationMs: Date.now() - startedAt,
      method,
      path: `/bridge/v1${path}`,
      timing: { queued: null, connected: null, sent: null, firstByte: null, lastByte: null },
      endpoint: endpoint?.id ?? null,
      template: `/bridge/v1${endpoint?.path ?? path.split('?', 1)[0] ?? ''}`,
      origin: { kind: 'recorded', label: 'command', caller: 'command', load: 1 },
      state: 'answered',
      status,
      pinned: false,
      rule: null,
      mediaType: '',
      errorCode: response && errorCodeOf(parseBodyText(new TextDecoder().decode(response))),
      requestBytes: request.byteLength,
      wireBytes: null,
      bytes: response?.byteLength ?? 0,
    },
    request: request.byteLength === 0 ? null : request,
    response,
  }
}
