import { statSync } from 'node:fs'
import { z } from 'zod'
import { openRecording, type RecordingFile } from '../../electron/recording-file/recording-file.ts'
import { readSignatures } from '../../electron/recording-file/seal-reader.ts'
import { verifyRecording } from '../../electron/recording-file/verification.ts'
import { findingRuleIds } from '../../shared/protocol/finding.ts'
import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import type { RecordingManifest } from '../../shared/recordings/recording.ts'
import type {
  EntryVerification,
  RecordingVerification,
  SealVerification,
} from '../../shared/recordings/verification.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError } from '../base/flags.ts'
import { toSingleLine } from '../base/io.ts'

const ACTIONS = ['info', 'verify', 'reduce'] as const

const options = z.object({
  json: z.boolean().optional(),
  quiet: z.boolean().optional(),
  color: z.boolean().optional(),
  output: z.string().optional(),
  force: z.boolean().optional(),
  finding: z.string().optional(),
  timeLimit: z.string().optional(),
})
type RecordingOptions = z.infer<typeof options>

async function run(
  context: CommandContext,
  [action = '', file = '', ...command]: readonly string[],
  { json = false, ...reduceOptions }: RecordingOptions,
): Promise<CommandExit> {
  const isReduction = action === 'reduce'
  const { output, force, finding, timeLimit } = reduceOptions
  if (!isReduction && (command.length > 0 || [output, force, finding, timeLimit].some((value) => value !== undefined)))
    throw createUsageError('-o, --force, --finding, --time-limit and a command belong to reduce.')
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw createUsageError('There is no such file.')
  const recording = await openRecording(file)
  try {
    if (isReduction) {
      const { reduceRecordingFile } = await import('./recording/reduction.ts')
      return await reduceRecordingFile(context, recording, { json, ...reduceOptions }, command)
    }
    return action === 'verify' ? await verify(context, recording, json) : await printInfo(context, recording, json)
  } finally {
    await recording.close()
  }
}

async function printInfo({ io }: CommandContext, recording: RecordingFile, isJson: boolean): Promise<CommandExit> {
  const { manifest } = recording
  const signatures = await readSignatures(recording.zip)
  if (isJson) {
    await io.print(`${JSON.stringify({ manifest, signatures }, null, 2)}\n`)
    return 'ok'
  }
  const signed = signatures.map(({ fingerprint }) => fingerprint)
  const rows: readonly (readonly [string, string])[] = [
    ['Title', manifest.title],
    ['Saved', formatTime(manifest.createdAt)],
    ['Program', `${manifest.program.name} ${manifest.program.version}`],
    [
      'Host',
      [manifest.host.name, manifest.host.version, manifest.host.baseUrl].filter((text) => text !== null).join(' '),
    ],
    ['Span', manifest.span ? `${formatTime(manifest.span.from)} to ${formatTime(manifest.span.to)}` : 'no exchanges'],
    ['Holds', describeParts(manifest)],
    ['Left out', manifest.leftOut.map(({ what, count, why }) => `${count} ${what} (${why})`).join(', ') || 'nothing'],
    ['Redacted', describeRedaction(manifest)],
    ['Signed by', signed.length === 0 ? 'nobody' : signed.join(', then ')],
  ]
  const lines = rows.map(([name, value]) => `${io.style.dim(name.padEnd(10))} ${toPlainText(value)}`)
  await io.printText(`${lines.join('\n')}\n`)
  return 'ok'
}

async function verify({ io, signal }: CommandContext, recording: RecordingFile, isJson: boolean): Promise<CommandExit> {
  const verification = await verifyRecording(recording, {
    signal,
    onProgress: (done, total) => io.showProgress(`${done} of ${total} documents`),
  })
  io.showProgress(null)
  if (isJson) await io.print(`${JSON.stringify(verification, null, 2)}\n`)
  else await io.printText(`${describeVerification(verification, io.style).join('\n')}\n`)
  const isSigned = verification.seals.some(({ fingerprint }) => fingerprint !== null)
  if (verification.isIntact && !isSigned) io.printStderr('RECORDING_UNSIGNED: Nobody has signed this recording.')
  return verification.isIntact ? 'ok' : 'unmet'
}

function describeVerification(
  { isIntact, problems, seals }: RecordingVerification,
  style: CommandContext['io']['style'],
): string[] {
  const verdict = isIntact ? style.success('Intact') : style.failure('Not as it was sealed')
  return [
    `${verdict}${seals.length === 0 ? ': it has no seal' : ''}`,
    ...problems.map(({ entry, reason }) => `  ${toPlainText(entry)}: ${toPlainText(reason)}`),
    ...seals.flatMap((seal) => [describeSeal(seal), ...seal.entries.flatMap(describeEntry)]),
  ]
}

function describeSeal({ number, createdAt, fingerprint, isSignatureValid, removedValues }: SealVerification): string {
  const signature =
    fingerprint === null
      ? 'not signed'
      : `${isSignatureValid ? 'signed' : 'WRONGLY signed'} by ${toPlainText(fingerprint)}`
  const removed = removedValues === 0 ? '' : `, ${removedValues} values removed since`
  return `Seal ${number} of ${formatTime(createdAt)}: ${signature}${removed}`
}

function describeEntry({ entry, state, removedValues, replaced, line, reason }: EntryVerification): string[] {
  if (state === 'intact') return []
  const facts = [
    removedValues === 0 ? '' : `${removedValues} values removed`,
    replaced === 0 ? '' : `${replaced} replaced or taken out`,
    line === null ? '' : `line ${line}`,
    reason,
  ].filter((fact) => fact !== '')
  const detail = facts.length === 0 ? '' : ` (${facts.map(toPlainText).join(', ')})`
  return [`  ${toPlainText(entry)}: ${state}${detail}`]
}

const describeParts = ({ parts }: RecordingManifest): string =>
  Object.entries(parts)
    .map(([part, { entries, lines }]) => `${lines ?? entries} ${part}`)
    .join(', ') || 'nothing'

const describeRedaction = ({ redaction }: RecordingManifest): string =>
  redaction ? `texts ${redaction.texts}, ids ${redaction.ids}, pictures ${redaction.pictures}` : 'no'

const formatTime = (timestamp: number): string => new Date(timestamp).toISOString()
const toPlainText = (text: string): string => escapeInvisible(toSingleLine(text))

export const recordingCommand = defineCommand({
  name: 'recording',
  summary: 'What a recording file holds, and whether it is as it was saved',
  description: [
    'info prints what the file holds, what was left out or redacted, and who signed it.',
    'verify reads all of it and compares it with its seals: what was changed, is missing or was added since it was signed, entry by entry, and what a redaction removed. It ends with 11 if the file is not intact.',
    'reduce writes the smallest case into a further file: the fewest exchanges, and then the fewest listed cards, with which a finding still shows when the recorded requests are sent again to what remains. With a command after --, it is run against each candidate, which it finds in BRIDGE_BASE_URL and BRIDGE_TOKEN, as long as it ends with the same exit code as with the whole recording. It ends with 11 if the whole recording does not show the finding, or the command does not fail.',
  ],
  args: [
    { name: 'action', required: true, choices: ACTIONS, description: 'what is done with the file' },
    { name: 'file', required: true, description: 'a recording (.birec)' },
    {
      name: 'command',
      required: false,
      isRepeatable: true,
      description: 'with reduce, after --: a command that fails',
    },
  ],
  flags: [
    { name: 'output', short: 'o', valueName: 'FILE', description: 'with reduce: the recording that is written' },
    { name: 'force', description: 'replace the file if it exists' },
    {
      name: 'finding',
      valueName: 'RULE',
      choices: findingRuleIds,
      description: 'with reduce: the rule, if the recording shows several to be broken',
    },
    {
      name: 'time-limit',
      valueName: 'SECONDS',
      description: 'with reduce: write the smallest case that was found by then (default 60)',
    },
  ],
  examples: [
    { commandLine: 'recording info bug.birec', description: 'what a colleague sent' },
    { commandLine: 'recording verify bug.birec', description: 'whether anybody changed it' },
    {
      commandLine:
        'recording reduce bug.birec -o smallest.birec -- sh -c \'! curl -sf -H "Authorization: Bearer $BRIDGE_TOKEN" $BRIDGE_BASE_URL/decks\'',
      description: 'what a command needs that fails',
    },
  ],
  options,
  run,
})
