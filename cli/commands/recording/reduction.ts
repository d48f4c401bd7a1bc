import { spawn } from 'node:child_process'
import path from 'node:path'
import { removeTokens } from '../../../electron/config.ts'
import { repeatRequests } from '../../../electron/demo-host/recorded/repeated-requests.ts'
import { startServedRecording } from '../../../electron/demo-host/recorded/recorded-host.ts'
import type { RecordingFile } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createReducedSource, loadReducibleRecording, nameBody } from '../../../electron/recording-file/reduction.ts'
import { findSmallestCase } from '../../../electron/services/recordings/reduction/smallest-case.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { getFindingGroupId, groupFindings, type Finding } from '../../../shared/protocol/finding.ts'
import type { Candidate, ReducibleRecording } from '../../../shared/recordings/reduction/candidate.ts'
import {
  reduceRecording,
  type Reduction,
  type ReductionProgress,
} from '../../../shared/recordings/reduction/recording-reduction.ts'
import type { CommandContext, CommandExit } from '../../base/command.ts'
import { createUsageError, parseDurationMs } from '../../base/flags.ts'
import { assertOutputWritable } from '../../base/output-file.ts'
import { toWindowsCommand } from '../../base/windows-command.ts'

export interface ReduceOptions {
  readonly output?: string | undefined
  readonly force?: boolean | undefined
  readonly finding?: string | undefined
  readonly timeLimit?: string | undefined
  readonly json?: boolean | undefined
}

interface ReducedRecording extends Reduction {
  /** Null for a command that fails. */
  readonly finding: Finding | null
}

interface Limits {
  readonly signal: AbortSignal
  readonly timeLimitMs: number
  readonly onProgress: (progress: ReductionProgress) => void
}

const DEFAULT_TIME_LIMIT_MS = 60_000
/** A command that runs this many times as long as with the whole recording is ended. */
const MAX_RUN_RATIO = 5
const MIN_RUN_LIMIT_MS = 5_000

/** Writes the smallest case of a finding, or of a command that fails. */
export async function reduceRecordingFile(
  context: CommandContext,
  file: RecordingFile,
  { output, force, finding: rule, timeLimit, json = false }: ReduceOptions,
  command: readonly string[],
): Promise<CommandExit> {
  const { io, signal, version } = context
  if (output === undefined || output === '-') throw createUsageError('reduce needs -o with the file to write.')
  assertOutputWritable({ output, force })
  if (rule !== undefined && command.length > 0)
    throw createUsageError('Either --finding or a command: a command is judged by its exit code.')
  const limits: Limits = {
    signal,
    timeLimitMs: parseDurationMs('time-limit', timeLimit) ?? DEFAULT_TIME_LIMIT_MS,
    onProgress: ({ tries, exchanges }) => io.showProgress(`${tries} tries, ${exchanges} exchanges left`),
  }
  const recording = await loadReducibleRecording(file)
  const reduced =
    command.length > 0
      ? await reduceToFailure(context, recording, command, limits)
      : await reduceToFinding(recording, await chooseFindings(file, rule), limits)
  io.showProgress(null)
  const { candidate, finding, before, after, tries, isMinimal, isSteady } = reduced
  const source = await createReducedSource(file, candidate, {
    title: path.basename(output, path.extname(output)),
    program: { name: 'Bridge Inspector', version },
    finding,
    groupId: finding && getFindingGroupId(finding),
  })
  await writeRecording(output, source, { signal })
  if (json) await io.print(`${JSON.stringify({ file: output, before, after, tries, isMinimal, isSteady })}\n`)
  else
    await io.printText(
      `${after.exchanges} of ${before.exchanges} exchanges and ${after.cards} of ${before.cards} listed cards are in ${output}.\n`,
    )
  if (!isMinimal)
    io.printStderr('REDUCTION_UNFINISHED: There was no time to try everything, so more might be left out.')
  if (!isSteady) io.printStderr('REDUCTION_UNSTEADY: It did not fail each time when it was tried again.')
  return 'ok'
}

async function chooseFindings(file: RecordingFile, rule: string | undefined): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const finding of file.readLines('findings')) findings.push(finding)
  const groups = groupFindings(findings)
  const rules = [...new Set(groups.map((group) => group.rule))]
  if (rules.length === 0) throw createUsageError('The recording has no findings. Name a command that fails, after --.')
  const group = groups.find((candidate) => candidate.rule === (rule ?? rules[0]))
  if (!group || (rule === undefined && rules.length > 1))
    throw createUsageError(`--finding takes one of the rules in the recording: ${rules.join(', ')}.`)
  return findings.filter((finding) => getFindingGroupId(finding) === group.id)
}

const reduceToFinding = (
  recording: ReducibleRecording,
  findings: readonly Finding[],
  limits: Limits,
): Promise<ReducedRecording> => findSmallestCase(recording, findings, { repeatRequests, ...limits })

/** Runs the command against each candidate, which it has to fail with by the same exit code. */
async function reduceToFailure(
  context: CommandContext,
  recording: ReducibleRecording,
  command: readonly string[],
  { signal, timeLimitMs, onProgress }: Limits,
): Promise<ReducedRecording> {
  const endsAt = performance.now() + timeLimitMs
  let failure: number | null = null
  let runLimitMs = timeLimitMs
  async function isShown(candidate: Candidate): Promise<boolean> {
    const startedAt = performance.now()
    const code = await runCommand(
      context,
      candidate,
      command,
      AbortSignal.any([signal, AbortSignal.timeout(runLimitMs)]),
    )
    if (failure !== null) return code === failure
    failure = code
    runLimitMs = Math.max(MIN_RUN_LIMIT_MS, (performance.now() - startedAt) * MAX_RUN_RATIO)
    return code !== null && code !== 0
  }
  const isOver = (): boolean => performance.now() > endsAt
  const reduction = await reduceRecording(recording, isShown, { signal, isOver, nameBody, onProgress })
  if (reduction) return { ...reduction, finding: null }
  throw createRefusedError(
    'COMMAND_PASSES',
    failure === null
      ? 'The command did not end with the whole recording, so nothing can be left out.'
      : 'The command does not fail with the whole recording, so there is nothing to look for.',
  )
}

/** @returns the exit code; null if the command did not end by itself */
async function runCommand(
  { env }: CommandContext,
  candidate: Candidate,
  [program = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<number | null> {
  const served = await startServedRecording(candidate)
  try {
    const childEnv = { ...removeTokens(env), BRIDGE_BASE_URL: served.baseUrl, BRIDGE_TOKEN: served.token }
    const isWindows = process.platform === 'win32'
    const {
      file,
      args: fileArgs,
      isVerbatim,
    } = isWindows ? toWindowsCommand(program, args, childEnv) : { file: program, args, isVerbatim: false }
    // Its own group, so that what it started is ended with it.
    const options = {
      stdio: 'ignore',
      env: childEnv,
      windowsVerbatimArguments: isVerbatim,
      detached: !isWindows,
    } as const
    const child = spawn(file, fileArgs, options)
    return await new Promise<number | null>((resolve, reject) => {
      const end = (): void => {
        try {
          if (isWindows || child.pid === undefined) child.kill()
          else process.kill(-child.pid, 'SIGKILL')
        } catch {
          // It ended meanwhile.
        }
      }
      if (signal.aborted) end()
      signal.addEventListener('abort', end, { once: true })
      child.once('error', (error) =>
        reject(createRefusedError('COMMAND_FAILED', `The command cannot be started: ${error.message}`)),
      )
      child.once('exit', (code) => {
        signal.removeEventListener('abort', end)
        resolve(signal.aborted ? null : code)
      })
    })
  } finally {
    await served.close()
  }
}
