import { rmSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  checkExpansion,
  exportArchive,
  openRecording,
  readSeals,
  verifyRecording,
  type RecordingFile,
} from '../../electron/recording-file/index.ts'
import { findingRuleIds } from '../../shared/protocol/finding.ts'
import { ipcTopics } from '../../shared/ipc/index.ts'
import type { RecordingEntry } from '../../shared/ipc/recordings.ts'
import {
  ARCHIVE_EXTENSION,
  formatPartCount,
  PAGE_EXTENSION,
  RECORDING_EXTENSION,
  type RecordingManifest,
  type RedactionPolicy,
} from '../../shared/recordings/recording.ts'
import type { RecordingVerification } from '../../shared/recordings/verification.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import {
  createUsageError,
  dataDirFlags,
  redactionFlags,
  toRedactionPolicy,
  type CommandOptions,
  type Flag,
} from '../base/flags.ts'
import { toPlainText } from '../base/io.ts'
import { assertOutputWritable } from '../base/output-file.ts'
import { nameTemporaryRecording, savePage } from '../output/recording-page.ts'
import { describeVerification, formatTime } from './recording/verdict-text.ts'

const ACTIONS = ['info', 'verify', 'compare', 'page', 'redact', 'export', 'reduce'] as const

const flags = [
  { name: 'output', short: 'o', valueName: 'FILE', description: 'with page, redact, export and reduce: the file' },
  { name: 'force', description: 'replace the file if it exists' },
  ...redactionFlags,
  ...dataDirFlags.map((flag) => ({ ...flag, description: `with page and redact: ${flag.description}` })),
  {
    name: 'finding',
    valueName: 'RULE',
    choices: findingRuleIds,
    description: 'with reduce: the rule that is broken, in the recording or by the command',
  },
  {
    name: 'match',
    valueName: 'TEXT',
    isFilled: true,
    description: 'with reduce: what the command prints when it fails',
  },
  {
    name: 'time-limit',
    valueName: 'SECONDS',
    description: 'with reduce: write the smallest case that was found by then (default 60)',
  },
] as const satisfies readonly Flag[]
type RecordingOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [action = '', file = '', ...others]: readonly string[],
  recordingOptions: RecordingOptions,
): Promise<CommandExit> {
  const isReduction = action === 'reduce'
  assertFlagsEffective(action, others, recordingOptions)
  assertIsFile(file)
  if (recordingOptions.output !== undefined && path.resolve(recordingOptions.output) === path.resolve(file))
    throw createUsageError('What is written is a further file; the first one stays.')
  if (action === 'redact') return redact(context, file, recordingOptions)
  if (action === 'page') return writePage(context, file, recordingOptions)
  const { json = false, output = '', force } = recordingOptions
  if (action === 'compare') {
    const [other, ...further] = others
    if (other === undefined || further.length > 0) throw createUsageError('compare takes two recordings.')
    assertIsFile(other)
    const { compareRecordingFiles } = await import('./recording/comparison.ts')
    return compareRecordingFiles(context, file, other, json)
  }
  if (action === 'export') {
    if (!output.toLowerCase().endsWith(ARCHIVE_EXTENSION))
      throw createUsageError(`export needs -o with a file that ends in ${ARCHIVE_EXTENSION}.`)
    assertOutputWritable({ output, force })
  }
  const recording = await openRecording(file)
  try {
    if (isReduction) {
      const { reduceRecordingFile } = await import('./recording/reduction.ts')
      return await reduceRecordingFile(context, recording, { ...recordingOptions, json }, others)
    }
    if (action === 'export') return await exportTo(context, recording, output, json)
    return action === 'verify' ? await verify(context, recording, json) : await printInfo(context, recording, json)
  } finally {
    await recording.close()
  }
}

function assertIsFile(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw createUsageError('There is no such file.')
}

/** Refuses flags that would have no effect, because the user expects one. */
function assertFlagsEffective(
  action: string,
  others: readonly string[],
  { output, force, finding, match, timeLimit, texts, ids, pictures, dataDir }: RecordingOptions,
): void {
  const takesOthers = action === 'reduce' || action === 'compare'
  if ((!takesOthers && others.length > 0) || (action !== 'reduce' && (finding ?? match ?? timeLimit) !== undefined))
    throw createUsageError('--finding, --match, --time-limit and a command belong to reduce.')
  if (action !== 'redact' && action !== 'page' && (texts ?? ids ?? pictures ?? dataDir) !== undefined)
    throw createUsageError('--texts, --ids, --pictures and --data-dir belong to page and redact.')
  if ((action === 'info' || action === 'verify' || action === 'compare') && (output ?? force) !== undefined)
    throw createUsageError('-o and --force belong to page, redact, export and reduce.')
}

async function exportTo(
  { io, signal, version }: CommandContext,
  recording: RecordingFile,
  file: string,
  isJson: boolean,
): Promise<CommandExit> {
  const archive = await exportArchive(recording, file, version, { signal })
  const leftOut = Object.entries(archive.leftOut).map(([part, count]) => `${count} ${toPlainText(part)}`)
  if (isJson) await io.print(`${JSON.stringify({ file, ...archive }, null, 2)}\n`)
  io.printNote(`Wrote ${archive.entries} exchanges into ${toPlainText(file)}.`)
  if (leftOut.length > 0) io.printNote(`An HTTP archive has no place for ${leftOut.join(', ')}.`)
  return 'ok'
}

async function redact(
  context: CommandContext,
  file: string,
  { output = '', force, ...options }: RecordingOptions,
): Promise<CommandExit> {
  const { io } = context
  if (!output.toLowerCase().endsWith(RECORDING_EXTENSION))
    throw createUsageError(`redact needs -o with a file that ends in ${RECORDING_EXTENSION}.`)
  assertOutputWritable({ output, force })
  const entry = await writeRedacted(context, file, output, options)
  if (options.json === true) await io.print(`${JSON.stringify(entry, null, 2)}\n`)
  else io.printNote(`Wrote ${toPlainText(output)}: ${describeRedaction(entry?.redaction ?? null)}.`)
  return 'ok'
}

async function writeRedacted(
  { io, openSession }: CommandContext,
  file: string,
  output: string,
  { dataDir, texts, ids, pictures }: RecordingOptions,
): Promise<RecordingEntry | null> {
  const [source, target] = [path.resolve(file), path.resolve(output)]
  const host = { dataDir }
  const { call, app } = await openSession({ host, isOfflineAllowed: true, timeLimit: 'none', savePath: target })
  const unsubscribe = app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic !== 'recordings.progress') return
    const { done, total } = ipcTopics[topic].payload.parse(payload)
    io.showProgress(total === null ? String(done) : `${done} of ${total} exchanges and bodies`)
  })
  const { entry } = await call('recordings.redact', {
    source: { from: 'path', path: source },
    jobId: 'redact',
    redaction: toRedactionPolicy({ texts, ids, pictures }),
  }).finally(unsubscribe)
  io.showProgress(null)
  return entry
}

/** Without a flag of the redaction, the page holds the recording as it is, with its signature. */
async function writePage(context: CommandContext, file: string, options: RecordingOptions): Promise<CommandExit> {
  const { output = '', force, json, texts, ids, pictures } = options
  if (!output.toLowerCase().endsWith(PAGE_EXTENSION))
    throw createUsageError(`page needs -o with a file that ends in ${PAGE_EXTENSION}.`)
  assertOutputWritable({ output, force })
  const isRedacted = (texts ?? ids ?? pictures) !== undefined
  const redactedFile = nameTemporaryRecording()
  try {
    if (isRedacted) await writeRedacted(context, file, redactedFile, options)
    const bytes = await savePage(context, isRedacted ? redactedFile : file, output)
    if (json === true) await context.io.print(`${JSON.stringify({ file: output, bytes }, null, 2)}\n`)
    return 'ok'
  } finally {
    rmSync(redactedFile, { force: true })
  }
}

async function printInfo({ io }: CommandContext, recording: RecordingFile, isJson: boolean): Promise<CommandExit> {
  const { manifest } = recording
  await checkExpansion(recording.zip)
  const seals = await readSeals(recording.zip)
  if (isJson) {
    const signatures = seals.map(({ fingerprint, signature }) => ({ ...signature, fingerprint }))
    await io.print(`${JSON.stringify({ manifest, signatures }, null, 2)}\n`)
    return 'ok'
  }
  const signed = seals.map(
    ({ fingerprint, signature }) => fingerprint ?? (signature ? 'nobody (an invalid signature)' : 'nobody'),
  )
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
    [
      'Left out',
      manifest.leftOut.map(({ what, count, why }) => `${count === 0 ? '' : `${count} `}${what} (${why})`).join(', ') ||
        'nothing',
    ],
    ['Redacted', describeRedaction(manifest.redaction)],
    ['Signed by', signed.length === 0 ? 'nobody' : signed.join(', then ')],
  ]
  const lines = rows.map(([name, value]) => `${io.style.dim(name.padEnd(10))} ${toPlainText(value)}`)
  await io.printText(`${lines.join('\n')}\n`)
  return 'ok'
}

async function verify({ io, signal }: CommandContext, recording: RecordingFile, isJson: boolean): Promise<CommandExit> {
  const verification = await verifyRecording(recording, {
    signal,
    onProgress: (done, total) => io.showProgress(`${done} of ${total} lines and entries`),
  })
  io.showProgress(null)
  if (isJson) await io.print(`${JSON.stringify(verification, null, 2)}\n`)
  else await io.printText(`${describeVerification(verification, io.style).join('\n')}\n`)
  if (verification.verdict === 'unsigned')
    io.printStderr('RECORDING_UNSIGNED: Nobody vouches for a part of this recording, or for all of it.')
  return verificationExits[verification.verdict]
}

const verificationExits = {
  intact: 'ok',
  redacted: 'ok',
  unsigned: 'unsigned',
  changed: 'unmet',
} as const satisfies Record<RecordingVerification['verdict'], CommandExit>

const describeParts = ({ parts }: RecordingManifest): string =>
  Object.entries(parts)
    .map(([part, counts]) => `${formatPartCount(part, counts)} ${part}`)
    .join(', ') || 'nothing'

const describeRedaction = (redaction: RedactionPolicy | null): string =>
  redaction ? `texts ${redaction.texts}, ids ${redaction.ids}, pictures ${redaction.pictures}` : 'nothing but tokens'

export const recordingCommand = defineCommand({
  name: 'recording',
  summary:
    'What a recording file holds, whether it is as it was saved, how two differ, a page, and a copy with less in it',
  description: [
    'info prints what the file holds, what was left out or redacted, and who signed it.',
    'verify reads all of it and compares it with its seals: what was changed, is missing or was added, entry by entry, and who vouches for what: the signer for what is as it was signed, and whoever redacted for what was put in its place. It ends with 11 if anything was changed, and with 12 if nobody vouches for a part of it.',
    'page writes one HTML file that opens in any browser, without a network: the steps, the findings with their line of code, the calls with their bodies, the operations, and the verdict of verify, which the browser finds itself. The recording is in it, and can be saved out of it again. With --texts, --ids or --pictures it is redacted first. A page holds at most 50 MB of recording.',
    'compare prints how the run in the second recording differs from that in the first one: requests that are missing or extra, that ask otherwise or came in another order, other responses and effects by their pointers, and what took much longer. Ids that the runs created are paired, and times, revisions and cursors are left out. It ends with 11 if anything differs but durations, which vary.',
    'export writes the exchanges as an HTTP archive (HAR 1.2), and says what such a file has no place for.',
    'reduce writes the smallest case into a further file: the fewest exchanges, and then the fewest listed cards, with which a finding still shows when the recorded requests are sent again to what remains. With a command after --, it is run against each candidate, which it finds in BRIDGE_BASE_URL and BRIDGE_TOKEN, as long as it fails as with the whole recording: with the same exit code, with the text of --match in its output, or with --finding as long as what it sends breaks the rule at the same resource. It ends with 11 if the whole recording does not show the finding, or the command does not fail.',
    'redact writes a further file, signed once more, in which texts of the library, ids and pictures are replaced or dropped as the flags say. The first signature still holds for the rest, and the file says what all its redactions did.',
  ],
  args: [
    { name: 'action', required: true, choices: ACTIONS, description: 'what is done with the file' },
    { name: 'file', required: true, description: 'a recording (.birec)' },
    {
      name: 'other',
      required: false,
      isRepeatable: true,
      description: 'with compare: the recording of the later run; with reduce, after --: a command that fails',
    },
  ],
  flags,
  examples: [
    { commandLine: 'recording info bug.birec', description: 'what a colleague sent' },
    { commandLine: 'recording verify bug.birec', description: 'whether anybody changed it' },
    { commandLine: 'recording page bug.birec -o bug.html', description: 'for somebody who has nothing but a browser' },
    { commandLine: 'recording compare day.birec bug.birec', description: 'what differs from the run that worked' },
    { commandLine: 'recording export bug.birec -o bug.har', description: 'for other programs' },
    { commandLine: 'recording redact bug.birec -o public.birec --ids map', description: 'for a public issue' },
    {
      commandLine:
        'recording reduce bug.birec -o smallest.birec -- sh -c \'! curl -sf -H "Authorization: Bearer $BRIDGE_TOKEN" $BRIDGE_BASE_URL/decks\'',
      description: 'what a command needs that fails',
    },
  ],
  run,
})
