import { readStoredSnapshots } from '../../electron/services/snapshots/stored-snapshots.ts'
import { hasAllExcerpts } from '../../shared/snapshots/snapshot.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import { getDataDir } from '../base/session.ts'
import {
  chooseOutputFormat,
  createEntryPrinter,
  getTextAt,
  toColumns,
  type EntryLayout,
} from '../output/entry-printer.ts'

const flags = [
  { name: 'output', short: 'o', valueName: 'FILE', description: 'write to this file instead of standard output' },
  { name: 'force', description: 'replace the file if it exists' },
  { name: 'details', description: 'also texts, parts, tags, bands and practice, each card read by itself' },
  { name: 'excerpts', description: 'also the excerpts of each document of the study set, by their cards' },
  { name: 'palette', description: 'also the color levels' },
  { name: 'stored', description: 'list the stored snapshots of this study set instead' },
] as const satisfies readonly Flag[]
type SnapshotOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [topicid = '']: readonly string[],
  snapshotOptions: SnapshotOptions,
): Promise<CommandExit> {
  if (snapshotOptions.stored) return listStored(context, topicid, snapshotOptions)
  const { io, openSession } = context
  assertOutputWritable(snapshotOptions)
  const session = await openSession({ host: snapshotOptions })
  session.app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic === 'snapshots.progress')
      io.showProgress(
        `${getTextAt(payload, 'count')} ${getTextAt(payload, 'phase') === 'excerpts' ? 'documents' : 'cards'}`,
      )
  })
  const { details, excerpts, palette } = snapshotOptions
  const info = await session.call('snapshots.take', { topicid, details, excerpts, palette })
  const { id, cards, detailed, gaps } = info
  const { bytes } = await session.call('snapshots.read', { topicid, snapshot: id })
  io.showProgress(null)
  await withOutput(io, snapshotOptions, (print) => print(new Uint8Array(bytes)))
  io.printNote(`${cards.toLocaleString('en')} cards.`)
  const isDetailed = !details || detailed >= cards
  if (!isDetailed)
    io.printStderr(`CARD_MISSING: The host sent no details of ${(cards - detailed).toLocaleString('en')} cards.`)
  const lacksExcerpts = info.excerpts !== null && !hasAllExcerpts(info)
  if (info.excerpts && lacksExcerpts)
    io.printStderr(
      `EXCERPTS_MISSING: Excerpts of ${info.excerpts.documents} of ${info.excerpts.total} documents were read, so none are kept.`,
    )
  const lacksPalette = palette === true && !info.palette
  if (lacksPalette) io.printStderr('PALETTE_MISSING: The host sent no complete palette.')
  if (gaps.length > 0) io.printStderr(`SNAPSHOT_PARTIAL: The snapshot is not whole (${gaps.join(', ')}).`)
  return gaps.length > 0 || !isDetailed || lacksExcerpts || lacksPalette ? 'partial' : 'ok'
}

const layout: EntryLayout = {
  columns: toColumns('id', 'startedAt', 'seenAt', 'cards', 'gaps', 'host'),
  formatText: (entry, { style }) => {
    const time = new Date(Number(getTextAt(entry, 'startedAt'))).toLocaleString('en')
    return `${getTextAt(entry, 'id')}  ${time}  ${getTextAt(entry, 'cards')} cards  ${style.dim(getTextAt(entry, 'host'))}`
  },
}

async function listStored(
  { io, env }: CommandContext,
  topicid: string,
  { dataDir: chosenDir, output, json }: SnapshotOptions,
): Promise<CommandExit> {
  if (output !== undefined) throw createUsageError('--stored lists snapshots, and has no use for -o.')
  const dataDir = getDataDir(chosenDir, env)
  const stored = readStoredSnapshots(dataDir)
  const snapshots = stored?.list(topicid) ?? []
  stored?.close()
  const printer = createEntryPrinter(io, chooseOutputFormat(io, undefined, json), layout)
  await printer.printEntries(snapshots.map((info) => Buffer.from(JSON.stringify(info))))
  await printer.printEnd()
  if (snapshots.length === 0) io.printNote('No snapshots of this study set are stored.')
  return 'ok'
}

export const snapshotCommand = defineCommand({
  name: 'snapshot',
  summary: 'Save all cards of a study set as they are now, for diff',
  description: [
    'Reads the whole card listing and writes it as JSON, one card a line, with what it does not cover. With --stored it asks no host, and lists the snapshots that the app took in the data directory, the newest first: diff takes their ids.',
  ],
  args: [{ name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set' }],
  flags,
  examples: [
    { commandLine: 'snapshot TOPIC -o before.json --profile work', description: 'before a run of a plugin' },
    { commandLine: 'snapshot TOPIC --stored', description: 'ids for diff' },
  ],
  hasHostFlags: true,
  run,
})
