import { LibraryExport } from '../../electron/core/library-export.ts'
import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../shared/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import { hasAllExcerpts } from '../../shared/snapshots/snapshot.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFileFlags, redactionFlags, toRedactionPolicy, type CommandOptions, type Flag } from '../base/flags.ts'
import { assertOutputWritable, withOutput } from '../base/output-file.ts'
import type { ConnectedSession } from '../base/session.ts'
import { getTextAt } from '../output/entry-printer.ts'
import { formatError } from '../output/error-text.ts'
import { parseJson, parseJsonEntry, parseResponseList } from '../output/response-list.ts'

const flags = [
  ...outputFileFlags,
  ...redactionFlags.filter(({ name }) => name !== 'pictures'),
] as const satisfies readonly Flag[]

async function run(
  { io, openSession }: CommandContext,
  [, ...chosenIds]: readonly string[],
  options: CommandOptions<typeof flags>,
): Promise<CommandExit> {
  assertOutputWritable(options)
  const library = new LibraryExport(toRedactionPolicy(options))
  const session = await openSession({ host: options })
  const titles = new Map<string, string>()
  for (const set of await readList(session, 'studySets.list', {}))
    titles.set(getFirst(set, 'topicid|topicId|studySetId|id'), getFirst(set, 'title|name'))
  let isPartial = false
  let position = 0
  const topics = chosenIds.length > 0 ? [...new Set(chosenIds)] : [...titles.keys()]
  session.app.dispatcher.subscribe(({ topic, payload }) => {
    if (topic !== 'snapshots.progress') return
    const count = `${getTextAt(payload, 'count')} ${getTextAt(payload, 'phase')}`
    io.showProgress(`study set ${position} of ${topics.length}: ${count}`)
  })
  for (const topicid of topics) {
    position += 1
    try {
      const info = await session.call('snapshots.take', { topicid, details: true, excerpts: true })
      const { bytes } = await session.call('snapshots.read', { topicid, snapshot: info.id })
      const { cards } = parseJson(new Uint8Array(bytes)) as { readonly cards: readonly unknown[] }
      const documents = await readList(session, 'studySets.documents', { topicid })
      library.addStudySet({ topicid, title: titles.get(topicid) ?? '', cards, documents })
      const gaps: string[] = [...info.gaps]
      if (info.detailed < info.cards) gaps.push(`no details of ${info.cards - info.detailed} cards`)
      if (!hasAllExcerpts(info)) gaps.push('no excerpts')
      if (gaps.length > 0) io.printStderr(`LIBRARY_PARTIAL: ${topicid} is not whole (${gaps.join(', ')}).`)
      isPartial ||= gaps.length > 0
    } catch (error) {
      if (!(error instanceof AppError) || topics.length === 1) throw error
      io.printStderr(`LIBRARY_PARTIAL: ${topicid} could not be read: ${formatError(error)}`)
      isPartial = true
    }
  }
  io.showProgress(null)
  const { bytes } = await session.call('bridge.read', { endpoint: 'uiState.get', params: {}, query: {} })
  const openSet = getFirst(getMember(parseJson(new Uint8Array(bytes)), 'state'), 'topicid|topicId')
  const file = library.toFile(openSet === '' ? null : openSet)
  await withOutput(io, options, (print) => print(`${JSON.stringify(file, null, 1)}\n`))
  io.printNote(`${library.cardCount.toLocaleString('en')} cards.`)
  const leftOut = Object.entries(library.leftOut).map(([name, count]) => `${count} ${name}`)
  if (leftOut.length > 0) io.printStderr(`LEFT_OUT: A library file has no place for ${leftOut.join(', ')}.`)
  return isPartial || library.leftOut['cards'] !== undefined ? 'partial' : 'ok'
}

async function readList(
  { call }: ConnectedSession,
  endpoint: JsonEndpointId,
  params: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const { bytes } = await call('bridge.read', { endpoint, params, query: {} })
  return parseResponseList(endpoint, new Uint8Array(bytes)).entries.map(parseJsonEntry)
}

/** Hosts name some members otherwise. */
function getFirst(value: unknown, names: string): string {
  const values = names.split('|').map((name) => getMember(value, name))
  return values.find((text) => typeof text === 'string') ?? ''
}

export const libraryCommand = defineCommand({
  name: 'library',
  summary: 'Write what a host holds as a library file, for demo-host --library',
  description: [
    'export reads each study set, or those that are named, with texts, parts, tags, practice, bands and excerpts of its cards, and the titles of its documents; nothing is written to the host. Texts are replaced as in a recording, unless --texts keep is given. Pages have no text, and pictures, sound and files no bytes: the demo host makes these up. What could not be read, or has no place in such a file, is said on standard error, and the command then ends with 10.',
  ],
  args: [
    { name: 'action', required: true, choices: ['export'], description: 'what is done' },
    { name: 'topic', required: false, isRepeatable: true, completionKind: 'topics', description: 'id of a study set' },
  ],
  flags,
  examples: [
    { commandLine: 'library export -o library.json --profile work', description: 'all study sets, with other texts' },
    { commandLine: 'library export TOPIC --texts keep -o set.json --profile work', description: 'as it is' },
  ],
  hasHostFlags: true,
  run,
})
