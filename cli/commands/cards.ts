import { getLimit } from '../../shared/bridge/host-limits.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFormatFlag, createUsageError, type CommandOptions } from '../base/flags.ts'
import { parseResponseList, parseJsonEntry } from '../output/response-list.ts'
import {
  createEntryPrinter,
  chooseOutputFormat,
  getTextAt,
  getTitleAt,
  toColumns,
  type EntryLayout,
} from '../output/entry-printer.ts'

const layout: EntryLayout = {
  columns: [
    ...toColumns('noteid', 'title'),
    ['studySet', 'topicid'],
    ['document', 'bookmd5'],
    ...toColumns('texts', 'parts', 'metadata', 'hashtags', 'hashtagPaths'),
  ],
  formatText: (card, { style }) => `${getTitleAt(card, 'title', style)}${style.dim(getTextAt(card, 'noteid'))}`,
}

/** Cards per request if the host states no limit. */
const DEFAULT_BATCH = getLimit(null, 'notes.batchGet', 'noteIds').max ?? 100
const MAX_INPUT_BYTES = 64 * 1024 * 1024

async function run(
  { io, openSession }: CommandContext,
  idArguments: readonly string[],
  options: CommandOptions<[typeof outputFormatFlag]>,
): Promise<CommandExit> {
  const ids = idArguments.includes('-') ? await resolveIds(io, idArguments) : idArguments
  if (ids.length === 0) throw createUsageError('cards takes the ids of cards, or - to read them from standard input.')
  const { call } = await openSession({ host: options })
  const printer = createEntryPrinter(io, chooseOutputFormat(io, options.format, options.json), layout)
  const missing: string[] = []
  const batchSize = getLimit(await call('bridge.limits', {}), 'notes.batchGet', 'noteIds').max ?? DEFAULT_BATCH
  for (let start = 0; start < ids.length; start += batchSize) {
    const noteIds = ids.slice(start, start + batchSize)
    const { bytes } = await call('bridge.read', {
      endpoint: 'notes.batchGet',
      params: {},
      query: {},
      body: { noteIds },
    })
    const { entries } = parseResponseList('notes.batchGet', new Uint8Array(bytes))
    await printer.printEntries(entries)
    const receivedIds = new Set(entries.flatMap((entry) => listIds(parseJsonEntry(entry))))
    missing.push(...noteIds.filter((id) => !receivedIds.has(id)))
    io.showProgress(
      `${Math.min(start + batchSize, ids.length).toLocaleString('en')} of ${ids.length.toLocaleString('en')} cards`,
    )
  }
  await printer.printEnd()
  io.showProgress(null)
  for (const id of missing) io.printStderr(`CARD_MISSING: The host sent no card ${id}.`)
  return missing.length > 0 ? 'partial' : 'ok'
}

const listIds = (card: unknown): string[] => ['noteid', 'noteId', 'id'].map((name) => getTextAt(card, name))

async function resolveIds(io: CommandContext['io'], idArguments: readonly string[]): Promise<readonly string[]> {
  const text = (await io.readInput(MAX_INPUT_BYTES)).toString('utf8')
  const inputIds = text.split(/\s+/).filter((id) => id !== '')
  return idArguments.flatMap((id) => (id === '-' ? inputIds : [id]))
}

export const cardsCommand = defineCommand({
  name: 'cards',
  summary: 'Print cards with their texts and parts',
  description: [
    `Any number of ids; they are asked for in batches of ${DEFAULT_BATCH}, or as many as the host’s capabilities allow. A card that the host does not send is named on standard error, and the command ends with its own exit code.`,
  ],
  args: [
    {
      name: 'id',
      required: true,
      isRepeatable: true,
      completionKind: 'notes',
      description: 'id of a card; - reads ids from standard input',
    },
  ],
  flags: [outputFormatFlag],
  examples: [
    { commandLine: 'cards NOTE --profile work --json', description: 'one card as JSON' },
    {
      commandLine: 'tree TOPIC --profile work | jq -r .noteid | bridge-inspector cards - --profile work',
      description: 'every card of a study set',
    },
  ],
  hasHostFlags: true,
  run,
})
