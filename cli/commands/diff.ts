import { readFileSync } from 'node:fs'
import { ComparedSnapshots, type ComparedSnapshot } from '../../electron/core/snapshots/snapshot-comparison.ts'
import { readStoredSnapshots, type StoredSnapshots } from '../../electron/services/snapshots/stored-snapshots.ts'
import { createRefusedError } from '../../shared/errors.ts'
import type { SnapshotComparison } from '../../shared/ipc/snapshots.ts'
import { buildForest } from '../../shared/snapshots/forest.ts'
import { parseSnapshotDocument } from '../../electron/core/snapshots/snapshot-document.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import { getDataDir } from '../base/session.ts'
import { changeLayout, flattenChange, flattenLevel, printMarkdown } from '../output/change-output.ts'
import { createEntryPrinter } from '../output/entry-printer.ts'

const flags = [
  { name: 'markdown', description: 'print a table in Markdown' },
  { name: 'csv', description: 'print CSV' },
  { name: 'fail', description: 'end with 11 if the two differ' },
] as const satisfies readonly Flag[]
type DiffOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [beforeName = '', afterName = '']: readonly string[],
  diffOptions: DiffOptions,
): Promise<CommandExit> {
  const { io, env } = context
  const { dataDir: chosenDir, json, markdown, csv, fail } = diffOptions
  if ([json, markdown, csv].filter(Boolean).length > 1)
    throw createUsageError('Of --json, --markdown and --csv, only one can be used.')
  if (beforeName === 'now' && afterName === 'now')
    throw createUsageError('At least one of the two is a file or the id of a stored snapshot.')
  const dataDir = getDataDir(chosenDir, env)
  const stored = readStoredSnapshots(dataDir)
  try {
    const before = beforeName === 'now' ? null : readSnapshot(beforeName, stored)
    const after = afterName === 'now' ? null : readSnapshot(afterName, stored)
    const takeNow = (): Promise<ComparedSnapshot> => takeSnapshot(context, (before ?? after)?.info, diffOptions)
    const [oldSnapshot, newSnapshot] = [before ?? (await takeNow()), after ?? (await takeNow())]
    if (oldSnapshot.info.topicid !== newSnapshot.info.topicid)
      throw createRefusedError('SNAPSHOT_OTHER', 'The two snapshots are of different study sets.')
    const writes = stored?.listWritesBetween(oldSnapshot.info, newSnapshot.info) ?? []
    const comparison = new ComparedSnapshots(oldSnapshot, newSnapshot, writes).readRows('list', 0, Infinity)
    await printComparison(context, comparison, diffOptions)
    const isPartial = [oldSnapshot, newSnapshot].some(({ info }) => info.gaps.length > 0)
    for (const note of listNotes(comparison)) io.printStderr(note)
    if (fail && (comparison.changes > 0 || (comparison.palette ?? []).length > 0)) return 'unmet'
    return isPartial ? 'partial' : 'ok'
  } finally {
    stored?.close()
  }
}

async function printComparison(
  { io }: CommandContext,
  comparison: SnapshotComparison,
  { json, markdown, csv }: DiffOptions,
): Promise<void> {
  if (json) return io.print(`${JSON.stringify(comparison, null, 2)}\n`)
  const changes = [
    ...(comparison.palette ?? []).map(flattenLevel),
    ...comparison.rows.flatMap((row) => (row.row === 'change' ? [flattenChange(row)] : [])),
  ]
  if (markdown) return printMarkdown(io, `Changes of ${comparison.after.topicid}`, changes)
  const printer = createEntryPrinter(io, csv ? 'csv' : 'text', changeLayout)
  await printer.printEntries(changes.map((change) => Buffer.from(JSON.stringify(change))))
  await printer.printEnd()
  const cards = `${comparison.changes.toLocaleString('en')} changed cards.`
  io.printNote(changes.length === 0 ? 'No differences.' : cards)
}

/** A number is the id of a stored snapshot; anything else is the name of a file. */
function readSnapshot(name: string, stored: StoredSnapshots | null): ComparedSnapshot {
  if (/^\d{1,15}$/.test(name)) {
    if (stored) return stored.read(Number(name))
    throw createRefusedError('SNAPSHOT_UNKNOWN', 'No snapshots are stored in this data directory.')
  }
  const document = parseSnapshotDocument(readText(name))
  if (document) return { info: document.info, forest: buildForest(document) }
  throw createRefusedError('SNAPSHOT_FILE', 'The file is no snapshot that `snapshot` of this version wrote.')
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw createUsageError('A snapshot is the id of a stored one, a file, or now. There is no such file.')
  }
}

/** Reads what the other snapshot has: more would be compared with nothing. */
async function takeSnapshot(
  { openSession }: CommandContext,
  other: SnapshotInfo | undefined,
  host: DiffOptions,
): Promise<ComparedSnapshot> {
  const session = await openSession({ host })
  const { topicid = '', detailed = 0, excerpts = null, palette = null } = other ?? {}
  const parts = { details: detailed > 0, excerpts: excerpts !== null, palette: palette !== null }
  const info = await session.call('snapshots.take', { topicid, ...parts })
  const { bytes } = await session.call('snapshots.read', { topicid, snapshot: info.id })
  const document = parseSnapshotDocument(new TextDecoder().decode(bytes))
  if (!document) throw new Error('the snapshot is not the one that was taken')
  return { info, forest: buildForest(document) }
}

/** Lists the gaps of the comparison, and parts that are compared with something else. */
function listNotes(comparison: SnapshotComparison): string[] {
  const { before, after, isOrderCompared } = comparison
  const isPartial = before.gaps.length > 0 || after.gaps.length > 0
  return [
    ...(isPartial ? [describeGaps(comparison)] : []),
    ...(before.host === after.host
      ? []
      : [`SNAPSHOT_HOSTS: The snapshots are of two hosts: ${before.host} and ${after.host}.`]),
    ...(isOrderCompared ? [] : ['SNAPSHOT_ORDER: One listing is sorted by document, so no order was compared.']),
    ...(before.endedAt > after.endedAt ? ['SNAPSHOT_REVERSED: The first snapshot is newer than the second.'] : []),
  ]
}

function describeGaps({ before, after, uncoveredBefore, uncoveredAfter }: SnapshotComparison): string {
  const describe = (name: string, { gaps }: SnapshotInfo): string[] =>
    gaps.length === 0 ? [] : [`${name} is not whole (${gaps.join(', ')})`]
  const parts = [...describe('the first', before), ...describe('the second', after)]
  const cards = uncoveredBefore + uncoveredAfter
  return `SNAPSHOT_PARTIAL: ${parts.join(', ')}: only cards of both are compared, and ${cards.toLocaleString('en')} others are not.`
}

export const diffCommand = defineCommand({
  name: 'diff',
  summary: 'What changed in a study set between two snapshots, and which recorded call changed it',
  description: [
    'Cards are compared by id: added, removed, moved, renamed, recoloured and so on. A card that was dragged is one move. Each change names the recorded call that made it, as far as one explains it: calls are those that the app recorded in the data directory.',
    'A snapshot that is not whole is compared only where both have the same cards, and the command then ends with its own exit code.',
  ],
  args: [
    {
      name: 'before',
      required: true,
      description: 'id of a stored snapshot, a file that snapshot wrote, or now: what the host lists now',
    },
    { name: 'after', required: true, description: 'as the first' },
  ],
  flags,
  examples: [
    { commandLine: 'diff before.json now --profile work', description: 'what a run of a plugin did' },
    { commandLine: 'diff before.json now --fail --profile work', description: 'in CI: nothing may have changed' },
  ],
  hasHostFlags: true,
  run,
})
