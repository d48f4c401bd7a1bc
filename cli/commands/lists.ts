// Commands that print one list of the host: study sets, documents, palette, excerpts, search.

import { parseDuplicateExcerpts } from '../../shared/bridge/duplicates.ts'
import type { JsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import { getMember } from '../../shared/json/object.ts'
import { defineCommand, type Command, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFormatFlag, type CommandOptions, type Flag } from '../base/flags.ts'
import {
  chooseOutputFormat,
  createEntryPrinter,
  getTextAt,
  getTitleAt,
  toColumns,
  type EntryLayout,
} from '../output/entry-printer.ts'
import { parseResponseList, printResponse } from '../output/response-list.ts'

type ListOptions<Flags extends readonly Flag[]> = CommandOptions<readonly [typeof outputFormatFlag, ...Flags]>

interface ListRequest extends Partial<Pick<ReadInput, 'params' | 'query'>> {
  readonly layout: EntryLayout
  /** Required if the list is not the main list of the response. */
  readonly list?: string
}

interface ListCommand<Flags extends readonly Flag[]>
  extends Pick<Command, 'name' | 'summary' | 'examples'>, Partial<Pick<Command, 'description' | 'args'>> {
  readonly endpoint: JsonEndpointId
  readonly flags: Flags
  toRequest(argument: string, options: ListOptions<Flags>): ListRequest
}

/** With `json`, the command prints the response as the host sent it. */
function defineListCommand<const Flags extends readonly Flag[]>({
  endpoint,
  toRequest,
  flags,
  ...spec
}: ListCommand<Flags>): Command {
  return defineCommand({
    description: [],
    args: [],
    ...spec,
    flags: [outputFormatFlag, ...flags],
    hasHostFlags: true,
    run: (context, [argument = ''], options) =>
      printList(context, endpoint, toRequest(argument, options as ListOptions<Flags>), options),
  })
}

/** What `truncated` says where it is about more than the entries of the response. */
const truncationTexts: Partial<Record<JsonEndpointId, string>> = {
  'search.get': 'The host says that it did not search everything, so what is not listed may exist. Refine the words.',
}

async function printList(
  { io, openSession }: CommandContext,
  endpoint: JsonEndpointId,
  { params = {}, query = {}, layout, list }: ListRequest,
  { json, format, ...host }: CommandOptions<[typeof outputFormatFlag]>,
): Promise<CommandExit> {
  const { call } = await openSession({ host })
  const { bytes } = await call('bridge.read', { endpoint, params, query })
  const body = new Uint8Array(bytes)
  const chosenFormat = chooseOutputFormat(io, format, json)
  const responseList = parseResponseList(endpoint, body, list)
  if (chosenFormat === 'json') await printResponse(io, body)
  else {
    const printer = createEntryPrinter(io, chosenFormat, layout)
    await printer.printEntries(responseList.entries)
    await printer.printEnd()
  }
  const reportedCount = getMember(responseList.value, 'count')
  if (typeof reportedCount === 'number' && reportedCount !== responseList.entries.length)
    io.printNote(`The host says ${reportedCount}, and sent ${responseList.entries.length}.`)
  const { problemCount, isTruncated } = responseList
  if (problemCount > 0)
    io.printNote(
      `Not as the contract has it: ${problemCount} ${problemCount === 1 ? 'place' : 'places'} in the answer.`,
    )
  if (isTruncated)
    io.printStderr(`LIST_TRUNCATED: ${truncationTexts[endpoint] ?? 'The host says that this list is not complete.'}`)
  return isTruncated ? 'partial' : 'ok'
}

const studySetLayout: EntryLayout = {
  columns: [
    ['topicid', 'topicid|topicId|studySetId|id'],
    ['title', 'title|name'],
    ['noteCount', 'noteCount|cardCount'],
    ['documentCount', 'documentCount'],
    ['lastModifiedAt', 'lastModifiedAt|modifiedAt|updatedAt|lastModified'],
  ],
  formatText: (set, { style }) => {
    const [cards, documents] = [getTextAt(set, 'noteCount|cardCount'), getTextAt(set, 'documentCount')]
    const counts = [cards && `${cards} cards`, documents && `${documents} documents`].filter((count) => count !== '')
    const changed = getTextAt(set, 'lastModifiedAt|modifiedAt|updatedAt|lastModified')
    const facts = [...counts, ...(changed === '' ? [] : [`changed ${changed}`])].join(', ')
    const id = style.dim(getTextAt(set, 'topicid|topicId|studySetId|id'))
    return `${getTitleAt(set, 'title|name', style)}${facts}  ${id}`
  },
}

const documentLayout: EntryLayout = {
  columns: [
    ['bookmd5', 'bookmd5|bookMd5|bookMD5|md5|documentId|id'],
    ['title', 'title|name|filename'],
    ['sourceState', 'sourceState'],
    ['main', 'main|isMain|isMainDocument|mainDocument'],
    ['pageCount', 'pageCount|pageTotal|totalPages'],
    ['excerptCount', 'excerptCount'],
  ],
  formatText: (document, { style }) => {
    const [pages, excerpts] = [
      getTextAt(document, 'pageCount|pageTotal|totalPages'),
      getTextAt(document, 'excerptCount'),
    ]
    const facts = [
      pages && `${pages} pages`,
      excerpts && `${excerpts} excerpts`,
      getTextAt(document, 'sourceState'),
      getTextAt(document, 'main|isMain|isMainDocument|mainDocument') === 'true' ? 'main document' : '',
    ].filter((fact) => fact !== '')
    const id = style.dim(getTextAt(document, 'bookmd5|bookMd5|bookMD5|md5|documentId|id'))
    return `${getTitleAt(document, 'title|name|filename', style)}${facts.join(', ')}  ${id}`
  },
}

export const studySetsCommand = defineListCommand({
  name: 'study-sets',
  endpoint: 'studySets.list',
  summary: 'List the study sets: id, title, numbers of cards and documents, last change',
  flags: [],
  examples: [
    { commandLine: 'study-sets --demo', description: 'the ids that tree, palette and documents take' },
    {
      commandLine: 'study-sets --profile work --format csv > study-sets.csv',
      description: 'a table for a spreadsheet',
    },
  ],
  toRequest: () => ({ layout: studySetLayout }),
})

export const documentsCommand = defineListCommand({
  name: 'documents',
  endpoint: 'studySets.documents',
  summary: 'List the documents of a study set: content identifier, title, state, numbers of pages and excerpts',
  args: [
    { name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set (see study-sets)' },
  ],
  flags: [],
  examples: [
    { commandLine: 'documents TOPIC --profile work', description: 'the content identifiers that excerpts takes' },
  ],
  toRequest: (topicid) => ({ params: { topicid }, layout: documentLayout }),
})

const paletteLayout: EntryLayout = {
  columns: [
    ['colorIndex', 'colorIndex'],
    ['baseColor', 'baseColor', 'hex'],
    ['displayColor', 'displayColor', 'hex'],
    ...(['baseColor', 'displayColor'] as const).flatMap((color) =>
      (['r', 'g', 'b', 'a'] as const).map((part) => [`${color}.${part}`, color, 'rgba', part] as const),
    ),
  ],
  formatText: (color) =>
    [
      getTextAt(color, 'colorIndex').padStart(3),
      getTextAt(color, 'baseColor', 'hex').padEnd(9),
      getTextAt(color, 'displayColor', 'hex').padEnd(9),
      ...(['baseColor', 'displayColor'] as const).map((name) =>
        `rgba(${['r', 'g', 'b', 'a'].map((part) => getTextAt(color, name, 'rgba', part) || '-').join(', ')})`.padEnd(
          24,
        ),
      ),
    ]
      .join('  ')
      .trimEnd(),
}

export const paletteCommand = defineListCommand({
  name: 'palette',
  endpoint: 'studySets.palette',
  summary: 'List the palette of a study set: index, own color, color as displayed',
  args: [{ name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set' }],
  flags: [],
  examples: [{ commandLine: 'palette TOPIC --profile work', description: 'one line for each color' }],
  toRequest: (topicid) => ({ params: { topicid }, layout: paletteLayout }),
})

const excerptLayout: EntryLayout = {
  columns: toColumns('noteid', 'cardNoteId', 'topicid', 'page', 'startpos', 'endpos', 'text'),
  formatText: (excerpt, { style }) =>
    `${style.dim(`p. ${getTextAt(excerpt, 'page') || '?'}`)}  ${getTextAt(excerpt, 'text')}  ${style.dim(getTextAt(excerpt, 'noteid'))}`,
}

/** Each excerpt of a duplicate segment is a line; those of one segment share `duplicate`. */
function createDuplicatesLayout(): EntryLayout {
  let count = 0
  return {
    columns: [['duplicate', 'duplicate'], ...excerptLayout.columns],
    toRows(entry) {
      count += 1
      const sides = parseDuplicateExcerpts(entry)
      // An element of unknown shape becomes a row without ids that holds its JSON.
      const rows = sides.length > 0 ? sides : [{ text: JSON.stringify(entry) }]
      return rows.map((side) => ({ ...side, duplicate: count }))
    },
    formatText: (side, { style }) =>
      [
        style.dim(`${getTextAt(side, 'duplicate')}  p. ${getTextAt(side, 'page') || '?'}`),
        getTextAt(side, 'text'),
        style.dim(`record ${getTextAt(side, 'noteid') || '?'}  card ${getTextAt(side, 'cardNoteId') || '?'}`),
        style.dim(getTextAt(side, 'topicid')),
      ]
        .filter((part) => part !== '')
        .join('  '),
  }
}

export const excerptsCommand = defineListCommand({
  name: 'excerpts',
  endpoint: 'documents.excerpts',
  summary: 'List the excerpts of a document',
  description: [
    'With --duplicates-only the host sends only the segments that stand at the same place: their shape is the host’s own. ndjson is one segment a line as it was sent, text and csv have one row for each excerpt that is recognised in it, numbered by segment.',
  ],
  args: [
    {
      name: 'md5',
      required: true,
      completionKind: 'documents',
      description: 'content identifier of the document (bookmd5)',
    },
  ],
  flags: [
    { name: 'study-set', valueName: 'ID', completionKind: 'topics', description: 'only those of this study set' },
    { name: 'duplicates-only', description: 'only duplicate segments' },
  ],
  examples: [
    {
      commandLine: 'excerpts MD5 --profile work --format csv > excerpts.csv',
      description: 'a table for a spreadsheet',
    },
    { commandLine: 'excerpts MD5 --profile work --study-set TOPIC', description: 'of one study set' },
  ],
  toRequest: (bookmd5, { studySet, duplicatesOnly }) => ({
    params: { bookmd5 },
    query: { ...(studySet === undefined ? {} : { studySet }), ...(duplicatesOnly ? { duplicatesOnly: 1 } : {}) },
    layout: duplicatesOnly ? createDuplicatesLayout() : excerptLayout,
    ...(duplicatesOnly ? { list: 'duplicates' } : {}),
  }),
})

/** Names of the ids in the contract; `idPaths` also has the names that some hosts use. */
const idNames = ['noteid', 'topicid', 'bookmd5', 'id'] as const
const idPaths = {
  noteid: 'noteid|noteId',
  topicid: 'topicid|topicId|studySetId',
  bookmd5: 'bookmd5|bookMd5|md5',
  id: 'id',
} as const

const hitLayout: EntryLayout = {
  hasUniqueCells: true,
  columns: [...toColumns('kind', 'title'), ...idNames.map((name) => [name, idPaths[name]] as const)],
  formatText: (hit, { style }) => {
    const ownIds = idNames.flatMap((name) => getTextAt(hit, idPaths[name]) || [])
    const kind = style.dim((getTextAt(hit, 'kind') || '-').padEnd(9))
    return `${kind}  ${getTextAt(hit, 'title')}  ${style.dim([...new Set(ownIds)].join('  '))}`
  },
}

const scopes = ['all', 'notes', 'studysets', 'documents'] as const

export const searchCommand = defineListCommand({
  name: 'search',
  endpoint: 'search.get',
  summary: 'Search cards, study sets and documents',
  description: [
    'The host searches. If it says that it did not search everything, or cut the list, the command ends with its own exit code, also without a hit: what is not listed may exist.',
  ],
  args: [{ name: 'text', required: true, description: 'what to search for' }],
  flags: [{ name: 'scope', valueName: 'SCOPE', choices: scopes, description: 'where to search (default: the host’s)' }],
  examples: [
    { commandLine: 'search photosynthesis --profile work', description: 'everywhere' },
    { commandLine: 'search thesis --scope documents --profile work --json', description: 'documents only, as JSON' },
  ],
  toRequest: (text, { scope }) => ({
    query: { q: text, ...(scope === undefined ? {} : { scope }) },
    layout: hitLayout,
  }),
})
