import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import {
  createReducedSource,
  createSigner,
  loadReducibleRecording,
  writeRecording,
  type RecordingFile,
} from '../../../electron/recording-file/index.ts'
import { repeatRequests } from '../../../electron/demo-host/recorded/repeated-requests.ts'
import { findSmallestCase } from '../../../electron/services/recordings/reduction/smallest-case.ts'
import { getFindingGroupId, groupFindings, type Finding } from '../../../shared/protocol/finding.ts'
import type { CommandContext, CommandExit } from '../../base/command.ts'
import { createUsageError, parseDurationMs } from '../../base/flags.ts'
import { assertOutputWritable } from '../../base/output-file.ts'
import { reduceToFailure, type ReductionLimits } from './failing-command.ts'

export interface ReduceOptions {
  readonly output?: string | undefined
  readonly force?: boolean | undefined
  readonly finding?: string | undefined
  readonly match?: string | undefined
  readonly timeLimit?: string | undefined
  readonly json?: boolean | undefined
}

const DEFAULT_TIME_LIMIT_MS = 60_000

/** Writes the smallest case of a finding, or of a command that fails. */
export async function reduceRecordingFile(
  context: CommandContext,
  file: RecordingFile,
  { output, force, finding: rule, match, timeLimit, json = false }: ReduceOptions,
  command: readonly string[],
): Promise<CommandExit> {
  const { io, signal, version } = context
  if (output === undefined || output === '-') throw createUsageError('reduce needs -o with the file to write.')
  assertOutputWritable({ output, force })
  if (match !== undefined && command.length === 0) throw createUsageError('--match belongs to a command, after --.')
  const limits: ReductionLimits = {
    signal,
    timeLimitMs: parseDurationMs('time-limit', timeLimit) ?? DEFAULT_TIME_LIMIT_MS,
    onProgress: ({ tries, exchanges }) => io.showProgress(`${tries} tries, ${exchanges} exchanges left`),
  }
  const recording = await loadReducibleRecording(file)
  const reduced =
    command.length > 0
      ? { ...(await reduceToFailure(context, recording, { command, rule, match }, limits)), finding: null }
      : await findSmallestCase(recording, await chooseFindings(file, rule), { repeatRequests, ...limits })
  io.showProgress(null)
  const { candidate, finding, before, after, tries, isMinimal, isSteady } = reduced
  const source = await createReducedSource(file, candidate, {
    title: path.basename(output, path.extname(output)),
    program: { name: 'Bridge Inspector', version },
    finding,
    groupId: finding && getFindingGroupId(finding),
  })
  const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
  await writeRecording(output, source, { signal, sign })
  if (json)
    await io.print(
      `${JSON.stringify({ file: output, fingerprint: sign.fingerprint, before, after, tries, isMinimal, isSteady })}\n`,
    )
  else
    await io.printText(
      `${after.exchanges} of ${before.exchanges} exchanges and ${after.cards} of ${before.cards} listed cards are in ${output}.\n`,
    )
  // As with all that the command line signs, nothing keeps the key.
  io.printNote(`Signed by ${sign.fingerprint}, a key of this run.`)
  if (!isMinimal)
    io.printStderr('REDUCTION_UNFINISHED: There was no time to try everything, so more might be left out.')
  if (!isSteady) io.printStderr('REDUCTION_UNSTEADY: It did not fail each time when it was tried again.')
  return 'ok'
}

async function chooseFindings(file: RecordingFile, rule: string | undefined): Promise<Finding[]> {
  const findings = await file.listLines('findings')
  const groups = groupFindings(findings)
  const rules = [...new Set(groups.map((group) => group.rule))]
  if (rules.length === 0) throw createUsageError('The recording has no findings. Name a command that fails, after --.')
  const group = groups.find((candidate) => candidate.rule === (rule ?? rules[0]))
  if (!group || (rule === undefined && rules.length > 1))
    throw createUsageError(`--finding takes one of the rules in the recording: ${rules.join(', ')}.`)
  return findings.filter((finding) => getFindingGroupId(finding) === group.id)
}
