import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { outputFormatFlag, type CommandOptions } from '../base/flags.ts'
import { getTextAt, getTitleAt, type EntryLayout } from '../output/entry-printer.ts'
import { printList } from './list-output.ts'

type Options = CommandOptions<[typeof outputFormatFlag]>

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

const printStudySets = (context: CommandContext, { format, json, ...host }: Options): Promise<CommandExit> =>
  printList(context, { id: 'studySets.list', params: {}, query: {}, host, json, format, layout: studySetLayout })

export const studySetCommands = [
  defineCommand({
    name: 'study-sets',
    summary: 'List the study sets: id, title, numbers of cards and documents, last change',
    description: [],
    args: [],
    flags: [outputFormatFlag],
    examples: [
      { commandLine: 'study-sets --demo', description: 'the ids that tree, palette and documents take' },
      {
        commandLine: 'study-sets --profile work --format csv > study-sets.csv',
        description: 'a table for a spreadsheet',
      },
    ],
    hasHostFlags: true,
    run: (context, _, listOptions) => printStudySets(context, listOptions),
  }),
  defineCommand({
    name: 'documents',
    summary: 'List the documents of a study set: content identifier, title, state, numbers of pages and excerpts',
    description: [],
    args: [
      { name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set (see study-sets)' },
    ],
    flags: [outputFormatFlag],
    examples: [
      { commandLine: 'documents TOPIC --profile work', description: 'the content identifiers that excerpts takes' },
    ],
    hasHostFlags: true,
    run: (context, [topicid = ''], { format, json, ...host }) =>
      printList(context, {
        id: 'studySets.documents',
        params: { topicid },
        query: {},
        host,
        json,
        format,
        layout: documentLayout,
      }),
  }),
]
