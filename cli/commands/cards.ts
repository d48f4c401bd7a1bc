import { limitOf } from '../../shared/bridge/host-limits.ts'
import { command, type Context, type Ending } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf, usageError } from '../base/flags.ts'
import { entriesOf, valueOf } from '../output/entries.ts'
import { createPrinter, formatFor, textAt, type Shown } from '../output/printer.ts'
import type { z } from 'zod'

const shown: Shown = {
  columns: [
    ['noteid', 'noteid'],
    ['title', 'title'],
    ['studySet', 'topicid'],
    ['document', 'bookmd5'],
    ['texts', 'texts'],
    ['parts', 'parts'],
    ['metadata', 'metadata'],
    ['hashtags', 'hashtags'],
    ['hashtagPaths', 'hashtagPaths'],
  ],
  text: (card, { style }) => `${textAt(card, 'title') || style.dim('untitled')}  ${style.dim(textAt(card, 'noteid'))}`,
}

/** How many cards one request asks for where the host names no limit. */
const DEFAULT_BATCH = limitOf(null, 'notes.batchGet', 'noteIds').max ?? 100
const MOST_INPUT = 64 * 1024 * 1024

async function run({ io, open }: Context, given: readonly string[], options: z.infer<typeof own>): Promise<Ending> {
  const ids = given.includes('-') ? await typedIds(io, given) : given
  if (ids.length === 0) throw usageError('cards takes the ids of cards, or - to read them from standard input.')
  const { call } = await open({ host: options })
  const printer = createPrinter(io, formatFor(io, options.format, options.json), shown)
  const missing: string[] = []
  const batch = limitOf(await call('bridge.limits', {}), 'notes.batchGet', 'noteIds').max ?? DEFAULT_BATCH
  for (let start = 0; start < ids.length; start += batch) {
    const noteIds = ids.slice(start, start + batch)
    const { bytes } = await call('bridge.read', {
      endpoint: 'notes.batchGet',
      params: {},
      query: {},
      body: { noteIds },
    })
    const { entries } = entriesOf('notes.batchGet', new Uint8Array(bytes))
    await printer.print(entries)
    const came = new Set(entries.flatMap((entry) => idsIn(valueOf(entry))))
    missing.push(...noteIds.filter((id) => !came.has(id)))
    io.progress(
      `${Math.min(start + batch, ids.length).toLocaleString('en')} of ${ids.length.toLocaleString('en')} cards`,
    )
  }
  await printer.end()
  io.progress(null)
  for (const id of missing) io.complain(`CARD_MISSING: The host sent no card ${id}.`)
  return missing.length > 0 ? 'partial' : 'ok'
}

const idsIn = (card: unknown): string[] => ['noteid', 'noteId', 'id'].map((name) => textAt(card, name))

async function typedIds(io: Context['io'], given: readonly string[]): Promise<readonly string[]> {
  const text = (await io.readInput(MOST_INPUT)).toString('utf8')
  const typed = text.split(/\s+/).filter((id) => id !== '')
  return given.flatMap((id) => (id === '-' ? typed : [id]))
}

const own = optionsOf(formatOptions)

/** `cards ID…`: cards with their texts and parts. */
export const cardsCommand = command({
  name: 'cards',
  summary: 'Print cards with their texts and parts',
  about: [
    `Any number of ids; they are asked for in batches of ${DEFAULT_BATCH}, or as many as the host’s capabilities allow. A card that the host does not send is named on standard error, and the command ends with its own exit code.`,
  ],
  args: [
    {
      name: 'id',
      required: true,
      many: true,
      completes: 'notes',
      about: 'id of a card; - reads ids from standard input',
    },
  ],
  flags: [formatFlag],
  examples: [
    { line: 'cards NOTE --profile work --json', about: 'one card as JSON' },
    {
      line: 'tree TOPIC --profile work | jq -r .noteid | bridge-inspector cards - --profile work',
      about: 'every card of a study set',
    },
  ],
  host: true,
  options: own,
  run,
})
